// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/scan_once.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "config/names.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"
#include "tools/map/points.hpp"
#include "tools/temporary_folder.hpp"
#include "tools/test_room.hpp"

namespace marsim::tools {
namespace {

constexpr float kShift = 0.05F;  // [m] its points lie amid the map's voxels, not on their borders

class ScanOnceTest : public testing::Test {
 protected:
  ScanOnceTest() {
    setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    map::PointCloud room;
    room.points = roomPoints();
    for (Eigen::Vector3f& p : room.points) p.array() += kShift;
    map::savePcd(folder_.path() / "room.pcd", room);
    request_.map = folder_.path() / "room.pcd";
    request_.lidar = "vlp16";
    request_.X_WS = parsePose("2.5,3,1.5,30deg,5deg,-3deg", "--pose");
    request_.cloud = folder_.path() / "scan.pcd";
  }
  map::PointCloud written() const { return map::loadCloud(request_.cloud).cloud; }

  const TemporaryFolder folder_;
  ScanRequest request_;
};

/// [m] to the walls, floor and ceiling of the room, from inside.
double distanceToRoom(const Eigen::Vector3f& place) {
  const Eigen::Vector3f p = place.array() - kShift;
  return std::min({std::abs(p.x()), std::abs(10.0F - p.x()), std::abs(5.0F - p.x()),
                   std::abs(p.y()), std::abs(6.0F - p.y()), std::abs(p.z()),
                   std::abs(3.0F - p.z())});
}

TEST_F(ScanOnceTest, PointsLieOnTheRoom) {
  const ScanSummary summary = scanOnce(request_);
  EXPECT_EQ(summary.sensor, "Velodyne VLP-16");
  EXPECT_DOUBLE_EQ(summary.duration, 0.1);
  EXPECT_NEAR(static_cast<double>(summary.shots), 28'935.0, 16.0);
  EXPECT_GT(summary.returns, summary.shots * 95 / 100);
  const map::PointCloud cloud = written();
  ASSERT_NEAR(static_cast<double>(cloud.size()), static_cast<double>(summary.returns), 100.0);
  EXPECT_TRUE(cloud.hasIntensity());
  std::size_t near = 0;
  for (const Eigen::Vector3f& p : cloud.points) near += distanceToRoom(p) < 0.15 ? 1 : 0;
  EXPECT_GT(near, cloud.size() * 99 / 100);
  EXPECT_GT(summary.range_least, 1.0);
  EXPECT_LT(summary.range_most, 9.0);
}

TEST_F(ScanOnceTest, WeatherStandsBetweenSensorAndRoom) {
  request_.weather = folder_.path() / "blizzard.yaml";
  std::ofstream(request_.weather) << "snow: {rate: 10}\n";
  const ScanSummary snow = scanOnce(request_);
  EXPECT_GT(snow.of_particles, 0U);
  EXPECT_GT(snow.returns - snow.of_particles, snow.shots / 2);
  std::ofstream(request_.weather) << "dust: {extinction: 2, backscatter: 0}\n";
  const ScanSummary dust = scanOnce(request_);
  EXPECT_EQ(dust.of_particles, 0U);
  EXPECT_LT(dust.returns, snow.returns / 2);
  std::ofstream(request_.weather) << "dust: {extinction: 3, backscatter: 0}\n";
  request_.X_WS.p.x() = 7.5;
  const ScanSummary night = scanOnce(request_);
  EXPECT_NE(whyEmpty(request_, night).find("are lost in " + request_.weather), std::string::npos)
      << whyEmpty(request_, night) << night.returns;
  request_.weather = "blizard";
  EXPECT_THROW(scanOnce(request_), UnknownNameError);
}

// Intensities of 0 everywhere say nothing; beside one of 255 they say that all is black.
TEST_F(ScanOnceTest, AScanLostToLowReflectivitySaysSo) {
  map::PointCloud room;
  room.points = roomPoints();
  for (Eigen::Vector3f& p : room.points) p.array() += kShift;
  room.intensity.assign(room.size(), 0.0F);
  request_.map = folder_.path() / "dark.pcd";
  request_.lidar = "mid360";
  map::savePcd(request_.map, room);
  const ScanSummary absent = scanOnce(request_);
  EXPECT_GT(absent.returns, absent.shots * 95 / 100);
  EXPECT_EQ(whyEmpty(request_, absent), "");
  room.intensity[0] = 255.0F;
  map::savePcd(request_.map, room);
  const ScanSummary black = scanOnce(request_);
  EXPECT_LT(black.returns, black.shots / 100);
  EXPECT_GT(black.too_dark, black.shots * 95 / 100);
  const std::string why = whyEmpty(request_, black);
  EXPECT_NE(why.find("that met a surface are lost to its low reflectivity"), std::string::npos)
      << why;
  EXPECT_NE(why.find(request_.map), std::string::npos) << why;
  request_.X_WS.p = {500.0, 0.0, 0.0};
  const std::string outside = whyEmpty(request_, scanOnce(request_));  // false returns or none
  EXPECT_NE(outside.find("shot"), std::string::npos) << outside;
  EXPECT_NE(outside.find(" returned: is the pose (500.00, 0.00, 0.00) inside the map?"),
            std::string::npos)
      << outside;
}

TEST_F(ScanOnceTest, SensorFrameIsThePosesOwn) {
  scanOnce(request_);
  const map::PointCloud in_world = written();
  request_.sensor_frame = true;
  scanOnce(request_);
  const map::PointCloud in_sensor = written();
  ASSERT_EQ(in_world.size(), in_sensor.size());
  for (std::size_t i = 0; i < in_world.size(); ++i) {
    const Eigen::Vector3d p_W = request_.X_WS * in_sensor.points[i].cast<double>();
    ASSERT_LT((p_W - in_world.points[i].cast<double>()).norm(), 1e-4);
  }
}

TEST_F(ScanOnceTest, RaysAndReturnsStandInPlaceOfTheFiles) {
  request_.cloud.clear();
  const ScanSummary one = scanOnce(request_);
  request_.rays = "9";
  request_.returns = "dual";
  const ScanSummary dual = scanOnce(request_);
  EXPECT_EQ(dual.shots, one.shots);
  EXPECT_EQ(one.returns, one.returned);
  EXPECT_GT(dual.returns, dual.returned);  // at the edges of the room's inner wall
}

TEST_F(ScanOnceTest, LooksLongerAndDraws) {
  request_.lidar = "mid40";
  request_.cloud.clear();
  request_.duration = 0.25;
  request_.image = folder_.path() / "scan.png";
  const ScanSummary summary = scanOnce(request_);
  EXPECT_EQ(summary.shots, 25'000U);
  EXPECT_GT(std::filesystem::file_size(request_.image), 20'000U);
}

TEST_F(ScanOnceTest, AnyRendererWillDoAndIsNamed) {
  const ScanSummary by_cpu = scanOnce(request_);
  EXPECT_TRUE(by_cpu.log.empty());
  request_.renderer = lidar_gl::RendererChoice::kAuto;
  const ScanSummary by_any = scanOnce(request_);
  ASSERT_EQ(by_any.log.size(), 1U);
  EXPECT_EQ(by_any.shots, by_cpu.shots);
  request_.renderer = lidar_gl::RendererChoice::kOpenGl;
  if (!lidar_gl::available()) {
    EXPECT_THROW(scanOnce(request_), lidar_gl::GlError);
    return;
  }
  const ScanSummary by_gl = scanOnce(request_);
  ASSERT_EQ(by_gl.log.size(), 1U);
  EXPECT_EQ(by_gl.log[0].find("rendering by OpenGL: "), 0U) << by_gl.log[0];
  EXPECT_NEAR(static_cast<double>(by_gl.returns), static_cast<double>(by_cpu.returns), 30.0);
  EXPECT_NEAR(by_gl.range_median, by_cpu.range_median, 2e-3);
}

TEST_F(ScanOnceTest, ErrorsAreNamed) {
  const auto complaint = [](const ScanRequest& request) -> std::string {
    try {
      scanOnce(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  ScanRequest wrong = request_;
  wrong.lidar = "vlp17";
  EXPECT_NE(complaint(wrong).find("did you mean 'vlp16'"), std::string::npos);
  wrong = request_;
  wrong.rays = "8";
  EXPECT_EQ(complaint(wrong), "command line: rays is '8', allowed: auto | 1 | 7 | 9 | 19 | 37");
  wrong = request_;
  wrong.image = folder_.path() / "no" / "scan.png";
  EXPECT_NE(complaint(wrong).find("its folder does not exist"), std::string::npos);
  wrong = request_;
  wrong.duration = -1.0;
  EXPECT_NE(complaint(wrong).find("--duration is -1 s"), std::string::npos);
  wrong.duration = 1e6;
  EXPECT_NE(complaint(wrong).find("--duration is 1000000 s"), std::string::npos);
  wrong.duration = 100.0;  // of 28,900,000 shots, 19 rays each
  std::ifstream plain(config::resolve("lidar", "vlp16"));
  std::string line;
  std::ofstream wide(folder_.path() / "wide.yaml");
  while (std::getline(plain, line)) {
    if (line.rfind("beam:", 0) == 0) {
      line = "beam: {divergence: 3mrad, rays: 19, pulse_length: 5ns}";
    }
    wide << line << '\n';
  }
  wide.close();
  wrong.lidar = folder_.path() / "wide.yaml";
  EXPECT_NE(complaint(wrong).find("--duration is 100 s, allowed: 0 s (one scan) to 18.1"),
            std::string::npos)
      << complaint(wrong);
  wrong = request_;
  wrong.map = folder_.path() / "none.pcd";
  EXPECT_NE(complaint(wrong).find("none.pcd"), std::string::npos);
  wrong = request_;
  wrong.cloud = folder_.path() / "scan.las";
  EXPECT_NE(complaint(wrong).find("extension is '.las', allowed: .pcd, .ply"), std::string::npos);
  wrong = request_;
  wrong.image = folder_.path() / "scan.jpg";
  EXPECT_NE(complaint(wrong).find("extension is '.jpg', allowed: .png"), std::string::npos);
}

TEST_F(ScanOnceTest, DevicesAndLinksStayWhatTheyAre) {
  const auto complaint = [](const ScanRequest& request) -> std::string {
    try {
      scanOnce(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  std::filesystem::create_symlink("scan.ply", folder_.path() / "link.ply");
  request_.cloud = folder_.path() / "link.ply";
  request_.image = "/dev/null";
  EXPECT_EQ(complaint(request_), "none");
  EXPECT_TRUE(std::filesystem::is_symlink(request_.cloud));
  EXPECT_GT(written().size(), 1000U);
  request_.cloud = "/dev/full";
  EXPECT_EQ(complaint(request_), "/dev/full: cannot be written: No space left on device");
  request_.cloud.clear();
  request_.image = "/dev/full";
  EXPECT_EQ(complaint(request_), "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace marsim::tools
