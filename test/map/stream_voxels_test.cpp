// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/stream_voxels.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

/// Points in a box with a dense corner, some twice, some not finite.
std::vector<Vector3d> uneven(std::size_t count) {
  RandomStream random(41);
  std::vector<Vector3d> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double side = i % 3 == 0 ? 0.3 : 5.0;
    points.emplace_back(random.uniform(-side, side), random.uniform(-side, side),
                        random.uniform(-side, side));
    if (i % 7 == 0) points.push_back(points[random.index(points.size())]);
    if (i % 1000 == 0) points.emplace_back(std::nan(""), 0.0, 0.0);
  }
  return points;
}

/// A PCD file with coordinates of either size.
std::filesystem::path writePoints(const TestFolder& folder, const std::vector<Vector3d>& points,
                                  bool float64, const std::string& data = "binary") {
  const int size = float64 ? 8 : 4;
  std::string bytes = fmt::format(
      "VERSION 0.7\nFIELDS x y z\nSIZE {0} {0} {0}\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {1}\nHEIGHT 1\n"
      "POINTS {1}\nDATA {2}\n",
      size, points.size(), data);
  for (const Vector3d& point : points) {
    for (const double value : point) {
      if (data == "ascii") {
        bytes += fmt::format("{} ", value);
      } else {
        bytes += float64 ? bytesOf(value) : bytesOf(static_cast<float>(value));
      }
    }
    if (data == "ascii") bytes += '\n';
  }
  return folder.write("a.pcd", bytes);
}

struct Streamed {
  PointCloud means;
  MapSource source;
};

Streamed stream(const std::filesystem::path& path, double resolution, const StreamBudget& budget) {
  Streamed result;
  result.means = streamVoxels(path, resolution, result.source, Progress::none(), budget);
  return result;
}

void expectAsInMemory(const std::filesystem::path& path, const StreamBudget& budget) {
  const LoadedCloud loaded = loadQuietly(path);
  const PointCloud expected = downsample(loaded.cloud, 0.1);
  const Streamed streamed = stream(path, 0.1, budget);
  EXPECT_EQ(streamed.means.points, expected.points);
  EXPECT_EQ(streamed.means.intensity, expected.intensity);
  EXPECT_EQ(streamed.source.points, loaded.read);
  EXPECT_EQ(streamed.source.non_finite, loaded.non_finite);
  EXPECT_EQ(streamed.source.duplicates, loaded.duplicates);
  EXPECT_EQ(streamed.source.origin, loaded.origin);
}

TEST(StreamVoxels, IsWhatLoadingAndDownsamplingGive) {
  const TestFolder folder;
  // All points at once; a few ranges of voxels; many.
  const auto path = writePoints(folder, uneven(100000), false);
  for (const std::size_t bytes :
       {std::size_t{1} << 27, std::size_t{2} << 20, std::size_t{1} << 18}) {
    expectAsInMemory(path, {bytes, 0});
  }
  expectAsInMemory(writePoints(folder, uneven(20000), false, "ascii"), {1 << 18, 0});
}

TEST(StreamVoxels, IntensitiesGoWithTheirPoints) {
  const TestFolder folder;
  RandomStream random(5);
  PointCloud cloud;
  for (const Vector3d& point : uneven(50000)) {
    cloud.points.push_back(point.cast<float>());
    cloud.intensity.push_back(static_cast<float>(random.uniform(0.0, 255.0)));
  }
  savePcd(folder / "a.pcd", cloud);
  for (const std::size_t bytes : {std::size_t{1} << 27, std::size_t{1} << 18}) {
    expectAsInMemory(folder / "a.pcd", {bytes, 0});
    const Streamed streamed = stream(folder / "a.pcd", 0.1, {bytes, 0});
    EXPECT_EQ(streamed.means.intensity.size(), streamed.means.size());
  }
}

