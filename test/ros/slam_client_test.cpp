// SPDX-License-Identifier: BSD-3-Clause
// Plays LiDAR(-inertial) odometry: subscribes as each client does, reads what its configuration in
// config/slam says, and holds every message against the rules of docs/slam.md.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <pcl_conversions/pcl_conversions.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <tf2_msgs/TFMessage.h>
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_broadcaster.h>
#include <tf2_ros/transform_listener.h>

#include "client_points.hpp"
#include "marsim/Contact.h"
#include "marsim/VehicleState.h"
#include "marsim/config/load.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/livox_custom_message.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

using ros_nodes::LivoxCustomMessage;
using sensor_msgs::PointCloud2;

constexpr std::size_t kScans = 8;
constexpr double kScanPeriod = 0.1;  // [s]
constexpr double kGravity = 9.80665;

/// The times of a scan, as the client works them out.
struct Interval {
  double begin, end;  // [s]
};

class SlamClient : public testing::Test {
 protected:
  void SetUp() override {
    private_.getParam("client", client_);
    private_.getParam("cloud_topic", cloud_topic_);
    private_.getParam("imu_topic", imu_topic_);
    imu_subscriber_ = nh_.subscribe<sensor_msgs::Imu>(
        imu_topic_, 5000,
        [this](const sensor_msgs::ImuConstPtr& message) { imu_.push_back(*message); });
  }

  /// A setting of the client's configuration file.
  template <class Value>
  Value setting(const std::string& name) const {
    Value value{};
    EXPECT_TRUE(private_.getParam("config/" + name, value)) << name;
    return value;
  }

  /// Waits for some scans, and then for the IMU to reach past the last.
  template <class Message>
  std::vector<boost::shared_ptr<const Message>> record() {
    std::vector<boost::shared_ptr<const Message>> scans;
    using Event = ros::MessageEvent<const Message>;
    const boost::function<void(const Event&)> collect = [&](const Event& event) {
      connection_ = event.getConnectionHeader();
      // A client drops scans that come before its first IMU sample.
      const auto& scan = event.getConstMessage();
      if (!imu_.empty() && imu_.front().header.stamp < scan->header.stamp) scans.push_back(scan);
    };
    const ros::Subscriber subscriber = nh_.subscribe<const Event&>(cloud_topic_, 200, collect);
    EXPECT_TRUE(waitFor([&] { return scans.size() >= kScans; }))
        << scans.size() << " scans on " << cloud_topic_ << ", " << imu_.size() << " samples on "
        << imu_topic_;
    if (!scans.empty()) {
      const ros::Time end = scans.back()->header.stamp + ros::Duration(kScanPeriod);
      EXPECT_TRUE(waitFor([&] { return imu_.back().header.stamp >= end; }));
    }
    return scans;
  }

  /// Scans begin at their stamps, one period after another but for whole ones that were dropped,
  /// and each is covered by IMU samples that rise strictly.
  void expectTimes(const std::vector<Interval>& scans) const {
    ASSERT_FALSE(scans.empty());
    for (std::size_t i = 0; i < scans.size(); ++i) {
      EXPECT_GT(scans[i].end - scans[i].begin, 0.9 * kScanPeriod) << "scan " << i;
      EXPECT_LT(scans[i].end - scans[i].begin, kScanPeriod) << "scan " << i;
      if (i == 0) continue;
      const double step = (scans[i].begin - scans[i - 1].begin) / kScanPeriod;
      EXPECT_GT(step, 0.9) << "scan " << i;
      EXPECT_NEAR(step, std::round(step), 0.01) << "scan " << i;
    }
    for (std::size_t i = 1; i < imu_.size(); ++i) {
      ASSERT_GT(imu_[i].header.stamp, imu_[i - 1].header.stamp) << "IMU sample " << i;
    }
    EXPECT_LT(toSeconds(ros_nodes::fromRos(imu_.front().header.stamp)), scans.front().begin);
    EXPECT_GT(toSeconds(ros_nodes::fromRos(imu_.back().header.stamp)), scans.back().end);
    for (const Interval& scan : scans) {
      const auto inside = std::count_if(imu_.begin(), imu_.end(), [&](const sensor_msgs::Imu& m) {
        return toSeconds(ros_nodes::fromRos(m.header.stamp)) >= scan.begin &&
               toSeconds(ros_nodes::fromRos(m.header.stamp)) <= scan.end;
      });
      EXPECT_GE(inside, 9) << "IMU samples in a scan";
    }
  }

