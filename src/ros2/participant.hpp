// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/ros2_types.hpp"
#include "ros2/environment.hpp"

/// ROS 2's topics over DDS (Fast DDS), without ROS 2.
namespace marsim::ros2 {

using dataset::ros2_types::Service;
using dataset::ros2_types::Type;

/// The way in which a topic is offered; all are offered reliably, which serves readers of either
/// reliability.
struct Offer {
  int depth = 10;           ///< messages kept for a slow reader
  bool is_latched = false;  ///< late readers get the last message (transient local)
  bool is_heavy = false;    ///< clouds and images: sent by a thread of its own
};

/// A topic that this process publishes.
class Publication {
 public:
  virtual ~Publication() = default;
  /// Whether a reader needs the next message.
  virtual bool wanted() const = 0;
  /// Hands a message in CDR over to the thread that sends it; never waits. While that thread is
  /// busy the oldest message that waits is dropped, for a heavy topic any older one.
  virtual void write(std::string cdr) = 0;
};

struct Transport {
  std::size_t largest = 0;    ///< [bytes] largest message; shared memory has room for several
  bool shares_memory = true;  ///< false: UDP alone, for containers
};

/// A DDS participant that appears as nodes of ROS 2.
class Participant {
 public:
  /// Throws Error.
  Participant(const Environment& environment, const Transport& transport);
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  /// Topics by their full names, "/uav0/points". The writer lives as long as the participant.
  Publication& advertise(const std::string& topic, const Type& type, const Offer& offer);
  /// Messages in CDR, called from threads of DDS.
  using OnMessage = std::function<void(std::string cdr)>;
  /// A reliable reader does not hear best-effort writers.
  void subscribe(const std::string& topic, const Type& type, bool is_reliable, OnMessage on);
  /// Subscribes a topic of any type once another participant offers it; returns whether one does.
  /// Call it now and then.
  bool subscribeOffered(const std::string& topic, const OnMessage& on);
  /// Calls `on` in the writing thread for every message written on a topic that is offered already.
  void watch(const std::string& topic, OnMessage on);
  /// Sends a reply in CDR to a caller; empty for callers without an identity, who get none.
  using Respond = std::function<void(std::string cdr)>;
  using OnRequest = std::function<void(std::string cdr, Respond respond)>;
  /// Serves a service by its full name, "/uav0/reset", to callers on Fast DDS, called from threads
  /// of DDS.
  void serve(const std::string& service, const Service& type, OnRequest on);
  /// Tells ROS 2's tools that each topic and service so far belongs to the node of that name in the
  /// longest of the namespaces ("/", "/uav0") that contains it.
  void announce(const std::string& node, const std::vector<std::string>& namespaces);
  /// The number of readers of a topic that this participant offers.
  int readers(const std::string& topic) const;
  /// The numbers of messages dropped, by topic, without topics that dropped none.
  std::vector<std::pair<std::string, std::uint64_t>> dropped() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace marsim::ros2
