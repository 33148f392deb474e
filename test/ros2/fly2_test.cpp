// SPDX-License-Identifier: BSD-3-Clause
// The program beside Cyclone DDS, another implementation, with its own types (ros2.idl).
#include <array>
#include <csignal>
#include <cstdlib>
#include <map>

#include <unistd.h>

#include "dataset/cdr.hpp"
#include "marsim/common/error.hpp"
#include "ros2/child.hpp"
#include "ros2/cyclone.hpp"
#include "ros2/participant.hpp"

namespace marsim {
namespace {

using namespace std::chrono_literals;
namespace types = dataset::ros2_types;

/// The simulation, one for all tests of this file.
class Fly2 : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    child_ = new Child({MARSIM_FLY2, "map:=forest", "lidar:=mid360", "output:=livox2,livox_custom2",
                        "camera:=stereo", "depth:=planner", "pace:=1"});
    cyclone_ = new Cyclone(testDomain());
  }
  static void TearDownTestSuite() {
    delete cyclone_;
    delete child_;
  }
  static Child* child_;
  static Cyclone* cyclone_;
};
Child* Fly2::child_ = nullptr;
Cyclone* Fly2::cyclone_ = nullptr;

constexpr std::int32_t kEpoch = 1'700'000'000;

TEST_F(Fly2, MotionAndClockAreRead) {
  EXPECT_TRUE((comes<rosgraph_msgs_msg_dds__Clock_>(
      *cyclone_, "rt/clock", rosgraph_msgs_msg_dds__Clock__desc,
      [](const auto& m) { return m.clock_.sec_ >= kEpoch; }, {false})));
  EXPECT_TRUE((comes<nav_msgs_msg_dds__Odometry_>(
      *cyclone_, "rt/uav0/odom", nav_msgs_msg_dds__Odometry__desc, [](const auto& m) {
        EXPECT_STREQ(m.header_.frame_id_, "world");
        EXPECT_STREQ(m.child_frame_id_, "uav0/base_link");
        EXPECT_NEAR(m.pose_.pose_.position_.z_, 1.5, 0.1);
        EXPECT_NEAR(m.pose_.pose_.orientation_.w_, 1.0, 0.01);
        return m.header_.stamp_.sec_ >= kEpoch;
      })));
  EXPECT_TRUE((comes<sensor_msgs_msg_dds__Imu_>(
      *cyclone_, "rt/uav0/imu/data", sensor_msgs_msg_dds__Imu__desc, [](const auto& m) {
        EXPECT_STREQ(m.header_.frame_id_, "uav0/imu_link");
        EXPECT_GE(m.angular_velocity_covariance_[4], 0.0);
        return std::abs(m.linear_acceleration_.z_ - 9.81) < 1.0;
      })));
  EXPECT_TRUE((comes<tf2_msgs_msg_dds__TFMessage_>(
      *cyclone_, "rt/tf", tf2_msgs_msg_dds__TFMessage__desc, [](const auto& m) {
        return m.transforms_._length == 1 &&
               m.transforms_._buffer[0].child_frame_id_ == std::string("uav0/base_link");
      })));
}

TEST_F(Fly2, LateReadersGetMapAndStaticTransforms) {
  EXPECT_TRUE((comes<sensor_msgs_msg_dds__PointCloud2_>(
      *cyclone_, "rt/map", sensor_msgs_msg_dds__PointCloud2__desc,
      [](const auto& m) {
        EXPECT_LE(m.width_, 2'000'000U);
        EXPECT_EQ(m.data_._length, m.width_ * m.point_step_);
        return m.width_ > 1000;
      },
      {true, true})));
  EXPECT_TRUE((comes<tf2_msgs_msg_dds__TFMessage_>(
      *cyclone_, "rt/tf_static", tf2_msgs_msg_dds__TFMessage__desc,
      [](const auto& m) { return m.transforms_._length == 5; },  // IMU, LiDAR, depth, two cameras
      {true, true})));
}