  /// Specific force: one gravity upwards while the UAV hovers.
  void expectUpwardForce(double unit) const {
    ASSERT_FALSE(imu_.empty());
    double x = 0.0, y = 0.0, z = 0.0;
    for (const sensor_msgs::Imu& sample : imu_) {
      x += sample.linear_acceleration.x;
      y += sample.linear_acceleration.y;
      z += sample.linear_acceleration.z;
    }
    const double n = static_cast<double>(imu_.size()) * unit;
    EXPECT_NEAR(z / n, 1.0, 0.05);
    EXPECT_NEAR(x / n, 0.0, 0.05);
    EXPECT_NEAR(y / n, 0.0, 0.05);
  }

  /// The extrinsics of the configuration are those of the simulated sensors.
  void expectExtrinsics(const std::string& target, const std::string& source,
                        const std::string& name) {
    tf2_ros::Buffer buffer;
    const tf2_ros::TransformListener listener(buffer);
    ASSERT_TRUE(waitFor([&] { return buffer.canTransform(target, source, ros::Time(0)); }));
    const auto X = buffer.lookupTransform(target, source, ros::Time(0)).transform;
    const auto expected = setting<std::vector<double>>(name);
    ASSERT_EQ(expected.size(), 3U);
    EXPECT_NEAR(X.translation.x, expected[0], 1e-9);
    EXPECT_NEAR(X.translation.y, expected[1], 1e-9);
    EXPECT_NEAR(X.translation.z, expected[2], 1e-9);
    EXPECT_NEAR(std::abs(X.rotation.w), 1.0, 1e-9);
  }

  void playFastLioLivox();
  void playFastLioVelodyne();
  void playFastLioOuster();
  void playLioSam();
  void playKissIcp();
  void playDlio();

  ros::NodeHandle nh_, private_{"~"};
  std::string client_, cloud_topic_, imu_topic_;
  std::vector<sensor_msgs::Imu> imu_;
  ros::Subscriber imu_subscriber_;
  ros::M_string connection_;
};

std::map<std::string, std::uint8_t> datatypes(const PointCloud2& cloud) {
  std::map<std::string, std::uint8_t> types;
  for (const auto& field : cloud.fields) types[field.name] = field.datatype;
  return types;
}

template <class Point>
pcl::PointCloud<Point> toPcl(const PointCloud2& cloud) {
  pcl::PointCloud<Point> points;
  pcl::fromROSMsg(cloud, points);
  return points;
}

void SlamClient::playFastLioLivox() {
  EXPECT_EQ(setting<int>("preprocess/lidar_type"), 1);
  EXPECT_EQ(setting<std::string>("common/lid_topic"), cloud_topic_);
  EXPECT_EQ(setting<std::string>("common/imu_topic"), imu_topic_);
  const auto lines = static_cast<std::size_t>(setting<int>("preprocess/scan_line"));
  const auto scans = record<LivoxCustomMessage>();
  EXPECT_EQ(connection_["type"], "livox_ros_driver/CustomMsg");
  EXPECT_EQ(connection_["md5sum"], "e4d6829bdfe657cb6c21a746c86b21a6");
  std::vector<Interval> intervals;
  std::set<int> seen;
  for (const auto& scan : scans) {
    ASSERT_EQ(scan->point_num, scan->points.size());
    ASSERT_GT(scan->points.size(), 1000U);
    EXPECT_EQ(scan->timebase, scan->header.stamp.toNSec());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < scan->points.size(); ++i) {
      const auto& point = scan->points[i];
      ASSERT_LT(point.line, lines);
      ASSERT_TRUE((point.tag & 0x30) == 0x00 || (point.tag & 0x30) == 0x10);
      ASSERT_GE(point.offset_time, scan->points[i - (i > 0 ? 1 : 0)].offset_time);
      const float square = point.x * point.x + point.y * point.y + point.z * point.z;
      ASSERT_TRUE(std::isfinite(square));
      kept += square > 0.0F ? 1 : 0;
      seen.insert(point.line);
    }
    EXPECT_GT(kept, 1000U);
    const double begin = toSeconds(ros_nodes::fromRos(scan->header.stamp));
    intervals.push_back({begin, begin + 1e-9 * scan->points.back().offset_time});
  }
  EXPECT_EQ(seen.size(), lines) << "scan_line is the number of lines";
  expectTimes(intervals);
  expectUpwardForce(1.0);  // Livox's drivers deliver g
  expectExtrinsics("uav0/imu_link", "uav0/lidar", "mapping/extrinsic_T");
}

