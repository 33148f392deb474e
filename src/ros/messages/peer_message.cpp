// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/peer_message.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/sim/announcer.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kLargestId = scene::kFirstObstacleIdentity - 1;

template <class Array>
void put(const Eigen::Vector3d& vector, Array& array) {
  for (int i = 0; i < 3; ++i) array[static_cast<std::size_t>(i)] = static_cast<float>(vector[i]);
}

template <class Array>
Eigen::Vector3d vectorOf(const Array& array) {
  return {array[0], array[1], array[2]};
}

}  // namespace

marsim::Peer toMessage(const scene::PeerState& state) {
  const KinematicState& motion = state.motion;
  marsim::Peer message;
  message.id = static_cast<std::uint16_t>(state.id);
  message.sequence = state.sequence;
  message.run = state.run;
  message.placements = state.placements;
  message.stamp = toRos(motion.stamp);
  put(motion.X_WB.p, message.position);
  put(motion.v_WB, message.velocity);
  put(motion.a_WB, message.acceleration);
  const Eigen::Vector4f q = motion.X_WB.q.coeffs().cast<float>();
  std::copy(q.data(), q.data() + 4, message.orientation.begin());
  put(motion.w_WB_B, message.angular_velocity);
  return message;
}

scene::PeerState fromMessage(const marsim::Peer& message) {
  scene::PeerState state;
  state.id = message.id;
  state.run = message.run;
  state.placements = message.placements;
  state.sequence = message.sequence;
  state.motion.stamp = fromRos(message.stamp);
  state.motion.X_WB.p = vectorOf(message.position);
  state.motion.v_WB = vectorOf(message.velocity);
  state.motion.a_WB = vectorOf(message.acceleration);
  const auto& q = message.orientation;
  state.motion.X_WB.q = Eigen::Quaterniond(q[3], q[0], q[1], q[2]);
  state.motion.w_WB_B = vectorOf(message.angular_velocity);
  return state;
}

marsim::PeerBody toMessage(const scene::BodyConfig& body) {
  marsim::PeerBody message;
  message.hub_half = toVector3(body.hub_half);
  for (const Eigen::Vector3d& rotor : body.rotors) message.rotors.push_back(toVector3(rotor));
  message.arm_radius = static_cast<float>(body.arm_radius);
  message.propeller_radius = static_cast<float>(body.propeller_radius);
  message.propeller_half_height = static_cast<float>(body.propeller_half_height);
  message.cloud = body.cloud;
  return message;
}

scene::BodyConfig fromMessage(const marsim::PeerBody& message) {
  scene::BodyConfig body;
  body.hub_half = fromVector3(message.hub_half);
  for (const geometry_msgs::Vector3& rotor : message.rotors) {
    body.rotors.push_back(fromVector3(rotor));
  }
  body.arm_radius = message.arm_radius;
  body.propeller_radius = message.propeller_radius;
  body.propeller_half_height = message.propeller_half_height;
  body.cloud = message.cloud;
  return body;
}

marsim::Impact toMessage(const sim::Impact& impact) {
  marsim::Impact message;
  message.stamp = toRos(impact.stamp);
  message.struck = static_cast<std::uint16_t>(impact.identity);
  put(impact.impulse_W, message.impulse);
  put(impact.moment_W, message.moment);
  put(impact.p_W, message.position);
  put(impact.normal_W, message.normal);
  put(impact.v_rel_W, message.relative_velocity);
  return message;
}

sim::Impact fromMessage(const marsim::Impact& message) {
  return {fromRos(message.stamp),
          message.by,
          vectorOf(message.impulse),
          vectorOf(message.moment),
          vectorOf(message.position),
          vectorOf(message.normal),
          vectorOf(message.relative_velocity)};
}

bool isFinite(const sim::Impact& impact) {
  return impact.impulse_W.allFinite() && impact.moment_W.allFinite() && impact.p_W.allFinite() &&
         impact.normal_W.allFinite() && impact.v_rel_W.allFinite();
}

std::uint32_t uavIdOf(const std::string& name, const std::string& where) {
  const std::string digits = name.substr(name.find_last_not_of("0123456789") + 1);
  if (digits.empty()) return 0;
  if (digits.size() <= 5 && std::stoul(digits) <= kLargestId) {
    return static_cast<std::uint32_t>(std::stoul(digits));
  }
  throw ConfigError(where, "uav_id", fmt::format("auto, {} by the namespace", digits),
                    fmt::format("0 to {}", kLargestId));
}

std::uint32_t readUavId(Params& params, const ros::NodeHandle& handle) {
  const double set = params.numberOrAuto("uav_id", Quantity::kNumber);
  if (std::isnan(set)) return uavIdOf(handle.getNamespace(), params.where());
  if (!(set >= 0.0 && set <= kLargestId && set == std::floor(set))) {
    throw ConfigError(params.where(), "uav_id", fmt::format("{}", set),
                      fmt::format("a whole number from 0 to {}, or auto", kLargestId));
  }
  return static_cast<std::uint32_t>(set);
}

TimeNs readPeerPeriod(Params& params) {
  constexpr double kUsual = 1.0 / toSeconds(sim::kPeerPeriod);
  const double rate = params.positive("peer_rate", kUsual, Quantity::kFrequency);
  const TimeNs period = periodNs(rate);
  if (params.flag("lockstep")) {
    Validator(params.where())
        .require(period == sim::kPeerPeriod, "peer_rate", fmt::format("{} Hz", rate),
                 "50 Hz in lockstep");
  }
  return period;
}

}  // namespace marsim::ros_nodes
