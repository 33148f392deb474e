// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/load_map.hpp"

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include <tbb/global_control.h>

#include "map/map_file_bytes.hpp"
#include "map/test_files.hpp"
#include "map/tree/leaf_storage.hpp"
#include "marsim/common/random.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3f;

/// A floor and a wall of 4 m with a little noise, as doubles so that it can be moved far away.
std::vector<Eigen::Vector3d> corner(std::size_t count) {
  RandomStream random(31);
  std::vector<Eigen::Vector3d> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.uniform(0.0, 4.0), v = random.uniform(0.0, 4.0);
    const double noise = 0.005 * random.normal();
    if (i % 2 == 0) {
      points.emplace_back(u, v, noise);
    } else {
      points.emplace_back(u, noise, v);
    }
  }
  return points;
}

PointCloud narrowed(const std::vector<Eigen::Vector3d>& points) {
  PointCloud cloud;
  for (const Eigen::Vector3d& point : points) cloud.points.push_back(point.cast<float>());
  return cloud;
}

/// Loads through a cache folder of the test's and keeps what is reported.
class LoadMap : public testing::Test {
 protected:
  LoadedMap load(const std::filesystem::path& path, const SurfelMapConfig& config = {}) {
    lines_.clear();
    MapLoading loading;
    loading.folder = folder_ / "cache";
    loading.use_cache = use_cache_;
    loading.report = [this](const std::string& line) { lines_.push_back(line); };
    return loadSurfelMap(path, config, Progress::none(), loading);
  }
  std::filesystem::path write(const std::vector<Eigen::Vector3d>& points,
                              const std::string& name = "a.pcd") const {
    savePcd(folder_ / name, narrowed(points));
    return folder_ / name;
  }
  std::vector<std::filesystem::path> cached() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() == ".surfels") files.push_back(entry.path());
    }
    return files;
  }

  TestFolder folder_;
  bool use_cache_ = true;
  std::vector<std::string> lines_;
};

void expectSame(const SurfelMap& a, const SurfelMap& b) {
  ASSERT_EQ(a.size(), b.size());
  const SurfelTreeView& x = a.tree();
  const SurfelTreeView& y = b.tree();
  EXPECT_EQ(std::memcmp(&x.header, &y.header, sizeof(x.header)), 0);
  EXPECT_EQ(std::memcmp(x.nodes, y.nodes, x.header.node_count * sizeof(TreeNode)), 0);
  EXPECT_EQ(std::memcmp(x.words, y.words, x.wordCount() * sizeof(std::uint32_t)), 0);
  EXPECT_EQ(std::memcmp(&a.blending(), &b.blending(), sizeof(Blending)), 0);
  EXPECT_EQ(a.planarThreshold(), b.planarThreshold());
  EXPECT_EQ(a.noise(), b.noise());
}

