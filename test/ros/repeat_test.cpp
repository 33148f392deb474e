// SPDX-License-Identifier: BSD-3-Clause
// One flight through the nodes and through sim::World: what they measure is the same to the byte.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/Twist.h>
#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/Imu.h>
#include <sensor_msgs/PointCloud2.h>
#include <trajectory_msgs/MultiDOFJointTrajectory.h>
#include <xxhash.h>

#include "marsim/Contact.h"
#include "marsim/DrivenObstacles.h"
#include "marsim/Teleport.h"
#include "marsim/common/random.hpp"
#include "marsim/config/load.hpp"

#include "lidar/output/slam_client.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "marsim/sim/world.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/obstacle_listener.hpp"
#include "ros/messages/cloud_message.hpp"
#include "ros/messages/conversions.hpp"
#include "ros/messages/depth_message.hpp"
#include "ros/messages/trajectory_message.hpp"
#include "ros/uav/contact_publisher.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using Eigen::Vector3d;
using test::waitFor;

constexpr int kUavs = 2;
constexpr TimeNs kStride = kNsPerSecond / 10;
constexpr TimeNs kEnd = 20 * kNsPerSecond;
constexpr TimeNs kTail = kNsPerSecond / 2;  // the end of a contact is told later than its stamp

// A flight's goals: each message to one UAV, with the stamp at which it acts.
struct Goal {
  double at;
  int uav;
  Vector3d p_WB;
  double yaw;
};
const std::vector<Goal> kGoals = {{0.5, 0, {1.5, 0.6, 1.6}, 0.8},  // towards each other
                                  {0.5, 1, {-1.5, -0.6, 1.4}, -0.5},
                                  {4.0, 0, {0.0, -1.5, 2.0}, 0.0},
                                  {13.0, 0, {2.0, 1.0, 1.2}, 2.0},
                                  {13.1, 1, {2.0, 1.1, 1.3}, -2.0}};  // again
constexpr double kTrajectoryAt = 6.0;                                 // [s], of the second UAV
constexpr double kTeleportAt = 11.0;                                  // [s], of the first
const Vector3d kTeleportTo(-2.0, 2.0, 1.8);
constexpr double kTeleportYaw = 1.0;
constexpr double kDriveAfter = 2.0;  // [s]
constexpr double kCartSpeed = 0.5, kCartTurn = 0.3;

geometry_msgs::PoseStamped messageOf(const Goal& goal) {
  geometry_msgs::PoseStamped message;
  message.header.stamp = ros_nodes::toRos(toNs(goal.at));
  message.pose = ros_nodes::toPose({fromRollPitchYaw(0.0, 0.0, goal.yaw), goal.p_WB});
  return message;
}

// A circle of full states.
trajectory_msgs::MultiDOFJointTrajectory circle() {
  trajectory_msgs::MultiDOFJointTrajectory message;
  message.header.stamp = ros_nodes::toRos(toNs(kTrajectoryAt));
  for (int i = 0; i <= 40; ++i) {
    const double t = 0.1 * i, angle = 1.2 * t, radius = 1.0;
    const Vector3d out(std::cos(angle), std::sin(angle), 0.0);
    const Vector3d along(-std::sin(angle), std::cos(angle), 0.0);
    trajectory_msgs::MultiDOFJointTrajectoryPoint point;
    point.time_from_start = ros::Duration(t);
    geometry_msgs::Transform transform;
    transform.translation = ros_nodes::toVector3(Vector3d(-1.5, -1.5, 1.5) + radius * out);
    transform.rotation = ros_nodes::toQuaternion(fromRollPitchYaw(0.0, 0.0, angle));
    geometry_msgs::Twist velocity, acceleration;
    velocity.linear = ros_nodes::toVector3(1.2 * radius * along);
    velocity.angular.z = 1.2;
    acceleration.linear = ros_nodes::toVector3(-1.44 * radius * out);
    point.transforms.push_back(transform);
    point.velocities.push_back(velocity);
    point.accelerations.push_back(acceleration);
    message.points.push_back(point);
  }
  return message;
}

/// Messages on some topics, as hashes of their serialised form.
class Record {
 public:
  struct Entry {
    TimeNs stamp;
    std::uint64_t hash;
    bool operator==(const Entry& other) const { return stamp == other.stamp && hash == other.hash; }
  };

  template <class Message>
  void add(const std::string& topic, const Message& message) {
    Message unnumbered = message;
    unnumbered.header.seq = 0;
    const auto size = ros::serialization::serializationLength(unnumbered);
    bytes_.resize(size);
    ros::serialization::OStream stream(bytes_.data(), size);
    ros::serialization::serialize(stream, unnumbered);
    const TimeNs stamp = ros_nodes::fromRos(message.header.stamp);
    newest_[topic] = stamp;
    if (stamp < kEnd) topics_[topic].push_back({stamp, XXH3_64bits(bytes_.data(), size)});
  }
  /// Whether all that comes regularly has come until then.
  bool isPast(TimeNs stamp) const {
    return std::all_of(newest_.begin(), newest_.end(), [stamp](const auto& newest) {
      return newest.second >= stamp || newest.first.find("/collision") != std::string::npos;
    });
  }
  const std::map<std::string, std::vector<Entry>>& topics() const { return topics_; }