void SlamClient::playFastLioVelodyne() {
  EXPECT_EQ(setting<int>("preprocess/lidar_type"), 2);
  EXPECT_EQ(setting<std::string>("common/lid_topic"), cloud_topic_);
  EXPECT_EQ(setting<std::string>("common/imu_topic"), imu_topic_);
  const int lines = setting<int>("preprocess/scan_line");
  const double unit = std::pow(1e-3, setting<int>("preprocess/timestamp_unit"));  // [s]
  std::vector<Interval> intervals;
  std::set<int> seen;
  for (const auto& scan : record<PointCloud2>()) {
    auto types = datatypes(*scan);
    EXPECT_EQ(types["time"], sensor_msgs::PointField::FLOAT32);
    EXPECT_EQ(types["ring"], sensor_msgs::PointField::UINT16);
    const auto points = toPcl<clients::FastLioVelodyne>(*scan);
    ASSERT_GT(points.size(), 1000U);
    EXPECT_GT(points.back().time, 0.0F) << "else times are guessed from azimuths";
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_LT(points[i].ring, lines);
      seen.insert(points[i].ring);
      ASSERT_GE(points[i].time, points[i - (i > 0 ? 1 : 0)].time);
    }
    const double begin = toSeconds(ros_nodes::fromRos(scan->header.stamp));
    intervals.push_back({begin, begin + unit * static_cast<double>(points.back().time)});
  }
  EXPECT_GT(static_cast<int>(seen.size()), lines / 2);
  expectTimes(intervals);
  expectUpwardForce(kGravity);
  expectExtrinsics("uav0/imu_link", "uav0/lidar", "mapping/extrinsic_T");
}

void SlamClient::playFastLioOuster() {
  EXPECT_EQ(setting<int>("preprocess/lidar_type"), 3);
  EXPECT_EQ(setting<std::string>("common/lid_topic"), cloud_topic_);
  EXPECT_EQ(setting<std::string>("common/imu_topic"), imu_topic_);
  EXPECT_EQ(setting<int>("preprocess/timestamp_unit"), 3);
  const auto lines = static_cast<std::uint32_t>(setting<int>("preprocess/scan_line"));
  const double blind = setting<double>("preprocess/blind");
  std::vector<Interval> intervals;
  for (const auto& scan : record<PointCloud2>()) {
    auto types = datatypes(*scan);
    EXPECT_EQ(types["t"], sensor_msgs::PointField::UINT32);
    EXPECT_EQ(types["reflectivity"], sensor_msgs::PointField::UINT16);
    EXPECT_EQ(types["range"], sensor_msgs::PointField::UINT32);
    EXPECT_EQ(scan->height, lines);
    EXPECT_EQ(scan->width, 1024U);
    const auto points = toPcl<clients::FastLioOuster>(*scan);
    std::uint32_t last = 0;
    std::size_t kept = 0;
    for (const auto& point : points) {
      last = std::max(last, point.t);
      const double distance = point.getVector3fMap().norm();
      ASSERT_TRUE(std::isfinite(distance));
      // Ranges go through the lens, 17 mm off the axis: up to 1.3 mm farther at 22.5 degrees.
      ASSERT_NEAR(1e-3 * point.range, distance, 2e-3);
      kept += distance > blind ? 1 : 0;
    }
    EXPECT_GT(kept, 1000U);
    // Rows follow one another; the last one ends within a few columns of the scan.
    EXPECT_LT(last - points.back().t, 5'000'000U);
    const double begin = toSeconds(ros_nodes::fromRos(scan->header.stamp));
    intervals.push_back({begin, begin + 1e-9 * last});
  }
  expectTimes(intervals);
  expectUpwardForce(kGravity);
  expectExtrinsics("uav0/imu_link", "uav0/lidar", "mapping/extrinsic_T");
}

