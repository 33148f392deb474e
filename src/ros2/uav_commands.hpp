// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "control/pilot/command_watch.hpp"
#include "control/pilot/offboard.hpp"
#include "dataset/cdr.hpp"
#include "marsim/sim/world.hpp"
#include "ros2/messages.hpp"
#include "ros2/participant.hpp"

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
    std::string name;
    Apply apply;
  };
  struct Header {
    TimeNs stamp;
    std::string frame;
  };
  /// A pose command with a unit quaternion, or none.
  struct PoseCommand {
    std::string frame;
    Pose X_FG;
    bool has_yaw = true;
  };
  static Header header(dataset::CdrReader& reader);
  static PoseCommand pose(dataset::CdrReader& reader);
  void subscribePilot();
  void subscribePlacements(const sim::UavConfig& config);
  void place(const Eigen::Vector3d& p_WB, double yaw);
  void subscribeMavros();
  void flyTo(dataset::CdrReader& reader, bool keeps_altitude);
  void follow(const char* topic, dataset::CdrReader& reader);
  void move(const char* topic, dataset::CdrReader& reader, bool is_stamped, bool is_body_default);
  void followTrajectory(dataset::CdrReader& reader);
  void followPosition(dataset::CdrReader& reader);
  void track(const char* topic, control::Reference reference);
  void obey(const char* topic, const control::offboard::Command& command);
  bool isBase(const std::string& frame) const;
  void requireWorld(const std::string& frame, const std::string& allowed = "") const;
  control::Commander& commander() { return uav_.pilot().commander(); }
  TimeNs now() const { return uav_.pilot().motion().stamp; }

  sim::Uav& uav_;
  Participant& participant_;
  control::CommandWatch watch_;
  control::offboard::Decoder decoder_;
  std::vector<Topic> topics_;
  std::mutex mutex_;  ///< guards the next two
  std::deque<Message> waiting_;
  std::uint64_t lost_ = 0;  ///< messages that came too fast
};

}  // namespace marsim::ros2
