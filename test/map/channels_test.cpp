// SPDX-License-Identifier: BSD-3-Clause
// Colours and classes on their way from files to the surfels of a map.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "map/cache/map_file.hpp"
#include "map/make/stream_voxels.hpp"
#include "map/map_file_bytes.hpp"
#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map {
namespace {

constexpr Colour kRed{200, 20, 30}, kGreen{10, 180, 60};

/// A floor of 4 m, red and road on the left, green and terrain on the right, and a little noise.
PointCloud paintedFloor(std::size_t count) {
  RandomStream random(7);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(0.0, 4.0), y = random.uniform(0.0, 4.0);
    cloud.points.push_back(Eigen::Vector3d(x, y, 0.005 * random.normal()).cast<float>());
    cloud.intensity.push_back(static_cast<float>(random.uniform(0.0, 255.0)));
    cloud.colour.push_back(x < 2.0 ? kRed : kGreen);
    cloud.classes.push_back(x < 2.0 ? semantic::kRoad : semantic::kTerrain);
    cloud.instances.push_back(x < 2.0 ? 0 : 40'000);
  }
  return cloud;
}

SurfelMap build(const PointCloud& cloud, Surface surface = Surface::kBlended) {
  SurfelMapConfig config;
  config.surface = surface;
  return SurfelMap::build(cloud, config);
}

void expectSame(const PointCloud& a, const PointCloud& b) {
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.intensity, b.intensity);
  EXPECT_EQ(a.colour, b.colour);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.instances, b.instances);
}