TEST_F(LoadMap, SecondStartIsMappedAndTheSame) {
  std::vector<Eigen::Vector3d> points = corner(20000);
  points.push_back(points[5]);
  points.emplace_back(std::nan(""), 0.0, 0.0);
  const auto path = write(points);
  const LoadedMap built = load(path);
  const LoadedMap again = load(path);
  EXPECT_FALSE(built.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_TRUE(lines_.empty());
  ASSERT_NE(again.map->file(), nullptr);
  expectSame(*built.map, *again.map);
  for (const LoadedMap* loaded : {&built, &again}) {
    EXPECT_EQ(loaded->source.points, 20002U);
    EXPECT_EQ(loaded->source.non_finite, 1U);
    EXPECT_EQ(loaded->source.duplicates, 1U);
    EXPECT_FALSE(loaded->source.has_intensity);
    EXPECT_EQ(loaded->source.origin, Eigen::Vector3d::Zero());
    Eigen::AlignedBox3f box;
    for (std::size_t i = 0; i < 20000; ++i) box.extend(points[i].cast<float>());
    EXPECT_EQ(loaded->source.box.min(), box.min());
    EXPECT_EQ(loaded->source.box.max(), box.max());
    EXPECT_NEAR(loaded->source.spacing.median, 0.04, 0.006);  // 20,000 points on 32 square metres
    EXPECT_EQ(loaded->source.spacing.median, built.source.spacing.median);
    EXPECT_EQ(loaded->source.spacing.passing, built.source.spacing.passing);
    EXPECT_EQ(loaded->source.spacing.advised_resolution, 0.1);
  }
}

TEST_F(LoadMap, IsWhatBuildMakesOfTheCloud) {
  const auto path = write(corner(30000));
  const SurfelMap expected = SurfelMap::build(loadCloud(path).cloud, {});
  expectSame(*load(path).map, expected);
  use_cache_ = false;
  const LoadedMap uncached = load(path);
  expectSame(*uncached.map, expected);
  EXPECT_EQ(uncached.map->file(), nullptr);
}

TEST_F(LoadMap, ContentAndSettingsDecideNotTheName) {
  const auto points = corner(5000);
  load(write(points));
  EXPECT_TRUE(load(write(points)).from_cache) << "written again with the same content";
  auto moved = points;
  moved[17].x() += 0.01;
  EXPECT_FALSE(load(write(moved)).from_cache);
  for (double SurfelMapConfig::*setting :
       {&SurfelMapConfig::resolution, &SurfelMapConfig::normal_radius_factor,
        &SurfelMapConfig::planar_factor}) {
    SurfelMapConfig config;
    config.*setting *= 1.5;
    EXPECT_FALSE(load(folder_ / "a.pcd", config).from_cache);
    const LoadedMap again = load(folder_ / "a.pcd", config);
    EXPECT_TRUE(again.from_cache);
    EXPECT_EQ(again.map->config().*setting, config.*setting);
  }
}

TEST_F(LoadMap, AnotherStorageIsMadeAnew) {
  const auto path = write(corner(5000));
  load(path);
  std::string bytes = contentOf(cached().at(0));
  std::uint64_t info = 0;
  std::memcpy(&info, bytes.data() + kHeaderSize + kEntryOffset, sizeof(info));
  bytes[info + 28] = 1;  // storage: after three numbers of eight bytes and the surface
  seal(bytes);
  std::ofstream(cached().at(0), std::ios::binary) << bytes;
  EXPECT_FALSE(load(path).from_cache);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("was made with other settings; making it anew"), std::string::npos)
      << lines_[0];
  EXPECT_TRUE(load(path).from_cache);
}

TEST_F(LoadMap, ForgedSettingsOrInfoAreRefused) {
  const auto path = write(corner(5000));
  load(path);
  const std::string good = contentOf(cached().at(0));
  const double nan = std::nan("");
  // Numbers of eight bytes: settings, surface and flags, origin, box and step in `info`; origin,
  // radius and storage, counts, box, blending and thresholds in `tree`.
  const std::vector<std::size_t> numbers[] = {{0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14},
                                              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  for (std::size_t section = 0; section < 2; ++section) {
    std::uint64_t begin = 0;
    std::memcpy(&begin, good.data() + kHeaderSize + section * kEntrySize + kEntryOffset, 8);
    for (const std::size_t number : numbers[section]) {
      std::string bytes = good;
      std::memcpy(bytes.data() + begin + 8 * number, &nan, sizeof(nan));
      seal(bytes);
      std::ofstream(cached().at(0), std::ios::binary) << bytes;
      EXPECT_FALSE(load(path).from_cache) << section << ' ' << number;
      EXPECT_EQ(lines_.size(), 1U);
      EXPECT_EQ(contentOf(cached().at(0)), good);
    }
  }
}

TEST_F(LoadMap, DamagedFilesAreMadeAnew) {
  const auto path = write(corner(5000));
  load(path);
  const std::string good = contentOf(cached().at(0));
  RandomStream random(3);
  for (int round = 0; round < 10; ++round) {
    std::string bytes = good;
    const std::size_t at = random.index(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.index(8)));
    if (round % 3 == 0) bytes.resize(random.index(bytes.size()));
    std::ofstream(cached().at(0), std::ios::binary) << bytes;
    EXPECT_FALSE(load(path).from_cache);
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("; making it anew"), std::string::npos);
    EXPECT_EQ(contentOf(cached().at(0)), good);
  }
}