TEST_F(Fly2, CloudsAreRead) {
  for (const bool is_reliable : {true, false}) {
    EXPECT_TRUE((comes<sensor_msgs_msg_dds__PointCloud2_>(
        *cyclone_, "rt/uav0/points", sensor_msgs_msg_dds__PointCloud2__desc,
        [](const auto& m) {
          EXPECT_STREQ(m.header_.frame_id_, "uav0/lidar");
          EXPECT_STREQ(m.fields_._buffer[0].name_, "x");
          EXPECT_EQ(m.data_._length, m.row_step_ * m.height_);
          return m.width_ * m.height_ > 1000;
        },
        {is_reliable})));
  }
  EXPECT_TRUE((comes<livox_ros_driver2_msg_dds__CustomMsg_>(
      *cyclone_, "rt/uav0/livox/lidar", livox_ros_driver2_msg_dds__CustomMsg__desc,
      [](const auto& m) {
        EXPECT_EQ(m.points_._length, m.point_num_);
        EXPECT_EQ(m.timebase_,
                  1'000'000'000ULL * static_cast<std::uint64_t>(m.header_.stamp_.sec_) +
                      m.header_.stamp_.nanosec_);
        std::uint32_t before = 0;
        for (std::uint32_t i = 0; i < m.point_num_; ++i) {
          EXPECT_GE(m.points_._buffer[i].offset_time_, before);
          EXPECT_LT(m.points_._buffer[i].line_, 4);
          before = m.points_._buffer[i].offset_time_;
        }
        return m.point_num_ > 1000;
      })));
}

TEST_F(Fly2, ImagesAreRead) {
  std::uint32_t width = 0;
  EXPECT_TRUE(
      (comes<sensor_msgs_msg_dds__Image_>(*cyclone_, "rt/uav0/camera/left/image_raw",
                                          sensor_msgs_msg_dds__Image__desc, [&](const auto& m) {
                                            EXPECT_STREQ(m.encoding_, "mono8");
                                            EXPECT_EQ(m.data_._length, m.step_ * m.height_);
                                            width = m.width_;
                                            return true;
                                          })));
  EXPECT_TRUE((comes<sensor_msgs_msg_dds__CameraInfo_>(
      *cyclone_, "rt/uav0/camera/right/camera_info", sensor_msgs_msg_dds__CameraInfo__desc,
      [&](const auto& m) {
        EXPECT_EQ(m.width_, width);
        EXPECT_LT(m.p_[3], 0.0);  // of a pair
        return m.k_[0] > 0.0 && m.k_[8] == 1.0;
      })));
  EXPECT_TRUE((comes<sensor_msgs_msg_dds__Image_>(
      *cyclone_, "rt/uav0/depth/image_rect_raw", sensor_msgs_msg_dds__Image__desc,
      [](const auto& m) { return m.data_._length == m.step_ * m.height_; })));
}

/// USER_DATA of all writers and readers of the program, by topic.
std::map<std::string, std::string> userData(const Cyclone& cyclone, dds_entity_t which) {
  std::map<std::string, std::string> found;
  const dds_entity_t reader = dds_create_reader(cyclone.participant(), which, nullptr, nullptr);
  std::this_thread::sleep_for(500ms);
  void* sample = nullptr;
  dds_sample_info_t info;
  while (dds_take(reader, &sample, &info, 1, 1) > 0) {
    const auto& endpoint = *static_cast<const dds_builtintopic_endpoint_t*>(sample);
    void* data = nullptr;
    std::size_t size = 0;
    if (info.valid_data && dds_qget_userdata(endpoint.qos, &data, &size) && size > 0) {
      found[endpoint.topic_name] =
          endpoint.type_name + std::string(" ") + std::string(static_cast<char*>(data), size);
      dds_free(data);
    }
    dds_return_loan(reader, &sample, 1);
    sample = nullptr;
  }
  dds_delete(reader);
  return found;
}

TEST_F(Fly2, EndpointsHaveTypeHashes) {
  auto written = userData(*cyclone_, DDS_BUILTIN_TOPIC_DCPSPUBLICATION);
  EXPECT_EQ(written["rt/uav0/points"],
            std::string("sensor_msgs::msg::dds_::PointCloud2_ typehash=") +
                types::kPointCloud2.hash + ";");
  EXPECT_EQ(written["rt/uav0/imu/data"],
            std::string("sensor_msgs::msg::dds_::Imu_ typehash=") + types::kImu.hash + ";");
  auto read = userData(*cyclone_, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION);
  EXPECT_EQ(read["rt/uav0/goal"], std::string("geometry_msgs::msg::dds_::PoseStamped_ typehash=") +
                                      types::kPoseStamped.hash + ";");
}

