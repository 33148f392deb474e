// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/import.hpp"
#include "map_tools/importer_parts.hpp"
#include "map_tools/mesh_sampling.hpp"
#include "marsim/geometry/kd_tree.hpp"

namespace marsim::map_tools {
namespace {

// Every file below holds one rectangle, 4 m along x, 3 m along y, at z = 1: 12 m2, two triangles.
// glTF and DAE are y-up by default and hold it so.

const std::string kObj = "v 0 0 1\nv 4 0 1\nv 4 3 1\nv 0 3 1\nf 1 2 3\nf 1 3 4\n";
const std::string kOff = "OFF\n4 2 0\n0 0 1\n4 0 1\n4 3 1\n0 3 1\n3 0 1 2\n3 0 2 3\n";
const std::string kPly =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 1\n4 0 1\n4 3 1\n0 3 1\n3 0 1 2\n3 0 2 3\n";
const std::string kAsciiStl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 4 0 1\nvertex 4 3 1\nendloop\n"
    "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 4 3 1\nvertex 0 3 1\nendloop\n"
    "endfacet\nendsolid a\n";

std::string binaryStl(const std::vector<std::array<float, 9>>& triangles) {
  std::string bytes(80, ' ');
  bytes += map::bytesOf(static_cast<std::uint32_t>(triangles.size()));
  for (const auto& triangle : triangles) {
    for (const float value : {0.0F, 0.0F, 1.0F}) bytes += map::bytesOf(value);
    for (const float value : triangle) bytes += map::bytesOf(value);
    bytes += std::string(2, '\0');
  }
  return bytes;
}

const std::array<float, 9> kFirst{0, 0, 1, 4, 0, 1, 4, 3, 1}, kSecond{0, 0, 1, 4, 3, 1, 0, 3, 1};

// The rectangle as `positions` in the file's axes and unit.
std::string dae(const std::string& asset, const std::string& positions) {
  return fmt::format(
      R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{}</asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">{}</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)",
      asset, positions);
}

const char* const kYUp = "0 1 0 4 1 0 4 1 -3 0 1 -3";

// glTF 2.0 with its numbers in a file beside it.
std::filesystem::path writeGltf(const map::TestFolder& folder) {
  std::string bytes;
  for (const float value : {0.F, 1.F, 0.F, 4.F, 1.F, 0.F, 4.F, 1.F, -3.F, 0.F, 1.F, -3.F}) {
    bytes += map::bytesOf(value);
  }
  for (const std::uint16_t index : {0, 1, 2, 0, 2, 3}) bytes += map::bytesOf(index);
  folder.write("r.bin", bytes);
  return folder.write("r.gltf", R"({"asset": {"version": "2.0"}, "scene": 0,
 "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "buffers": [{"uri": "r.bin", "byteLength": 60}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
                 {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                "min": [0, 1, -3], "max": [4, 1, 0]},
               {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}]})");
}

Imported imported(const std::filesystem::path& path, const ImportConfig& config) {
  return importFiles({path}, config);
}

ImportConfig at(double resolution) {
  ImportConfig config;
  config.resolution = resolution;
  return config;
}

void expectRectangle(const Imported& map) {
  ASSERT_EQ(map.files.size(), 1U);
  EXPECT_EQ(map.files[0].kind, "mesh of 2 triangles, 12 m2");
  EXPECT_TRUE(map.files[0].box.min().isApprox(Eigen::Vector3d(0, 0, 1), 0.1));
  EXPECT_TRUE(map.files[0].box.max().isApprox(Eigen::Vector3d(4, 3, 1), 0.1));
  for (const Eigen::Vector3f& p : map.cloud.points) {
    EXPECT_NEAR(p.z(), 1.0, 1e-5);
    EXPECT_TRUE(p.x() > -1e-5 && p.x() < 4.00001 && p.y() > -1e-5 && p.y() < 3.00001);
  }
  EXPECT_NEAR(static_cast<double>(map.cloud.size()), 12.0 * 0.65 / (0.06 * 0.06), 250.0);
}

std::string importError(const std::filesystem::path& path, const ImportConfig& config) {
  try {
    imported(path, config);
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "no error";
}

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  }
  map::TestFolder folder_;
};

TEST_F(MeshFile, EveryFormatIsRead) {
  for (const auto& [name, text] :
       {std::pair("r.obj", kObj), std::pair("r.off", kOff), std::pair("r.ply", kPly),
        std::pair("ascii.stl", kAsciiStl), std::pair("r.stl", binaryStl({kFirst, kSecond}))}) {
    SCOPED_TRACE(name);
    expectRectangle(imported(folder_.write(name, text), at(0.1)));
  }
  SCOPED_TRACE("glTF");
  expectRectangle(imported(writeGltf(folder_), at(0.1)));
}

