#include "ros/messages/vehicle_marker.hpp"

#include "marsim/sim/body.hpp"
#include "ros/messages/conversions.hpp"

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
  const scene::BodyConfig body = sim::bodyOf(config);
  visualization_msgs::MarkerArray markers;
  int id = 0;
  Marker hub = makeMarker(frame, id++, Marker::CUBE, kHub);
  hub.scale.x = 2.0 * body.hub_half.x();
  hub.scale.y = 2.0 * body.hub_half.y();
  hub.scale.z = 2.0 * body.hub_half.z();
  markers.markers.push_back(hub);

  Marker arms = makeMarker(frame, id++, Marker::LINE_LIST, kHub);
  arms.scale.x = 2.0 * body.arm_radius;
  for (const Eigen::Vector3d& rotor : body.rotors) {
    arms.points.push_back(toPoint(Eigen::Vector3d::Zero()));
    arms.points.push_back(toPoint(rotor));
  }
  markers.markers.push_back(arms);

  for (const Eigen::Vector3d& rotor : body.rotors) {
    const bool front = rotor.x() > 0.1 * body.hub_half.x();
    Marker disc = makeMarker(frame, id++, Marker::CYLINDER, front ? kFront : kRear);
    disc.pose.position = toPoint(rotor);
    disc.scale.x = disc.scale.y = 2.0 * body.propeller_radius;
    disc.scale.z = 2.0 * body.propeller_half_height;
    markers.markers.push_back(disc);
  }
  return markers;
}

}  // namespace marsim::ros_nodes