TEST(Channels, FollowThePaintOnTheMap) {
  for (const Surface surface : {Surface::kPaper, Surface::kBlended}) {
    const SurfelMap map = build(paintedFloor(40000), surface);
    const SurfelChannelViews& channels = map.channels();
    ASSERT_EQ(channels.colour.size(), map.size());
    ASSERT_EQ(channels.classes.size(), map.size());
    ASSERT_EQ(channels.instances.size(), map.size());
    const std::vector<Surfel> surfels = map.surfels();
    for (std::size_t i = 0; i < map.size(); ++i) {
      const float x = surfels[i].position.x();
      if (std::abs(x - 2.0F) < 0.1F) continue;
      ASSERT_EQ(channels.colour[i], x < 2.0F ? kRed : kGreen);
      ASSERT_EQ(channels.classes[i], x < 2.0F ? semantic::kRoad : semantic::kTerrain);
      ASSERT_EQ(channels.instances[i], x < 2.0F ? 0 : 40'000);
    }
  }
}

TEST(Channels, AVoxelHasTheMeanColourAndTheMostFrequentClass) {
  PointCloud cloud;
  const auto add = [&](float x, const Colour& colour, std::uint8_t number, std::uint16_t instance) {
    cloud.points.emplace_back(x, 0.05F, 0.05F);
    cloud.colour.push_back(colour);
    cloud.classes.push_back(number);
    cloud.instances.push_back(instance);
  };
  add(0.01F, {10, 0, 255}, 70, 8);
  add(0.02F, {11, 0, 255}, 50, 9);
  add(0.03F, {11, 0, 0}, 70, 8);
  add(0.11F, {1, 2, 3}, 81, 1);
  add(0.12F, {1, 2, 3}, 80, 7);  // a tie: the lower number
  add(0.21F, {1, 2, 3}, 10, 3);  // two cars and, twice, one tree: the class decides
  add(0.22F, {1, 2, 3}, 10, 4);
  add(0.23F, {1, 2, 3}, 10, 4);
  add(0.24F, {1, 2, 3}, 70, 2);
  add(0.25F, {1, 2, 3}, 70, 2);
  const PointCloud means = downsample(cloud, 0.1);
  ASSERT_EQ(means.size(), 3U);
  EXPECT_EQ(means.colour[0], (Colour{11, 0, 170}));
  EXPECT_EQ(means.classes, (std::vector<std::uint8_t>{70, 80, 10}));
  EXPECT_EQ(means.instances, (std::vector<std::uint16_t>{8, 7, 4}));
  EXPECT_EQ(means.colour[1], (Colour{1, 2, 3}));
}

TEST(Channels, ComeBackFromFiles) {
  const TestFolder folder;
  const PointCloud cloud = paintedFloor(70'000);  // more than a block
  for (const char* name : {"a.pcd", "a.ply"}) {
    saveCloud(folder / name, cloud);
    expectSame(loadQuietly(folder / name).cloud, cloud);
  }
  PointCloud bare = cloud;
  bare.intensity.clear();
  bare.classes.clear();
  bare.instances.clear();
  saveCloud(folder / "b.pcd", bare);
  const PointCloud read = loadQuietly(folder / "b.pcd").cloud;
  EXPECT_EQ(read.colour, cloud.colour);
  EXPECT_FALSE(read.hasClasses());
  ASSERT_TRUE(read.hasIntensity()) << "the luma";
  const auto [red, green, blue] = cloud.colour[0];
  EXPECT_NEAR(read.intensity[0], 0.2126F * red + 0.7152F * green + 0.0722F * blue, 0.01F);
  bare.colour.pop_back();
  EXPECT_THROW(saveCloud(folder / "c.pcd", bare), Error);
}

// As PCL names and packs them, and as other programs write labels.
TEST(Channels, AreReadByTheirNames) {
  const TestFolder folder;
  const auto path = folder.write(
      "a.pcd",
      "FIELDS x y z rgb label\nSIZE 4 4 4 4 4\nTYPE F F F U U\nWIDTH 5\nHEIGHT 1\nDATA ascii\n"
      "0 0 0 16711935 10\n1 0 0 256 65546\n2 0 0 0 252\n3 0 0 0 259\n4 0 0 0 300\n");
  const PointCloud cloud = loadQuietly(path).cloud;
  EXPECT_EQ(cloud.colour[0], (Colour{255, 0, 255}));
  EXPECT_EQ(cloud.colour[1], (Colour{0, 1, 0}));
  EXPECT_EQ(cloud.instances, (std::vector<std::uint16_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(cloud.classes, (std::vector<std::uint8_t>{10, 10, 252, 20, 0}))
      << "an instance above 16 bits is left away, what moves is taken at rest";
  for (const char* name : {"class", "classification", "scalar_Classification", "semantic"}) {
    const auto ply = folder.write(
        "a.ply", fmt::format("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                             "property float y\nproperty float z\nproperty uchar {}\nend_header\n"
                             "0 0 0 72\n",
                             name));
    EXPECT_EQ(loadQuietly(ply).cloud.classes, std::vector<std::uint8_t>{72}) << name;
  }
  // The layout `labelled`: its label is 4294967295 on the map.
  for (const char* fields : {"label class", "class label"}) {
    const bool label_first = fields[0] == 'l';
    const auto labelled = folder.write(
        "b.pcd", fmt::format("FIELDS x y z {}\nSIZE 4 4 4 4 4\nTYPE F F F U U\nWIDTH 1\nHEIGHT 1\n"
                             "DATA ascii\n0 0 0 {}\n",
                             fields, label_first ? "4294967295 72" : "72 4294967295"));
    EXPECT_EQ(loadQuietly(labelled).cloud.classes, std::vector<std::uint8_t>{72}) << fields;
  }
}

// PCL's names; far away the vectors to the sensor keep their precision.
TEST(Channels, PlacesOfTheSensorAreReadAndWritten) {
  const TestFolder folder;
  const auto path = folder.write(
      "a.pcd",
      "FIELDS x y z vp_x vp_y vp_z\nSIZE 8 8 8 8 8 8\nTYPE F F F F F F\nWIDTH 3\nHEIGHT 1\n"
      "DATA ascii\n4500000.5 1 2 4500000.25 4 2.5\n4500001 0 0 nan 0 0\n4500002 0 0 inf 0 0\n");
  const PointCloud cloud = loadQuietly(path).cloud;
  EXPECT_EQ(cloud.to_sensor, (std::vector<Offset>{{-0.25F, 3.0F, 0.5F}, {}, {}}));
  for (const char* name : {"b.pcd", "b.ply"}) {
    saveCloud(folder / name, cloud);
    EXPECT_EQ(loadQuietly(folder / name).cloud.to_sensor, cloud.to_sensor);
  }
  const PointCloud means = downsample(cloud, 10.0);
  ASSERT_EQ(means.size(), 1U);
  EXPECT_EQ(means.to_sensor, std::vector<Offset>{cloud.to_sensor[0]}) << "that of one point";
  MapSource source;
  EXPECT_TRUE(streamVoxels(path, 10.0, source, Progress::none()).to_sensor.empty());
  EXPECT_TRUE(source.has_beams);
  PointCloud unknown = cloud;
  unknown.to_sensor.assign(3, {});
  dropSilentChannels(unknown);
  EXPECT_TRUE(unknown.to_sensor.empty());
  PointCloud turned = cloud;
  turnOffsets(Eigen::AngleAxisd(kPi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
              turned.to_sensor);
  EXPECT_NEAR(turned.to_sensor[0][0], -3.0F, 1e-6F);
  EXPECT_NEAR(turned.to_sensor[0][1], -0.25F, 1e-6F);
}

TEST(Channels, StreamAsTheyAreInMemory) {
  const TestFolder folder;
  const PointCloud cloud = paintedFloor(60'000);
  saveCloud(folder / "a.pcd", cloud);
  for (const std::size_t budget : {std::size_t{1} << 30, std::size_t{200'000}}) {
    MapSource source;
    expectSame(streamVoxels(folder / "a.pcd", 0.1, source, Progress::none(), {budget, 1}),
               downsample(cloud, 0.1));
  }
}

TEST(Channels, AreKeptInTheCacheWithTheSameBytesForAnyNumberOfThreads) {
  const TestFolder folder;
  savePcd(folder / "a.pcd", paintedFloor(100'000));
  const auto load = [&](const std::string& cache) {
    MapLoading loading;
    loading.folder = folder / cache;
    loading.report = [](const std::string& line) { ADD_FAILURE() << line; };
    return loadSurfelMap(folder / "a.pcd", {}, Progress::none(), loading);
  };
  std::vector<std::string> files;
  for (const std::size_t threads : {1U, 5U}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    files.push_back(contentOf(load(fmt::format("cache{}", threads)).map->file()->name()));
  }
  EXPECT_EQ(files[0], files[1]);
  const LoadedMap again = load("cache1");
  EXPECT_TRUE(again.from_cache);
  const SurfelMap expected = build(paintedFloor(100'000));
  const auto same = [](const auto& a, const auto& b) {
    return a.size() == b.size() && !a.empty() && std::equal(a.begin(), a.end(), b.begin());
  };
  EXPECT_TRUE(same(again.map->channels().colour, expected.channels().colour));
  EXPECT_TRUE(same(again.map->channels().classes, expected.channels().classes));
  EXPECT_TRUE(same(again.map->channels().instances, expected.channels().instances));
}

TEST(Channels, ChannelsWithoutInformationAreLeftOut) {
  PointCloud cloud = paintedFloor(20'000);
  std::fill(cloud.colour.begin(), cloud.colour.end(), Colour{0, 0, 0});
  std::fill(cloud.classes.begin(), cloud.classes.end(), std::uint8_t{0});
  EXPECT_TRUE(build(cloud).channels().colour.empty());
  EXPECT_TRUE(build(cloud).channels().classes.empty());
  std::fill(cloud.classes.begin(), cloud.classes.end(), semantic::kRoad);
  EXPECT_FALSE(build(cloud).channels().classes.empty()) << "one class says something";
}

TEST(Channels, AnotherNumberThanTheSurfelsIsRefused) {
  const TestFolder folder;
  PointCloud cloud = paintedFloor(2000);
  cloud.colour.clear();
  cloud.classes.clear();
  const SurfelMap map = build(cloud);
  for (const auto& [name, element] :
       {std::pair(section::kColour, 3), std::pair(section::kClass, 1)}) {
    const std::vector<std::uint8_t> bytes(3 * map.size());
    MapFileWriter writer({1, 2});
    map.writeTo(writer);
    writer.add({std::string(name), ElementType::kUint8, static_cast<std::size_t>(element),
                map.size() - 1, bytes.data()});
    writer.write(folder / "a.surfels");
    try {
      SurfelMap::fromFile(MapFile::open(folder / "a.surfels"), {});
      FAIL();
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("section {} for", name)),
                std::string::npos);
    }
  }
  SurfelSet set;
  set.surfels = map.surfels();
  set.channels.colour = {kRed};
  EXPECT_THROW(SurfelMap::of(set, {}), Error);
}

/// A PLY with colours of this type, in text or binary.
std::string colouredPly(const char* type, const std::vector<std::array<double, 3>>& colours,
                        bool is_text) {
  std::string bytes = fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\nproperty {} red\nproperty {} green\nproperty {} blue\nend_header\n",
      is_text ? "ascii" : "binary_little_endian", colours.size(), type, type, type);
  const std::string_view name(type);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto& [r, g, b] = colours[i];
    if (is_text) bytes += fmt::format("{} 0 0 {} {} {}\n", i, r, g, b);
    if (is_text) continue;
    bytes += bytesOf(static_cast<float>(i)) + bytesOf(0.0F) + bytesOf(0.0F);
    for (const double shade : colours[i]) {
      bytes += name == "float"    ? bytesOf(static_cast<float>(shade))
               : name == "ushort" ? bytesOf(static_cast<std::uint16_t>(shade))
                                  : bytesOf(static_cast<std::uint8_t>(shade));
    }
  }
  return bytes;
}

TEST(Channels, ColoursAreScaledByTypeAndTheLargest) {
  const TestFolder folder;
  struct Case {
    const char* type;
    std::array<double, 3> shades;
    Colour colour;
  };
  for (const Case& known :
       {Case{"uchar", {255, 128, 64}, {255, 128, 64}}, Case{"uchar", {1, 1, 0}, {1, 1, 0}},
        Case{"float", {1, 0.5, 0.25}, {255, 128, 64}},
        Case{"float", {255, 128, 64}, {255, 128, 64}},
        Case{"ushort", {65535, 32896, 16448}, {255, 128, 64}},
        Case{"ushort", {65280, 32768, 16384}, {255, 128, 64}},
        Case{"ushort", {255, 128, 64}, {255, 128, 64}}, Case{"ushort", {1, 1, 0}, {1, 1, 0}}}) {
    for (const bool is_text : {true, false}) {
      const auto path = folder.write("a.ply", colouredPly(known.type, {known.shades}, is_text));
      EXPECT_EQ(loadQuietly(path).cloud.colour, std::vector<Colour>{known.colour})
          << known.type << " " << known.shades[0];
    }
  }
}

TEST(Channels, ColoursAreJudgedByTheWholeFile) {
  const TestFolder folder;
  std::vector<std::array<double, 3>> shades(70'000, {0.5, 0.5, 0.5});  // more than a block
  shades.back() = {200, 100, 50};
  const PointCloud cloud =
      loadQuietly(folder.write("a.ply", colouredPly("float", shades, false))).cloud;
  EXPECT_EQ(cloud.colour.front(), (Colour{1, 1, 1}));
  EXPECT_EQ(cloud.colour.back(), (Colour{200, 100, 50}));
}

// Opaque colours as a float are not numbers either, but have other bits.
TEST(Channels, PackedColoursThatAreNoNumberAreNone) {
  const TestFolder folder;
  const auto head = [](char type, const char* data) {
    return fmt::format(
        "FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F {}\nWIDTH 4\nHEIGHT 1\nDATA {}\n", type, data);
  };
  std::string points;
  for (const std::uint32_t bits : {0x7FC00000U, 0xFFC00000U, 0xFF808182U, 0xFFC00001U}) {
    points +=
        bytesOf(static_cast<float>(points.size())) + bytesOf(0.0F) + bytesOf(0.0F) + bytesOf(bits);
  }
  EXPECT_EQ(loadQuietly(folder.write("a.pcd", head('F', "binary") + points)).cloud.colour,
            (std::vector<Colour>{{0, 0, 0}, {192, 0, 0}, {128, 129, 130}, {192, 0, 1}}));
  EXPECT_EQ(loadQuietly(folder.write("b.pcd", head('U', "binary") + points)).cloud.colour[0],
            (Colour{192, 0, 0}));
  EXPECT_EQ(loadQuietly(folder.write("c.pcd", head('F', "ascii") + "0 0 0 nan\n1 0 0 0\n2 0 0 "
                                                                   "2.3509528e-38\n3 0 0 -nan\n"))
                .cloud.colour,
            (std::vector<Colour>{{0, 0, 0}, {0, 0, 0}, {255, 255, 0}, {0, 0, 0}}));
}

}  // namespace
}  // namespace marsim::map
