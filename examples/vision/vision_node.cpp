// SPDX-License-Identifier: BSD-3-Clause
// Visual odometry as a ROS node that knows the simulator by its topics alone: vision_node
// __ns:=uav0, with an RGB-D camera or, with _stereo:=true, a rectified pair. It answers every
// image. An IMU's gyroscope, if there is one, tells the camera's turns between images. With
// _people:=true and an RGB-D camera, it leaves out features that move with people, and tells
// people's places and velocities.
#include <geometry_msgs/PoseStamped.h>
#include <marsim/ObstaclePaths.h>
#include <marsim/SeenObjects.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <tf2_msgs/TFMessage.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <opencv2/imgproc.hpp>

#include "gyroscope.hpp"
#include "moving_points.hpp"
#include "odometry.hpp"
#include "people.hpp"

namespace {

constexpr std::uint8_t kPerson = 30;            // class of SemanticKITTI
constexpr double kWidth = 0.6;                  // [m] of a person, for the planner
constexpr double kHeights[] = {0.3, 0.9, 1.5};  // [m] of the spheres that stand for a person
constexpr double kStep = 0.1;                   // [s] between places of a person's path

using Eigen::Isometry3d;

/// An image's pixels, which the message owns.
cv::Mat pixelsOf(const sensor_msgs::Image& image, int type) {
  auto* pixels = const_cast<std::uint8_t*>(image.data.data());  // cv::Mat has no other view
  return {static_cast<int>(image.height), static_cast<int>(image.width), type, pixels, image.step};
}

cv::Mat greyOf(const sensor_msgs::Image& image) {
  if (image.encoding == "mono8") return pixelsOf(image, CV_8UC1).clone();
  cv::Mat grey;
  cv::cvtColor(pixelsOf(image, CV_8UC3), grey,
               image.encoding == "bgr8" ? cv::COLOR_BGR2GRAY : cv::COLOR_RGB2GRAY);
  return grey;
}

/// A depth image in metres; 0 where it has no depth.
cv::Mat depthOf(const sensor_msgs::Image& image) {
  if (image.encoding == "32FC1") return pixelsOf(image, CV_32FC1).clone();
  cv::Mat depth;
  pixelsOf(image, CV_16UC1).convertTo(depth, CV_32F, 1e-3);
  return depth;
}

Isometry3d isometryOf(const geometry_msgs::Point& p, const geometry_msgs::Quaternion& q) {
  return Eigen::Translation3d(p.x, p.y, p.z) * Eigen::Quaterniond(q.w, q.x, q.y, q.z);
}

geometry_msgs::Pose messageOf(const Isometry3d& X) {
  const Eigen::Vector3d p = X.translation();
  const Eigen::Quaterniond q(X.linear());
  geometry_msgs::Pose pose;
  pose.position.x = p.x();
  pose.position.y = p.y();
  pose.position.z = p.z();
  pose.orientation.w = q.w();
  pose.orientation.x = q.x();
  pose.orientation.y = q.y();
  pose.orientation.z = q.z();
  return pose;
}

class VisionNode {
 public:
  VisionNode(ros::NodeHandle& handle, bool is_stereo, bool sees_people)
      : is_stereo_(is_stereo), sees_people_(sees_people) {
    const std::string first = is_stereo ? "camera/left/" : "camera/color/";
    const std::string second = is_stereo ? "camera/right/" : "camera/aligned_depth_to_color/";
    const auto no_delay = ros::TransportHints().tcpNoDelay();
    odometry_ = handle.advertise<nav_msgs::Odometry>("vision/odom", 10);
    poses_ = handle.advertise<geometry_msgs::PoseStamped>("vision/camera_pose", 10);
    transforms_ = handle.subscribe("/tf_static", 10, &VisionNode::onTransforms, this, no_delay);
    starts_ = handle.subscribe(first + "camera_pose", 10, &VisionNode::onStart, this, no_delay);
    cameras_ = handle.subscribe(second + "camera_info", 10, &VisionNode::onCamera, this, no_delay);
    firsts_ = handle.subscribe(first + "image_raw", 10, &VisionNode::onFirst, this, no_delay);
    seconds_ = handle.subscribe(second + "image_raw", 10, &VisionNode::onSecond, this, no_delay);
    imus_ = handle.subscribe("imu/data_raw", 100, &VisionNode::onImu, this, no_delay);
    if (!sees_people_) return;
    movers_ = handle.advertise<marsim::ObstaclePaths>("vision/people", 10);
    objects_ = handle.subscribe(first + "truth/objects", 10, &VisionNode::onSeen, this, no_delay);
  }