TEST_F(LoadMap, SameBytesWhateverTheNumberOfThreads) {
  const auto path = write(corner(300000));
  std::vector<std::string> files;
  for (const std::size_t threads : {1U, 2U, 7U}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    EXPECT_FALSE(load(path).from_cache);
    files.push_back(contentOf(cached().at(0)));
    std::filesystem::remove_all(folder_ / "cache");
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_EQ(files[0], files[2]);
}

TEST_F(LoadMap, TwoAtOnce) {
  const auto path = write(corner(100000));
  std::vector<LoadedMap> maps(2);
  std::vector<std::thread> threads;
  for (LoadedMap& map : maps) {
    threads.emplace_back([&] {
      MapLoading loading;
      loading.folder = folder_ / "cache";
      loading.report = [](const std::string&) {};
      map = loadSurfelMap(path, {}, Progress::none(), loading);
    });
  }
  for (std::thread& thread : threads) thread.join();
  expectSame(*maps[0].map, *maps[1].map);
  EXPECT_NE(maps[0].from_cache, maps[1].from_cache);
}

TEST_F(LoadMap, MissingSourceAndSillyResolutions) {
  EXPECT_THROW(load(folder_ / "none.pcd"), FileError);
  EXPECT_THROW(load(folder_.path()), FileError);
  const auto path = write(corner(100));
  SurfelMapConfig config;
  for (const double resolution : {-1.0, 0.0, std::nan("")}) {
    config.resolution = resolution;
    EXPECT_THROW(load(path, config), ConfigError);
  }
  config.resolution = 1e-7;  // beyond the voxel grid
  EXPECT_THROW(load(path, config), Error);
}

TEST_F(LoadMap, OnePoint) {
  const auto path = write({{1.0, 2.0, 3.0}});
  load(path);
  const LoadedMap loaded = load(path);
  EXPECT_TRUE(loaded.from_cache);
  EXPECT_TRUE(lines_.empty());
  const std::vector<Surfel> surfels = loaded.map->surfels();
  ASSERT_EQ(surfels.size(), 1U);
  EXPECT_LT((surfels[0].position - Vector3f(1.0F, 2.0F, 3.0F)).norm(), 1e-4F);
  EXPECT_EQ(loaded.map->planarShare(), 0.0);
}

TEST_F(LoadMap, AllPointsInOneVoxel) {
  SurfelMapConfig config;
  config.resolution = 1.0;
  const auto path = write({{1.0, 1.0, 1.0}, {1.5, 1.5, 1.99}, {1.75, 1.25, 1.5}});
  load(path, config);
  const LoadedMap loaded = load(path, config);
  EXPECT_TRUE(loaded.from_cache);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("more than its extent of 0.99 m"), std::string::npos) << lines_[0];
  ASSERT_EQ(loaded.map->size(), 1U);
  const Vector3f mean(4.25F / 3, 3.75F / 3, 4.49F / 3);
  EXPECT_LT((loaded.map->surfels()[0].position - mean).norm(), 1e-3F);
}