 private:
  std::map<std::string, std::vector<Entry>> topics_;
  std::map<std::string, TimeNs> newest_;
  std::vector<std::uint8_t> bytes_;
};

std::string uavName(int uav) { return "uav" + std::to_string(uav); }

/// Whether the UAVs fly on an estimate.
bool isRealistic() {
  return ros::param::param<std::string>("uav0/controller/estimate", "") == "realistic";
}

/// Keeps the processors busy.
class Load {
 public:
  explicit Load(int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!stop_) {
        }
      });
    }
  }
  ~Load() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

/// The flight through the nodes.
class NodeFlight {
 public:
  Record record;
  TimeNs drive_begins = -1;  ///< step from which on the cart follows its command

  NodeFlight() {
    for (int uav = 0; uav < kUavs; ++uav) {
      listen<nav_msgs::Odometry>(uav, "odom");
      listen<sensor_msgs::Imu>(uav, "imu/data");
      listen<sensor_msgs::PointCloud2>(uav, "points");
      listen<sensor_msgs::Image>(uav, "depth/image_rect_raw");
      listen<Contact>(uav, "collision");
      if (isRealistic()) listen<nav_msgs::Odometry>(uav, "slam_odom");
      goals_.push_back(nh_.advertise<geometry_msgs::PoseStamped>(uavName(uav) + "/goal", 10));
    }
    trajectory_ =
        nh_.advertise<trajectory_msgs::MultiDOFJointTrajectory>("uav1/command/trajectory", 1);
    cart_ = nh_.advertise<geometry_msgs::Twist>("obstacles/cart_0/cmd_vel", 1);
    clock_subscriber_ = nh_.subscribe<rosgraph_msgs::Clock>(
        "/clock", 0, [this](const rosgraph_msgs::ClockConstPtr& message) {
          clock_ = ros_nodes::fromRos(message->clock);
        });
    driven_ = nh_.subscribe<DrivenObstacles>(
        "obstacles/driven", 0, [this](const DrivenObstaclesConstPtr& message) {
          const bool moves = message->obstacles.at(0).yaw_rate != 0.0;
          if (moves && drive_begins < 0) drive_begins = ros_nodes::fromRos(message->header.stamp);
        });
  }

  bool isConnected() const {
    const auto hasOne = [](const ros::Subscriber& s) { return s.getNumPublishers() > 0; };
    const auto isHeard = [](const ros::Publisher& p) { return p.getNumSubscribers() > 0; };
    return std::all_of(subscribers_.begin(), subscribers_.end(), hasOne) &&
           std::all_of(goals_.begin(), goals_.end(), isHeard) && isHeard(trajectory_) &&
           isHeard(cart_) && hasOne(driven_);
  }

  // Each input is sent a tenth of a second before it acts; time waits there.
  bool fly() {
    if (!waitFor([this] { return isConnected() && clock_ == 0; })) return false;
    waitFor([] { return false; }, 1.0);  // the last connections are made from both sides
    EXPECT_EQ(clock_, 0) << "time begins when this node takes part";
    std::multimap<double, std::function<void()>> inputs;
    for (const Goal& goal : kGoals) {
      inputs.emplace(goal.at, [this, goal] {
        goals_[static_cast<std::size_t>(goal.uav)].publish(messageOf(goal));
      });
    }
    inputs.emplace(kTrajectoryAt, [this] { trajectory_.publish(circle()); });
    inputs.emplace(kTeleportAt, [this] { teleport(); });
    inputs.emplace(kDriveAfter, [this] {
      geometry_msgs::Twist twist;
      twist.linear.x = kCartSpeed;
      twist.angular.z = kCartTurn;
      cart_.publish(twist);
    });
    for (const auto& [at, send] : inputs) {
      if (!goTo(toNs(at - 0.1))) return false;
      send();
      has_sent_ = true;
    }
    return goTo(kEnd + kTail) && waitFor([this] { return record.isPast(kEnd); });
  }

