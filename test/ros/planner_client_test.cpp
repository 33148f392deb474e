// SPDX-License-Identifier: BSD-3-Clause
// Plays the planners of docs/planners.md: under their topic names it reads odometry, clouds and
// sensor poses as they do, flies a short trajectory with commands as they send them, falls silent,
// and holds what it saw against the truth.
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <gtest/gtest.h>
#include <message_filters/subscriber.h>
#include <message_filters/sync_policies/approximate_time.h>
#include <message_filters/synchronizer.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Log.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#include <topic_tools/shape_shifter.h>

#include "marsim/collision/clearance.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "planned_flight.hpp"
#include "position_command_bytes.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::Flight;
using test::waitFor;

struct Client {
  const char *odom, *cloud, *sensor_pose, *commands, *md5;
  bool world_twist;    // how it understands odometry
  bool frozen_stamps;  // of its commands
  bool gains;          // whether it sets them
  bool nan_yaw_rates;  // as EGO-Planner's is once its timer has fired twice at one time of /clock
};

const std::map<std::string, Client>& clients() {
  static const std::map<std::string, Client> all{
      {"ego_planner",
       {"/visual_slam/odom", "/pcl_render_node/cloud", "/pcl_render_node/sensor_pose",
        "/planning/pos_cmd", test::kEgo, true, false, false, true}},
      {"ego_swarm",
       {"/drone_3_visual_slam/odom", "/drone_3_pcl_render_node/cloud",
        "/drone_3_pcl_render_node/sensor_pose", "/drone_3_planning/pos_cmd", test::kEgo, true,
        false, false, true}},
      {"fast_planner",
       {"/state_ukf/odom", "/pcl_render_node/cloud", "/pcl_render_node/sensor_pose",
        "/planning/pos_cmd", test::kEgo, true, false, true, false}},
      {"fuel",
       {"/state_ukf/odom", "/pcl_render_node/cloud", "/pcl_render_node/sensor_pose",
        "/planning/pos_cmd", test::kEgo, true, true, true, false}},
      {"super",
       {"/lidar_slam/odom", "/cloud_registered", "/pcl_render_node/sensor_pose",
        "/planning/pos_cmd", test::kSuper, false, false, false, false}},
  };
  return all;
}

// Commands under another package's type name and md5, made without that package.
class CommandPublisher {
 public:
  CommandPublisher(ros::NodeHandle& nh, const std::string& topic, const std::string& md5)
      : md5_(md5) {
    message_.morph(md5, "quadrotor_msgs/PositionCommand", "# as the planner's package has it", "");
    publisher_ = message_.advertise(nh, topic, 50);
  }
  bool isHeard() const { return publisher_.getNumSubscribers() > 0; }
  void publish(const test::CommandFields& fields) { publish(test::commandBytes(md5_, fields)); }
  void publish(std::vector<std::uint8_t> bytes) {
    ros::serialization::IStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
    message_.read(stream);
    publisher_.publish(message_);
  }

 private:
  std::string md5_;
  topic_tools::ShapeShifter message_;
  ros::Publisher publisher_;
};

struct CloudAndPose {
  sensor_msgs::PointCloud2ConstPtr cloud;
  geometry_msgs::PoseStampedConstPtr pose;
};

class PlannerClient : public testing::Test {
 protected:
  using Policy = message_filters::sync_policies::ApproximateTime<sensor_msgs::PointCloud2,
                                                                 geometry_msgs::PoseStamped>;

  void SetUp() override {
    std::string name;
    ASSERT_TRUE(ros::NodeHandle("~").getParam("client", name));
    client_ = clients().at(name);
    odom_subscriber_ = nh_.subscribe<nav_msgs::Odometry>(
        client_.odom, 1000, [this](const nav_msgs::OdometryConstPtr& m) { odom_.push_back(*m); },
        nullptr, ros::TransportHints().tcpNoDelay());
    cloud_subscriber_.subscribe(nh_, client_.cloud, 50);
    pose_subscriber_.subscribe(nh_, client_.sensor_pose, 25);
    synchronizer_.registerCallback(&PlannerClient::onCloud, this);
  }

