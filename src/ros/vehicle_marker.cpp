#include "marsim/ros/vehicle_marker.hpp"

#include <algorithm>

#include "marsim/ros/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

using visualization_msgs::Marker;

struct Colour {
  float red, green, blue, alpha;
};
constexpr Colour kHub{0.15F, 0.15F, 0.18F, 1.0F};
constexpr Colour kFront{0.90F, 0.30F, 0.10F, 0.8F};
constexpr Colour kRear{0.25F, 0.45F, 0.85F, 0.8F};

Marker makeMarker(const std::string& frame, int id, int type, const Colour& colour) {
  Marker marker;
  marker.header.frame_id = frame;
  marker.ns = "vehicle";
  marker.id = id;
  marker.type = type;
  marker.action = Marker::ADD;
  marker.frame_locked = 1;  // moves with its frame
  marker.color.r = colour.red;
  marker.color.g = colour.green;
  marker.color.b = colour.blue;
  marker.color.a = colour.alpha;
  marker.pose.orientation.w = 1.0;
  return marker;
}

}  // namespace

visualization_msgs::MarkerArray vehicleMarkers(const vehicle::VehicleConfig& config,
                                               const std::string& frame) {
  double arm = 0.0;
  for (const vehicle::RotorConfig& rotor : config.rotors) {
    arm = std::max(arm, rotor.position.head<2>().norm());
  }
  const double rotor_radius = std::max(config.radius - arm, 0.2 * arm);

  visualization_msgs::MarkerArray markers;
  int id = 0;
  Marker hub = makeMarker(frame, id++, Marker::CUBE, kHub);
  hub.scale.x = hub.scale.y = 0.6 * arm;
  hub.scale.z = 0.25 * arm;
  markers.markers.push_back(hub);

  Marker arms = makeMarker(frame, id++, Marker::LINE_LIST, kHub);
  arms.scale.x = 0.1 * arm;
  for (const vehicle::RotorConfig& rotor : config.rotors) {
    arms.points.push_back(toPoint(Eigen::Vector3d::Zero()));
    arms.points.push_back(toPoint(rotor.position));
  }
  markers.markers.push_back(arms);

  for (const vehicle::RotorConfig& rotor : config.rotors) {
    const bool front = rotor.position.x() > 0.01 * arm;
    Marker disc = makeMarker(frame, id++, Marker::CYLINDER, front ? kFront : kRear);
    disc.pose.position = toPoint(rotor.position);
    disc.scale.x = disc.scale.y = 2.0 * rotor_radius;
    disc.scale.z = 0.08 * arm;
    markers.markers.push_back(disc);
  }
  return markers;
}

}  // namespace marsim::ros_nodes
