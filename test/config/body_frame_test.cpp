// SPDX-License-Identifier: BSD-3-Clause
// Which frame of a UAV is meant, and which IMU.
#include <gtest/gtest.h>

#include "common/data_dir.hpp"
#include "config/launch_words.hpp"
#include "lidar/output/slam_client.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::config {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(BodyFrame, WordsAndPlaces) {
  vehicle::ImuConfig imu;
  imu.X_BI.p = {0.1, 0.2, 0.3};
  EXPECT_TRUE(chooseFrame("base", imu, "vlp16", "x", "f").p.isZero());
  EXPECT_EQ(chooseFrame("imu", imu, "vlp16", "x", "f").p, imu.X_BI.p);
  EXPECT_EQ(chooseFrame("lidar", imu, "vlp16", "x", "f").p, loadLidar("vlp16").X_BS.p);
  EXPECT_EQ(chooseFrame("1, 20cm,0", imu, "vlp16", "x", "f").p, Eigen::Vector3d(1.0, 0.2, 0.0));
  const Pose X = chooseFrame("0,0,1,0,90deg,0", imu, "vlp16", "x", "f");
  EXPECT_LT((X * Eigen::Vector3d::UnitX()).norm(), 1e-12);
  for (const char* wrong : {"", "body", "1,2", "1,2,3,4", "1,2,x", "1e7,0,0", "nan,0,0"}) {
    EXPECT_EQ(
        complaint([&] { chooseFrame(wrong, imu, "vlp16", "/uav0/quadrotor", "record_frame"); }),
        "/uav0/quadrotor: record_frame is '" + std::string(wrong) +
            "', allowed: base | imu | lidar | x,y,z | x,y,z,roll,pitch,yaw in the body [m, "
            "rad]");
  }
}

// A sensor's file decides, not its name: a copy under another name has the same IMU.
TEST(ChooseImu, AutoTakesTheOneInTheSensorsFile) {
  const vehicle::ImuConfig of_vehicle = loadVehicle("hummingbird").imu;
  const tools::TemporaryFolder folder;
  const std::string mid360 = contents(dataDir() / "config" / "lidar" / "mid360.yaml");
  folder.write("mine.yaml", mid360);
  const std::string copy = (folder.path() / "mine.yaml").string();
  EXPECT_TRUE(hasImu(copy));
  EXPECT_EQ(chooseImu("auto", of_vehicle, copy).X_BI.p, loadLidarImu("mid360").X_BI.p);
  EXPECT_EQ(lidar::driverFamily(loadLidar(copy).outputs), lidar::DriverFamily::kLivox);
  EXPECT_FALSE(hasImu("mid40"));
  EXPECT_FALSE(hasImu("none"));
  EXPECT_EQ(chooseImu("auto", of_vehicle, "mid40").X_BI.p, of_vehicle.X_BI.p);
  EXPECT_NE(complaint([&] { chooseImu("lidar", of_vehicle, "mid40"); }), "no error");
}

}  // namespace
}  // namespace marsim::config
