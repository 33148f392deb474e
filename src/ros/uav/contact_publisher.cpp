// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/contact_publisher.hpp"

#include <visualization_msgs/MarkerArray.h>

#include "marsim/Clearance.h"
#include "marsim/Contact.h"
#include "ros/messages/conversions.hpp"
#include "ros/messages/vehicle_marker.hpp"

namespace marsim::ros_nodes {
namespace {

using collision::ContactEvent;
using visualization_msgs::Marker;

constexpr double kPointSize = 0.12;    // [m] of markers
constexpr double kArrowLength = 0.5;   // [m]
constexpr double kEndedSeconds = 3.0;  // for which a contact is shown after its end

Marker markerOf(const ContactEvent& event, const std::string& frame, const char* part, int type) {
  const Rgba colour = event.begins ? Rgba{1.0F, 0.1F, 0.1F, 0.9F} : Rgba{0.6F, 0.6F, 0.6F, 0.9F};
  Marker marker = makeMarker(part, static_cast<int>(event.hit.identity), type, colour);
  marker.header = toHeader(event.stamp, frame);
  if (!event.begins) marker.lifetime = ros::Duration(kEndedSeconds);
  return marker;
}

}  // namespace

sim::CollisionConfig readCollisionConfig(Params& params) {
  sim::CollisionConfig config;
  config.on = params.flag("collision", config.on);
  config.response = sim::collisionResponseOf(params.choice(
      "collision_response", sim::nameOf(config.response), {"report", "stop_motors", "bounce"}));
  const auto read = [&](const char* name, double& value, Quantity quantity) {
    value = params.number(name, value, quantity);
  };
  read("collision_restitution", config.impact.restitution, Quantity::kNumber);
  read("collision_yield_speed", config.impact.yield_speed, Quantity::kSpeed);
  read("collision_friction", config.impact.friction, Quantity::kNumber);
  read("contact_release", config.release, Quantity::kTime);
  read("ground_margin", config.landing.ground_margin, Quantity::kLength);
  read("landing_speed", config.landing.speed, Quantity::kSpeed);
  read("landing_tilt", config.landing.tilt, Quantity::kAngle);
  config.validate(params.where());
  return config;
}

marsim::Contact toMessage(const ContactEvent& event) {
  const collision::FastestTouch& hit = event.hit;
  marsim::Contact message;
  message.header.stamp = toRos(event.stamp);
  message.begins = event.begins;
  message.identity = hit.identity;
  message.name = scene::identityName(hit.identity);
  message.position = toPoint(hit.p_W);
  message.normal = toVector3(hit.normal_W);
  message.relative_velocity = toVector3(hit.v_rel_W);
  message.relative_speed = hit.v_rel_W.norm();
  message.body_voxel = toPoint(hit.p_BV);
  return message;
}

ContactPublisher::ContactPublisher(ros::NodeHandle& handle, const std::string& world_frame)
    : frame_(world_frame),
      contact_(handle.advertise<marsim::Contact>("collision", 100)),
      clearance_(handle.advertise<marsim::Clearance>("clearance", 100)),
      markers_(handle.advertise<visualization_msgs::MarkerArray>("collision_markers", 20)) {}

void ContactPublisher::publish(const std::vector<ContactEvent>& events) {
  for (const ContactEvent& event : events) {
    const collision::FastestTouch& hit = event.hit;
    if (event.begins) ++begun_;
    marsim::Contact message = toMessage(event);
    message.header.frame_id = frame_;
    message.count = begun_;
    contact_.publish(message);
    if (markers_.getNumSubscribers() > 0) publishMarkers(event);
    if (!event.begins) continue;
    ROS_WARN("contact %u: %s at (%.2f, %.2f, %.2f), %.2f m/s", begun_, message.name.c_str(),
             hit.p_W.x(), hit.p_W.y(), hit.p_W.z(), message.relative_speed);
  }
}

void ContactPublisher::publishMarkers(const ContactEvent& event) {
  visualization_msgs::MarkerArray markers;
  Marker point = markerOf(event, frame_, "contact", Marker::SPHERE);
  point.pose.position = toPoint(event.hit.p_W);
  point.scale.x = point.scale.y = point.scale.z = kPointSize;
  Marker normal = markerOf(event, frame_, "normal", Marker::ARROW);
  normal.points = {toPoint(event.hit.p_W),
                   toPoint(event.hit.p_W + kArrowLength * event.hit.normal_W)};
  normal.scale.x = 0.3 * kPointSize;
  normal.scale.y = 0.6 * kPointSize;
  markers.markers = {point, normal};
  markers_.publish(markers);
}

void ContactPublisher::publish(TimeNs stamp, const collision::Clearance& clearance) {
  marsim::Clearance message;
  message.header = toHeader(stamp, frame_);
  message.distance = clearance.distance;
  message.identity = clearance.identity;
  message.name = scene::identityName(clearance.identity);
  message.nearest = toPoint(clearance.p_W);
  clearance_.publish(message);
}

void ContactPublisher::diagnose(const sim::Collisions& collisions,
                                const vehicle::Platform& platform,
                                diagnostic_updater::DiagnosticStatusWrapper& status) const {
  status.add("contacts", collisions.contacts().begun());
  status.add("touches now", collisions.contacts().touching());
  using diagnostic_msgs::DiagnosticStatus;
  if (platform.motorsStopped()) {
    status.summary(DiagnosticStatus::ERROR, "motors stopped by a collision, until reset");
  } else if (collisions.contacts().touching() > 0) {
    status.summary(DiagnosticStatus::WARN, "in contact");
  }
}

}  // namespace marsim::ros_nodes