  void onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud,
               const geometry_msgs::PoseStampedConstPtr& pose) {
    pairs_.push_back({cloud, pose});
  }

  double now() const { return toSeconds(ros_nodes::fromRos(odom_.back().header.stamp)); }
  Vector3d position() const { return ros_nodes::fromPoint(odom_.back().pose.pose.position); }
  double yaw() const {
    return yawOf(ros_nodes::fromQuaternion(odom_.back().pose.pose.orientation));
  }
  bool waitSimulated(double seconds) {
    const double end = now() + seconds;
    return waitFor([&] { return now() >= end; });
  }

  // Sends the flight's commands at 100 Hz of simulated time, which waits for them; then nothing
  // more.
  void fly(const Flight& flight, CommandPublisher& commands) {
    const double start = now();
    double sent = -1.0;
    ASSERT_TRUE(waitFor([&] {
      const double t = now() - start;
      if (t - sent < 0.0099) return false;
      sent = t;
      test::CommandFields fields = flight.at(t);
      const ros::Time stamp = client_.frozen_stamps ? ros::Time(1, 5) : odom_.back().header.stamp;
      fields.seconds = stamp.sec;
      fields.nanoseconds = stamp.nsec;
      if (client_.gains) fields.kx = {5.7, 5.7, 6.2};
      if (client_.nan_yaw_rates && t > 1.0) fields.yaw_dot = std::nan("");
      commands.publish(fields);
      clock_grants_.grant(toNs(now()) + kCommandWindow);
      return t > flight.duration + 0.2;
    }));
    clock_grants_.leave();
    expectFollowed(flight, start);
  }

  void expectFollowed(const Flight& flight, double start) const {
    const Vector3d along = (flight.to - flight.from).normalized();
    for (const auto& odom : odom_) {
      const double t = toSeconds(ros_nodes::fromRos(odom.header.stamp)) - start;
      if (t < 0.0) continue;
      const Vector3d error = ros_nodes::fromPoint(odom.pose.pose.position) - flight.at(t).position;
      ASSERT_LT((error - error.dot(along) * along).norm(), 0.05) << t;
      ASSERT_LT(std::abs(error.dot(along)), 0.1) << t;
    }
  }

  // The controller's diagnostics for a key; empty before the first.
  std::string diagnosed(const std::string& key) {
    std::string value;
    for (const auto& [name, text] : diagnostics_) {
      if (name.find(key) != std::string::npos) value = text;
    }
    return value;
  }
  void expectDiagnosed(const std::string& key, int least) {
    EXPECT_TRUE(waitFor([&] { return std::atoi(diagnosed(key).c_str()) >= least; }))
        << key << ": " << diagnosed(key);
  }

  static constexpr TimeNs kCommandWindow = kNsPerSecond / 50;

  ros::NodeHandle nh_;
  ros_nodes::ClockGrants clock_grants_{nh_, ros::NodeHandle("~")};
  Client client_{};
  std::vector<nav_msgs::Odometry> odom_;
  std::vector<CloudAndPose> pairs_;
  std::map<std::string, std::string> diagnostics_;  // of the controller
  ros::Subscriber odom_subscriber_;
  ros::Subscriber diagnostics_subscriber_ = nh_.subscribe<diagnostic_msgs::DiagnosticArray>(
      "/diagnostics", 100, [this](const diagnostic_msgs::DiagnosticArrayConstPtr& m) {
        for (const auto& status : m->status) {
          if (status.name.find("controller") == std::string::npos) continue;
          for (const auto& entry : status.values) diagnostics_[entry.key] = entry.value;
        }
      });
  message_filters::Subscriber<sensor_msgs::PointCloud2> cloud_subscriber_;
  message_filters::Subscriber<geometry_msgs::PoseStamped> pose_subscriber_;
  message_filters::Synchronizer<Policy> synchronizer_{Policy(100), cloud_subscriber_,
                                                      pose_subscriber_};
};

// The twist is the motion itself in the frame that the client expects, and not in the other one.
void expectTwist(const std::vector<nav_msgs::Odometry>& odom, bool in_world) {
  constexpr std::size_t kHalf = 10;  // samples to either side, 50 ms
  double worst = 0.0, worst_other = 0.0;
  for (std::size_t i = kHalf; i + kHalf < odom.size(); ++i) {
    const auto& before = odom[i - kHalf];
    const auto& after = odom[i + kHalf];
    const Vector3d moved_W = ros_nodes::fromPoint(after.pose.pose.position) -
                             ros_nodes::fromPoint(before.pose.pose.position);
    const Vector3d v_W = moved_W / (after.header.stamp - before.header.stamp).toSec();
    const Vector3d v_B = ros_nodes::fromQuaternion(odom[i].pose.pose.orientation).conjugate() * v_W;
    const Vector3d twist = ros_nodes::fromVector3(odom[i].twist.twist.linear);
    worst = std::max(worst, (twist - (in_world ? v_W : v_B)).norm());
    worst_other = std::max(worst_other, (twist - (in_world ? v_B : v_W)).norm());
  }
  EXPECT_LT(worst, 0.05);
  EXPECT_GT(worst_other, 0.2) << "the flight turns, so that the frames differ";
}

const nav_msgs::Odometry* nearest(const std::vector<nav_msgs::Odometry>& odom, ros::Time stamp) {
  const nav_msgs::Odometry* best = nullptr;
  for (const auto& candidate : odom) {
    if (std::abs((candidate.header.stamp - stamp).toSec()) <= 0.0026) best = &candidate;
  }
  return best;
}

// The share of a cloud's points, moved by an offset, that lie on the map.
double shareOnMap(const sensor_msgs::PointCloud2& cloud, const collision::ClearanceMap& map,
                  const Vector3d& offset) {
  double on_map = 0.0, all = 0.0;
  for (sensor_msgs::PointCloud2ConstIterator<float> p(cloud, "x"); p != p.end(); ++p) {
    const Vector3d at(p[0], p[1], p[2]);
    all += 1.0;
    if (map.at(at + offset).distance < 0.2) on_map += 1.0;
  }
  return on_map / all;
}

