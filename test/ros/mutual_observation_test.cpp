// SPDX-License-Identifier: BSD-3-Clause
// Three UAVs fly round one circle at 5 m/s. Each one's scans have points on the others' bodies,
// where those truly were at the points' times; one UAV is told to leave the others out.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>

#include "marsim/StateReference.h"
#include "marsim/VehicleState.h"
#include "marsim/config/load.hpp"
#include "marsim/sim/world.hpp"
#include "ros/messages/conversions.hpp"
#include "scene/shapes.hpp"
#include "wait_for.hpp"

namespace marsim::test {
namespace {

constexpr int kUavs = 3;
constexpr std::size_t kBlind = 2;  // its scans leave the others out (peers_in_scans)
constexpr double kRadius = 4.0, kHeight = 25.0, kSpeed = 5.0;  // [m], [m], [m/s]
constexpr double kSpeedUp = 3.0;                               // [s]
constexpr TimeNs kFlight = 7 * kNsPerSecond;
constexpr double kTolerance = 0.02;  // [m] asked for
constexpr double kNear = 1.0;        // [m] round a UAV there is nothing but it

/// Distance [m] of a point in B from the surfaces that the body is described by. Inside solids it
/// is 0; none of them is more than 2.2 cm deep.
double distanceToBody(const scene::BodyConfig& body, const Eigen::Vector3d& p_B) {
  double distance = scene::distanceTo(
      scene::Box{Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity(), body.hub_half}, p_B);
  for (const Eigen::Vector3d& rotor : body.rotors) {
    const Eigen::Vector3d up = body.propeller_half_height * Eigen::Vector3d::UnitZ();
    const scene::Cylinder arm{Eigen::Vector3d::Zero(), rotor, body.arm_radius};
    const scene::Cylinder disc{rotor - up, rotor + up, body.propeller_radius};
    distance = std::min({distance, scene::distanceTo(arm, p_B), scene::distanceTo(disc, p_B)});
  }
  return distance;
}

/// The place on the circle at a time since the start: at speed after kSpeedUp, smoothly.
marsim::StateReference reference(int uav, double t) {
  const double s = std::clamp(t / kSpeedUp, 0.0, 1.0);
  const double rate = kSpeed / kRadius;
  const double speed = rate * s * s * (3.0 - 2.0 * s);
  const double change = rate * 6.0 * s * (1.0 - s) / kSpeedUp;
  const double turned =
      rate * kSpeedUp * (s * s * s - 0.5 * s * s * s * s) + rate * std::max(0.0, t - kSpeedUp);
  const double angle = turned + 2.0 * M_PI * uav / kUavs;
  const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0.0);
  const Eigen::Vector3d along(-out.y(), out.x(), 0.0);
  marsim::StateReference message;
  message.position = ros_nodes::toPoint(kRadius * out + kHeight * Eigen::Vector3d::UnitZ());
  message.velocity = ros_nodes::toVector3(kRadius * speed * along);
  message.acceleration = ros_nodes::toVector3(kRadius * (change * along - speed * speed * out));
  return message;
}

struct Uav {
  StateHistory motion;
  std::vector<sensor_msgs::PointCloud2ConstPtr> scans;
  ros::Publisher command;
  ros::Subscriber states, points;
};

/// Points of one UAV's scans near another one.
struct Sighting {
  int points = 0, off = 0, scans = 0, mislabelled = 0;
  double farthest = 0.0;
};

class MutualObservation : public testing::Test {
 protected:
  MutualObservation() {
    for (int i = 0; i < kUavs; ++i) {
      ros::NodeHandle nh("/uav" + std::to_string(i));
      Uav& uav = uavs_[static_cast<std::size_t>(i)];
      uav.command = nh.advertise<marsim::StateReference>("command/state", 10);
      uav.states = nh.subscribe<marsim::VehicleState>(
          "state", 1000,
          [&uav](const marsim::VehicleStateConstPtr& m) {
            uav.motion.push(ros_nodes::fromMessage(*m).motion);
          },
          ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());
      uav.points = nh.subscribe<sensor_msgs::PointCloud2>(
          "points", 100,
          [&uav](const sensor_msgs::PointCloud2ConstPtr& m) { uav.scans.push_back(m); });
    }
  }

  TimeNs now() const {
    TimeNs now = std::numeric_limits<TimeNs>::max();
    for (const Uav& uav : uavs_) {
      now = std::min(now, uav.motion.empty() ? 0 : uav.motion.back().stamp);
    }
    return now;
  }

  /// Flies the circle, and returns when it began to be flown at speed.
  TimeNs fly() {
    const TimeNs begin = now();
    TimeNs told = 0;
    waitFor([&] {
      if (now() - told >= kNsPerSecond / 100) {
        told = now();
        for (int i = 0; i < kUavs; ++i) {
          uavs_[static_cast<std::size_t>(i)].command.publish(reference(i, toSeconds(told - begin)));
        }
      }
      return now() > begin + kFlight;
    });
    return begin + toNs(kSpeedUp) + kNsPerSecond;
  }

