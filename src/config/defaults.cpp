// SPDX-License-Identifier: BSD-3-Clause
#include "config/defaults.hpp"

#include <fmt/format.h>

#include "clock/sim_clock.hpp"
#include "common/text.hpp"
#include "marsim/control/goal_path.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/sim/collisions.hpp"
#include "marsim/vehicle/simulated_slam.hpp"

namespace marsim::config {
namespace {

// Defaults that no settings struct has, as roslaunch takes them.
constexpr const char* kArguments =
    // The world.
    "map:=forest obstacles:=none vegetation:=none surfaces:=none weather:=none ground_z:=auto "
    // Sensors.
    "lidar:=avia output:=auto rays:=auto returns:=auto slam_client:=none lidar_noise:=true "
    "instantaneous:=false peers_in_scans:=true depth:=none camera:=none image_resolution:=auto "
    "imu:=vehicle seed:=1 "
    "renderer:=cpu "
    // The UAV and its flight.
    "uav_id:=auto vehicle:=hummingbird controller:=auto x:=0.0 y:=0.0 z:=1.5 yaw:=0.0 "
    "check_start:=true dynamics:=rigid_body wind:=none gusts:=none motor_failure:=none "
    "estimate:=auto estimate_frame:=base estimate_origin:=world estimate_delay:=auto "
    "estimate_settle:=auto stick_mode:=position mavros_msgs:=auto "
    // Truth.
    "odom_twist_frame:=child publish_ground_truth_tf:=true replay:=none replay_then:=hold "
    "record:=none record_frame:=base "
    // A simulated SLAM.
    "lost_at:=auto back_at:=auto jump_at:=auto "
    // How it runs.
    "lockstep:=false patience:=auto participants:=none wait_for:=none "
    "wait_until_idle:=none idle_tick:=0.01 on_crash:=end "
    "slam_flight:=false route_length:=40.0 epoch:=1700000000 "
    // Swarms.
    "n:=3 swarm:=grid swarm_size:=1 report:= duration:=60.0 warm_up:=5.0";

std::map<std::string, std::string> makeDefaults() {
  const map::SurfelMapConfig map;
  const sim::CollisionConfig collision;
  const SimClockConfig clock;
  const vehicle::SlamConfig slam;
  std::map<std::string, std::string> all = {
      {"resolution", fmt::format("{:#}", map.resolution)},
      {"surface", nameOf(map.surface)},
      {"threads", fmt::format("{}", lidar::RendererConfig().threads)},
      {"collision", fmt::format("{}", collision.on)},
      {"collision_response", nameOf(collision.response)},
      {"speed", fmt::format("{:#}", control::GoalLimits().speed)},
      {"rate", fmt::format("{:#}", slam.rate)},
      {"position_noise", fmt::format("{:#}", slam.position_noise)},
      {"attitude_noise", fmt::format("{:#}", slam.attitude_noise)},
      {"drift", fmt::format("{:#}", slam.drift)},
      {"jump", fmt::format("{:#}", slam.jump)},
      {"pace", fmt::format("{:#}", clock.pace)},
      {"paused", fmt::format("{}", clock.paused)}};
  for (const std::string& word : split(kArguments, ' ')) {
    const std::size_t end = word.find(":=");
    all[word.substr(0, end)] = word.substr(end + 2);
  }
  return all;
}

}  // namespace

const std::map<std::string, std::string>& defaults() {
  static const std::map<std::string, std::string> all = makeDefaults();
  return all;
}

}  // namespace marsim::config
