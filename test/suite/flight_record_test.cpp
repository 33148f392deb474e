// SPDX-License-Identifier: BSD-3-Clause
#include "suite/flight_record.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "marsim/common/error.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "marsim/map/cloud_io.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::suite {
namespace {

map::PointCloud scanOf(std::vector<Eigen::Vector3f> points) {
  map::PointCloud scan;
  scan.points = std::move(points);
  for (std::size_t i = 0; i < scan.size(); ++i) {
    scan.intensity.push_back(static_cast<float>(10 * (i + 1)));
  }
  return scan;
}

scenario::Recording flight() {
  scenario::Recording recording;
  scenario::UavRecording uav;
  for (TimeNs t = 0; t <= 2 * kNsPerSecond; t += 2'000'000) {
    scenario::MotionSample sample;
    sample.stamp = t;
    sample.X_WB.p = {toSeconds(t), 2.0, 3.0};
    sample.v_WB = {1.0, 0.0, 0.0};
    sample.tracking_error = 0.5;
    sample.to_reference = {0.0, 0.3, 0.4};
    uav.samples.push_back(sample);
  }
  uav.goals = {{{1.0, 2.0, 3.0}, 0, kNsPerSecond}, {{2.0, 2.0, 3.0}, kNsPerSecond, {}}};
  uav.contacts = 2;
  uav.worst_contact_speed = 1.25;
  recording.uavs = {uav};
  recording.end = 2 * kNsPerSecond;
  recording.wall = 4.0;
  recording.timings["uav0/lidar"] = {{0, 5.0}, {kNsPerSecond, 7.5}};
  return recording;
}

TEST(FlightRecord, IsWrittenAndRead) {
  const tools::TemporaryFolder folder;
  SeenCloud seen;
  seen.add({1, 2, 3}, scanOf({{0, 0, 0}, {5, 0, 0}, {9, 0, 0}}));
  seen.add({4, 5, 6}, scanOf({{0, 0, 0}}));
  writeFlight(folder.path(), flight(), seen, 3, true, 0);
  const FlightRecord record = readFlightRecord(folder.path() / "flight.json");
  EXPECT_EQ(record.goals, 3U);
  EXPECT_EQ(record.goals_reached, 1U);
  EXPECT_DOUBLE_EQ(record.rms_tracking_error, 0.5);
  EXPECT_EQ(record.scans, 2U);
  EXPECT_EQ(record.points_per_scan_mean, 2.0);
  EXPECT_EQ(record.render_ms_mean, 7.5);
  EXPECT_EQ(record.real_time_factor, 0.5);
  EXPECT_EQ(record.simulated, 2.0);
  EXPECT_EQ(record.contacts, 2U);
  EXPECT_EQ(record.worst_contact_speed, 1.25);
  EXPECT_EQ(record.scan_origin, Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(record.completed);
}

TEST(FlightRecord, HoldsTheTrajectoryTwice) {
  const tools::TemporaryFolder folder;
  constexpr TimeNs kEpoch = 1'700'000'000'000'000'000;
  writeFlight(folder.path(), flight(), {}, 2, true, kEpoch);
  for (const char* name : {"trajectory.tum", "trajectory.csv"}) {
    const std::vector<StampedPose> poses = readPoseFile(folder.path() / name);
    ASSERT_EQ(poses.size(), 501U) << name;
    EXPECT_EQ(poses[1].stamp, kEpoch + 4'000'000);
    EXPECT_NEAR(poses[500].X_WB.p.x(), 2.0, 1e-9);
  }
  std::ifstream csv(folder.path() / "trajectory.csv");
  std::string names, row;
  std::getline(csv, names);
  std::getline(csv, row);
  EXPECT_EQ(row.substr(row.size() - 26), "0.000000,2.300000,3.400000");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "cloud.pcd")) << "nothing was seen";
}

TEST(FlightRecord, AFlightWithoutASampleLeavesNone) {
  const tools::TemporaryFolder folder;
  scenario::Recording recording;
  recording.uavs.emplace_back();
  writeFlight(folder.path(), recording, {}, 2, false, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FlightRecord, BadFilesAreRefused) {
  const tools::TemporaryFolder folder;
  EXPECT_THROW(readFlightRecord(folder.write("half.json", "{\"goals\": 4,")), FileError);
  EXPECT_THROW(readFlightRecord(folder.write("other.json", "{\"goals\": 4}")), FileError);
  EXPECT_THROW(readFlightRecord(folder.path() / "missing.json"), FileError);
  ASSERT_EQ(mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(readFlightRecord(folder.path() / "fifo"), FileError);
}

TEST(SeenCloud, KeepsAPointAVoxelAndTheScanThatSawMost) {
  const tools::TemporaryFolder folder;
  SeenCloud seen;
  seen.add({0, 0, 1}, scanOf({{0.01F, 0, 0}, {0.02F, 0, 0}, {1e30F, 0, 0}}));
  seen.add({0, 0, 2}, scanOf({{0.03F, 0, 0}, {3, 0, 0}}));
  seen.add({0, 0, 3}, scanOf({{6, 0, 0}}));
  seen.write(folder.path());
  const map::PointCloud cloud = map::loadCloud(folder.path() / "cloud.pcd").cloud;
  ASSERT_EQ(cloud.size(), 3U);
  EXPECT_EQ(cloud.points[0].x(), 0.01F);
  EXPECT_EQ(cloud.intensity, (std::vector<float>{10, 20, 10}));
  EXPECT_EQ(map::loadCloud(folder.path() / "scan.pcd").cloud.size(), 2U);
  EXPECT_EQ(seen.scanOrigin(), Eigen::Vector3d(0, 0, 2));
  EXPECT_EQ(seen.scans(), 3U);
  EXPECT_EQ(seen.pointsPerScan(), 2.0);
}

}  // namespace
}  // namespace marsim::suite
