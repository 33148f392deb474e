#include "map_tools/recording.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/import.hpp"
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
  Progress progress("read", Progress::Output::kNone);
  read.report = readRecording(
      config, progress, [&](const Keyframe& keyframe) { read.keyframes.push_back(keyframe); });
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
  said("line 2: 11 numbers, allowed: 12");
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
  said(hasBags() ? "none.bag: no such file" : "built without librosbag_storage");
}

TEST_F(Recordings, ScansWithoutPosesAreCounted) {
  for (const double t : {0.25, 0.9, 9.5}) scan(fmt::format("{:.2f}.pcd", t), t);
  // Nothing for more than a second round 0.9 s.
  config_.poses = poses_.write("a.tum", tum(0.0, 0.4, 0.02) + tum(1.6, 3.0, 0.02));
  const Read read = readAll(config_);
  expectThePlace(read, 1);
  EXPECT_EQ(read.report.outside, 2U);
  Progress progress("import", Progress::Output::kNone);
  ImportConfig import;
  import.recording = config_;
  const Imported map = importFiles({folder_.path()}, import, progress);
  EXPECT_EQ(map.cloud.size(), 1U);
  EXPECT_NE(map.files[0].notes.back().find("2 scans dropped"), std::string::npos);
}

#ifdef MARSIM_HAS_ROSBAG

/// A bag of three scans, each of ten points at times of their own, and odometry at 100 Hz.
std::filesystem::path writeBag(const TestFolder& folder, const Pose& X_BL, double clock) {
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
        "rgb", 1, sensor_msgs::PointField::UINT32, "class", 1, sensor_msgs::PointField::UINT16,
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
      *s = static_cast<float>(since);
      *label = 0xffffffffU;  // the map, in the simulator's layout `labelled`
      *semantic = static_cast<std::uint16_t>(50 + k);
      *rgb = 0x00102030U + static_cast<std::uint32_t>(k);
    }
    bag.write("/points", cloud.header.stamp, cloud);
  }
  bag.close();
  return folder / "a.bag";
}

TEST_F(Recordings, ABagWhosePointsHaveTimes) {
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
  EXPECT_EQ(cloud.classes[9], 59);
}

TEST_F(Recordings, ABagWithATrajectoryOfItsOwn) {
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

TEST_F(Recordings, ABagThatWasCutOff) {
  const auto path = writeBag(folder_, config_.X_BL, 100.0);
  std::filesystem::resize_file(path, 3 * std::filesystem::file_size(path) / 4);
  config_.source = path;
  EXPECT_NE(complaint(config_).find("is no whole bag"), std::string::npos);
  config_.source = folder_.write("b.BAG", "hello");
  EXPECT_TRUE(isRecording(config_.source));
  EXPECT_NE(complaint(config_).find("is no whole bag"), std::string::npos);
}

#endif

}  // namespace
}  // namespace marsim::map_tools
