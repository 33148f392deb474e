// SPDX-License-Identifier: BSD-3-Clause
// How intensities and colours of a source become reflectivities of surfels.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "map/cache/map_file.hpp"
#include "map/map_file_bytes.hpp"
#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3f;

/// 0 to 255 by where a point is.
float paint(const Vector3f& p) { return 40.0F * p.x() + (p.z() > 2.0F ? 60.0F : 0.0F); }

/// A floor and a wall of 4 m with a little noise, painted.
PointCloud paintedCorner(std::size_t count) {
  RandomStream random(7);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.uniform(0.0, 4.0), v = random.uniform(0.0, 4.0);
    const double noise = 0.005 * random.normal();
    const Eigen::Vector3d p(u, i % 2 == 0 ? v : noise, i % 2 == 0 ? noise : v);
    cloud.points.push_back(p.cast<float>());
    cloud.intensity.push_back(paint(cloud.points.back()));
  }
  return cloud;
}

SurfelMap build(const PointCloud& cloud, const SurfelMapConfig& config = {}) {
  return SurfelMap::build(cloud, config);
}

SurfelMapConfig of(Surface surface) {
  SurfelMapConfig config;
  config.surface = surface;
  return config;
}

TEST(Reflectivity, AVoxelOfAPaperMapHasTheMeanOfItsPoints) {
  const PointCloud cloud = paintedCorner(60000);
  struct Sum {
    double intensity = 0.0, points = 0.0;
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
  };
  std::map<std::uint64_t, Sum> voxels;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Sum& sum = voxels[voxelKey(cloud.points[i], 0.1)];
    sum.intensity += static_cast<double>(cloud.intensity[i]);
    sum.points += 1.0;
    sum.position += cloud.points[i].cast<double>();
  }
  const SurfelMap map = build(cloud, of(Surface::kPaper));
  const std::vector<Surfel> surfels = map.surfels();
  ASSERT_EQ(map.channels().reflectivity.size(), surfels.size());
  ASSERT_EQ(surfels.size(), voxels.size());
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    const Vector3f& p = surfels[i].position;
    // By the nearest voxel mean: storing moves a surfel by less than 0.2 mm.
    double nearest = 1.0, expected = -1.0;
    for (const Vector3f& step :
         {Vector3f(0, 0, 0), Vector3f(2e-4F, 0, 0), Vector3f(0, 2e-4F, 0), Vector3f(0, 0, 2e-4F)}) {
      for (const float sign : {-1.0F, 1.0F}) {
        const auto found = voxels.find(voxelKey(p + sign * step, 0.1));
        if (found == voxels.end()) continue;
        const Sum& sum = found->second;
        const double distance = (sum.position / sum.points - p.cast<double>()).norm();
        if (distance >= nearest) continue;
        nearest = distance;
        expected = sum.intensity / sum.points;
      }
    }
    ASSERT_LT(nearest, 3e-4);
    ASSERT_NEAR(static_cast<double>(map.channels().reflectivity[i]), expected, 0.51);
  }
}

// Surfels of noisy clouds are means over what is round them, and so are what they reflect.
TEST(Reflectivity, FollowsThePaintOnABlendedMap) {
  const SurfelMap map = build(paintedCorner(60000));
  const std::vector<Surfel> surfels = map.surfels();
  ASSERT_EQ(map.channels().reflectivity.size(), surfels.size());
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    if (std::abs(surfels[i].position.z() - 2.0F) < 0.1F) continue;  // across the edge of a colour
    ASSERT_NEAR(map.channels().reflectivity[i], paint(surfels[i].position), 4.0F);
  }
}

TEST(Reflectivity, IsEmptyWhereTheSourceHasNone) {
  PointCloud cloud = paintedCorner(2000);
  cloud.intensity.clear();
  EXPECT_TRUE(build(cloud).channels().reflectivity.empty());
}

