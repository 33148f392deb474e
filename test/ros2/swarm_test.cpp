// SPDX-License-Identifier: BSD-3-Clause
// Two UAVs in one program beside Cyclone DDS, and services for callers on Fast DDS.
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "dataset/cdr.hpp"
#include "ros2/child.hpp"
#include "ros2/cyclone.hpp"
#include "ros2/service_client.hpp"

namespace marsim {
namespace {

using namespace std::chrono_literals;

/// The simulation of uav0 and uav1, abreast, one for all tests of this file.
class Swarm2 : public ::testing::Test {
 protected:
  static constexpr double kSpacing = 1.2;  // [m] of config/swarm/line.yaml
  static constexpr double kHeight = 1.5;   // [m] likewise

  static void SetUpTestSuite() {
    child_ = new Child(
        {MARSIM_FLY2, "map:=forest", "n:=2", "swarm:=line", "lidar:=mid360", "pace:=1"}, domain());
    cyclone_ = new Cyclone(domain());
  }
  static void TearDownTestSuite() {
    delete cyclone_;
    delete child_;
  }
  static int domain() { return testDomain() + 5; }
  using Odometry = nav_msgs_msg_dds__Odometry_;
  static bool isWhere(const std::string& uav,
                      const std::function<bool(const Odometry&)>& is_right) {
    return comes<Odometry>(*cyclone_, "rt/" + uav + "/odom", nav_msgs_msg_dds__Odometry__desc,
                           is_right);
  }
  static bool isNear(const Odometry& m, double x, double y, double z) {
    const auto& p = m.pose_.pose_.position_;
    return std::hypot(p.x_ - x, p.y_ - y, p.z_ - z) < 0.15;
  }
  static bool isAt(const std::string& uav, double x, double y, double z) {
    return isWhere(uav, [=](const Odometry& m) { return isNear(m, x, y, z); });
  }
  static Child* child_;
  static Cyclone* cyclone_;
};
Child* Swarm2::child_ = nullptr;
Cyclone* Swarm2::cyclone_ = nullptr;

TEST_F(Swarm2, EachHasItsTopicsAndFrames) {
  for (const std::string uav : {"uav0", "uav1"}) {
    EXPECT_TRUE((comes<sensor_msgs_msg_dds__PointCloud2_>(
        *cyclone_, "rt/" + uav + "/points", sensor_msgs_msg_dds__PointCloud2__desc,
        [&uav](const auto& m) {
          EXPECT_EQ(m.header_.frame_id_, uav + "/lidar");
          return m.width_ * m.height_ > 1000;
        })));
    EXPECT_TRUE(isWhere(
        uav, [&uav](const Odometry& m) { return m.child_frame_id_ == uav + "/base_link"; }));
  }
  std::set<std::string> frames, moving;
  EXPECT_TRUE((comes<tf2_msgs_msg_dds__TFMessage_>(
      *cyclone_, "rt/tf_static", tf2_msgs_msg_dds__TFMessage__desc,
      [&frames](const auto& m) {
        for (std::uint32_t i = 0; i < m.transforms_._length; ++i) {
          frames.insert(m.transforms_._buffer[i].child_frame_id_);
        }
        return true;
      },
      {true, true})));
  EXPECT_EQ(frames,
            (std::set<std::string>{"uav0/imu_link", "uav0/lidar", "uav1/imu_link", "uav1/lidar"}));
  EXPECT_TRUE((comes<tf2_msgs_msg_dds__TFMessage_>(
      *cyclone_, "rt/tf", tf2_msgs_msg_dds__TFMessage__desc, [&moving](const auto& m) {
        moving.insert(m.transforms_._buffer[0].child_frame_id_);
        return moving.size() == 2;
      })));
}

TEST_F(Swarm2, EachIsANode) {
  std::set<std::string> namespaces;
  EXPECT_TRUE((comes<rmw_dds_common_msg_dds__ParticipantEntitiesInfo_>(
      *cyclone_, "ros_discovery_info", rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
      [&namespaces](const auto& m) {
        for (std::uint32_t i = 0; i < m.node_entities_info_seq_._length; ++i) {
          const auto& node = m.node_entities_info_seq_._buffer[i];
          EXPECT_GT(node.writer_gid_seq_._length, 5U);
          namespaces.insert(node.node_namespace_);
        }
        return true;
      },
      {true, true})));
  EXPECT_EQ(namespaces, (std::set<std::string>{"/", "/uav0", "/uav1"}));
}

/// The number of points of a cloud in world near a place.
int pointsNear(const sensor_msgs_msg_dds__PointCloud2_& m, const std::array<double, 3>& p) {
  int count = 0;
  for (std::uint32_t i = 0; i < m.width_ * m.height_; ++i) {
    float xyz[3];
    std::memcpy(xyz, m.data_._buffer + i * m.point_step_, sizeof(xyz));
    count += std::hypot(xyz[0] - p[0], xyz[1] - p[1], xyz[2] - p[2]) < 0.4 ? 1 : 0;
  }
  return count;
}

TEST_F(Swarm2, TheySeeEachOtherAndOneObeysAlone) {
  std::array<double, 3> seen{};
  const auto sees = [&seen](bool sees_it) {
    return comes<sensor_msgs_msg_dds__PointCloud2_>(
        *cyclone_, "rt/uav0/points_world", sensor_msgs_msg_dds__PointCloud2__desc,
        [&](const auto& m) { return (pointsNear(m, seen) > 5) == sees_it; });
  };
  EXPECT_TRUE(isWhere("uav1", [&seen](const Odometry& m) {
    const auto& p = m.pose_.pose_.position_;
    seen = {p.x_, p.y_, p.z_};
    return true;
  }));
  EXPECT_NEAR(std::abs(seen[1]), 0.5 * kSpacing, 0.1);
  EXPECT_TRUE(sees(true));
  geometry_msgs_msg_dds__PoseStamped_ goal{};
  char world[] = "world";
  goal.header_.frame_id_ = world;
  goal.pose_.position_ = {1.0, seen[1], 2.5};
  goal.pose_.orientation_.w_ = 1.0;
  CycloneWriter<geometry_msgs_msg_dds__PoseStamped_> writer(
      *cyclone_, "rt/uav1/goal", geometry_msgs_msg_dds__PoseStamped__desc);
  ASSERT_TRUE(writer.waitForReader());
  CycloneReader<Odometry> odometry(*cyclone_, "rt/uav1/odom", nav_msgs_msg_dds__Odometry__desc);
  bool arrives = false;
  for (int i = 0; i < 10 && !arrives; ++i) {  // the other side may not know the writer yet
    writer.write(goal);
    arrives =
        odometry.waitFor([&seen](const Odometry& m) { return isNear(m, 1.0, seen[1], 2.5); }, 4.0);
  }
  EXPECT_TRUE(arrives);
  EXPECT_TRUE(isAt("uav0", 0.0, -seen[1], kHeight));
  EXPECT_TRUE(sees(false));
}

struct Response {
  bool has_come = false, success = false;
  std::string text;
};

/// Waits for the reply to the last request.
Response replyTo(ServiceClient& client) {
  const std::string cdr = client.reply(kPatience);
  if (cdr.empty()) return {};
  dataset::CdrReader reader(cdr);
  Response response{true, reader.read<std::uint8_t>() == 1, reader.text()};
  reader.finish();
  return response;
}

std::string empty() {
  dataset::Cdr cdr;
  cdr.add(std::uint8_t{0});
  return cdr.take();
}

std::string placement(double x, double y, double z) {
  dataset::Cdr cdr;
  cdr.add(Eigen::Vector3d(x, y, z));
  cdr.add(0.0);  // yaw
  cdr.addTime(0);
  return cdr.take();
}

TEST_F(Swarm2, ServesCallersOnFastDds) {
  ServiceClient reset(domain(), "/uav1/reset", "std_srvs::srv::dds_::Trigger");
  ServiceClient teleport(domain(), "/uav1/teleport", "marsim::srv::dds_::Teleport");
  ASSERT_TRUE(reset.waitForServer(kPatience));
  ASSERT_TRUE(teleport.waitForServer(kPatience));
  double y = 0.0;
  teleport.send(placement(0.0, 0.0, 4.0));
  EXPECT_EQ(replyTo(teleport).text, "in the air");
  EXPECT_TRUE(isAt("uav1", 0.0, 0.0, 4.0));
  teleport.send(placement(0.0, std::numeric_limits<double>::quiet_NaN(), 4.0));
  const Response refused = replyTo(teleport);
  EXPECT_TRUE(refused.has_come);
  EXPECT_FALSE(refused.success);
  EXPECT_NE(refused.text.find("not finite"), std::string::npos) << refused.text;
  reset.send(empty());
  const Response done = replyTo(reset);
  EXPECT_TRUE(done.success);
  EXPECT_EQ(done.text, "back at the start");
  EXPECT_TRUE(isWhere("uav1", [&y](const Odometry& m) {
    y = m.pose_.pose_.position_.y_;
    return m.pose_.pose_.position_.z_ < kHeight + 0.1;
  }));
  EXPECT_TRUE(isAt("uav0", 0.0, -y, kHeight));
}

TEST_F(Swarm2, PausesForTwoCallersAtOnce) {
  constexpr char kType[] = "std_srvs::srv::dds_::SetBool";
  ServiceClient first(domain(), "/sim_clock/pause", kType);
  ServiceClient second(domain(), "/sim_clock/pause", kType);
  ASSERT_TRUE(first.waitForServer(kPatience));
  ASSERT_TRUE(second.waitForServer(kPatience));
  const auto word = [](bool pauses) {
    dataset::Cdr cdr;
    cdr.add(static_cast<std::uint8_t>(pauses));
    return cdr.take();
  };
  first.send(word(true));
  second.send(word(true));
  EXPECT_TRUE(replyTo(first).has_come);
  EXPECT_TRUE(replyTo(second).has_come);
  CycloneReader<rosgraph_msgs_msg_dds__Clock_> clock(*cyclone_, "rt/clock",
                                                     rosgraph_msgs_msg_dds__Clock__desc);
  EXPECT_TRUE(clock.waitForWriter());
  std::this_thread::sleep_for(300ms);
  clock.takeAll([](const auto&) {});
  EXPECT_FALSE(clock.waitFor([](const auto&) { return true; }, 0.5));
  first.send(word(false));
  EXPECT_TRUE(replyTo(first).success);
  EXPECT_TRUE(clock.waitFor([](const auto&) { return true; }));
  EXPECT_EQ(second.reply(0.2), "");  // of the other's request
  EXPECT_GE(second.ofOthers(), 1);
}

// rmw_cyclonedds sends another encoding, which must harm nobody.
TEST_F(Swarm2, RefusesCallersOnCycloneDds) {
  CycloneReader<diagnostic_msgs_msg_dds__DiagnosticArray_> diagnostics(
      *cyclone_, "rt/diagnostics", diagnostic_msgs_msg_dds__DiagnosticArray__desc);
  CycloneWriter<std_srvs_srv_dds__Trigger_Request_> writer(*cyclone_, "rq/uav0/resetRequest",
                                                           std_srvs_srv_dds__Trigger_Request__desc);
  ASSERT_TRUE(writer.waitForReader());
  const auto tells = [](const diagnostic_msgs_msg_dds__DiagnosticArray_& m) {
    for (std::uint32_t i = 0; i < m.status_._length; ++i) {
      const auto& values = m.status_._buffer[i].values_;
      for (std::uint32_t k = 0; k < values._length; ++k) {
        const std::string value = values._buffer[k].value_;
        if (value.find("not on Fast DDS") != std::string::npos) return true;
      }
    }
    return false;
  };
  bool is_told = false;
  for (int i = 0; i < 20 && !is_told; ++i) {
    writer.write({});
    is_told = diagnostics.waitFor(tells, 2.0);
  }
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace marsim