void SlamClient::playLioSam() {
  EXPECT_EQ("/" + setting<std::string>("lio_sam/pointCloudTopic"), cloud_topic_);
  EXPECT_EQ("/" + setting<std::string>("lio_sam/imuTopic"), imu_topic_);
  EXPECT_EQ(setting<std::string>("lio_sam/sensor"), "velodyne");
  EXPECT_EQ(setting<std::string>("lio_sam/lidarFrame"), "uav0/lidar");
  EXPECT_EQ(setting<std::string>("lio_sam/baselinkFrame"), "uav0/base_link");
  const int rings = setting<int>("lio_sam/N_SCAN");
  std::vector<Interval> intervals;
  for (const auto& scan : record<PointCloud2>()) {
    auto types = datatypes(*scan);
    EXPECT_EQ(types["ring"], sensor_msgs::PointField::UINT16);
    EXPECT_EQ(types["time"], sensor_msgs::PointField::FLOAT32);
    EXPECT_EQ(scan->header.frame_id, setting<std::string>("lio_sam/lidarFrame"));
    const auto points = toPcl<clients::LioSamVelodyne>(*scan);
    EXPECT_TRUE(points.is_dense) << "the client ends at once if not";
    ASSERT_GT(points.size(), 1000U);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_LT(points[i].ring, rings);
      ASSERT_TRUE(points[i].getVector3fMap().allFinite());
      ASSERT_GE(points[i].time, points[i - (i > 0 ? 1 : 0)].time);
    }
    const double begin = toSeconds(ros_nodes::fromRos(scan->header.stamp));
    intervals.push_back({begin, begin + static_cast<double>(points.back().time)});
  }
  expectTimes(intervals);
  expectUpwardForce(kGravity);
  for (const sensor_msgs::Imu& sample : imu_) {  // nine axes
    const auto& q = sample.orientation;
    ASSERT_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-6);
  }
  EXPECT_NEAR(setting<double>("lio_sam/imuGravity"), kGravity, 1e-9);
  expectExtrinsics("uav0/lidar", "uav0/imu_link", "lio_sam/extrinsicTrans");
}

/// Takes any cloud with x y z and one of three names for a point's time.
void SlamClient::playKissIcp() {
  std::string frame;
  for (const auto& scan : record<PointCloud2>()) {
    auto types = datatypes(*scan);
    for (const char* name : {"x", "y", "z"}) {
      EXPECT_EQ(types[name], sensor_msgs::PointField::FLOAT32);
    }
    const auto clock = std::count_if(types.begin(), types.end(), [](const auto& field) {
      return field.first == "t" || field.first == "time" || field.first == "timestamp";
    });
    EXPECT_EQ(clock, 1);
    ASSERT_EQ(types["time"], sensor_msgs::PointField::FLOAT32);
    float least = INFINITY, largest = -INFINITY;
    for (sensor_msgs::PointCloud2ConstIterator<float> time(*scan, "time"); time != time.end();
         ++time) {
      least = std::min(least, *time);
      largest = std::max(largest, *time);
    }
    EXPECT_GT(largest - least, 0.9 * kScanPeriod) << "normalised between least and largest";
    frame = scan->header.frame_id;
  }
  tf2_ros::Buffer buffer;
  const tf2_ros::TransformListener listener(buffer);
  const auto base = setting<std::string>("base_frame");
  EXPECT_TRUE(waitFor([&] { return buffer.canTransform(base, frame, ros::Time(0)); }));
}

/// Reads a Livox's cloud: DLIO tells `timestamp` in ns (above 1e14) from Hesai's seconds by size.
void SlamClient::playDlio() {
  std::vector<Interval> intervals;
  for (const auto& scan : record<PointCloud2>()) {
    auto types = datatypes(*scan);
    EXPECT_EQ(types["timestamp"], sensor_msgs::PointField::FLOAT64);
    EXPECT_EQ(types.count("t") + types.count("time"), 0U) << "an Ouster's or a Velodyne's";
    const auto points = toPcl<clients::Livox2>(*scan);
    ASSERT_GT(points.size(), 1000U);
    EXPECT_GT(points.front().timestamp, 1e14);
    const double begin = toSeconds(ros_nodes::fromRos(scan->header.stamp));
    const auto stamp = static_cast<double>(scan->header.stamp.toNSec());
    intervals.push_back({begin + 1e-9 * (points.front().timestamp - stamp),
                         begin + 1e-9 * (points.back().timestamp - stamp)});
    EXPECT_NEAR(intervals.back().begin, begin, 1e-3);
  }
  expectTimes(intervals);
  expectUpwardForce(kGravity);
  expectExtrinsics("uav0/base_link", "uav0/lidar", "dlio/extrinsics/baselink2lidar/t");
  expectExtrinsics("uav0/base_link", "uav0/imu_link", "dlio/extrinsics/baselink2imu/t");
}