 private:
  void onFirst(const sensor_msgs::ImageConstPtr& image) { first_ = image, add(); }
  void onSecond(const sensor_msgs::ImageConstPtr& image) { second_ = image, add(); }
  void onSeen(const marsim::SeenObjectsConstPtr& objects) { seen_ = objects, add(); }
  void onStart(const geometry_msgs::PoseStampedConstPtr& pose) { start_ = pose, add(); }
  void onCamera(const sensor_msgs::CameraInfoConstPtr& camera) { camera_ = camera, add(); }

  void onImu(const sensor_msgs::ImuConstPtr& imu) {
    const auto& w = imu->angular_velocity;
    gyroscope_.add(imu->header.stamp.toSec(), {w.x, w.y, w.z});
    imu_frame_ = imu->header.frame_id;
  }

  void onTransforms(const tf2_msgs::TFMessageConstPtr& message) {
    for (const geometry_msgs::TransformStamped& transform : message->transforms) {
      const auto& p = transform.transform.translation;
      geometry_msgs::Point place;
      place.x = p.x;
      place.y = p.y;
      place.z = p.z;
      mountings_[transform.child_frame_id] = {transform.header.frame_id,
                                              isometryOf(place, transform.transform.rotation)};
    }
    add();
  }

  // The images of one stamp come in any order.
  void add() {
    if (!first_ || !second_ || !camera_ || first_->header.stamp != second_->header.stamp) return;
    if (sees_people_ && (!seen_ || seen_->header.stamp != first_->header.stamp)) return;
    if (!follower_ && !begin()) return;
    const ros::Time stamp = first_->header.stamp;
    const cv::Mat grey = greyOf(*first_);
    vision::Features features = vision::findFeatures(grey);
    const cv::Mat depth = is_stereo_ ? cv::Mat() : depthOf(*second_);
    const double focal_baseline = -camera_->P[3];
    features.depths =
        is_stereo_ ? vision::depthsOf(features.pixels, grey, greyOf(*second_), focal_baseline)
                   : vision::depthsOf(features.pixels, depth);
    const auto turn = turnTo(stamp);
    std::vector<bool> are_static(features.size(), true);
    std::vector<vision::Box> boxes;
    if (sees_people_) {
      boxes = detector_.detect(stamp.toSec(), truth());
      const auto& points = moving_->label(stamp.toSec(), grey, features, boxes, turn);
      for (std::size_t i = 0; i < points.size(); ++i)
        are_static[i] = points[i].label == vision::Label::kStatic;
    }
    const auto X_FC = follower_->add(features, are_static, turn);
    if (sees_people_) {
      const auto X_WC = X_FC ? std::make_optional(X_WF_ * *X_FC) : std::nullopt;
      people_->add({stamp.toSec(), depth, X_WC}, boxes);
      publishPeople(stamp);
    }
    publish(stamp, X_FC);
    first_.reset();
    second_.reset();
  }

  // The camera's rotation since the image before; none without an IMU.
  std::optional<Eigen::Quaterniond> turnTo(const ros::Time& stamp) {
    const double from = std::exchange(last_, stamp.toSec());
    const auto turn_I = gyroscope_.turn(from, last_);
    const auto mounting = mountings_.find(imu_frame_);
    if (!turn_I || mounting == mountings_.end()) return std::nullopt;
    const Eigen::Quaterniond q_IC(mounting->second.X.linear().transpose() * X_BC_.linear());
    return q_IC.inverse() * *turn_I * q_IC;
  }