TEST_F(PlannerClient, FliesAndSeesAsThePlannerDoes) {
  CommandPublisher commands(nh_, client_.commands, client_.md5);
  ASSERT_TRUE(waitFor([&] { return !odom_.empty() && !pairs_.empty() && commands.isHeard(); }))
      << "the simulator did not come up under the planner's names";
  Flight flight;
  flight.from = position();
  flight.to = {1.5, 0.5, 1.8};
  const std::size_t pairs_before = pairs_.size();
  fly(flight, commands);

  ASSERT_TRUE(waitSimulated(1.5));
  EXPECT_LT((position() - flight.to).norm(), 0.05) << "held when the planner is silent";
  EXPECT_LT(std::abs(wrapAngle(yaw() - flight.turn)), 0.03);
  EXPECT_LT(ros_nodes::fromVector3(odom_.back().twist.twist.linear).norm(), 0.05);
  if (client_.nan_yaw_rates) expectDiagnosed("yaw_dot", 100);
  expectTwist(odom_, client_.world_twist);
  EXPECT_EQ(odom_.back().header.frame_id, "world");

  const auto map = map::loadSurfelMap(config::resolveMap("forest"), {}).map;
  const collision::ClearanceMap clearance(map->positions(), 0.1);
  const Pose X_BS = config::loadLidar("mid360").X_BS;
  ASSERT_GT(pairs_.size(), pairs_before + 5);
  for (const CloudAndPose& pair : pairs_) {
    EXPECT_EQ(pair.cloud->header.stamp, pair.pose->header.stamp);
    EXPECT_EQ(pair.cloud->header.frame_id, "world");
    EXPECT_EQ(pair.pose->header.frame_id, "world");
    EXPECT_GT(shareOnMap(*pair.cloud, clearance, Vector3d::Zero()), 0.995);
    const nav_msgs::Odometry* odom = nearest(odom_, pair.pose->header.stamp);
    if (odom == nullptr) continue;  // of before the odometry's first message
    const Pose X_WB{ros_nodes::fromQuaternion(odom->pose.pose.orientation),
                    ros_nodes::fromPoint(odom->pose.pose.position)};
    const Pose X_WS = X_WB * X_BS;
    EXPECT_LT((ros_nodes::fromPoint(pair.pose->pose.position) - X_WS.p).norm(), 0.01);
    EXPECT_LT(ros_nodes::fromQuaternion(pair.pose->pose.orientation).angularDistance(X_WS.q), 0.01);
  }
  EXPECT_LT(shareOnMap(*pairs_.back().cloud, clearance, {0.4, 0.4, 0.4}), 0.9)
      << "the map is no judge: it is everywhere";
}

// An unreadable or forbidden command is named and leaves the vehicle where it is.
TEST_F(PlannerClient, BadCommandsChangeNothing) {
  const std::string unknown = "0123456789abcdef0123456789abcdef";
  int named = 0;
  const ros::Subscriber log =
      nh_.subscribe<rosgraph_msgs::Log>("/rosout", 100, [&](const rosgraph_msgs::LogConstPtr& m) {
        if (m->msg.find(unknown) != std::string::npos &&
            m->msg.find("quadrotor_msgs/PositionCommand") != std::string::npos) {
          ++named;
        }
      });
  ASSERT_TRUE(waitFor([&] { return !odom_.empty() && log.getNumPublishers() > 0; }));
  const Vector3d place = position();
  test::CommandFields away;
  away.position = place + Vector3d(0.0, 0.0, 3.0);
  {
    CommandPublisher commands(nh_, client_.commands, unknown);
    ASSERT_TRUE(waitFor([&] { return commands.isHeard(); }));
    for (int i = 0; i < 3; ++i) commands.publish(test::commandBytes(client_.md5, away));
    EXPECT_TRUE(waitFor([&] { return named > 0; }));
  }
  CommandPublisher commands(nh_, client_.commands, client_.md5);
  ASSERT_TRUE(waitFor([&] { return commands.isHeard(); }));
  auto bytes = test::commandBytes(client_.md5, away);
  bytes.pop_back();
  commands.publish(bytes);
  test::CommandFields bad = away;
  bad.velocity.x() = std::nan("");
  commands.publish(bad);
  bad = away;
  bad.frame_id = "camera";
  commands.publish(bad);
  bad = away;
  bad.trajectory_flag = 4;  // ABORT
  commands.publish(bad);
  ASSERT_TRUE(waitSimulated(1.0));
  EXPECT_LT((position() - place).norm(), 0.05);
  EXPECT_EQ(named, 1) << "one warning for each definition";
  expectDiagnosed("commands refused", 5);
  EXPECT_FALSE(diagnosed("last refused command/position").empty());
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "planner_client_test");
  return RUN_ALL_TESTS();
}