TEST_F(MeshFile, IndentedLinesAreRead) {
  const std::string obj =
      "g a\n  v 0 0 1\n\tv 4 0 1\n v 4 3 1 1\n v 0 3 1\n\n  f 1 2 3\n\tf 1 3 4\n";
  expectRectangle(imported(folder_.write("indented.obj", obj), at(0.1)));
  const std::string coloured = "  v 0 0 1 1 0 0\n v 4 0 1\n v 4 3 1 0 0 1\n";
  const Imported map = imported(folder_.write("cloud.obj", coloured), ImportConfig());
  ASSERT_EQ(map.cloud.colour.size(), 3U);
  EXPECT_EQ(map.cloud.colour[2], (map::Colour{0, 0, 255}));
}

TEST_F(MeshFile, ColladaUpAxisAndUnitAreHonoured) {
  expectRectangle(imported(folder_.write("default.dae", dae("", kYUp)), at(0.1)));
  expectRectangle(imported(folder_.write("y.dae", dae("<up_axis>Y_UP</up_axis>", kYUp)), at(0.1)));
  expectRectangle(imported(
      folder_.write("z.dae", dae("<up_axis>Z_UP</up_axis>", "0 0 1 4 0 1 4 3 1 0 3 1")), at(0.1)));
  expectRectangle(imported(
      folder_.write("x.dae", dae("<up_axis>X_UP</up_axis>", "1 0 0 1 -4 0 1 -4 -3 1 0 -3")),
      at(0.1)));
  expectRectangle(
      imported(folder_.write("cm.dae",
                             dae(R"(<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis>)",
                                 "0 0 100 400 0 100 400 300 100 0 300 100")),
               at(0.1)));
  expectRectangle(imported(
      folder_.write("late.dae", dae("<unit name = \"centimeter\"\n meter = '0.01' />" +
                                        std::string(20000, ' ') + "<up_axis> Z_UP </up_axis>",
                                    "0 0 100 400 0 100 400 300 100 0 300 100")),
      at(0.1)));
  EXPECT_NE(importError(folder_.write("a.dae", dae(R"(<unit meter="-1"/>)", kYUp)), at(0.1))
                .find("has a unit of -1 m, allowed: > 0"),
            std::string::npos);
}

TEST_F(MeshFile, VerticesAloneArePoints) {
  const std::string vertices = "v 0 0 1 1 0 0\nv 4 0 1 0 1 0\nv 4 3 1\nv 0 3 1 0 0 1\n";
  const Imported map = imported(folder_.write("cloud.obj", vertices), ImportConfig());
  EXPECT_EQ(map.files[0].kind, "points");
  ASSERT_EQ(map.cloud.size(), 4U);
  EXPECT_EQ(map.cloud.points[1], Eigen::Vector3f(4, 0, 1));
  ASSERT_EQ(map.cloud.colour.size(), 4U);
  EXPECT_EQ(map.cloud.colour[3], (map::Colour{0, 0, 255}));
  EXPECT_EQ(imported(folder_ / "cloud.obj", at(5.0)).cloud.size(), 1U);
  EXPECT_NE(importError(folder_.write("lines.obj", vertices + "l 1 2\nl 3 4\n"), at(0.1))
                .find("no triangle with an area"),
            std::string::npos);
}

TEST_F(MeshFile, ScaleAndUpAxisCanBeSaid) {
  const std::string millimetres =
      "v 0 1000 0\nv 4000 1000 0\nv 4000 1000 -3000\nv 0 1000 -3000\n"
      "f 1 2 3 4\n";
  ImportConfig config = at(0.1);
  config.scale = 0.001;
  config.up = UpAxis::kY;
  expectRectangle(imported(folder_.write("mm.obj", millimetres), config));
  EXPECT_NE(importError(folder_.write("mm.obj", millimetres), at(0.001)).find("--scale 0.001"),
            std::string::npos);
}

TEST_F(MeshFile, TrianglesWithoutAreaOrWithNaNAreDroppedAndCounted) {
  const float nan = std::nanf("");
  const std::string bytes =
      binaryStl({kFirst, kSecond, {1, 1, 1, 1, 1, 1, 2, 2, 2}, {nan, 0, 0, 1, 0, 0, 0, 1, 0}});
  const Imported map = imported(folder_.write("bad.stl", bytes), at(0.1));
  expectRectangle(map);
  ASSERT_EQ(map.files[0].notes.size(), 1U);
  EXPECT_EQ(map.files[0].notes[0],
            "warning: 1 triangles dropped whose corners are not finite, 1 without area");
  EXPECT_NE(
      importError(folder_.write("none.stl", binaryStl({{1, 1, 1, 1, 1, 1, 2, 2, 2}})), at(0.1))
          .find("no triangle with an area"),
      std::string::npos);
}