  Sighting sight(const Uav& viewer, std::uint32_t id, TimeNs from) const {
    const Uav& seen = uavs_[id];
    Sighting sight;
    for (const sensor_msgs::PointCloud2ConstPtr& scan : viewer.scans) {
      const TimeNs stamp = ros_nodes::fromRos(scan->header.stamp);
      const TimeNs end = stamp + kNsPerSecond / 10;
      if (stamp < from || !viewer.motion.covers(stamp, end) || !seen.motion.covers(stamp, end)) {
        continue;
      }
      const int before = sight.points;
      sensor_msgs::PointCloud2ConstIterator<float> x(*scan, "x"), time(*scan, "time");
      sensor_msgs::PointCloud2ConstIterator<std::uint32_t> label(*scan, "label");
      for (; x != x.end(); ++x, ++time, ++label) {
        const TimeNs t = stamp + toNs(static_cast<double>(*time));
        const Eigen::Vector3d p_S(x[0], x[1], x[2]);
        const Pose X_WB = viewer.motion.poseAt(t);
        const Eigen::Vector3d p_B = seen.motion.poseAt(t).inverse() * (X_WB * (lidar_.X_BS * p_S));
        const bool is_near = p_B.norm() <= kNear;
        if (is_near != (*label == id)) ++sight.mislabelled;
        if (!is_near) continue;
        const double distance = distanceToBody(body_, p_B);
        ++sight.points;
        sight.farthest = std::max(sight.farthest, distance);
        if (distance > kTolerance) ++sight.off;
      }
      if (sight.points > before) ++sight.scans;
    }
    return sight;
  }

  const scene::BodyConfig body_ = sim::bodyOf(config::loadVehicle("hummingbird"));
  /// UAVs named by the status "peers" of a UAV's LiDAR, as "uav 1".
  std::set<std::string> toldOf(int uav) const {
    const auto found = told_.find(uav);
    return found != told_.end() ? found->second : std::set<std::string>();
  }

  void onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
    for (const auto& status : message->status) {
      if (status.name.find("peers") == std::string::npos) continue;
      for (int i = 0; i < kUavs; ++i) {
        if (status.name.find("uav" + std::to_string(i)) == std::string::npos) continue;
        for (const auto& entry : status.values) {
          if (entry.key.find("uav ") == 0) told_[i].insert(entry.key);
        }
      }
    }
  }

  const lidar::LidarConfig lidar_ = config::loadLidar("mid360");
  std::array<Uav, kUavs> uavs_;
  std::map<int, std::set<std::string>> told_;
  ros::NodeHandle nh_;
  ros::Subscriber diagnostics_ =
      nh_.subscribe("/diagnostics", 100, &MutualObservation::onDiagnostics, this);
};

TEST_F(MutualObservation, PointsLieOnTheOthersBodies) {
  ASSERT_TRUE(waitFor([&] {
    return now() > kNsPerSecond && std::all_of(uavs_.begin(), uavs_.end(), [](const Uav& uav) {
             return !uav.scans.empty() && uav.command.getNumSubscribers() > 0;
           });
  }));
  const TimeNs at_speed = fly();
  for (const Uav& uav : uavs_) {
    EXPECT_NEAR(uav.motion.back().v_WB.norm(), kSpeed, 0.4);
  }
  for (int i = 0; i < kUavs; ++i) {
    std::set<std::string> others = {"uav 0", "uav 1", "uav 2"};
    others.erase("uav " + std::to_string(i));
    EXPECT_EQ(toldOf(i), others) << "uav" << i << " tells of the others, not of itself";
  }
  for (std::size_t i = 0; i < kUavs; ++i) {
    for (std::size_t k = 0; k < kUavs; ++k) {
      if (i == k) continue;
      const Sighting sight = this->sight(uavs_[i], static_cast<std::uint32_t>(k), at_speed);
      SCOPED_TRACE("uav" + std::to_string(i) + " sees uav" + std::to_string(k));
      std::printf("uav%zu sees uav%zu: %d points in %d scans, at most %.1f mm off\n", i, k,
                  sight.points, sight.scans, 1e3 * sight.farthest);
      if (i == kBlind) {
        EXPECT_EQ(sight.points, 0);
        continue;
      }
      EXPECT_GE(sight.scans, 10);
      EXPECT_GE(sight.points, 50);
      EXPECT_EQ(sight.mislabelled, 0);
      EXPECT_EQ(sight.off, 0) << "the farthest is " << sight.farthest << " m off";
    }
  }
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "mutual_observation_test");
  return RUN_ALL_TESTS();
}