// A launch file leaves out the tests of what it does not start (gtest_filter).

/// Checks slam_flight:=true against ground truth: it waits for a reader of the scans, then nothing
/// moves for two seconds, it takes off, every axis is accelerated, way points are passed and it
/// lands at the start.
TEST_F(SlamClient, AFlightIsFlownForIt) {
  std::vector<marsim::VehicleState> states;
  int contacts = 0;
  ros::Time first_scan;
  const ros::Subscriber truth = nh_.subscribe<marsim::VehicleState>(
      "/uav0/state", 1000,
      [&](const marsim::VehicleStateConstPtr& state) { states.push_back(*state); });
  const ros::Subscriber collision = nh_.subscribe<marsim::Contact>(
      "/uav0/collision", 10, [&](const marsim::ContactConstPtr&) { ++contacts; });
  std::vector<ros::Time> goals;
  const ros::Subscriber goal = nh_.subscribe<geometry_msgs::PoseStamped>(
      "/uav0/goal", 100, [&](const geometry_msgs::PoseStampedConstPtr& message) {
        goals.push_back(message->header.stamp);
      });
  ASSERT_TRUE(waitFor([&] { return goal.getNumPublishers() > 0 && !states.empty(); }));
  const ros::Time a_second_later = states.back().header.stamp + ros::Duration(1.0);
  ASSERT_TRUE(waitFor([&] { return states.back().header.stamp > a_second_later; }));
  EXPECT_TRUE(goals.empty()) << "nobody reads the scans yet";
  const ros::Subscriber scans = nh_.subscribe<PointCloud2>(
      cloud_topic_, 10, [&](const sensor_msgs::PointCloud2ConstPtr& scan) {
        if (first_scan.isZero()) first_scan = scan->header.stamp;
      });
  ASSERT_TRUE(waitFor([&] { return goal.getNumPublishers() == 0; })) << "it ends";
  ASSERT_FALSE(goals.empty());
  EXPECT_GT((goals.front() - first_scan).toSec(), 2.0) << "rest";

  const auto place = [](const marsim::VehicleState& state) {
    return ros_nodes::fromPoint(state.pose.position);
  };
  const Eigen::Vector3d start = place(states.front());
  Eigen::Vector3d hardest = Eigen::Vector3d::Zero();
  double length = 0.0, turned = 0.0, farthest_at_rest = 0.0;
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (states[i].header.stamp < first_scan + ros::Duration(2.0)) {
      farthest_at_rest = std::max(farthest_at_rest, (place(states[i]) - start).norm());
    }
    hardest = hardest.cwiseMax(ros_nodes::fromVector3(states[i].acceleration).cwiseAbs());
    turned = std::max(turned, std::abs(states[i].angular_velocity.z));
    length += (place(states[i]) - place(states[i - 1])).norm();
  }
  EXPECT_LT(start.z(), 0.2) << "on the ground";
  EXPECT_LT(farthest_at_rest, 0.02) << "it rests first";
  EXPECT_GT(hardest.x(), 2.0);
  EXPECT_GT(hardest.y(), 2.0);
  EXPECT_GT(hardest.z(), 1.2);
  EXPECT_GT(turned, 0.8);
  EXPECT_GT(length, 40.0) << "route_length";
  EXPECT_LT((place(states.back()) - start).norm(), 0.3) << "back at the start";
  EXPECT_EQ(contacts, 0);
}

/// slam_flight:=true begins for a client of cameras, which reads no scan.
TEST_F(SlamClient, AFlightBeginsForImages) {
  int goals = 0, seen = 0;
  const ros::Subscriber goal = nh_.subscribe<geometry_msgs::PoseStamped>(
      "/uav0/goal", 100, [&](const geometry_msgs::PoseStampedConstPtr&) { ++goals; });
  const ros::Subscriber images = nh_.subscribe<sensor_msgs::Image>(
      "/uav0/camera/left/image_raw", 10, [&](const sensor_msgs::ImageConstPtr&) { ++seen; });
  EXPECT_TRUE(waitFor([&] { return goals > 0; }));
  EXPECT_GT(seen, 0);
}

