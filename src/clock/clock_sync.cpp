// SPDX-License-Identifier: BSD-3-Clause
#include "clock/clock_sync.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::uint32_t kAnswerMark = 0x3341434d;   // "MCA3"
constexpr std::chrono::milliseconds kPatience{50};  // between checks for the end
constexpr std::size_t kOpenQuestions = 100;         // for 10 s at the highest rate

// In memory order; all machines have the same byte order (x86, ARM).
struct Answer {
  std::uint32_t mark = kAnswerMark;
  std::uint32_t run = 0;
  TimeNs sent = 0;  // of the question
  TimeNs wall = 0;  // the leader's
  TimeNs time = 0;
  double pace = 0.0;
};
template <class Message>
struct Tagged {
  Message message;
  HmacKey::Tag tag;
};
static_assert(sizeof(Tagged<ClockQuestion>) == 32 && sizeof(Tagged<Answer>) == 56, "no gaps");

template <class Message>
std::string_view bytesOf(const Message& message) {
  return {reinterpret_cast<const char*>(&message), sizeof(message)};
}
std::string covered(const ClockQuestion& question) {
  return std::string("marsim clock question").append(bytesOf(question));
}
// The signed bytes hold the whole question, so that an answer fits no other one.
std::string covered(const ClockQuestion& question, const Answer& answer) {
  return std::string("marsim clock answer").append(bytesOf(question)).append(bytesOf(answer));
}

template <class Message>
bool read(const std::vector<std::uint8_t>& data, Tagged<Message>& tagged) {
  const std::uint32_t mark = Message().mark;
  if (data.size() != sizeof(tagged)) return false;
  std::memcpy(static_cast<void*>(&tagged), data.data(), sizeof(tagged));
  return tagged.message.mark == mark;
}

}  // namespace

TimeNs wallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ClockServer::ClockServer(const Endpoint& local, HmacKey key, std::vector<Endpoint> known,
                         std::function<ClockReading()> read)
    : socket_(local),
      key_(std::move(key)),
      known_(std::move(known)),
      read_(std::move(read)),
      thread_(&ClockServer::run, this) {}

ClockServer::~ClockServer() {
  stop_ = true;
  thread_.join();
}

bool ClockServer::isKnown(const Endpoint& from) const {
  return std::any_of(known_.begin(), known_.end(),
                     [&](const Endpoint& machine) { return machine.address == from.address; });
}

void ClockServer::run() {
  std::vector<std::uint8_t> data;
  while (!stop_) {
    const auto from = socket_.receive(data, kPatience);
    if (!from) continue;
    Tagged<ClockQuestion> question;
    if (!isKnown(*from) || !marsim::read(data, question) ||
        !key_.verifies(covered(question.message), question.tag)) {
      ++refused_;
      continue;
    }
    const ClockReading reading = read_();
    Tagged<Answer> answer;
    answer.message.run = reading.run;
    answer.message.sent = question.message.sent;
    answer.message.wall = reading.wall;
    answer.message.time = reading.time;
    answer.message.pace = reading.pace;
    answer.tag = key_.tag(covered(question.message, answer.message));
    if (socket_.send(*from, &answer, sizeof(answer))) ++answered_;
  }
}

ClockClient::ClockClient(const Endpoint& local, const Endpoint& leader, HmacKey key, double rate,
                         ClockFollowerConfig config)
    : socket_(local),
      leader_(leader),
      key_(std::move(key)),
      period_(periodNs(rate)),
      follower_(config) {
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
      ask();
    }
    const std::chrono::nanoseconds left(due - wallNow());
    const auto wait =
        std::chrono::duration_cast<std::chrono::milliseconds>(left) + std::chrono::milliseconds(1);
    const auto from =
        socket_.receive(data, std::clamp(wait, std::chrono::milliseconds(0), kPatience));
    if (from) take(*from, data, wallNow());
  }
}

void ClockClient::ask() {
  Tagged<ClockQuestion> question;
  question.message.nonce = std::random_device{}();
  question.message.sent = wallNow();
  question.tag = key_.tag(covered(question.message));
  open_.push_back(question.message);
  if (open_.size() > kOpenQuestions) open_.pop_front();
  socket_.send(leader_, &question, sizeof(question));
  const std::lock_guard<std::mutex> lock(mutex_);
  ++asked_;
}

void ClockClient::take(const Endpoint& from, const std::vector<std::uint8_t>& data,
                       TimeNs received) {
  Tagged<Answer> tagged;
  const Answer& answer = tagged.message;
  const bool is_answer = from == leader_ && read(data, tagged);
  const auto question = std::find_if(open_.begin(), open_.end(), [&](const ClockQuestion& asked) {
    return is_answer && asked.sent == answer.sent &&
           key_.verifies(covered(asked, answer), tagged.tag);
  });
  const std::lock_guard<std::mutex> lock(mutex_);
  if (question == open_.end()) {
    ++refused_;
    return;
  }
  open_.erase(question);
  ++answered_;
  follower_.observe({answer.sent, received, answer.wall, answer.time, answer.pace, answer.run});
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
  status.refused = refused_;
  return status;
}

TimeNs ClockClient::now() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return follower_.at(wallNow());
}

}  // namespace marsim
