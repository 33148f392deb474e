// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/import.hpp"
#include "map_tools/importer_parts.hpp"

namespace marsim::map_tools {
namespace {

using map::Colour;
using map::TestFolder;

Imported imported(const std::filesystem::path& path, double resolution = 0.05) {
  ImportConfig config;
  config.resolution = resolution;
  return importFiles({path}, config);
}

const std::string kSquare =
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "usemtl wall\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
const std::string kMaterial = "newmtl wall\nKd 0.2 0.4 0.6\nmap_Kd a.ppm\n";

class MeshColours : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  }
  TestFolder folder_;
};

TEST_F(MeshColours, AreThoseOfTheVertices) {
  const auto path = folder_.write(
      "a.obj", "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 1 0\nv 0 1 0 1 0 0\nf 1 2 3\nf 1 3 4\n");
  const map::PointCloud cloud = imported(path).cloud;
  ASSERT_EQ(cloud.colour.size(), cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const float x = cloud.points[i].x();
    ASSERT_NEAR(cloud.colour[i][0], 255.0F * (1.0F - x), 1.0F);
    ASSERT_NEAR(cloud.colour[i][1], 255.0F * x, 1.0F);
    ASSERT_EQ(cloud.colour[i][2], 0);
  }
}

// The third vertex has no colour, the last one an opacity as well.
TEST_F(MeshColours, StayWithTheirVertices) {
  const auto path = folder_.write("a.obj",
                                  "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0\nv 0 1 0 0 0 1 0.5\n"
                                  "f 1 2 3\nf 1 3 4\n");
  const Mesh mesh = readMesh(path);
  ASSERT_EQ(mesh.colours.size(), mesh.vertices.size());
  ASSERT_EQ(mesh.triangles.size(), 2U);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Eigen::Vector3d& p = mesh.vertices[i];
    const Colour expected = p.x() + p.y() == 0.0 ? Colour{255, 0, 0}
                            : p.y() == 0.0       ? Colour{0, 255, 0}
                            : p.x() == 0.0       ? Colour{0, 0, 255}
                                                 : Colour{128, 128, 128};
    EXPECT_EQ(mesh.colours[i], expected) << p.transpose();
  }
}

TEST_F(MeshColours, PathsMayHaveBackslashes) {
  if (!kHasTextures) GTEST_SKIP() << "built without libstb";
  std::filesystem::create_directories(folder_ / "parts/images");
  folder_.write("parts/a.mtl", "newmtl wall\nmap_Kd parts\\images\\a.ppm\n");
  folder_.write("parts/images/a.ppm", "P6\n1 1\n255\nabc");
  std::string square = kSquare;
  square.replace(square.find("a.mtl"), 5, "parts\\a.mtl");
  const Mesh mesh = readMesh(folder_.write("a.obj", square));
  EXPECT_TRUE(mesh.notes.empty());
  EXPECT_EQ(colourAt(mesh, 0, {0.5, 0.2, 0}), (Colour{'a', 'b', 'c'}));
}

TEST_F(MeshColours, VerticesHaveColoursOfAnyDepth) {
  for (const auto& [full, half] :
       {std::pair("1", "0.5"), std::pair("255", "128"), std::pair("65535", "32896")}) {
    std::string text;
    for (const char* place : {"0 0 0", "1 0 0", "1 1 0"}) {
      text += fmt::format("v {} {} {} 0\n", place, full, half);
    }
    for (const Colour& colour : imported(folder_.write("a.obj", text + "f 1 2 3\n")).cloud.colour) {
      ASSERT_EQ(colour, (Colour{255, 128, 0})) << full;
    }
  }
}

// Two by two pixels, the upper row first.
TEST_F(MeshColours, AreThoseOfTheTexture) {
  if (!kHasTextures) GTEST_SKIP() << "built without libstb";
  folder_.write("a.mtl", kMaterial);
  folder_.write("a.ppm", std::string("P6\n2 2\n255\n") + "\x01\x02\x03" + "\x11\x12\x13" +
                             "\x21\x22\x23" + "\x31\x32\x33");
  const Imported map = imported(folder_.write("a.obj", kSquare));
  ASSERT_EQ(map.cloud.colour.size(), map.cloud.size());
  for (std::size_t i = 0; i < map.cloud.size(); ++i) {
    const Eigen::Vector3f& p = map.cloud.points[i];
    if (std::abs(p.x() - 0.5F) < 1e-3F || std::abs(p.y() - 0.5F) < 1e-3F) continue;
    if (p.x() > 0.999F || p.y() > 0.999F) continue;  // begins anew there
    const int first = (p.y() > 0.5F ? 0x01 : 0x21) + (p.x() > 0.5F ? 0x10 : 0);
    ASSERT_EQ(int{map.cloud.colour[i][0]}, first) << p.transpose();
  }
}

TEST_F(MeshColours, AMissingTextureIsSaid) {
  folder_.write("a.mtl", kMaterial + "newmtl floor\nKd 1 0 0\n");
  const Imported map = imported(
      folder_.write("a.obj", kSquare + "usemtl floor\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 5 6 7\n"));
  ASSERT_EQ(map.cloud.colour.size(), map.cloud.size());
  for (std::size_t i = 0; i < map.cloud.size(); ++i) {
    ASSERT_EQ(map.cloud.colour[i],
              (map.cloud.points[i].z() > 1.0F ? Colour{255, 0, 0} : Colour{51, 102, 153}));
  }
  ASSERT_GE(map.files[0].notes.size(), 1U);
  EXPECT_NE(map.files[0].notes[0].find("warning: texture 'a.ppm'"), std::string::npos);
}

TEST_F(MeshColours, AMissingFileOfMaterialsIsSaid) {
  const Imported map = imported(folder_.write("b.obj", kSquare));
  EXPECT_FALSE(map.cloud.hasColour());
  ASSERT_GE(map.files[0].notes.size(), 1U);
  EXPECT_NE(map.files[0].notes[0].find("a.mtl: no such file"), std::string::npos);
}

TEST_F(MeshColours, ALongNameIsSaidInShort) {
  std::string square = kSquare;
  square.replace(square.find("a.mtl"), 5, std::string(60000, 'm') + ".mtl");
  const Imported map = imported(folder_.write("a.obj", square));
  ASSERT_GE(map.files[0].notes.size(), 1U);
  EXPECT_NE(map.files[0].notes[0].find("warning: materials are left out: "), std::string::npos);
  EXPECT_LT(map.files[0].notes[0].size(), 500U);
}

TEST_F(MeshColours, AreAbsentWhereTheFileHasNone) {
  const auto path = folder_.write("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  EXPECT_FALSE(imported(path).cloud.hasColour());
}

}  // namespace
}  // namespace marsim::map_tools
