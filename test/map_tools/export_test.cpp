// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/export.hpp"

#include <cmath>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "map/test_files.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/random.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {
namespace {

using map::TestFolder;

std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A picture and its YAML as map_server reads them in mode "trinary" (map_server,
/// image_loader.cpp).
struct ServedMap {
  std::size_t width = 0, height = 0;
  double resolution = 0.0, x = 0.0, y = 0.0;
  std::vector<int> cells;  // 100, 0, -1, the least y first

  int at(double px, double py) const {
    const auto column = static_cast<std::size_t>(std::floor((px - x) / resolution));
    const auto row = static_cast<std::size_t>(std::floor((py - y) / resolution));
    return cells.at(row * width + column);
  }
};

ServedMap served(const std::filesystem::path& yaml) {
  const YAML::Node node = YAML::LoadFile(yaml.string());
  ServedMap map;
  map.resolution = node["resolution"].as<double>();
  map.x = node["origin"][0].as<double>();
  map.y = node["origin"][1].as<double>();
  EXPECT_EQ(node["origin"][2].as<double>(), 0.0);
  EXPECT_EQ(node["negate"].as<int>(), 0);
  const std::string pgm = textOf(yaml.parent_path() / node["image"].as<std::string>());
  std::istringstream stream(pgm);
  std::string magic, comment;
  std::getline(stream, magic);
  std::getline(stream, comment);
  int most = 0;
  stream >> map.width >> map.height >> most;
  EXPECT_EQ(magic, "P5");
  EXPECT_EQ(comment[0], '#');
  EXPECT_EQ(most, 255);
  const std::size_t first = static_cast<std::size_t>(stream.tellg()) + 1;
  EXPECT_EQ(pgm.size(), first + map.width * map.height);
  for (std::size_t row = map.height; row-- > 0;) {
    for (std::size_t column = 0; column < map.width; ++column) {
      const auto grey = static_cast<unsigned char>(pgm.at(first + row * map.width + column));
      const double occupied = (255 - grey) / 255.0;
      map.cells.push_back(occupied > node["occupied_thresh"].as<double>() ? 100
                          : occupied < node["free_thresh"].as<double>()   ? 0
                                                                          : -1);
    }
  }
  return map;
}

/// A floor at z = 0 from (-1, -2) to (3, 1), a wall on it at x = 2 up to 2 m, and a roof at 3 m
/// that reaches one metre farther along y.
map::PointCloud hall() {
  map::PointCloud cloud;
  const auto fill = [&](const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
    for (double x = low.x(); x <= high.x(); x += 0.05) {
      for (double y = low.y(); y <= high.y(); y += 0.05) {
        for (double z = low.z(); z <= high.z(); z += 0.05) {
          cloud.points.emplace_back(Eigen::Vector3d(x, y, z).cast<float>());
        }
      }
    }
  };
  fill({-0.975, -1.975, 0.0}, {2.98, 0.98, 0.0});
  fill({2.025, -1.975, 0.0}, {2.03, 0.98, 2.0});
  fill({-0.975, -1.975, 3.0}, {2.98, 1.98, 3.0});
  return cloud;
}

TEST(OccupancySlice, IsReadAsMapServerDoes) {
  const TestFolder folder;
  const auto yaml = folder / "my \"hall\": 1.yaml";
  writeSlice(yaml, sliceOf(hall(), {0.1, 0.5, 1.5}));
  const ServedMap map = served(yaml);
  EXPECT_EQ(map.width, 40U);
  EXPECT_EQ(map.height, 40U);
  EXPECT_DOUBLE_EQ(map.resolution, 0.1);
  EXPECT_NEAR(map.x, -1.0, 1e-9);
  EXPECT_NEAR(map.y, -2.0, 1e-9);
  for (double x = -0.95; x < 3.0; x += 0.1) {
    for (double y = -1.95; y < 2.0; y += 0.1) {
      const bool wall = x > 2.0 && x < 2.1;
      EXPECT_EQ(map.at(x, y), y > 1.0 ? -1 : wall ? 100 : 0) << x << " " << y;
    }
  }
}

TEST(OccupancySlice, CountsEveryCellOnce) {
  const OccupancySlice slice = sliceOf(hall(), {0.1, 0.5, 1.5});
  EXPECT_EQ(slice.count(Occupancy::kOccupied), 30U);
  EXPECT_EQ(slice.count(Occupancy::kFree), 30U * 39U);
  EXPECT_EQ(slice.count(Occupancy::kUnknown), 40U * 10U);
}

TEST(OccupancySlice, GapsBetweenPointsOfAFloorAreFree) {
  map::PointCloud cloud = hall();
  const auto keep = [](const Eigen::Vector3f& p) {  // of the floor all but one cell and a corner
    const bool hole = p.x() > 0.0F && p.x() < 0.1F && p.y() > 0.0F && p.y() < 0.1F;
    const bool corner = p.x() < 0.0F && p.y() < -1.0F;
    return p.z() > 0.01F || !(hole || corner);
  };
  std::vector<Eigen::Vector3f> kept;
  std::copy_if(cloud.points.begin(), cloud.points.end(), std::back_inserter(kept), keep);
  cloud.points = kept;
  const OccupancySlice slice = sliceOf(cloud, {0.1, 0.5, 1.5});
  EXPECT_EQ(slice.at(10, 20), Occupancy::kFree);
  EXPECT_EQ(slice.at(4, 4), Occupancy::kUnknown);
  // Its inmost cell has five neighbours with a floor.
  EXPECT_EQ(slice.count(Occupancy::kUnknown), 400U + 100U - 1U);
}

TEST(OccupancySlice, WrongSettingsAreNamed) {
  const auto error = [](const SliceConfig& config) {
    try {
      sliceOf(hall(), config);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error({0.0, 0.5, 1.5}).find("resolution"), std::string::npos);
  EXPECT_NE(error({0.1, 1.5, 0.5}).find("ZMIN below ZMAX"), std::string::npos);
  EXPECT_NE(error({0.1, 5, 6}).find("the map reaches from 0.000 to 3.000 m"), std::string::npos)
      << error({0.1, 5, 6});
  EXPECT_NE(error({1e-5, 0.5, 1.5}).find("400 million cells"), std::string::npos);
}

#ifdef MARSIM_HAS_OCTOMAP

using Cell = std::array<int, 3>;

Cell cellOf(double x, double y, double z) {
  return {static_cast<int>(std::floor(x / 0.2)), static_cast<int>(std::floor(y / 0.2)),
          static_cast<int>(std::floor(z / 0.2))};
}

/// Points in a solid cube, whose leaves are joined, and at random.
map::PointCloud scattered() {
  map::PointCloud cloud;
  RandomStream random(4);
  for (int i = 0; i < 2000; ++i) {
    cloud.points.emplace_back(
        Eigen::Vector3d(random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9))
            .cast<float>());
  }
  for (int i = 0; i < 4096; ++i) {
    cloud.points.emplace_back(0.1F + 0.2F * static_cast<float>(i % 16),
                              0.1F + 0.2F * static_cast<float>(i / 16 % 16),
                              0.1F + 0.2F * static_cast<float>(i / 256));
  }
  return cloud;
}

TEST(OctoMapWriter, LeavesAreTheVoxelsOfThePoints) {
  const TestFolder folder;
  const map::PointCloud cloud = scattered();
  std::set<Cell> expected;
  for (const Eigen::Vector3f& point : cloud.points) {
    const Eigen::Vector3d p = point.cast<double>();
    expected.insert(cellOf(p.x(), p.y(), p.z()));
  }
  for (const char* name : {"map.bt", "map.ot"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(writeOctoMap(folder / name, cloud, 0.2), expected.size());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    octomap::OcTree tree(0.2);
    if (name == std::string("map.bt")) {
      ASSERT_TRUE(tree.readBinary((folder / name).string()));
    } else {
      std::unique_ptr<octomap::AbstractOcTree> read(
          octomap::AbstractOcTree::read((folder / name).string()));
      ASSERT_NE(dynamic_cast<octomap::OcTree*>(read.get()), nullptr);
      tree.swapContent(dynamic_cast<octomap::OcTree&>(*read));
    }
    EXPECT_DOUBLE_EQ(tree.getResolution(), 0.2);
    EXPECT_LT(tree.getNumLeafNodes(), expected.size());  // the cube's are joined
    tree.expand();
    std::set<Cell> found;
    for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
      EXPECT_TRUE(tree.isNodeOccupied(*leaf));
      found.insert(cellOf(leaf.getX(), leaf.getY(), leaf.getZ()));
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(OctoMapWriter, PointsBeyondTheTreeAreNamed) {
  const TestFolder folder;
  map::PointCloud cloud = scattered();
  cloud.points.emplace_back(4000, 0, 0);
  try {
    writeOctoMap(folder / "map.bt", cloud, 0.1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("reaches 3276.8 m"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "map.bt"));
  EXPECT_THROW(writeOctoMap(folder / "map.xyz", cloud, 0.5), Error);
  EXPECT_THROW(writeOctoMap(folder / "map.bt", cloud, 0.0), ConfigError);
}

#else

TEST(OctoMapWriter, MissingLibraryIsNamed) {
  const TestFolder folder;
  EXPECT_THROW(writeOctoMap(folder / "map.bt", hall(), 0.1), FileError);
}

#endif

}  // namespace
}  // namespace marsim::map_tools