TEST_F(Fly2, IsANode) {
  EXPECT_TRUE((comes<rmw_dds_common_msg_dds__ParticipantEntitiesInfo_>(
      *cyclone_, "ros_discovery_info", rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
      [](const auto& m) {
        EXPECT_EQ(m.node_entities_info_seq_._length, 2U);
        const auto& world = m.node_entities_info_seq_._buffer[0];
        EXPECT_STREQ(world.node_name_, "marsim");
        EXPECT_STREQ(world.node_namespace_, "/");
        EXPECT_EQ(world.writer_gid_seq_._length, 6U);  // clock, tf, map, ..., replies of pause
        const auto& uav = m.node_entities_info_seq_._buffer[1];
        EXPECT_STREQ(uav.node_name_, "marsim");
        EXPECT_STREQ(uav.node_namespace_, "/uav0");
        EXPECT_GT(uav.reader_gid_seq_._length, 10U);
        return uav.writer_gid_seq_._length > 10U;
      },
      {true, true})));
}

char kWorld[] = "world", kNoFrame[] = "", kWrongFrame[] = "map";
const double kNan = std::numeric_limits<double>::quiet_NaN();

geometry_msgs_msg_dds__PoseStamped_ poseAt(double x, double y, double z, char* frame = kWorld) {
  geometry_msgs_msg_dds__PoseStamped_ pose{};
  pose.header_.frame_id_ = frame;
  pose.pose_.position_ = {x, y, z};
  pose.pose_.orientation_ = {0.0, 0.0, 0.0, 1.0};
  return pose;
}

/// Sends commands and watches what becomes of them.
class Pilot {
 public:
  explicit Pilot(const Cyclone& cyclone)
      : cyclone_(cyclone),
        odometry_(cyclone, "rt/uav0/odom", nav_msgs_msg_dds__Odometry__desc),
        diagnostics_(cyclone, "rt/diagnostics", diagnostic_msgs_msg_dds__DiagnosticArray__desc) {}

  /// Sends `message` at that period until the motion is right.
  template <class Message>
  bool flies(const std::string& topic, const dds_topic_descriptor_t& type, const Message& message,
             const std::function<bool(const nav_msgs_msg_dds__Odometry_&)>& is_right,
             double period = 0.1) {
    CycloneWriter<Message> writer(cyclone_, "rt/uav0/" + topic, type);
    EXPECT_TRUE(writer.waitForReader()) << topic;
    for (double waited = 0.0; waited < kPatience; waited += period) {
      writer.write(message);
      if (odometry_.waitFor(is_right, period)) return true;
    }
    return false;
  }
  /// Sends a message that must be refused for that reason; see areRefused().
  template <class Message>
  void refuse(const std::string& topic, const dds_topic_descriptor_t& type, const Message& message,
              const std::string& reason) {
    CycloneWriter<Message> writer(cyclone_, "rt/uav0/" + topic, type);
    EXPECT_TRUE(writer.waitForReader()) << topic;
    for (int i = 0; i < 3; ++i) {  // the other side may not know the writer yet
      writer.write(message);
      std::this_thread::sleep_for(50ms);
    }
    expected_["last refused " + topic] = reason;
  }
  /// Whether the diagnostics name all refusals and their reasons.
  bool areRefused() {
    diagnostics_.waitFor([&](const diagnostic_msgs_msg_dds__DiagnosticArray_& m) {
      for (std::uint32_t i = 0; i < m.status_._length; ++i) {
        const auto& values = m.status_._buffer[i].values_;
        for (std::uint32_t k = 0; k < values._length; ++k) {
          const auto found = expected_.find(values._buffer[k].key_);
          const std::string value = values._buffer[k].value_;
          if (found == expected_.end() || value.find(found->second) == std::string::npos) continue;
          expected_.erase(found);
        }
      }
      return expected_.empty();
    });
    for (const auto& [topic, reason] : expected_) ADD_FAILURE() << topic << ": no " << reason;
    return std::exchange(expected_, {}).empty();
  }

