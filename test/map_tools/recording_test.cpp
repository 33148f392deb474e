// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/recording.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/input_file.hpp"
#include "common/mutations.hpp"
#include "map/test_files.hpp"
#include "map_tools/import.hpp"
#include "map_tools/importer_parts.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"

#ifdef MARSIM_HAS_ROSBAG
#include <nav_msgs/Odometry.h>
#include <rosbag/bag.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>
#endif

namespace marsim::map_tools {
namespace {

using map::TestFolder;

/// Where the body is at a time [s]: 2 m/s along x, turning left.
Pose truth(double t) { return {fromRollPitchYaw(0.0, 0.0, 0.5 * t), {2.0 * t, 1.0, 0.5}}; }

const Eigen::Vector3d kPlace(3.0, 4.0, 1.0);  // [m] in W, what every scan sees

std::string tum(double first, double last, double step) {
  std::string text = "# stamp x y z qx qy qz qw\n";
  for (double t = first; t < last + 1e-9; t += step) {
    const Pose X = truth(t);
    text += fmt::format("{:.6f} {} {} {} {} {} {} {}\n", t, X.p.x(), X.p.y(), X.p.z(), X.q.x(),
                        X.q.y(), X.q.z(), X.q.w());
  }
  return text;
}

struct Read {
  RecordingReport report;
  std::vector<Keyframe> keyframes;
};

Read readAll(const RecordingConfig& config) {
  Read read;
  read.report = readRecording(config, Progress::none(), [&](const Keyframe& keyframe) {
    read.keyframes.push_back(keyframe);
  });
  return read;
}

std::string complaint(const RecordingConfig& config) {
  try {
    readAll(config);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "no error";
}

class Recordings : public testing::Test {
 protected:
  /// A cloud that sees the place at a time, from a LiDAR at X_BL.
  void scan(const std::string& name, double t) {
    map::PointCloud cloud;
    cloud.points.push_back(((truth(t) * config_.X_BL).inverse() * kPlace).cast<float>());
    cloud.points.push_back(Eigen::Vector3f::Zero());  // a shot that missed
    map::saveCloud(folder_ / name, cloud);
  }
  /// A cloud of ten points that see the place at times of their own, 0.01 s apart; `field` is the
  /// time's name, type and size, `numberOf` what it holds at a time.
  void timedScan(const std::string& name, double t, const std::array<const char*, 3>& field,
                 const std::function<double(double)>& numberOf) {
    std::string text = fmt::format(
        "VERSION 0.7\nFIELDS x y z {}\nSIZE 4 4 4 {}\nTYPE F F F {}\nWIDTH 10\nHEIGHT 1\n"
        "DATA ascii\n",
        field[0], field[2], field[1]);
    for (int k = 0; k < 10; ++k) {
      const double at = t + 0.01 * k;
      const Eigen::Vector3d p = (truth(at) * config_.X_BL).inverse() * kPlace;
      text += fmt::format("{} {} {} {:.9f}\n", p.x(), p.y(), p.z(), numberOf(at));
    }
    folder_.write(name, text);
  }
  std::string notesOf(const Read& read) {
    return fmt::format("{}", fmt::join(read.report.notes, "\n"));
  }
  void expectThePlace(const Read& read, std::size_t scans) {
    EXPECT_EQ(read.report.scans, scans);
    ASSERT_EQ(read.keyframes.size(), scans);
    for (const Keyframe& keyframe : read.keyframes) {
      ASSERT_GE(keyframe.cloud.size(), 1U);
      for (const Eigen::Vector3f& p : keyframe.cloud.points) {
        EXPECT_LT((p.cast<double>() - kPlace).norm(), 2e-3);
      }
    }
  }
  void SetUp() override {
    config_.source = folder_.path();
    config_.X_BL = {fromRollPitchYaw(0.1, 0.2, 0.3), {0.1, 0.0, 0.2}};
  }
  TestFolder folder_, poses_;
  RecordingConfig config_;
};

TEST_F(Recordings, CloudsNamedByTheirStamps) {
  for (const double t : {0.25, 0.9, 2.05})
    scan(fmt::format("{:.2f}.{}", t, t > 1 ? "PCD" : "pcd"), t);
  config_.poses = poses_.write("a.tum", tum(0.0, 3.0, 0.02));
  const Read read = readAll(config_);
  expectThePlace(read, 3);
  EXPECT_EQ(read.report.not_finite, 3U) << "what is at the LiDAR itself";
  EXPECT_LT((read.keyframes[0].origin - (truth(0.25) * config_.X_BL).p).norm(), 1e-3);
}

// As a SLAM keeps them that waited a while and turned.
TEST_F(Recordings, KeyframesMayLieFarApart) {
  std::string text;
  for (const double t : {0.5, 20.25, 40.0}) {
    scan(fmt::format("{:.2f}.pcd", t), t);
    text += tum(t, t + 0.01, 0.02);
  }
  config_.poses = poses_.write("a.tum", text);
  expectThePlace(readAll(config_), 3);
  config_.poses = poses_.write("b.tum", tum(3.0, 3.05, 0.02) + tum(2.0, 2.05, 0.02));
  EXPECT_NE(complaint(config_).find("stamp is not after that of the pose before"),
            std::string::npos);
}

TEST_F(Recordings, CloudsAndKittiPosesInTheirOrder) {
  std::string kitti;
  for (int i = 0; i < 11; ++i) {  // 10 comes after 9
    scan(fmt::format("{}.ply", i), 0.1 * i);
    const Pose X = truth(0.1 * i);
    const Eigen::Matrix3d R = X.q.toRotationMatrix();
    for (int row = 0; row < 3; ++row) {
      kitti += fmt::format("{} {} {} {} ", R(row, 0), R(row, 1), R(row, 2), X.p[row]);
    }
    kitti += "\n";
  }
  config_.poses = poses_.write("poses.txt", kitti);
  expectThePlace(readAll(config_), 11);
}

// Names with any text before the number, padded or not.
TEST_F(Recordings, CloudsFollowTheirNumbers) {
  for (const char* name : {"full{}.pcd", "run2_{}_a.ply", "7-{:03}.pcd"}) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directory(folder_.path());
    std::string text;
    for (int i = 0; i < 12; ++i) {
      scan(fmt::vformat(name, fmt::make_format_args(i)), 0.1 * i);
      const Pose X = truth(0.1 * i);
      text += fmt::format("{} {} {} {} {} {} {}\n", X.p.x(), X.p.y(), X.p.z(), X.q.x(), X.q.y(),
                          X.q.z(), X.q.w());
    }
    folder_.write("._full3.pcd", "what a Mac leaves");
    config_.poses = poses_.write("poses.txt", text);
    const Read read = readAll(config_);
    expectThePlace(read, 12);
    EXPECT_NE(notesOf(read).find("12 poses, x y z and a quaternion without stamps, matched by the "
                                 "order of names"),
              std::string::npos)
        << notesOf(read);
  }
}

TEST_F(Recordings, OrdersThatAreNotSureAreRefused) {
  const auto complaintOf = [&](const std::vector<std::string>& names) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directory(folder_.path());
    std::string text;
    for (const std::string& name : names) {
      scan(name, 0.5);
      text += "1 0 0 0 0 1 0 0 0 0 1 0\n";
    }
    config_.poses = poses_.write("poses.txt", text);
    return complaint(config_);
  };
  EXPECT_NE(complaintOf({"a1.pcd", "a01.pcd"}).find("a01.pcd and a1.pcd have the same number"),
            std::string::npos);
  EXPECT_NE(complaintOf({"1.pcd", "1.ply"}).find("1.pcd and 1.ply have the same number"),
            std::string::npos);
  EXPECT_NE(complaintOf({"a1.pcd", "a2.pcd", "b1.pcd"}).find("a2.pcd and b1.pcd differ in more"),
            std::string::npos);
  EXPECT_NE(complaintOf({"map.pcd", "1.pcd"}).find("differ in more than their numbers"),
            std::string::npos);
  EXPECT_NE(
      complaintOf({"t1.3.pcd", "t1.25.pcd"})
          .find("t1.3.pcd and t1.25.pcd are in another order if the point is a decimal point, "
                "allowed: names of which only the numbers differ"),
      std::string::npos);
  EXPECT_EQ(complaintOf({"t1.30.pcd", "t1.25.pcd"}), "no error");
}

// Poses without stamps, in the order of the stamps that are the names.
TEST_F(Recordings, NamesThatAreStampsAreOrderedAsStamps) {
  std::string text;
  for (const double t : {0.25, 0.3, 0.5, 1.0}) {
    scan(fmt::format("{:.{}f}.pcd", t, t == 0.25 ? 2 : 1), t);
    const Pose X = truth(t);
    const Eigen::Matrix3d R = X.q.toRotationMatrix();
    for (int row = 0; row < 3; ++row) {
      text += fmt::format("{} {} {} {}\n", R(row, 0), R(row, 1), R(row, 2), X.p[row]);
    }
    text += "0 0 0 1\n";
  }
  config_.poses = poses_.write("poses.txt", text);
  expectThePlace(readAll(config_), 4);
}

TEST_F(Recordings, PointsOfFilesAreAtTheirTimes) {
  constexpr double kClock = 1650000000.0;  // [s]
  struct Case {
    std::array<const char*, 3> field;
    double unit;    // a second has so many
    bool is_stamp;  // else since the scan
    const char* said;
  };
  for (const Case& a : {Case{{"time", "F", "4"}, 1.0, false, "(time) are in s, 0.09 s a scan"},
                        Case{{"scalar_time", "F", "4"}, 1e3, false, "(scalar_time) are in ms"},
                        Case{{"time", "F", "8"}, 1e6, false, "in us"},
                        Case{{"t", "U", "4"}, 1e9, false, "(t) are in ns"},
                        Case{{"offset_time", "U", "4"}, 1e6, false, "(offset_time) are in us"},
                        Case{{"timestamp", "F", "8"}, 1.0, true, "(timestamp) are in s"},
                        Case{{"timestamp", "F", "8"}, 1e3, true, "(timestamp) are in ms"},
                        Case{{"t", "F", "8"}, 1e9, true, "(t) are in ns"}}) {
    std::string text;
    for (double t = 0.0; t < 3.0; t += 0.01) {
      const Pose X = truth(t);
      text += fmt::format("{:.6f} {} {} {} {} {} {} {}\n", kClock + t, X.p.x(), X.p.y(), X.p.z(),
                          X.q.x(), X.q.y(), X.q.z(), X.q.w());
    }
    config_.poses = poses_.write("a.tum", text);
    for (const double t : {0.5, 1.25, 2.0}) {
      timedScan(fmt::format("{:.2f}.pcd", kClock + t), t, a.field,
                [&](double at) { return a.unit * (at + (a.is_stamp ? kClock : -t)); });
    }
    const Read read = readAll(config_);
    expectThePlace(read, 3);
    EXPECT_TRUE(read.report.by_point);
    EXPECT_NE(notesOf(read).find(a.said), std::string::npos) << a.said << "\n" << notesOf(read);
    EXPECT_LT((read.keyframes[0].origin - (truth(0.545) * config_.X_BL).p).norm(), 2e-3);
    const map::PointCloud& cloud = read.keyframes[0].cloud;
    for (std::size_t k = 0; k < cloud.size(); ++k) {
      const Eigen::Vector3d lidar = (truth(0.5 + 0.01 * static_cast<double>(k)) * config_.X_BL).p;
      const Eigen::Map<const Eigen::Vector3f> offset(cloud.to_sensor.at(k).data());
      EXPECT_LT(((cloud.points[k] + offset).cast<double>() - lidar).norm(), 2e-3);
    }
  }
}

// A driver's clock that is not the trajectory's; the first scan is a piece of one.
TEST_F(Recordings, TimesOfAnotherClockBeginAtTheStamp) {
  config_.poses = poses_.write("a.tum", tum(0.0, 3.0, 0.01));
  for (const double t : {0.5, 1.25, 2.0}) {
    timedScan(fmt::format("{:.2f}.pcd", t), t, {"timestamp", "F", "8"},
              [&](double at) { return 1e6 * (7000.0 + (t == 0.5 ? t + 0.01 * (at - t) : at)); });
  }
  const Read read = readAll(config_);
  EXPECT_EQ(read.report.scans, 3U);
  EXPECT_NE(notesOf(read).find("are in us, 0.09 s a scan"), std::string::npos) << notesOf(read);
  EXPECT_NE(notesOf(read).find("3 scans have times of another clock"), std::string::npos);
  for (const Eigen::Vector3f& p : read.keyframes[2].cloud.points) {
    EXPECT_LT((p.cast<double>() - kPlace).norm(), 2e-3);
  }
}

TEST_F(Recordings, TimesThatSayNothingAreNotUsed) {
  const auto noteOf = [&](const std::array<const char*, 3>& field, double scale,
                          const std::string& poses) {
    config_.poses = poses_.write("a.tum", poses);
    for (const double t : {0.5, 2.0}) {
      timedScan(fmt::format("{:.1f}.pcd", t), t, field, [&](double at) {
        return scale * (at - t) + (field[2] == std::string("4") ? 1650000000.0 : 0.0);
      });
    }
    const Read read = readAll(config_);
    EXPECT_EQ(read.report.scans, 2U);
    EXPECT_FALSE(read.report.by_point);
    EXPECT_LT((read.keyframes[0].origin - (truth(0.5) * config_.X_BL).p).norm(), 1e-3);
    return notesOf(read);
  };
  EXPECT_NE(
      noteOf({"time", "F", "8"}, 0.0, tum(0.0, 3.0, 0.02)).find("(time) are one for all points"),
      std::string::npos);
  EXPECT_NE(noteOf({"t", "F", "8"}, 1e12, tum(0.0, 3.0, 0.02))
                .find("warning: points' times (t) span 9e+10 a scan, which is 2 ms to 2 s in none"),
            std::string::npos);
  // A float32 has no digits left for a stamp of today.
  EXPECT_NE(
      noteOf({"timestamp", "F", "4"}, 1.0, tum(0.0, 3.0, 0.02)).find("are one for all points"),
      std::string::npos);
  EXPECT_NE(noteOf({"stuff", "F", "8"}, 1.0, tum(0.0, 3.0, 0.02)).find("points have no times"),
            std::string::npos);
  // Poses of keyframes alone.
  EXPECT_NE(noteOf({"t", "F", "8"}, 1.0, tum(0.5, 0.51, 0.02) + tum(2.0, 2.01, 0.02))
                .find("2 scans have points at times without a pose"),
            std::string::npos);
}

TEST_F(Recordings, TimesWithoutStampsOfPosesAreNotUsed) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    timedScan(fmt::format("{}.pcd", i), i, {"t", "F", "8"}, [&](double at) { return at - i; });
    text += "1 0 0 0 0 1 0 0 0 0 1 0\n";
  }
  config_.poses = poses_.write("poses.txt", text);
  EXPECT_NE(notesOf(readAll(config_)).find("points have times (t), the poses have none"),
            std::string::npos);
}