TEST(Reflectivity, FullScaleIsTheSourcesOrTheSettings) {
  const auto brightest = [](float factor, double full_scale) {
    PointCloud cloud = paintedCorner(20000);
    for (float& intensity : cloud.intensity) intensity *= factor;
    SurfelMapConfig config;
    config.intensity_full_scale = full_scale;
    const SurfelMap map = build(cloud, config);
    return static_cast<int>(
        *std::max_element(map.channels().reflectivity.begin(), map.channels().reflectivity.end()));
  };
  const int whole = brightest(1.0F, 0.0);  // the largest mean is about 218
  EXPECT_NEAR(whole, 217, 4);
  EXPECT_NEAR(brightest(1.0F / 255.0F, 0.0), whole, 1) << "0 to 1";
  EXPECT_EQ(brightest(100.0F, 0.0), 255) << "raw counts: the largest is white";
  EXPECT_EQ(brightest(1.0F, 100.0), 255) << "100 is white; brighter is no whiter";
  EXPECT_NEAR(brightest(1.0F, 510.0), whole / 2, 1);
}

TEST(Reflectivity, NumbersThatAreNoneCountAsDark) {
  const TestFolder folder;
  const auto path = folder.write(
      "a.pcd",
      "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 3\nHEIGHT 1\nDATA ascii\n"
      "0 0 0 nan\n1 0 0 -5\n2 0 0 200\n");
  MapLoading loading;
  loading.use_cache = false;
  const auto map = loadSurfelMap(path, {}, Progress::none(), loading).map;
  std::vector<int> values(map->channels().reflectivity.begin(), map->channels().reflectivity.end());
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<int>{0, 0, 200}));
}

/// Luma of red, green and blue as ITU-R BT.709 weighs them.
float luma(double r, double g, double b) {
  return static_cast<float>(0.2126 * r + 0.7152 * g + 0.0722 * b);
}

TEST(Colours, AreReadAsLuma) {
  const TestFolder folder;
  const std::array<std::array<int, 3>, 3> colours = {{{255, 255, 255}, {200, 10, 30}, {1, 2, 3}}};
  std::string ply =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"
      "property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n"
      "property uchar blue\nproperty uchar alpha\nend_header\n";
  std::string pcd_head =
      "VERSION 0.7\nFIELDS x y z {0}\nSIZE 4 4 4 4\nTYPE F F F {1}\nCOUNT 1 1 1 1\nWIDTH 3\n"
      "HEIGHT 1\nPOINTS 3\nDATA {2}\n";
  std::string packed, words;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string place = bytesOf(static_cast<float>(i)) + bytesOf(0.0F) + bytesOf(0.0F);
    const auto [r, g, b] = colours[i];
    ply += place;
    for (const int value : {r, g, b, 255}) ply += static_cast<char>(value);
    const auto word = static_cast<std::uint32_t>(r << 16 | g << 8 | b);
    packed += place + bytesOf(word);
    words += fmt::format("{} 0 0 {}\n", i, word);
  }
  const std::vector<std::filesystem::path> files = {
      folder.write("a.ply", ply),
      folder.write("a.pcd", fmt::format(pcd_head, "rgb", "F", "binary") + packed),
      folder.write("b.pcd", fmt::format(pcd_head, "rgba", "U", "binary") + packed),
      folder.write("c.pcd", fmt::format(pcd_head, "rgb", "U", "ascii") + words)};
  for (const auto& file : files) {
    const PointCloud cloud = loadQuietly(file).cloud;
    ASSERT_EQ(cloud.intensity.size(), 3U) << file;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [r, g, b] = colours[i];
      EXPECT_NEAR(cloud.intensity[i], luma(r, g, b), 1e-4F) << file;
    }
  }
}

TEST(Colours, GiveWayToAnIntensity) {
  const TestFolder folder;
  const auto path = folder.write(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
      "property float intensity\nend_header\n0 0 0 255 255 255 17\n");
  EXPECT_EQ(loadQuietly(path).cloud.intensity, std::vector<float>{17.0F});
  const auto two = folder.write(
      "b.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nproperty uchar green\nend_header\n0 0 0 255 255\n");
  EXPECT_FALSE(loadQuietly(two).cloud.hasIntensity()) << "two of three are no colour";
}