 private:
  const Cyclone& cyclone_;
  CycloneReader<nav_msgs_msg_dds__Odometry_> odometry_;
  CycloneReader<diagnostic_msgs_msg_dds__DiagnosticArray_> diagnostics_;
  std::map<std::string, std::string> expected_;  ///< reasons, by keys of the diagnostics
};

bool isAt(const nav_msgs_msg_dds__Odometry_& m, double x, double y, double z) {
  const auto& p = m.pose_.pose_.position_;
  return std::hypot(p.x_ - x, p.y_ - y, p.z_ - z) < 0.1;
}

TEST_F(Fly2, FollowsCommands) {
  Pilot pilot(*cyclone_);
  EXPECT_TRUE(pilot.flies(
      "goal", geometry_msgs_msg_dds__PoseStamped__desc, poseAt(0.0, 0.0, 2.5),
      [](const auto& m) { return isAt(m, 0.0, 0.0, 2.5); }, 4.0));
  EXPECT_TRUE(pilot.flies("command/pose", geometry_msgs_msg_dds__PoseStamped__desc,
                          poseAt(0.5, 0.0, 2.5, kNoFrame),
                          [](const auto& m) { return isAt(m, 0.5, 0.0, 2.5); }));
  geometry_msgs_msg_dds__Twist_ up{};
  up.linear_.z_ = 0.5;
  const auto climbs = [](const auto& m) { return m.twist_.twist_.linear_.z_ > 0.4; };
  EXPECT_TRUE(pilot.flies("cmd_vel", geometry_msgs_msg_dds__Twist__desc, up, climbs));
  geometry_msgs_msg_dds__TwistStamped_ down{};
  down.header_.frame_id_ = kWorld;
  down.twist_.linear_.z_ = -0.5;
  const auto sinks = [](const auto& m) { return m.twist_.twist_.linear_.z_ < -0.4; };
  EXPECT_TRUE(
      pilot.flies("command/velocity", geometry_msgs_msg_dds__TwistStamped__desc, down, sinks));
  EXPECT_TRUE(pilot.flies("mavros/setpoint_velocity/cmd_vel_unstamped",
                          geometry_msgs_msg_dds__Twist__desc, up, climbs));
  EXPECT_TRUE(pilot.flies("mavros/setpoint_velocity/cmd_vel",
                          geometry_msgs_msg_dds__TwistStamped__desc, down, sinks));

  quadrotor_msgs_msg_dds__PositionCommand_ position{};
  position.header_.frame_id_ = kWorld;
  position.position_ = {0.0, 0.5, 2.5};
  EXPECT_TRUE(pilot.flies("command/position", quadrotor_msgs_msg_dds__PositionCommand__desc,
                          position, [](const auto& m) { return isAt(m, 0.0, 0.5, 2.5); }));
  mavros_msgs_msg_dds__PositionTarget_ target{};
  target.header_.frame_id_ = kWorld;
  target.coordinate_frame_ = 1;
  target.type_mask_ = 8 | 16 | 32 | 64 | 128 | 256 | 2048;  // position and yaw
  target.position_ = {0.0, 0.0, 3.0};
  EXPECT_TRUE(pilot.flies("mavros/setpoint_raw/local", mavros_msgs_msg_dds__PositionTarget__desc,
                          target, [](const auto& m) { return isAt(m, 0.0, 0.0, 3.0); }));
  mavros_msgs_msg_dds__AttitudeTarget_ attitude{};
  attitude.header_.frame_id_ = kWorld;
  attitude.orientation_ = {0.0, 0.0, 0.0, 1.0};
  attitude.type_mask_ = 1 | 2 | 4;  // attitude and thrust
  attitude.thrust_ = 0.9F;
  EXPECT_TRUE(pilot.flies("mavros/setpoint_raw/attitude", mavros_msgs_msg_dds__AttitudeTarget__desc,
                          attitude,
                          [](const auto& m) { return m.twist_.twist_.linear_.z_ > 0.5; }));
  EXPECT_TRUE(pilot.flies("mavros/setpoint_position/local",
                          geometry_msgs_msg_dds__PoseStamped__desc, poseAt(0.0, 0.0, 2.0),
                          [](const auto& m) { return isAt(m, 0.0, 0.0, 2.0); }));

  geometry_msgs_msg_dds__Transform_ transform{{0.0, 0.3, 2.0}, {0.0, 0.0, 0.0, 1.0}};
  trajectory_msgs_msg_dds__MultiDOFJointTrajectoryPoint_ point{};
  point.transforms_._length = point.transforms_._maximum = 1;
  point.transforms_._buffer = &transform;
  trajectory_msgs_msg_dds__MultiDOFJointTrajectory_ trajectory{};
  trajectory.header_.frame_id_ = kWorld;
  trajectory.points_._length = trajectory.points_._maximum = 1;
  trajectory.points_._buffer = &point;
  EXPECT_TRUE(pilot.flies("command/trajectory",
                          trajectory_msgs_msg_dds__MultiDOFJointTrajectory__desc, trajectory,
                          [](const auto& m) { return isAt(m, 0.0, 0.3, 2.0); }));
  EXPECT_TRUE(pilot.flies("teleport", geometry_msgs_msg_dds__PoseStamped__desc,
                          poseAt(0.0, 0.0, 4.0),
                          [](const auto& m) { return isAt(m, 0.0, 0.0, 4.0); }));
  EXPECT_TRUE(pilot.flies("reset", std_msgs_msg_dds__Empty__desc, std_msgs_msg_dds__Empty_{},
                          [](const auto& m) { return isAt(m, 0.0, 0.0, 1.5); }));
}