TEST_F(LoadMap, APlaceIsMoreThanOneVoxel) {
  SurfelMapConfig config;
  config.resolution = 3.0;
  const auto path = write({{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}});
  try {
    load(path, config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("resolution is 3 m, allowed: at most the map's extent of 2.000 m"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(LoadMap, AFewPointsOnALine) {
  const auto path = write({{1.0, 1.0, 1.0}, {1.0, 1.0, 2.0}, {1.0, 1.0, 1.5}});
  load(path);
  const LoadedMap loaded = load(path);
  EXPECT_TRUE(loaded.from_cache);
  EXPECT_EQ(loaded.map->size(), 3U);
  EXPECT_EQ(loaded.map->planarShare(), 0.0);
}

TEST_F(LoadMap, AllOnOnePlane) {
  std::vector<Eigen::Vector3d> points = corner(40000);
  for (Eigen::Vector3d& point : points) point.z() = 0.25;
  load(write(points));
  const LoadedMap loaded = load(folder_ / "a.pcd");
  EXPECT_TRUE(loaded.from_cache);
  EXPECT_EQ(loaded.map->planarShare(), 1.0);
}

TEST_F(LoadMap, TwoClustersAKilometreApart) {
  SurfelMapConfig config;
  config.resolution = 0.02;
  std::vector<Eigen::Vector3d> points = corner(20000);
  const std::size_t alone = load(write(points), config).map->size();
  for (std::size_t i = 0; i < 20000; ++i) {
    points.push_back(points[i] + Eigen::Vector3d(1000.0, 0.0, 0.0));
  }
  const LoadedMap loaded = load(write(points), config);
  EXPECT_NEAR(static_cast<double>(loaded.map->size()), 2.0 * static_cast<double>(alone), 100.0);
  EXPECT_GT(loaded.map->bounds().max().x(), 1003.0F);
  // Far from the origin a surfel is rounded no more than near it. Holes of up to 0.15 m are filled.
  const KdTree near([&] {
    std::vector<Vector3f> sources;
    for (const Eigen::Vector3d& point : points) sources.push_back(point.cast<float>());
    return sources;
  }());
  for (const Surfel& surfel : loaded.map->surfels()) {
    ASSERT_LT(near.nearest(surfel.position).distance, 0.15F);
  }
}

TEST_F(LoadMap, FarAwayAndCoarseIsSaidEveryTime) {
  std::vector<Eigen::Vector3d> points = corner(20000);
  for (Eigen::Vector3d& point : points) point += Eigen::Vector3d(0.0, 4e6, 0.0);
  const auto path = write(points);
  for (const bool from_cache : {false, true}) {
    const LoadedMap loaded = load(path);
    EXPECT_EQ(loaded.from_cache, from_cache);
    EXPECT_EQ(loaded.source.origin, Eigen::Vector3d(0.0, 4e6, 0.0));
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_NE(lines_[0].find("0.25 m apart"), std::string::npos) << lines_[0];
  }
}

TEST_F(LoadMap, NodesOfOneProcessShareAMap) {
  const auto path = write(corner(20000));
  MapLoading loading;
  loading.folder = folder_ / "cache";
  const auto share = [&](double resolution) {
    SurfelMapConfig config;
    config.resolution = resolution;
    return shareSurfelMap(path, config, Progress::none(), loading);
  };
  std::vector<LoadedMap> loaded(8);
  std::vector<std::thread> threads;
  for (LoadedMap& one : loaded) threads.emplace_back([&] { one = share(0.1); });
  for (std::thread& thread : threads) thread.join();
  for (const LoadedMap& one : loaded) {
    EXPECT_EQ(one.map, loaded[0].map);
    EXPECT_EQ(one.source.points, 20000U);
  }
  EXPECT_NE(share(0.2).map, loaded[0].map);

  const std::weak_ptr<const SurfelMap> watched = loaded[0].map;
  loaded.clear();
  EXPECT_TRUE(watched.expired()) << "a map that nobody uses is kept";

  const LoadedMap before = share(0.1);
  savePcd(path, narrowed(corner(10000)));
  EXPECT_EQ(share(0.1).source.points, 10000U);  // another file under the old name
}

}  // namespace
}  // namespace marsim::map