TEST(Reflectivity, IsKeptInTheCacheWithTheSameBytesForAnyNumberOfThreads) {
  const TestFolder folder;
  const auto path = folder / "a.pcd";
  savePcd(path, paintedCorner(200000));
  const auto load = [&](const std::string& cache, const SurfelMapConfig& config = {}) {
    MapLoading loading;
    loading.folder = folder / cache;
    loading.report = [](const std::string& line) { ADD_FAILURE() << line; };
    return loadSurfelMap(path, config, Progress::none(), loading);
  };
  std::vector<std::string> files;
  for (const std::size_t threads : {1U, 2U, 7U}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const LoadedMap made = load(fmt::format("cache{}", threads));
    EXPECT_TRUE(made.source.has_intensity);
    files.push_back(contentOf(made.map->file()->name()));
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_EQ(files[0], files[2]);

  const LoadedMap again = load("cache1");
  EXPECT_TRUE(again.from_cache);
  const SurfelMap expected = SurfelMap::build(loadCloud(path).cloud, {});
  const View<std::uint8_t> found = again.map->channels().reflectivity;
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.channels().reflectivity.begin()));
  SurfelMapConfig config;
  config.intensity_full_scale = 100.0;
  EXPECT_FALSE(load("cache1", config).from_cache) << "another setting, another map";
}

// As converted LAS files often have it: 0 everywhere.
TEST(Reflectivity, AConstantIntensitySaysNothing) {
  const TestFolder folder;
  std::vector<std::string> lines;
  MapLoading loading;
  loading.folder = folder / "cache";
  loading.report = [&](const std::string& line) { lines.push_back(line); };
  const auto path = folder / "a.pcd";
  const auto load = [&](const PointCloud& cloud) {
    savePcd(path, cloud);
    lines.clear();
    return loadSurfelMap(path, {}, Progress::none(), loading);
  };
  PointCloud cloud = paintedCorner(20000);
  const PointCloud painted = cloud;
  for (const float constant : {0.0F, 1.0F, 128.0F, std::nanf("")}) {
    std::fill(cloud.intensity.begin(), cloud.intensity.end(), constant);
    const float said = std::isnan(constant) ? 0.0F : constant;
    for (const bool from_cache : {false, true}) {
      const LoadedMap loaded = load(cloud);
      EXPECT_EQ(loaded.from_cache, from_cache);
      EXPECT_TRUE(loaded.map->channels().reflectivity.empty());
      EXPECT_EQ(loaded.source.constant_intensity, said);
      ASSERT_EQ(lines.size(), 1U);
      EXPECT_EQ(lines[0],
                fmt::format("{}: its intensity is {} at every point and says nothing: "
                            "taken as absent, the sensor's own reflectivity stands for it",
                            path.string(), said));
    }
    EXPECT_TRUE(build(cloud).channels().reflectivity.empty());
  }
  std::fill(cloud.intensity.begin(), cloud.intensity.end(), 1.0F);
  cloud.intensity[700] = 3.0F;  // one that differs
  EXPECT_FALSE(load(cloud).map->channels().reflectivity.empty());
  EXPECT_FALSE(load(painted).map->channels().reflectivity.empty());
  EXPECT_TRUE(lines.empty());
}

TEST(Reflectivity, AnotherNumberThanTheSurfelsIsRefused) {
  const TestFolder folder;
  PointCloud cloud = paintedCorner(2000);
  cloud.intensity.clear();
  const SurfelMap map = build(cloud);
  for (const std::size_t count : {std::size_t{0}, map.size() - 1, map.size() + 1, map.size()}) {
    const std::vector<std::uint8_t> values(count, 9);
    MapFileWriter writer({1, 2});
    map.writeTo(writer);
    writer.add(section::kReflectivity, View<std::uint8_t>(values), ElementType::kUint8);
    writer.write(folder / "a.surfels");
    const auto file = MapFile::open(folder / "a.surfels");
    if (count == map.size()) {
      EXPECT_EQ(SurfelMap::fromFile(file, {}).channels().reflectivity[count - 1], 9);
      continue;
    }
    try {
      SurfelMap::fromFile(file, {});
      FAIL();
    } catch (const FileError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format("{}: has {} values in section reflectivity for {} surfels",
                            file->name(), count, map.size()));
    }
  }
  SurfelSet set;
  set.surfels = map.surfels();
  set.channels.reflectivity = {1, 2};
  EXPECT_THROW(SurfelMap::of(set, {}), Error);
}

}  // namespace
}  // namespace marsim::map