 private:
  template <class Message>
  void listen(int uav, const std::string& topic) {
    const std::string name = uavName(uav) + "/" + topic;
    subscribers_.push_back(nh_.subscribe<Message>(
        name, 0, [this, name, topic](const boost::shared_ptr<const Message>& message) {
          // The estimate of the start is made before anybody can listen to the World's.
          const bool is_first = ros_nodes::fromRos(message->header.stamp) == 0;
          if (!is_first || topic != "slam_odom") record.add(name, *message);
        }));
  }
  // Not faster than what comes can be heard: queues of publishers are short. Time waits once more
  // before an input acts, since a grant sent right after it may overtake it.
  bool goTo(TimeNs time) {
    while (clock_ < time) {
      const TimeNs stride = std::exchange(has_sent_, false) ? kStride / 2 : kStride;
      const TimeNs next = std::min(time, clock_ + stride);
      grants_.grant(next);
      const auto isHeard = [&] { return clock_ >= next && record.isPast(next - 4 * kStride); };
      if (!waitFor(isHeard)) return false;
    }
    return true;
  }
  void teleport() {
    Teleport call;
    call.request.position = ros_nodes::toPoint(kTeleportTo);
    call.request.yaw = kTeleportYaw;
    call.request.stamp = ros_nodes::toRos(toNs(kTeleportAt));
    EXPECT_TRUE(ros::service::call("uav0/teleport", call));
    EXPECT_TRUE(call.response.success);
    EXPECT_EQ(call.response.message, "at the first state from 11.000 s on");
  }

  ros::NodeHandle nh_;
  ros_nodes::ClockGrants grants_{nh_, ros::NodeHandle("~")};
  TimeNs clock_ = -1;
  bool has_sent_ = false;  ///< since the last grant
  std::vector<ros::Publisher> goals_;
  ros::Publisher trajectory_, cart_;
  std::vector<ros::Subscriber> subscribers_;
  ros::Subscriber clock_subscriber_, driven_;
};

/// The flight by the core alone.
class WorldFlight {
 public:
  explicit WorldFlight(TimeNs drive_begins) : drive_begins_(drive_begins) {
    const ros::NodeHandle nh;
    const auto param = [&](const std::string& name) {
      return nh.param<std::string>(name, "not given");
    };
    const map::LoadedMap loaded =
        map::shareSurfelMap(config::resolveMap(param("uav0/map")), mapConfig());
    world_ = std::make_unique<sim::World>(loaded.map, sim::Renderers{},
                                          static_cast<double>(loaded.source.box.min().z()));
    const std::string file = param("obstacles/obstacles");
    obstacles_ = std::make_shared<scene::Obstacles>(
        config::readObstacles(config::settingsText("obstacles", file), file),
        ros_nodes::clearanceIn(*loaded.map), file);
    world_->addObjects(obstacles_);
    driver_ = std::make_shared<scene::ObstacleDriver>(obstacles_, 0);
    world_->addDriver(driver_);
    const std::vector<sim::Start> starts =
        sim::swarmStarts(config::loadSwarm(param("uav0/swarm")), kUavs, "test");
    for (int uav = 0; uav < kUavs; ++uav) {
      addUav(uav, starts[static_cast<std::size_t>(uav)], param("uav0/depth_camera/depth"));
    }
  }

  Record fly() {
    for (const Goal& goal : kGoals) {
      const geometry_msgs::PoseStamped message = messageOf(goal);
      const Vector3d p_WB = ros_nodes::fromPoint(message.pose.position);
      const double yaw = yawOf(ros_nodes::fromQuaternion(message.pose.orientation).normalized());
      commands_.emplace(goal.at, [=] {
        pilot(goal.uav).commandAt(
            toNs(goal.at), sim::CommandKind::kGoal,
            [=](control::Commander& commander, TimeNs now) { commander.setGoal(p_WB, yaw, now); });
      });
    }
    commands_.emplace(kTrajectoryAt, [this] {
      pilot(1).commandAt(toNs(kTrajectoryAt), sim::CommandKind::kTrajectory,
                         [](control::Commander& commander, TimeNs now) {
                           commander.setTrajectory(ros_nodes::fromMessage(circle(), 0.0).points,
                                                   now);
                         });
    });
    commands_.emplace(kTeleportAt,
                      [this] { uavs_[0]->teleport(kTeleportTo, kTeleportYaw, toNs(kTeleportAt)); });
    for (TimeNs now = 0; now <= kEnd + kTail; now = uavs_[0]->state().stamp) {
      while (!commands_.empty() && now >= toNs(commands_.begin()->first - 0.1)) {
        commands_.begin()->second();
        commands_.erase(commands_.begin());
      }
      if (now == drive_begins_) driver_->command(0, {kCartSpeed, 0.0, 0.0}, kCartTurn, now);
      world_->step();
    }
    return std::move(record_);
  }

 private:
  static map::SurfelMapConfig mapConfig() {
    map::SurfelMapConfig config;
    ros::param::get("uav0/resolution", config.resolution);
    return config;
  }