TEST(StreamVoxels, DuplicatesInACrowdedVoxel) {
  const TestFolder folder;
  RandomStream random(2);
  std::vector<Vector3d> points = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
  for (int i = 0; i < 500; ++i) {
    points.emplace_back(0.01 * static_cast<double>(random.index(4)),
                        0.01 * static_cast<double>(random.index(4)), i % 2 == 0 ? 0.0 : -0.0);
  }
  const auto path = writePoints(folder, points, false);
  expectAsInMemory(path, {});
  EXPECT_EQ(stream(path, 0.1, {}).source.duplicates, 500U - 16U);
}

TEST(StreamVoxels, StrayPointsAreCountedAndTheFileNamed) {
  const TestFolder folder;
  RandomStream random(42);
  std::vector<Vector3d> points;
  for (int i = 0; i < 200000; ++i) {
    points.emplace_back(random.uniform(), random.uniform(), random.uniform());
  }
  points[100] = {1e30, 0.0, 0.0};
  points[150000] = {0.0, -2e7, 1.0};
  const auto path = writePoints(folder, points, false);
  for (const std::size_t bytes : {std::size_t{1} << 27, std::size_t{1} << 18}) {
    try {
      stream(path, 0.1, {bytes, 0});
      FAIL() << "no error";
    } catch (const FileError& error) {
      EXPECT_EQ(
          std::string(error.what()),
          fmt::format(
              "{0}: 2 of its 200000 points lie too far away, the first at (1.00000002e+30, 0, "
              "0) m, allowed: within 104858 m of (0, 0, 0) m at a resolution of 0.1 "
              "m; 'marsim map {0} --within 1000m --out NEW.pcd' drops stray points",
              path.string()));
    }
  }
  const PointCloud kept = within(loadQuietly(path).cloud, 1000.0);
  EXPECT_EQ(kept.size(), 200000U - 2U);
  EXPECT_EQ(kept.points[100], points[101].cast<float>());
  EXPECT_THROW(within(kept, 0.0), ConfigError);
}

TEST(StreamVoxels, DoesNotDependOnTheNumberOfThreads) {
  const TestFolder folder;
  const auto path = writePoints(folder, uneven(200000), true);
  const StreamBudget budget{1 << 20, 0};
  const auto run = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return stream(path, 0.1, budget).means.points;
  };
  EXPECT_EQ(run(1), run(5));
}

TEST(StreamVoxels, FarAwayFloat64IsAsFineAsNear) {
  const TestFolder folder;
  std::vector<Vector3d> points = uneven(20000);
  const Streamed near = stream(writePoints(folder, points, true), 0.1, {});
  EXPECT_EQ(near.source.origin, Vector3d::Zero());
  // UTM; the points spread evenly round the offset, which the median finds to 100 m.
  const Vector3d utm(1e6, 5.3e6, 400.0);
  for (Vector3d& point : points) point += utm;
  points.insert(points.begin(), utm + Vector3d(300.0, 300.0, 0.0));  // a stray point comes first
  const Streamed far = stream(writePoints(folder, points, true), 0.1, {});
  EXPECT_EQ(far.source.origin, Vector3d(1e6, 5.3e6, 0.0));
  EXPECT_LT(far.source.coordinate_step, 1e-4);
  ASSERT_EQ(far.means.size(), near.means.size() + 1);
  EXPECT_EQ(loadQuietly(folder / "a.pcd").origin, far.source.origin);
  expectAsInMemory(folder / "a.pcd", {});
}

TEST(StreamVoxels, FarAwayFloat32IsCoarse) {
  const TestFolder folder;
  std::vector<Vector3d> points = uneven(20000);
  const Streamed near = stream(writePoints(folder, points, false), 0.1, {});
  EXPECT_LT(near.source.coordinate_step, 1e-6);
  for (Vector3d& point : points) point += Vector3d(1e6, -4e6, 0.0);
  const Streamed far = stream(writePoints(folder, points, false), 0.1, {});
  EXPECT_EQ(far.source.origin, Vector3d(1e6, -4e6, 0.0));
  EXPECT_EQ(far.source.coordinate_step, 0.25);  // 2^21 < 4e6 + 5 < 2^22, of 23 bits
}

}  // namespace
}  // namespace marsim::map
