// SPDX-License-Identifier: BSD-3-Clause
// Runs the fuzz target over the inputs kept in the repository, so that what fuzzing once covered is
// covered by every test run. MARSIM_WRITE_CORPUS=1 writes the seeds anew (after a change of
// format).

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/map_file_target.hpp"
#include "map/cache/map_file.hpp"
#include "map/cache/map_info.hpp"
#include "map/map_file_bytes.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

void writeSeeds(const fs::path& folder) {
  const std::vector<Surfel> surfels(20, {{1.0F, 2.0F, 3.0F}, Eigen::Vector3f::UnitZ(), 0.01F});
  const std::vector<float> numbers = {1.0F, 2.0F, 3.0F};
  const MapFileKey key = {1, 2};
  MapFileWriter(key).write(folder / "no_sections");
  const SurfelMapConfig config;
  const SurfelMap map(surfels, config);
  MapSource source;
  source.points = 30;
  source.box = map.bounds();
  MapFileWriter writer(key);
  writeInfo(config, source, writer);
  map.writeTo(writer);
  writer.write(folder / "compact");
  writer.add("numbers", View<float>(numbers), ElementType::kFloat32);
  writer.add("none", View<float>(numbers.data(), 0), ElementType::kFloat32);
  writer.write(folder / "six_sections");
  const std::vector<std::uint8_t> reflectivity(map.size(), 130);
  writer.add(section::kReflectivity, View<std::uint8_t>(reflectivity), ElementType::kUint8);
  writer.write(folder / "seven_sections");
}

TEST(MapFileCorpus, ReadsOrRefusesEveryInput) {
  const char* source = std::getenv("MARSIM_TEST_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  const fs::path folder = fs::path(source) / "test/fuzz/corpus/map_file";
  if (std::getenv("MARSIM_WRITE_CORPUS") != nullptr) writeSeeds(folder);
  int inputs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string bytes = contentOf(entry.path());
    readMapFileInput(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    ++inputs;
  }
  EXPECT_GE(inputs, 3);
}

TEST(MapFileCorpus, SeedsAreOfThisFormat) {
  const char* source = std::getenv("MARSIM_TEST_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  const fs::path folder = fs::path(source) / "test/fuzz/corpus/map_file";
  EXPECT_EQ(MapFile::open(folder / "six_sections")->sections().size(), 6U);
  EXPECT_EQ(MapFile::open(folder / "seven_sections")->sections().size(), 7U);
  EXPECT_TRUE(MapFile::open(folder / "seven_sections")->has(section::kReflectivity));
}

}  // namespace
}  // namespace marsim::map