TEST_F(SlamClient, GetsWhatItsRulesAsk) {
  if (client_ == "fast_lio_livox") return playFastLioLivox();
  if (client_ == "fast_lio_velodyne") return playFastLioVelodyne();
  if (client_ == "fast_lio_ouster") return playFastLioOuster();
  if (client_ == "lio_sam") return playLioSam();
  if (client_ == "kiss_icp") return playKissIcp();
  if (client_ == "dlio") return playDlio();
  FAIL() << "unknown client '" << client_ << "'";
}

/// record_frame:=imu, the default for FAST-LIO2: the truth is of the frame that the client
/// estimates.
TEST_F(SlamClient, TruthIsRecordedInTheImusFrame) {
  const auto path = nh_.param<std::string>("/uav0/quadrotor/record", "none");
  ASSERT_NE(path, "none") << "the launch file records";
  std::map<std::string, Eigen::Vector3d> bodies;  // by the stamp as it is written
  const ros::Subscriber truth = nh_.subscribe<nav_msgs::Odometry>(
      "/uav0/odom", 1000, [&](const nav_msgs::OdometryConstPtr& message) {
        const std::string stamp =
            std::to_string(message->header.stamp.sec) + "." +
            std::to_string(1'000'000'000 + message->header.stamp.nsec).substr(1);
        bodies[stamp] = ros_nodes::fromPoint(message->pose.pose.position);
      });
  ASSERT_TRUE(waitFor([&] { return bodies.size() > 300; }));  // 1.5 s; written every 0.5 s
  const Eigen::Vector3d p_BI = config::loadLidarImu("mid360").X_BI.p;
  std::ifstream file(path);
  std::size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream row(line);
    std::string stamp;
    Eigen::Vector3d p_WI;
    row >> stamp >> p_WI.x() >> p_WI.y() >> p_WI.z();
    if (bodies.count(stamp) == 0) continue;
    ++compared;
    ASSERT_LT((p_WI - bodies[stamp] - p_BI).norm(), 1e-4) << "it hovers level: " << line;
  }
  EXPECT_GT(compared, 100U);
  std::filesystem::remove(path);
}

/// A SLAM node publishes world to base beside the simulator: no frame gets two parents.
TEST_F(SlamClient, MayPublishWorldToBase) {
  std::map<std::string, std::set<std::string>> parents;
  const auto collect = [&](const tf2_msgs::TFMessageConstPtr& message) {
    for (const auto& transform : message->transforms) {
      parents[transform.child_frame_id].insert(transform.header.frame_id);
    }
  };
  const ros::Subscriber moving = nh_.subscribe<tf2_msgs::TFMessage>("/tf", 1000, collect);
  const ros::Subscriber fixed = nh_.subscribe<tf2_msgs::TFMessage>("/tf_static", 100, collect);
  tf2_ros::TransformBroadcaster broadcaster;
  tf2_ros::Buffer buffer;
  const tf2_ros::TransformListener listener(buffer);
  geometry_msgs::TransformStamped estimate;
  estimate.header.frame_id = "world";
  estimate.child_frame_id = "uav0/base_link";
  estimate.transform.translation.x = 7.0;
  estimate.transform.rotation.w = 1.0;
  ros::Time sent(0, 1);
  EXPECT_TRUE(waitFor([&] {
    const ros::Time now = ros::Time::now();
    if (now > sent + ros::Duration(0.05)) {
      estimate.header.stamp = sent = now;
      broadcaster.sendTransform(estimate);
    }
    return parents.count("uav0/base_link_truth") == 1 && parents.count("uav0/lidar") == 1 &&
           parents.count("uav0/imu_link") == 1 &&
           buffer.canTransform("world", "uav0/lidar", ros::Time(0));
  }));
  waitFor([] { return false; }, 0.5);
  for (const auto& [child, of] : parents) EXPECT_EQ(of.size(), 1U) << child;
  EXPECT_EQ(parents["uav0/base_link"], std::set<std::string>{"world"});
  EXPECT_EQ(parents["uav0/base_link_truth"], std::set<std::string>{"world"});
  EXPECT_EQ(parents["uav0/lidar"], std::set<std::string>{"uav0/base_link"});
  // The sensor hangs on the estimate, not on the truth.
  const auto X = buffer.lookupTransform("world", "uav0/lidar", ros::Time(0)).transform;
  EXPECT_NEAR(X.translation.x, 7.0, 1e-9);
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "slam_client_test");
  return RUN_ALL_TESTS();
}
