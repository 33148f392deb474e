#include "marsim/common/clock_sync.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::uint32_t kQuestionMark = 0x3151434d;  // "MCQ1"
constexpr std::uint32_t kAnswerMark = 0x3241434d;    // "MCA2"
constexpr std::chrono::milliseconds kPatience{50};   // between looks whether to stop

// As they lie in memory; all machines have the same byte order (x86, ARM).
struct Question {
  std::uint32_t mark = kQuestionMark;
  std::uint32_t unused = 0;
  TimeNs sent = 0;  // the follower's wall time
};
struct Answer {
  std::uint32_t mark = kAnswerMark;
  std::uint32_t run = 0;
  TimeNs sent = 0;  // of the question
  TimeNs wall = 0;  // the leader's
  TimeNs time = 0;
  double pace = 0.0;
};

template <class Message>
bool read(const std::vector<std::uint8_t>& data, Message& message) {
  const std::uint32_t mark = message.mark;
  if (data.size() != sizeof(message)) return false;
  std::memcpy(static_cast<void*>(&message), data.data(), sizeof(message));
  return message.mark == mark;
}

}  // namespace

TimeNs wallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ClockServer::ClockServer(const Endpoint& local, std::function<ClockReading()> read)
    : socket_(local), read_(std::move(read)), thread_(&ClockServer::run, this) {}

ClockServer::~ClockServer() {
  stop_ = true;
  thread_.join();
}

void ClockServer::run() {
  std::vector<std::uint8_t> data;
  while (!stop_) {
    const auto from = socket_.receive(data, kPatience);
    Question question;
    if (!from || !marsim::read(data, question)) continue;
    const ClockReading reading = read_();
    Answer answer;
    answer.run = reading.run;
    answer.sent = question.sent;
    answer.wall = reading.wall;
    answer.time = reading.time;
    answer.pace = reading.pace;
    if (socket_.send(*from, &answer, sizeof(answer))) ++answered_;
  }
}

ClockClient::ClockClient(const Endpoint& local, const Endpoint& leader, double rate,
                         ClockFollowerConfig config)
    : socket_(local), leader_(leader), period_(periodNs(rate)), follower_(config) {
  Validator("clock sync").within("rate", rate, 0.1, 10.0, "Hz");
  thread_ = std::thread(&ClockClient::run, this);
}

ClockClient::~ClockClient() {
  stop_ = true;
  thread_.join();
}

void ClockClient::run() {
  std::vector<std::uint8_t> data;
  TimeNs due = wallNow();
  while (!stop_) {
    if (wallNow() >= due) {
      due = wallNow() + period_;
      Question question;
      question.sent = wallNow();
      socket_.send(leader_, &question, sizeof(question));
      const std::lock_guard<std::mutex> lock(mutex_);
      ++asked_;
    }
    const std::chrono::nanoseconds left(due - wallNow());
    const auto wait =
        std::chrono::duration_cast<std::chrono::milliseconds>(left) + std::chrono::milliseconds(1);
    const auto from =
        socket_.receive(data, std::clamp(wait, std::chrono::milliseconds(0), kPatience));
    const TimeNs received = wallNow();
    Answer answer;
    if (!from || !(*from == leader_) || !read(data, answer)) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++answered_;
    follower_.observe({answer.sent, received, answer.wall, answer.time, answer.pace, answer.run});
  }
}

ClockClient::Status ClockClient::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const TimeNs wall = wallNow();
  Status status;
  status.synchronised = follower_.synchronised();
  status.age = status.synchronised ? toSeconds(wall - follower_.newest()) : 0.0;
  status.uncertainty = follower_.uncertainty(wall);
  status.error = follower_.error();
  status.pace = follower_.pace();
  status.asked = asked_;
  status.answered = answered_;
  return status;
}

TimeNs ClockClient::now() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return follower_.at(wallNow());
}

}  // namespace marsim
