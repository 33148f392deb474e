// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <ros/ros.h>

#include "control/pilot/key_flight.hpp"
#include "marsim/MapInfo.h"
#include "marsim/MotorSpeeds.h"
#include "marsim/VehicleState.h"
#include "ros/common/command_ticks.hpp"
#include "ros/common/inputs.hpp"
#include "ros/uav/command_outputs.hpp"
#include "ros/uav/flight_clients.hpp"

namespace marsim::ros_nodes {

/// Flies one UAV by keys, as they are pressed or from a script (`marsim fly`).
///
/// In: `state` (marsim/VehicleState), `motor_speeds` (marsim/MotorSpeeds), /map_info. Out: what
/// CommandOutputs and FlightClients name. A script takes part in lockstep: its commands act at
/// their stamps, and for a service it lets time stand until all states have been answered, so that
/// its flight repeats to the byte.
class HandPilot {
 public:
  /// `script` null: press() gives the keys.
  HandPilot(const std::string& uav, const control::KeySpeeds& speeds,
            std::unique_ptr<control::KeyScript> script);

  void press(control::Key key);
  /// Whether the script has ended, and the vehicle stands if it was to land.
  bool isOver() const;
  bool hasState() const { return now_ >= 0; }
  /// Stops the vehicle if keys fly it, and leaves lockstep.
  void release();
  /// Position, speed, height and activity, in a line.
  std::string status() const;
  /// Returns lines on events since the last call.
  std::string takeNews() { return std::exchange(news_, {}); }

 private:
  void onState(const marsim::VehicleStateConstPtr& message);
  bool stands() const;
  void callIfTimeStands();
  void follow();
  void call(control::Key key);
  void tell(const std::string& line);
  bool isReady();
  double height() const;

  control::KeyFlight flight_;
  std::unique_ptr<control::KeyScript> script_;
  std::size_t next_ = 0;                      ///< next key of the script
  std::optional<TimeNs> begun_;               ///< begin of the script
  std::optional<control::Key> waiting_call_;  ///< service that waits until time stands
  TimeNs now_ = -1;                           ///< < 0: no state yet
  TimeNs period_ = 0;                         ///< of states
  TimeNs answered_ = -1;                      ///< the last answered state
  marsim::VehicleState state_;
  TimeNs landed_since_ = -1;
  bool in_control_ = false;
  bool lands_ = false;
  double ground_z_;  ///< [m] in W; NaN: unknown
  std::string uav_, news_;

  ros::NodeHandle handle_;
  Inputs inputs_;
  CommandOutputs outputs_;
  FlightClients clients_;
  std::unique_ptr<CommandTicks> ticks_;
  ros::Subscriber state_subscriber_, motor_subscriber_, map_info_subscriber_;
};

}  // namespace marsim::ros_nodes