  std::vector<vision::Box> truth() const {
    std::vector<vision::Box> boxes;
    for (const marsim::SeenObject& seen : seen_->objects) {
      if (seen.semantic_class != kPerson) continue;
      const double left = seen.left, top = seen.top;
      boxes.push_back({left, top, left + seen.width - 1.0, top + seen.height - 1.0});
    }
    return boxes;
  }

  // A person is a column of spheres on the ground, z = 0, that goes straight on.
  void publishPeople(const ros::Time& stamp) {
    marsim::ObstaclePaths message;
    message.header.stamp = stamp;
    message.header.frame_id = "world";
    message.step = ros::Duration(kStep);
    for (const vision::Person& person : people_->at(stamp.toSec())) {
      for (const double height : kHeights) {
        marsim::ObstaclePath path;
        path.name = "person_" + std::to_string(message.obstacles.size());
        path.size = kWidth;
        for (const double after : {0.0, kStep}) {
          const Eigen::Vector2d p = person.p_W + after * person.v_W;
          geometry_msgs::Point& place = path.positions.emplace_back();
          place.x = p.x();
          place.y = p.y();
          place.z = height;
        }
        message.obstacles.push_back(path);
      }
    }
    movers_.publish(message);
  }

  // The first image is at a known place, as the start of a flight is.
  bool begin() {
    const auto mounting = mountings_.find(first_->header.frame_id);
    if (!start_ || start_->header.stamp != first_->header.stamp || mounting == mountings_.end())
      return false;
    X_BC_ = mounting->second.X;
    base_ = mounting->second.parent;
    X_WF_ = isometryOf(start_->pose.position, start_->pose.orientation);
    const vision::Pinhole pinhole{camera_->P[0], camera_->P[5], camera_->P[2], camera_->P[6]};
    follower_.emplace(pinhole);
    moving_.emplace(pinhole);
    people_.emplace(pinhole, detection_.delay);
    starts_.shutdown();
    return true;
  }

  // An image that cannot be placed has an odometry of NaN, so that nobody waits for it.
  void publish(const ros::Time& stamp, const std::optional<Isometry3d>& X_FC) {
    nav_msgs::Odometry odometry;
    odometry.header.stamp = stamp;
    odometry.header.frame_id = "world";
    odometry.child_frame_id = base_;
    if (!X_FC) {
      ROS_WARN_THROTTLE(1.0, "lost");
      odometry.pose.pose.position.x = std::numeric_limits<double>::quiet_NaN();
      odometry_.publish(odometry);
      return;
    }
    const Isometry3d X_WC = X_WF_ * *X_FC;
    geometry_msgs::PoseStamped pose;
    pose.header = odometry.header;
    pose.pose = messageOf(X_WC);
    poses_.publish(pose);
    odometry.pose.pose = messageOf(X_WC * X_BC_.inverse());
    odometry_.publish(odometry);
  }

  struct Mounting {
    std::string parent;
    Isometry3d X;
  };

  bool is_stereo_, sees_people_;
  std::optional<vision::Odometry> follower_;
  vision::DetectorConfig detection_;
  vision::Detector detector_{detection_};
  std::optional<vision::MovingPoints> moving_;
  std::optional<vision::People> people_;
  std::map<std::string, Mounting> mountings_;  // by the frame that is mounted
  vision::Gyroscope gyroscope_;
  std::string base_, imu_frame_;
  double last_ = 0.0;  // [s] stamp of the last image
  Isometry3d X_BC_, X_WF_;
  sensor_msgs::ImageConstPtr first_, second_;
  sensor_msgs::CameraInfoConstPtr camera_;
  geometry_msgs::PoseStampedConstPtr start_;
  marsim::SeenObjectsConstPtr seen_;
  ros::Publisher odometry_, poses_, movers_;
  ros::Subscriber transforms_, starts_, cameras_, firsts_, seconds_, objects_, imus_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "vision");
  ros::NodeHandle handle;
  const ros::NodeHandle params("~");
  const bool is_stereo = params.param("stereo", false), sees_people = params.param("people", false);
  if (is_stereo && sees_people) {
    ROS_FATAL("vision_node: people: true, needs an RGB-D camera: stereo must be false");
    return 1;
  }
  const VisionNode node(handle, is_stereo, sees_people);
  ros::spin();
}
