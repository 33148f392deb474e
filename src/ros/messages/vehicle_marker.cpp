// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/vehicle_marker.hpp"

#include "marsim/sim/body.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

using visualization_msgs::Marker;

namespace {

constexpr Rgba kHub{0.15F, 0.15F, 0.18F, 1.0F};
constexpr Rgba kFront{0.90F, 0.30F, 0.10F, 0.8F};
constexpr Rgba kRear{0.25F, 0.45F, 0.85F, 0.8F};

}  // namespace

Marker makeMarker(const std::string& space, int id, int type, const Rgba& colour) {
  Marker marker;
  marker.ns = space;
  marker.id = id;
  marker.type = type;
  marker.color.r = colour.red;
  marker.color.g = colour.green;
  marker.color.b = colour.blue;
  marker.color.a = colour.alpha;
  marker.pose.orientation.w = 1.0;
  return marker;
}

visualization_msgs::MarkerArray vehicleMarkers(const vehicle::VehicleConfig& config,
                                               const std::string& frame) {
  const scene::BodyConfig body = sim::bodyOf(config);
  visualization_msgs::MarkerArray markers;
  const auto add = [&](int type, const Rgba& colour) -> Marker& {
    const auto id = static_cast<int>(markers.markers.size());
    markers.markers.push_back(makeMarker("vehicle", id, type, colour));
    markers.markers.back().header.frame_id = frame;
    markers.markers.back().frame_locked = 1;  // moves with its frame
    return markers.markers.back();
  };
  Marker& hub = add(Marker::CUBE, kHub);
  hub.scale.x = 2.0 * body.hub_half.x();
  hub.scale.y = 2.0 * body.hub_half.y();
  hub.scale.z = 2.0 * body.hub_half.z();

  if (body.rotors.empty()) return markers;
  Marker& arms = add(Marker::LINE_LIST, kHub);
  arms.scale.x = 2.0 * body.arm_radius;
  for (const Eigen::Vector3d& rotor : body.rotors) {
    arms.points.push_back(toPoint(Eigen::Vector3d::Zero()));
    arms.points.push_back(toPoint(rotor));
  }

  for (const Eigen::Vector3d& rotor : body.rotors) {
    const bool front = rotor.x() > 0.1 * body.hub_half.x();
    Marker& disc = add(Marker::CYLINDER, front ? kFront : kRear);
    disc.pose.position = toPoint(rotor);
    disc.scale.x = disc.scale.y = 2.0 * body.propeller_radius;
    disc.scale.z = 2.0 * body.propeller_half_height;
  }
  return markers;
}

}  // namespace marsim::ros_nodes
