// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataset/cdr.hpp"
#include "ros2/participant.hpp"

namespace marsim::ros2 {

/// The messages and calls of services that wait for the simulation's thread. DDS' threads put them
/// in; take() hands them out in the order of their arrival.
class Inbox {
 public:
  /// Takes a message; refuses it by throwing Error.
  using Apply = std::function<void(dataset::CdrReader& reader)>;
  /// Does what a service is for and returns the text of the reply; refuses by throwing Error.
  using Serve = std::function<std::string(dataset::CdrReader& request)>;
  /// Reports the reason of a refusal.
  using Refuse = std::function<void(const std::string& reason)>;

  explicit Inbox(Participant& participant) : participant_(participant) {}

  /// Subscribes a topic by its full name.
  void on(const std::string& topic, const Type& type, bool is_reliable, Apply apply, Refuse refuse);
  /// Puts the messages of a topic that others subscribe into the same queue.
  Participant::OnMessage queueFor(Apply apply, Refuse refuse);
  /// Serves a service whose reply is `bool success` and `string message`, the reason where it was
  /// refused.
  void serve(const std::string& service, const Service& type, Serve serve, Refuse refuse);
  /// Hands out what has come; call it at each report.
  void take();
  /// The number of messages that came too fast.
  std::uint64_t lost() const;

 private:
  using Take = std::function<void(const std::string& cdr, const Participant::Respond& respond)>;
  struct Message {
    std::size_t source;
    std::string cdr;
    Participant::Respond respond;  ///< empty: not to be replied to
  };
  struct Queue {
    void push(Message message);

    std::mutex mutex;  ///< guards the next two
    std::deque<Message> waiting;
    std::uint64_t lost = 0;
  };

  Participant& participant_;
  std::vector<Take> sources_;
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();  ///< DDS' threads may outlive this
};

}  // namespace marsim::ros2
