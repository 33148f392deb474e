// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "control/pilot/offboard.hpp"
#include "dataset/cdr.hpp"
#include "marsim/sim/world.hpp"
#include "ros2/messages.hpp"
#include "ros2/participant.hpp"
#include "sim/command_input.hpp"

namespace marsim::ros2 {

/// The commands of a UAV from ROS 2's topics. DDS' threads put messages into a queue; take(), in
/// the simulation's thread, follows or refuses them by the rules of the nodes of ROS 1. Commands
/// act at the next state.
class UavCommands {
 public:
  /// A topic beside those of the pilot: refuse a message by throwing Error.
  using Apply = std::function<void(dataset::CdrReader& reader)>;

  UavCommands(const sim::UavConfig& config, sim::Uav& uav, Participant& participant,
              const Eigen::AlignedBox3d& map, double ground_z);

  /// Subscribes a topic by its full name.
  void on(const std::string& topic, const Type& type, bool is_reliable, Apply apply);
  /// Puts the messages of a topic that others subscribe into the same queue.
  Participant::OnMessage queueFor(const std::string& topic, Apply apply);
  /// Follows the messages that have come; call it at each report.
  void take();
  /// Compares the tracked reference with the motion; call it at each report.
  void watchTracking();
  Status status();

 private:
  struct Message {
    std::size_t topic;
    std::string cdr;
  };
  struct Topic {
    std::string name;  ///< in reports, that of ROS 1: relative to the UAV
    Apply apply;
  };
  /// The frame of a header, which is read.
  static std::string frame(dataset::CdrReader& reader);
  static sim::PoseRequest pose(dataset::CdrReader& reader);
  static sim::VelocityRequest velocity(dataset::CdrReader& reader, const std::string& in);
  static sim::TrajectoryCommand trajectory(dataset::CdrReader& reader, double present_yaw);
  void subscribePilot();
  void subscribePlacements(const sim::UavConfig& config);
  void place(const Eigen::Vector3d& p_WB, double yaw);
  void subscribeMavros();
  void followPosition(dataset::CdrReader& reader);
  void obey(const char* topic, const control::offboard::Command& command);

  sim::Uav& uav_;
  Participant& participant_;
  control::CommandWatch watch_;
  sim::CommandInput input_;
  control::offboard::Decoder decoder_;
  std::vector<Topic> topics_;
  std::mutex mutex_;  ///< guards the next two
  std::deque<Message> waiting_;
  std::uint64_t lost_ = 0;  ///< messages that came too fast
};

}  // namespace marsim::ros2
