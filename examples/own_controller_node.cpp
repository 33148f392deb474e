// SPDX-License-Identifier: BSD-3-Clause
// A flight controller of one's own as a ROS node: it holds its place and flies to `goal`. With
// simulation: marsim run sim.launch controller:=none, then: own_controller_node __ns:=uav0
#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>

#include "marsim/MotorSpeeds.h"
#include "marsim/VehicleState.h"
#include "marsim/marsim.hpp"

using namespace marsim;
using Eigen::Vector3d;

namespace {

template <class Message>
Vector3d vector(const Message& m) {
  return {m.x, m.y, m.z};
}

class OwnController {
 public:
  OwnController(ros::NodeHandle& handle, const vehicle::VehicleConfig& vehicle)
      : model_(sim::vehicleModel(vehicle)), mixer_(model_) {
    const ros::TransportHints no_delay = ros::TransportHints().tcpNoDelay();
    publisher_ = handle.advertise<marsim::MotorSpeeds>("motor_speeds", 100);
    goal_subscriber_ = handle.subscribe("goal", 10, &OwnController::onGoal, this, no_delay);
    subscriber_ = handle.subscribe("state", 100, &OwnController::onState, this, no_delay);
  }

 private:
  void onGoal(const geometry_msgs::PoseStampedConstPtr& goal) {
    goal_p_WB_ = vector(goal->pose.position);
  }

  // Every state is answered, by its stamp and placements: in lockstep time waits for that.
  void onState(const marsim::VehicleStateConstPtr& state) {
    if (state->placements != placements_) goal_p_WB_ = vector(state->pose.position);
    placements_ = state->placements;
    const auto& q = state->pose.orientation;
    const Eigen::Quaterniond q_WB(q.w, q.x, q.y, q.z);
    // Proportional and derivative terms of position and attitude, yaw zero (after Lee et al., CDC
    // 2010), with far goals cut short.
    Vector3d way = goal_p_WB_ - vector(state->pose.position);
    if (way.norm() > 1.0) way.normalize();
    const Vector3d a = 4.0 * way - 3.5 * vector(state->velocity) + Vector3d(0, 0, 9.81);
    Eigen::Matrix3d R_wanted;
    R_wanted.col(2) = a.normalized();
    R_wanted.col(1) = R_wanted.col(2).cross(Vector3d::UnitX()).normalized();
    R_wanted.col(0) = R_wanted.col(1).cross(R_wanted.col(2));
    const Vector3d error = logMap(q_WB.conjugate() * Eigen::Quaterniond(R_wanted));
    const Vector3d dw = Vector3d(120, 120, 15).cwiseProduct(error) -
                        Vector3d(18, 18, 6).cwiseProduct(vector(state->angular_velocity));
    const auto speeds = mixer_.speeds(model_.mass * a.dot(q_WB * Vector3d::UnitZ()),
                                      model_.inertia.cwiseProduct(dw));
    marsim::MotorSpeeds answer;
    answer.header.stamp = state->header.stamp;
    answer.placements = state->placements;
    answer.speeds.assign(speeds.data(), speeds.data() + speeds.size());
    publisher_.publish(answer);
  }

  control::VehicleModel model_;
  control::Mixer mixer_;
  Vector3d goal_p_WB_ = Vector3d::Zero();
  std::uint32_t placements_ = 0;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_, goal_subscriber_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "own_controller");
  ros::NodeHandle handle;
  const OwnController controller(
      handle, config::loadVehicle(handle.param<std::string>("vehicle", "hummingbird")));
  ros::spin();
}
