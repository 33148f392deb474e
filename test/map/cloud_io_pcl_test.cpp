// SPDX-License-Identifier: BSD-3-Clause
#include <pcl/PCLPointCloud2.h>
#include <pcl/conversions.h>
#include <pcl/io/pcd_io.h>
#include <pcl/io/ply_io.h>
#include <pcl/point_types.h>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

pcl::PointCloud<pcl::PointXYZINormal> randomPclCloud() {
  RandomStream random(7);
  pcl::PointCloud<pcl::PointXYZINormal> cloud;
  for (int i = 0; i < 1000; ++i) {
    pcl::PointXYZINormal point;
    point.x = static_cast<float>(random.uniform(-50.0, 50.0));
    point.y = static_cast<float>(random.uniform(-50.0, 50.0));
    point.z = static_cast<float>(random.normal());
    point.intensity = static_cast<float>(random.index(256));
    cloud.push_back(point);
  }
  return cloud;
}

void expectSame(const pcl::PointCloud<pcl::PointXYZINormal>& expected, const PointCloud& actual,
                float tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_TRUE(actual.hasIntensity());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual.points[i].x(), expected[i].x, tolerance);
    EXPECT_NEAR(actual.points[i].y(), expected[i].y, tolerance);
    EXPECT_NEAR(actual.points[i].z(), expected[i].z, tolerance);
    EXPECT_EQ(actual.intensity[i], expected[i].intensity);
  }
}

TEST(LoadCloudOfPcl, PcdAsciiBinaryAndCompressed) {
  const TestFolder folder;
  const auto cloud = randomPclCloud();
  pcl::PCDWriter writer;
  writer.writeASCII((folder / "ascii.pcd").string(), cloud, 9);
  writer.writeBinary((folder / "binary.pcd").string(), cloud);
  writer.writeBinaryCompressed((folder / "compressed.pcd").string(), cloud);
  expectSame(cloud, loadQuietly(folder / "ascii.pcd").cloud, 1e-6F);
  expectSame(cloud, loadQuietly(folder / "binary.pcd").cloud, 0.0F);
  expectSame(cloud, loadQuietly(folder / "compressed.pcd").cloud, 0.0F);
}

TEST(LoadCloudOfPcl, PlyAsciiAndBinary) {
  const TestFolder folder;
  const auto cloud = randomPclCloud();
  pcl::PCLPointCloud2 blob;
  pcl::toPCLPointCloud2(cloud, blob);
  pcl::PLYWriter writer;
  for (const bool binary : {false, true}) {
    const std::string name = (folder / "a.ply").string();
    writer.write(name, blob, Eigen::Vector4f::Zero(), Eigen::Quaternionf::Identity(), binary,
                 false);
    expectSame(cloud, loadQuietly(name).cloud, binary ? 0.0F : 1e-3F);
  }
}

TEST(SavePcdForPcl, PclReadsWhatWeWrite) {
  const TestFolder folder;
  const auto expected = randomPclCloud();
  PointCloud cloud;
  for (const auto& point : expected) {
    cloud.points.emplace_back(point.x, point.y, point.z);
    cloud.intensity.push_back(point.intensity);
  }
  savePcd(folder / "a.pcd", cloud);
  pcl::PointCloud<pcl::PointXYZI> read;
  ASSERT_EQ(pcl::io::loadPCDFile((folder / "a.pcd").string(), read), 0);
  const auto expectWhole = [&] {
    ASSERT_EQ(read.size(), expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].getVector3fMap(), cloud.points[i]);
      EXPECT_EQ(read[i].intensity, cloud.intensity[i]);
    }
  };
  expectWhole();
  saveCloud(folder / "b.PLY", cloud);
  read.clear();
  ASSERT_EQ(pcl::io::loadPLYFile((folder / "b.PLY").string(), read), 0);
  expectWhole();
}

}  // namespace
}  // namespace marsim::map