TEST_F(Fly2, RefusesSenselessMessages) {
  Pilot pilot(*cyclone_);
  const auto& pose = geometry_msgs_msg_dds__PoseStamped__desc;
  for (const char* topic : {"goal", "goal_2d", "command/pose", "teleport"}) {
    pilot.refuse(topic, pose, poseAt(kNan, 0.0, 2.0), "NaN or infinite");
  }
  pilot.refuse("mavros/setpoint_position/local", pose, poseAt(kNan, 0.0, 2.0), "position.x is nan");
  geometry_msgs_msg_dds__Twist_ twist{};
  twist.linear_.x_ = kNan;
  const auto& twist_type = geometry_msgs_msg_dds__Twist__desc;
  pilot.refuse("cmd_vel", twist_type, twist, "NaN");
  pilot.refuse("mavros/setpoint_velocity/cmd_vel_unstamped", twist_type, twist, "");
  geometry_msgs_msg_dds__TwistStamped_ stamped{{{0, 0}, kWorld}, twist};
  const auto& stamped_type = geometry_msgs_msg_dds__TwistStamped__desc;
  pilot.refuse("command/velocity", stamped_type, stamped, "NaN");
  pilot.refuse("mavros/setpoint_velocity/cmd_vel", stamped_type, stamped, "");
  trajectory_msgs_msg_dds__MultiDOFJointTrajectory_ trajectory{};
  trajectory.header_.frame_id_ = kWorld;
  pilot.refuse("command/trajectory", trajectory_msgs_msg_dds__MultiDOFJointTrajectory__desc,
               trajectory, "points is empty");
  quadrotor_msgs_msg_dds__PositionCommand_ position{};
  position.header_.frame_id_ = kWorld;
  position.yaw_ = kNan;
  pilot.refuse("command/position", quadrotor_msgs_msg_dds__PositionCommand__desc, position, "NaN");
  mavros_msgs_msg_dds__PositionTarget_ target{};
  target.header_.frame_id_ = kWorld;
  target.coordinate_frame_ = 99;
  pilot.refuse("mavros/setpoint_raw/local", mavros_msgs_msg_dds__PositionTarget__desc, target,
               "99");
  mavros_msgs_msg_dds__AttitudeTarget_ attitude{};
  attitude.header_.frame_id_ = kWorld;
  attitude.thrust_ = std::numeric_limits<float>::quiet_NaN();
  pilot.refuse("mavros/setpoint_raw/attitude", mavros_msgs_msg_dds__AttitudeTarget__desc, attitude,
               "");
  EXPECT_TRUE(pilot.areRefused());

  pilot.refuse("goal", pose, poseAt(1e30, 0.0, 2.0), "1e+30");
  pilot.refuse("goal_2d", pose, poseAt(0.0, 0.0, 2.0, kWrongFrame), "'map'");
  std::string long_frame(5000, 'x');
  pilot.refuse("command/pose", pose, poseAt(0.0, 0.0, 2.0, long_frame.data()), "5000 characters");
  EXPECT_TRUE(pilot.areRefused());

  CycloneWriter<std_msgs_msg_dds__Empty_> wrong(*cyclone_, "rt/uav0/goal",
                                                std_msgs_msg_dds__Empty__desc);
  EXPECT_FALSE(wrong.waitForReader(1.0));  // another type
}

