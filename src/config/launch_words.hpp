// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "marsim/control/controller.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/sim/estimate_loop.hpp"
#include "marsim/sim/vehicle.hpp"

/// Words of launch arguments and command lines.
namespace marsim::config {

/// Whether a LiDAR's file says that an IMU is built into it; false for "none".
bool hasImu(const std::string& lidar);

/// Replaces the rays per beam (a number) and the mode of returns of a LiDAR's file by words of a
/// launch file; "auto" keeps the file's. Settings that belong to another mode are dropped. Errors
/// name `where`: ConfigError, also where the sensor or its layouts cannot do that,
/// UnknownNameError.
void chooseBeam(const std::string& rays, const std::string& returns, const std::string& where,
                lidar::LidarConfig& lidar);

/// The IMU that a word of a launch file or command line names: "vehicle" the vehicle's own, "lidar"
/// the one built into that LiDAR, "auto" that one where the LiDAR's file has one and else the
/// vehicle's, any other a name or file of an IMU in the place of the vehicle's.
vehicle::ImuConfig chooseImu(const std::string& word, const vehicle::ImuConfig& of_vehicle,
                             const std::string& lidar);

/// "x,y,z" or "x,y,z,roll,pitch,yaw" in the body [m, rad]; none: another text, or farther than
/// 1000 km.
std::optional<Pose> placeInBody(const std::string& text);
/// The forms that placeInBody() accepts, for messages.
constexpr char kPlacesInBody[] = "x,y,z | x,y,z,roll,pitch,yaw in the body [m, rad]";

/// The pose in the body [m, rad] of what a word names: "base" the body itself, "imu" that IMU,
/// "lidar" that LiDAR, or "x,y,z" and "x,y,z,roll,pitch,yaw" a place of one's own. `where` and
/// `field` are for errors: ConfigError.
Pose chooseFrame(const std::string& word, const vehicle::ImuConfig& imu, const std::string& lidar,
                 const std::string& where, const std::string& field);

/// Returns the source of a launch argument by its name, for errors.
using WhereOf = std::function<std::string(const std::string& name)>;

/// Words of a launch file on the estimates that a UAV flies on.
struct EstimateWords {
  /// "auto": as the vehicle's file says; "none": the truth; "realistic": a simulated SLAM's, with
  /// the settings of the vehicle's file if it has any; else a topic.
  std::string estimate = "auto";
  std::string frame = "base";      ///< of a topic's poses, as chooseFrame() reads it
  bool begins_at_vehicle = false;  ///< of a topic's poses
  /// [s] NaN: auto.
  double delay = std::numeric_limits<double>::quiet_NaN();
  double settle = std::numeric_limits<double>::quiet_NaN();
};

/// Returns the settings of the estimates, with `slam` if they are simulated; nothing if the UAV
/// flies on the truth. `vehicle` has the IMU in use. Throws ConfigError naming the source that
/// `where` returns for the faulty argument.
std::optional<sim::EstimateConfig> chooseEstimate(const EstimateWords& words,
                                                  const vehicle::VehicleConfig& vehicle,
                                                  const std::string& lidar, const WhereOf& where);
/// Returns the controller's name; for "auto": onboard on an estimate, else default.
std::string controllerName(const std::string& word, bool on_estimate);
/// Loads a controller by name or file. Throws ConfigError naming `where` if it reads true
/// accelerations, but flies on an estimate.
control::ControllerConfig chooseController(const std::string& name, bool on_estimate,
                                           const std::string& where);

/// The wind that words of a launch file name: a mean of "none" or "x,y,z" in W [m/s], gusts of
/// "none", "light", "moderate", "severe" or W20 [m/s]. Throws ConfigError.
vehicle::WindConfig windOf(const std::string& mean, const std::string& gusts,
                           const std::string& where);
/// Motor failures as a launch file writes them: "none" or comma-separated ROTOR@TIME or
/// ROTOR@TIME:EFFECTIVENESS. Throws ConfigError.
std::vector<sim::MotorFailure> motorFailuresOf(const std::string& text, const std::string& where);

}  // namespace marsim::config