TEST_F(MeshFile, BrokenFilesAreRefused) {
  const std::string stl = binaryStl({kFirst, kSecond});
  EXPECT_NE(importError(folder_.write("cut.stl", stl.substr(0, stl.size() - 30)), at(0.1))
                .find("partly written: it holds 1 of 2 triangles"),
            std::string::npos);
  EXPECT_NE(importError(folder_.write("cut2.stl", kAsciiStl.substr(0, 150)), at(0.1))
                .find("does not end with endsolid"),
            std::string::npos);
  for (const char* name : {"e.obj", "e.off", "e.stl", "e.dae", "e.gltf", "e.glb"}) {
    EXPECT_NE(importError(folder_.write(name, ""), at(0.1)).find("is empty"), std::string::npos);
  }
  for (const auto& [name, text] :
       {std::pair("cut.off", kOff.substr(0, 30)), std::pair("cut.ply", kPly.substr(0, 190)),
        std::pair("cut.dae", dae("", kYUp).substr(0, 600)),
        std::pair("text.gltf", std::string("no mesh")),
        std::pair("text.obj", std::string("x\n"))}) {
    const std::string error = importError(folder_.write(name, text), at(0.1));
    EXPECT_NE(error.find(name), std::string::npos) << name << ": " << error;
  }
  EXPECT_NE(importError(folder_.write("r.obj", kObj), ImportConfig()).find("--resolution"),
            std::string::npos);
}

// The last line of an OFF file is as good without its last digits; OBJ does not say how long it is,
// and its second face may as well not be there.
TEST_F(MeshFile, CutOffAndObjAreRefused) {
  const auto said = [&](const char* name, const std::string& text) {
    return importError(folder_.write(name, text), at(0.1));
  };
  const std::string comment = "# by hand\n";
  for (std::size_t size = 1; size + 2 < kOff.size(); size += 3) {
    const std::string error = said("cut.off", comment + kOff.substr(0, size));
    EXPECT_NE(error.find("cut.off: is "), std::string::npos) << size << ": " << error;
  }
  EXPECT_NE(said("cut.off", kOff.substr(0, 43)).find("partly written: it holds 1 of 2 faces"),
            std::string::npos);
  EXPECT_NE(said("cut.off", "COFF 4 2 0\n0 0 1 9 9 9\n").find("it holds 1 of 4 vertices"),
            std::string::npos);
  EXPECT_NE(said("cut.obj", kObj.substr(0, kObj.size() - 3)).find("its last line is 'f 1 3'"),
            std::string::npos);
  EXPECT_NE(said("cut.obj", kObj + "v 1 2").find("its last line is 'v 1 2'"), std::string::npos);
}

TEST_F(MeshFile, CutPlyIsRefusedWhereverItEnds) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";
  const std::size_t header = bytes.size();
  for (const float value : {0.F, 0.F, 1.F, 4.F, 0.F, 1.F, 4.F, 3.F, 1.F, 0.F, 3.F, 1.F}) {
    bytes += map::bytesOf(value);
  }
  for (const auto& face : {std::array<int, 3>{0, 1, 2}, std::array<int, 3>{0, 2, 3}}) {
    bytes.push_back(3);
    for (const int index : face) bytes += map::bytesOf(index);
  }
  expectRectangle(imported(folder_.write("whole.ply", bytes), at(0.1)));
  for (std::size_t size = header; size < bytes.size(); size += 5) {
    const std::string error = importError(folder_.write("cut.ply", bytes.substr(0, size)), at(0.1));
    EXPECT_NE(error.find("cut.ply"), std::string::npos) << size << ": " << error;
  }
}

TEST_F(MeshFile, RealGardenIsOneSurfaceInThreeFormats) {
  if (map::realDataFolder().empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const std::filesystem::path folder = map::realDataFolder() / "mesh";
  constexpr double kResolution = 0.05;
  const Imported reference = imported(folder / "botanical_garden_gazebo.ply", at(kResolution));
  const KdTree tree(reference.cloud.points);
  for (const char* extension : {".stl", ".dae"}) {
    ImportConfig config = at(kResolution);
    config.seed = 2;
    config.up = UpAxis::kZ;  // the DAE says Y_UP and is not
    const Imported other =
        imported(folder / (std::string("botanical_garden_gazebo") + extension), config);
    EXPECT_NEAR(static_cast<double>(other.cloud.size()),
                static_cast<double>(reference.cloud.size()),
                0.02 * static_cast<double>(reference.cloud.size()));
    float farthest = 0.0F;
    for (const Eigen::Vector3f& p : other.cloud.points) {
      farthest = std::max(farthest, tree.nearest(p).distance);
    }
    EXPECT_LT(farthest, kResolution) << extension;
  }
  const Imported as_said = imported(folder / "botanical_garden_gazebo.dae", at(kResolution));
  ASSERT_FALSE(as_said.files[0].notes.empty());
  EXPECT_NE(as_said.files[0].notes.back().find("--up z"), std::string::npos);
}

TEST_F(MeshFile, RealMineIsYUpWhateverItSays) {
  if (map::realDataFolder().empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const std::filesystem::path path = map::realDataFolder() / "mesh/edgar_mine.dae";
  const Imported as_said = imported(path, at(0.5));
  ASSERT_FALSE(as_said.files[0].notes.empty());
  EXPECT_NE(as_said.files[0].notes.back().find("--up y"), std::string::npos);
  ImportConfig config = at(0.5);
  config.up = UpAxis::kY;
  const Imported right = imported(path, config);
  EXPECT_TRUE(right.files[0].box.sizes().isApprox(Eigen::Vector3d(288, 507, 6.6), 0.01))
      << right.files[0].box.sizes().transpose();
  EXPECT_EQ(upHint(right.files[0].box), "");
}

}  // namespace
}  // namespace marsim::map_tools