TEST_F(Recordings, ViewpointsOfScansAreSaidNotToBeUsed) {
  folder_.write("0.5.pcd",
                "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\n"
                "VIEWPOINT 10 0 0 1 0 0 0\nDATA ascii\n1 2 3\n");
  config_.X_BL = {};
  config_.poses = poses_.write("a.tum", "0.5 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n");
  const Read read = readAll(config_);
  EXPECT_EQ(read.keyframes[0].cloud.points[0], Eigen::Vector3f(1, 2, 3));
  EXPECT_NE(notesOf(read).find("VIEWPOINT of 1 scans is not used"), std::string::npos);
}

TEST_F(Recordings, SlipsAreNamed) {
  const auto said = [&](const std::string& part) {
    const std::string text = complaint(config_);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  config_.poses = poses_.write("a.tum", tum(0.0, 3.0, 0.02));
  said("has no PCD or PLY file");
  scan("0.5.pcd", 0.5);
  config_.poses.clear();
  said("--poses is absent");
  config_.poses = poses_ / "none.tum";
  said("none.tum");
  config_.poses = poses_.write("b.tum", tum(1000.0, 1003.0, 0.5));
  said("poses from 1000.000 to 1003.000 s fit none of the 1 scans from 0.500 to 0.500 s");
  config_.poses = poses_.write("k.txt", "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1\n");
  said("line 2: 11 numbers, allowed: 12 as in the first line");
  config_.poses = poses_.write("k.txt", "2 0 0 0 0 1 0 0 0 0 1 0\n");
  said("line 1: no pose");
  config_.poses = poses_.write("k.txt", "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 0\n");
  said("has 2 poses for 1 clouds");
  folder_.write("0.6.pcd", "");
  config_.poses = poses_.write("a.tum", tum(0.0, 3.0, 0.02));
  said("0.6.pcd: is empty");
  std::filesystem::remove(folder_ / "0.6.pcd");
  scan("0.50.pcd", 0.5);
  said("0.50.pcd: has a second scan at 0.500000000 s, allowed: one a stamp");
  std::filesystem::remove(folder_ / "0.50.pcd");
  config_.source = folder_ / "none.bag";
  said("none.bag: no such file");
}

TEST_F(Recordings, ScansWithoutPosesAreCounted) {
  for (const double t : {0.25, 0.9, 9.5}) scan(fmt::format("{:.2f}.pcd", t), t);
  // Nothing for more than a second round 0.9 s.
  config_.poses = poses_.write("a.tum", tum(0.0, 0.4, 0.02) + tum(1.6, 3.0, 0.02));
  const Read read = readAll(config_);
  expectThePlace(read, 1);
  EXPECT_EQ(read.report.outside, 2U);
  ImportConfig import;
  import.recording = config_;
  const Imported map = importFiles({folder_.path()}, import);
  EXPECT_EQ(map.cloud.size(), 1U);
  EXPECT_NE(map.files[0].notes.back().find("2 scans dropped"), std::string::npos);
}

#ifdef MARSIM_HAS_ROSBAG

/// A bag of three scans, each of ten points at times of their own, and odometry at 100 Hz.
/// `unit`: so many of the points' times are a second.
std::filesystem::path writeBag(const TestFolder& folder, const Pose& X_BL, double clock,
                               double unit = 1.0) {
  rosbag::Bag bag((folder / "a.bag").string(), rosbag::bagmode::Write);
  for (double t = 0.01; t < 3.0; t += 0.01) {
    const Pose X = truth(t);
    nav_msgs::Odometry odometry;
    odometry.header.stamp.fromSec(clock + t);
    odometry.pose.pose.position.x = X.p.x();
    odometry.pose.pose.position.y = X.p.y();
    odometry.pose.pose.position.z = X.p.z();
    odometry.pose.pose.orientation.w = X.q.w();
    odometry.pose.pose.orientation.x = X.q.x();
    odometry.pose.pose.orientation.y = X.q.y();
    odometry.pose.pose.orientation.z = X.q.z();
    bag.write("/odom", odometry.header.stamp, odometry);
  }
  for (const double t : {0.5, 1.0, 2.0}) {
    sensor_msgs::PointCloud2 cloud;
    cloud.header.stamp.fromSec(100.0 + t);
    sensor_msgs::PointCloud2Modifier modifier(cloud);
    modifier.setPointCloud2Fields(
        9, "x", 1, sensor_msgs::PointField::FLOAT32, "y", 1, sensor_msgs::PointField::FLOAT32, "z",
        1, sensor_msgs::PointField::FLOAT32, "intensity", 1, sensor_msgs::PointField::FLOAT32,
        "time", 1, sensor_msgs::PointField::FLOAT32, "label", 1, sensor_msgs::PointField::UINT32,
        "rgb", 1, sensor_msgs::PointField::FLOAT32, "class", 1, sensor_msgs::PointField::UINT16,
        "ring", 1, sensor_msgs::PointField::UINT16);
    modifier.resize(10);
    sensor_msgs::PointCloud2Iterator<float> x(cloud, "x"), i(cloud, "intensity"), s(cloud, "time");
    sensor_msgs::PointCloud2Iterator<std::uint32_t> label(cloud, "label"), rgb(cloud, "rgb");
    sensor_msgs::PointCloud2Iterator<std::uint16_t> semantic(cloud, "class");
    for (int k = 0; k < 10; ++k, ++x, ++i, ++s, ++label, ++rgb, ++semantic) {
      const double since = 0.01 * k;
      const Eigen::Vector3f p = ((truth(t + since) * X_BL).inverse() * kPlace).cast<float>();
      x[0] = p.x();
      x[1] = p.y();
      x[2] = p.z();
      *i = static_cast<float>(k);
      *s = static_cast<float>(unit * since);
      *label = 0xffffffffU;  // the map, in the simulator's layout `labelled`
      *semantic = static_cast<std::uint16_t>(50 + k);
      *rgb = k == 8 ? 0x7FC00000U : 0x00102030U + static_cast<std::uint32_t>(k);  // no number
    }
    bag.write("/points", cloud.header.stamp, cloud);
  }
  bag.close();
  return folder / "a.bag";
}

class Bags : public Recordings {
 protected:
  void SetUp() override {
    if (!limitsMemory()) GTEST_SKIP() << "the importer of a build with sanitizers has no ROS";
    Recordings::SetUp();
  }
};

TEST_F(Bags, ABagWhosePointsHaveTimes) {
  config_.source = writeBag(folder_, config_.X_BL, 100.0);
  const Read read = readAll(config_);
  expectThePlace(read, 3);
  EXPECT_TRUE(read.report.by_point);
  EXPECT_EQ(read.report.source, "/points");
  EXPECT_EQ(read.report.odometry, "/odom");
  const map::PointCloud& cloud = read.keyframes[0].cloud;
  ASSERT_EQ(cloud.intensity.size(), 10U);
  ASSERT_EQ(cloud.colour.size(), 10U);
  ASSERT_EQ(cloud.classes.size(), 10U);
  EXPECT_EQ(cloud.intensity[9], 9.0F);
  EXPECT_EQ(cloud.colour[9], (map::Colour{0x10, 0x20, 0x39}));
  EXPECT_EQ(cloud.colour[8], (map::Colour{0, 0, 0}));
  EXPECT_EQ(cloud.classes[9], 59);
}

TEST_F(Bags, ABagWithATrajectoryOfItsOwn) {
  config_.source = writeBag(folder_, config_.X_BL, 500.0);
  EXPECT_NE(complaint(config_).find("fit none of the 3 scans from 100.500 to 102.000 s"),
            std::string::npos);
  std::string text;
  for (double t = 0.0; t < 3.0; t += 0.01) {
    const Pose X = truth(t);
    text += fmt::format("{:.6f} {} {} {} {} {} {} {}\n", 100.0 + t, X.p.x(), X.p.y(), X.p.z(),
                        X.q.x(), X.q.y(), X.q.z(), X.q.w());
  }
  config_.poses = poses_.write("a.tum", text);
  expectThePlace(readAll(config_), 3);
  config_.clouds = "/cloud";
  EXPECT_NE(complaint(config_).find("has no topic /cloud of sensor_msgs/PointCloud2, allowed: "
                                    "/points"),
            std::string::npos);
}

TEST_F(Bags, AFifoIsNoBag) {
  config_.source = folder_ / "a.bag";
  ASSERT_EQ(mkfifo(config_.source.c_str(), 0600), 0);
  EXPECT_NE(complaint(config_).find("a.bag: is no regular file"), std::string::npos);
}

// By the same rule as files: the field's type does not tell the unit.
TEST_F(Bags, ABagWhoseTimesAreMicroseconds) {
  config_.source = writeBag(folder_, config_.X_BL, 100.0, 1e6);
  const Read read = readAll(config_);
  expectThePlace(read, 3);
  EXPECT_NE(notesOf(read).find("are in us, 0.09 s a scan"), std::string::npos) << notesOf(read);
}

TEST_F(Bags, ABagThatWasCutOff) {
  const auto path = writeBag(folder_, config_.X_BL, 100.0);
  std::filesystem::resize_file(path, 3 * std::filesystem::file_size(path) / 4);
  config_.source = path;
  EXPECT_NE(complaint(config_).find("is no whole bag"), std::string::npos);
  config_.source = folder_.write("b.BAG", "hello");
  EXPECT_TRUE(isRecording(config_.source));
  EXPECT_NE(complaint(config_).find("is no whole bag"), std::string::npos);
}

// An array of 4 GB in a bag of 100 kB: readers take its memory before they miss its end.
TEST_F(Bags, MemoryForABagIsLimited) {
  const auto path = writeBag(folder_, config_.X_BL, 100.0);
  std::string bytes = readFile(path, 1U << 20U);
  const std::uint32_t size = 10 * 32;  // of a row, then of all points [bytes]
  const std::size_t at = bytes.find(map::bytesOf(size) + map::bytesOf(size));
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 4, 4, map::bytesOf(0xfffffff0U));
  config_.source = folder_.write("hungry.bag", bytes);
  EXPECT_NE(complaint(config_).find("takes more than 1 GiB of memory to read"), std::string::npos)
      << complaint(config_);
}

TEST_F(Bags, DamagedBagsEndInAnErrorOrAResult) {
  const std::string whole = readFile(writeBag(folder_, config_.X_BL, 100.0), 1U << 20U);
  config_.limits.memory = 0.2;
  expectErrorsOrResults(folder_ / "damaged.bag", whole, [&](const std::filesystem::path& path) {
    config_.source = path;
    readAll(config_);
  });
}

#endif

}  // namespace
}  // namespace marsim::map_tools