TEST_F(Fly2, Pauses) {
  CycloneWriter<std_msgs_msg_dds__Bool_> writer(*cyclone_, "rt/sim_clock/pause",
                                                std_msgs_msg_dds__Bool__desc);
  ASSERT_TRUE(writer.waitForReader());
  writer.write({true});
  std::this_thread::sleep_for(300ms);
  CycloneReader<rosgraph_msgs_msg_dds__Clock_> clock(*cyclone_, "rt/clock",
                                                     rosgraph_msgs_msg_dds__Clock__desc);
  const auto any = [](const auto&) { return true; };
  EXPECT_FALSE(clock.waitFor(any, 1.0));
  writer.write({false});
  EXPECT_TRUE(clock.waitFor(any));
}

TEST(Fly2Estimate, EstimatesAreReadWhereItFliesOnThem) {
  const Child child({MARSIM_FLY2, "map:=forest", "lidar:=none", "pace:=1", "estimate:=realistic"},
                    testDomain() + 4);
  const Cyclone cyclone(testDomain() + 4);
  EXPECT_TRUE((comes<nav_msgs_msg_dds__Odometry_>(
      cyclone, "rt/uav0/slam_odom", nav_msgs_msg_dds__Odometry__desc, [](const auto& m) {
        EXPECT_STREQ(m.header_.frame_id_, "world");
        EXPECT_STREQ(m.child_frame_id_, "uav0/base_link");
        EXPECT_NEAR(m.pose_.pose_.position_.z_, 1.5, 0.15);
        return m.header_.stamp_.nanosec_ % 100'000'000 == 0;
      })));
}

TEST(Fly2Lockstep, TimeWaitsForAnswers) {
  const Child child({MARSIM_FLY2, "map:=forest", "lidar:=none", "pace:=max",
                     "wait_for:=/uav0/odom>/slam/odom+0.1:0"},
                    testDomain() + 3);
  const Cyclone cyclone(testDomain() + 3);
  CycloneReader<nav_msgs_msg_dds__Odometry_> odometry(cyclone, "rt/uav0/odom",
                                                      nav_msgs_msg_dds__Odometry__desc);
  EXPECT_TRUE(odometry.waitForWriter());
  EXPECT_FALSE(odometry.waitFor([](const auto&) { return true; }, 1.0));  // nobody answers yet
  CycloneWriter<nav_msgs_msg_dds__Odometry_> answers(cyclone, "rt/slam/odom",
                                                     nav_msgs_msg_dds__Odometry__desc);
  builtin_interfaces_msg_dds__Time_ last{};
  const auto answer = [&](const nav_msgs_msg_dds__Odometry_& m) {
    last = m.header_.stamp_;
    answers.write(m);
    return last.sec_ >= kEpoch + 2;
  };
  EXPECT_TRUE(odometry.waitFor(answer));
  double silent_until = 0.0;  // [s] since the last answer
  odometry.waitFor(
      [&](const auto& m) {
        silent_until = m.header_.stamp_.sec_ - last.sec_ +
                       1e-9 * (1.0 * m.header_.stamp_.nanosec_ - last.nanosec_);
        return false;
      },
      1.0);
  EXPECT_LE(silent_until, 0.1);
}

}  // namespace
}  // namespace marsim
