// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/inbox.hpp"

#include <utility>

#include "marsim/common/error.hpp"

namespace marsim::ros2 {
namespace {

constexpr std::size_t kMostWaiting = 1000;  // messages

}  // namespace

void Inbox::on(const std::string& topic, const Type& type, bool is_reliable, Apply apply,
               Refuse refuse) {
  participant_.subscribe(topic, type, is_reliable, queueFor(std::move(apply), std::move(refuse)));
}

Participant::OnMessage Inbox::queueFor(Apply apply, Refuse refuse) {
  const std::size_t source = sources_.size();
  sources_.push_back([apply = std::move(apply), refuse = std::move(refuse)](
                         const std::string& cdr, const Participant::Respond& /*respond*/) {
    try {
      dataset::CdrReader reader(cdr);
      apply(reader);
    } catch (const Error& error) {
      refuse(error.what());
    }
  });
  return [queue = queue_, source](std::string cdr) { queue->push({source, std::move(cdr), {}}); };
}

void Inbox::serve(const std::string& service, const Service& type, Serve serve, Refuse refuse) {
  const std::size_t source = sources_.size();
  sources_.push_back([serve = std::move(serve), refuse = std::move(refuse)](
                         const std::string& cdr, const Participant::Respond& respond) {
    bool succeeds = false;
    std::string text;
    try {
      if (!respond) throw Error("the caller is not on Fast DDS (rmw_fastrtps_cpp): use the topic");
      dataset::CdrReader reader(cdr);
      text = serve(reader);
      succeeds = true;
    } catch (const Error& error) {
      text = error.what();
      refuse(text);
    }
    if (!respond) return;
    dataset::Cdr reply;
    reply.add(static_cast<std::uint8_t>(succeeds));
    reply.add(text);
    respond(reply.take());
  });
  participant_.serve(service, type,
                     [queue = queue_, source](std::string cdr, Participant::Respond respond) {
                       queue->push({source, std::move(cdr), std::move(respond)});
                     });
}

void Inbox::Queue::push(Message message) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (waiting.size() >= kMostWaiting) {
    ++lost;
    waiting.pop_front();
  }
  waiting.push_back(std::move(message));
}

void Inbox::take() {
  std::deque<Message> messages;
  {
    const std::lock_guard<std::mutex> lock(queue_->mutex);
    messages.swap(queue_->waiting);
  }
  for (const Message& message : messages) sources_[message.source](message.cdr, message.respond);
}

std::uint64_t Inbox::lost() const {
  const std::lock_guard<std::mutex> lock(queue_->mutex);
  return queue_->lost;
}

}  // namespace marsim::ros2