  void addUav(int number, const sim::Start& start, const std::string& depth) {
    const std::string name = uavName(number);
    sim::UavConfig config;
    config.vehicle = config::loadVehicle("hummingbird");
    config.seed = RandomStream(1, "/" + name).next();
    config.collision.response = sim::CollisionResponse::kBounce;
    if (isRealistic()) config.vehicle.estimate.emplace();
    config.controller = config::loadController(isRealistic() ? "onboard" : "default");
    config.controller.goal.speed = 2.0;
    config.start_p_WB = start.p_WB;
    config.start_yaw = start.yaw;
    config.lidar = config::loadLidar("mid360");
    config.depth = config::loadDepthCamera(depth);
    config.depth->seed = config.seed;
    const auto outputs =
        lidar::outputsFor("none", config.lidar->outputs, "labelled", "the test's layout");
    const auto encoder = std::make_shared<const layouts::CloudEncoder>(outputs.at(0), *config.lidar,
                                                                       name + "/lidar");
    sim::Uav& uav = world_->addUav(config);
    uavs_.push_back(&uav);
    uav.on_odometry = [this, name](const KinematicState& state) {
      nav_msgs::Odometry message;
      ros_nodes::toMessage(state, false, message);
      message.header.frame_id = "world";
      message.child_frame_id = name + "/base_link";
      record_.add(name + "/odom", message);
    };
    uav.on_estimate = [this, name](const StampedPose& estimate) {
      nav_msgs::Odometry message;
      message.header = ros_nodes::toHeader(estimate.stamp, "world");
      message.child_frame_id = name + "/base_link";
      message.pose.pose = ros_nodes::toPose(estimate.X_WB);
      record_.add(name + "/slam_odom", message);
    };
    uav.on_imu = [this, name, imu = config.vehicle.imu](const vehicle::ImuSample& sample) {
      sensor_msgs::Imu message;
      ros_nodes::toMessage(sample, imu, true, message);
      message.header.frame_id = name + "/imu_link";
      record_.add(name + "/imu/data", message);
    };
    uav.on_contact = [this, name, count = 0U](const collision::ContactEvent& event) mutable {
      Contact message = ros_nodes::toMessage(event);
      message.header.frame_id = "world";
      message.count = event.begins ? ++count : count;
      record_.add(name + "/collision", message);
    };
    uav.on_scan = [this, name, encoder](const lidar::Scan& scan) {
      record_.add(name + "/points",
                  ros_nodes::toMessage(std::get<layouts::Cloud>(encoder->encode(scan))));
    };
    uav.on_image = [this, name, camera = *config.depth](const lidar::DepthImage& image) {
      record_.add(name + "/depth/image_rect_raw",
                  ros_nodes::depthMessage(image, camera, name + "/depth_optical_frame"));
    };
  }

  sim::Pilot& pilot(int uav) { return uavs_[static_cast<std::size_t>(uav)]->pilot(); }

  TimeNs drive_begins_;
  std::shared_ptr<scene::Obstacles> obstacles_;
  std::shared_ptr<scene::ObstacleDriver> driver_;
  std::unique_ptr<sim::World> world_;
  std::vector<sim::Uav*> uavs_;
  std::multimap<double, std::function<void()>> commands_;
  Record record_;
};

TEST(Repeat, NodesMeasureWhatTheWorldMeasures) {
  NodeFlight nodes;
  {
    const Load load(ros::param::param("~load", 0));
    ASSERT_TRUE(nodes.fly());
  }
  ASSERT_GT(nodes.drive_begins, 0);
  const Record world = WorldFlight(nodes.drive_begins).fly();
  for (const auto& [topic, expected] : world.topics()) {
    const auto found = nodes.record.topics().find(topic);
    ASSERT_NE(found, nodes.record.topics().end()) << topic;
    const std::vector<Record::Entry>& entries = found->second;
    EXPECT_EQ(entries.size(), expected.size()) << topic;
    std::string differing;
    int differ = 0;
    for (std::size_t i = 0; i < std::min(entries.size(), expected.size()); ++i) {
      if (entries[i] == expected[i]) continue;
      if (++differ <= 5) {
        differing += fmt::format(", number {} at {} s (World: {} s)", i,
                                 toSeconds(entries[i].stamp), toSeconds(expected[i].stamp));
      }
    }
    EXPECT_EQ(differ, 0) << topic << differing;
  }
  const auto count = [&world](const std::string& topic) { return world.topics().at(topic).size(); };
  EXPECT_GT(count("uav0/collision"), 1U) << "the UAVs should meet";
  EXPECT_EQ(count("uav1/odom"), 3999U);
  EXPECT_EQ(count("uav1/imu/data"), 3999U);
  EXPECT_EQ(count("uav1/points"), 200U);
  EXPECT_EQ(world.topics().count("uav1/slam_odom"), isRealistic() ? 1U : 0U);
  EXPECT_EQ(count("uav1/depth/image_rect_raw"), 100U);
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "repeat_test");
  return RUN_ALL_TESTS();
}
