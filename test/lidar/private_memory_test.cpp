// SPDX-License-Identifier: BSD-3-Clause
// A further process on a map that another one has mapped takes little memory of its own.

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "map/cache/map_file.hpp"
#include "marsim/lidar/renderer.hpp"

namespace marsim::lidar {
namespace {

/// [MB] of the process that no other shares, by name from /proc/self/smaps_rollup; -1: not there.
double ownMegabytes(const std::string& name) {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    std::istringstream words(line);
    std::string key;
    double kilobytes = 0.0;
    if (words >> key >> kilobytes && key == name + ":") return 1e-3 * 1.024 * kilobytes;
  }
  return -1.0;
}

/// Dirty memory [MB] that a scan through a map in a file adds to the process.
double scanMegabytes(const std::filesystem::path& path, const map::SurfelMapConfig& config) {
  const double before = ownMegabytes("Private_Dirty");
  const auto map = std::make_shared<const map::SurfelMap>(
      map::SurfelMap::fromFile(map::MapFile::open(path), config));
  const auto caster = makeRayCaster(map, {});
  RandomStream random(2);
  std::vector<Ray> rays;
  for (int i = 0; i < 24000; ++i) {
    rays.push_back({Eigen::Vector3f::Zero(), 30.0F, randomDirection(random).cast<float>(), 0.0F});
  }
  std::vector<Hit> hits;
  caster->cast(rays, hits);
  return ownMegabytes("Private_Dirty") - before;
}

TEST(PrivateMemory, AMappedMapNeedsLittle) {
  for (const char* start : {"__asan_init", "__tsan_init"}) {  // built in or preloaded
    if (dlsym(RTLD_DEFAULT, start)) GTEST_SKIP() << "sanitizers have memory of their own";
  }
  if (ownMegabytes("Private_Dirty") < 0.0) GTEST_SKIP() << "no /proc/self/smaps_rollup";
  const auto path = std::filesystem::path(testing::TempDir()) / "marsim_private_memory.surfels";
  const auto made = scatteredMap(1, 1'000'000, 20.0, 0.1, Kind::kMixed);
  map::MapFileWriter writer({1, 2});
  made->writeTo(writer);
  writer.write(path);
  const double added = scanMegabytes(path, made->config());
  std::filesystem::remove(path);
  EXPECT_GT(bytesOf(made->tree()), 10e6);
  EXPECT_LT(added, 6.0) << "MB";
}

}  // namespace
}  // namespace marsim::lidar
