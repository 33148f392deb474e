// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "control/pilot/offboard.hpp"
#include "layouts/frames.hpp"
#include "marsim/sim/world.hpp"
#include "ros2/inbox.hpp"
#include "ros2/messages.hpp"
#include "sim/command_input.hpp"

namespace marsim::ros2 {

/// The commands of a UAV from ROS 2's topics and services, followed or refused by the rules of the
/// nodes of ROS 1 when the inbox hands them out. They act at the next state.
class UavCommands {
 public:
  /// `name` of the UAV: "uav0".
  UavCommands(const std::string& name, const sim::UavConfig& config, sim::Uav& uav, Inbox& inbox,
              const Eigen::AlignedBox3d& map, double ground_z);

  /// Compares the tracked reference with the motion; call it at each report.
  void watchTracking();
  Status status();

 private:
  /// Subscribes a topic of the UAV's namespace.
  void on(const std::string& topic, const Type& type, bool is_reliable, Inbox::Apply apply);
  Inbox::Refuse refusing(const std::string& topic);
  /// The frame of a header, which is read.
  static std::string frame(dataset::CdrReader& reader);
  static sim::PoseRequest pose(dataset::CdrReader& reader);
  static sim::VelocityRequest velocity(dataset::CdrReader& reader, const std::string& in);
  static sim::TrajectoryCommand trajectory(dataset::CdrReader& reader, double present_yaw);
  void subscribePilot();
  void subscribePlacements(const sim::UavConfig& config);
  void servePlacements(const sim::UavConfig& config);
  void place(const Eigen::Vector3d& p_WB, double yaw);
  void subscribeMavros();
  void followPosition(dataset::CdrReader& reader);
  void obey(const char* topic, const control::offboard::Command& command);

  std::string name_;
  layouts::Frames frames_;
  bool replays_;
  sim::Uav& uav_;
  Inbox& inbox_;
  control::CommandWatch watch_;
  sim::CommandInput input_;
  control::offboard::Decoder decoder_;
};

}  // namespace marsim::ros2
