// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/importer_parts.hpp"
#include "map_tools/mesh_sampling.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

using map::bytesOf;
using map::Colour;

Mesh meshOf(const std::filesystem::path& path) { return readMesh(path); }

std::string errorOf(const std::filesystem::path& path) {
  try {
    meshOf(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kCorners = "property list uchar int vertex_indices\n";

std::string headed(const std::string& format, const std::string& elements) {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n";
}

/// Reversed bytes on demand.
template <class T>
std::string number(T value, bool reversed) {
  const std::string bytes = bytesOf(value);
  return reversed ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

class PlyMesh : public testing::Test {
 protected:
  map::TestFolder folder_;
};

// Bytes that are white space in text begin the data of one in 64 binary files.
TEST_F(PlyMesh, DataMayBeginWithAnyByte) {
  const std::string elements = "element vertex 3\n" + kXyz + "element face 1\n" + kCorners;
  for (const bool big_endian : {false, true}) {
    for (const unsigned char first : {0x00, 0x0a, 0x0d, 0x20, 0x09}) {
      std::string data;
      for (const float value : {0.F, 0.F, 0.F, 4.F, 0.F, 0.F, 0.F, 2.F, 0.F}) {
        data += number(value, big_endian);
      }
      data[0] = static_cast<char>(first);  // of x: at most 2.7e-33 m, or 3 m for 0x20
      data += '\3';
      for (const int index : {0, 1, 2}) data += number(index, big_endian);
      const char* format = big_endian ? "binary_big_endian" : "binary_little_endian";
      const Mesh mesh = meshOf(folder_.write("a.ply", headed(format, elements) + data));
      ASSERT_EQ(mesh.triangles.size(), 1U) << int{first};
      EXPECT_NEAR(mesh.vertices[0].x(), 0.0, 1e-18) << int{first};
      EXPECT_NEAR(areaOf(mesh), 4.0, 1e-6) << int{first};
    }
  }
}

TEST_F(PlyMesh, ElementsMayComeInAnyOrder) {
  const Mesh mesh = meshOf(folder_.write(
      "a.ply", headed("ascii",
                      "element nothing 18446744073709551615\nelement face 1\n"
                      "property uchar flags\n" +
                          kCorners + "property list int float other\nelement edge 1\n" +
                          "property int a\nelement vertex 3\nproperty int id\n" + kXyz) +
                   "7 3 2 1 0 2 0.5 0.5\n9\n1 0 0 1\n2 4 0 1\n3 4 3 1\n"));
  ASSERT_EQ(mesh.triangles.size(), 1U);
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{2, 1, 0}));
  EXPECT_EQ(mesh.vertices[2], Eigen::Vector3d(4, 3, 1));
}

// Areas by hand: an arrow's head with a notch, an L, a square of which one corner lies on an edge.
TEST_F(PlyMesh, PolygonsNeedNotBeConvex) {
  const auto area = [&](int count, const std::string& vertices) {
    std::string face = std::to_string(count);
    for (int i = 0; i < count; ++i) face += " " + std::to_string(i);
    const std::string elements =
        fmt::format("element vertex {}\n{}element face 1\n{}", count, kXyz, kCorners);
    const Mesh mesh =
        meshOf(folder_.write("a.ply", headed("ascii", elements) + vertices + face + "\n"));
    EXPECT_LE(mesh.triangles.size(), static_cast<std::size_t>(count - 2));
    return areaOf(mesh);
  };
  EXPECT_NEAR(area(4, "0 0 5\n4 2 5\n0 4 5\n1 2 5\n"), 6.0, 1e-9);
  EXPECT_NEAR(area(4, "1 2 5\n0 0 5\n4 2 5\n0 4 5\n"), 6.0, 1e-9);
  EXPECT_NEAR(area(4, "4 2 5\n0 4 5\n1 2 5\n0 0 5\n"), 6.0, 1e-9);
  EXPECT_NEAR(area(6, "0 0 0\n0 0 3\n0 1 3\n0 1 1\n0 3 1\n0 3 0\n"), 5.0, 1e-9);
  EXPECT_NEAR(area(5, "0 0 0\n2 0 0\n4 0 0\n4 4 0\n0 4 0\n"), 16.0, 1e-9);
}

// Two strips: a zigzag of four triangles along 2 x 1 m and one triangle.
TEST_F(PlyMesh, StripsAreTriangles) {
  const Mesh mesh = meshOf(folder_.write(
      "a.ply", headed("ascii", "element vertex 6\n" + kXyz +
                                   "element tristrips 1\nproperty list int int vertex_indices\n") +
                   "0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n2 1 0\n10 0 1 2 3 4 5 -1 0 2 1\n"));
  ASSERT_EQ(mesh.triangles.size(), 5U);
  EXPECT_NEAR(areaOf(mesh), 2.0 + 0.5, 1e-9);
  const auto normal = [&](std::size_t i) {
    const std::array<std::uint32_t, 3>& t = mesh.triangles[i];
    return (mesh.vertices[t[1]] - mesh.vertices[t[0]])
        .cross(mesh.vertices[t[2]] - mesh.vertices[t[0]])
        .normalized();
  };
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(normal(i).z(), -1.0) << i;
  EXPECT_EQ(normal(4).z(), 1.0);
}

TEST_F(PlyMesh, VerticesHaveColours) {
  const std::string colours = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  const Mesh mesh =
      meshOf(folder_.write("a.ply", headed("ascii", "element vertex 3\n" + kXyz + colours +
                                                        "element face 1\n" + kCorners) +
                                        "0 0 0 1 2 3\n1 0 0 4 5 6\n0 1 0 7 8 255\n3 0 1 2\n"));
  EXPECT_EQ(mesh.colours, (std::vector<Colour>{{1, 2, 3}, {4, 5, 6}, {7, 8, 255}}));
}

TEST_F(PlyMesh, ColoursAreOfAnyDepth) {
  for (const auto& [type, full, half] :
       {std::tuple("float", "1", "0.5"), std::tuple("ushort", "65535", "32896")}) {
    std::string colours, data;
    for (const char* name : {"red", "green", "blue"}) {
      colours += fmt::format("property {} {}\n", type, name);
    }
    for (const char* at : {"0 0 0", "1 0 0", "0 1 0"}) {
      data += fmt::format("{} {} {} 0\n", at, full, half);
    }
    const std::string elements =
        "element vertex 3\n" + kXyz + colours + "element face 1\n" + kCorners;
    const Mesh mesh =
        meshOf(folder_.write("a.ply", headed("ascii", elements) + data + "3 0 1 2\n"));
    EXPECT_EQ(mesh.colours, std::vector<Colour>(3, Colour{255, 128, 0})) << type;
  }
}

// Opaque colours as a float have the bits of signalling NaNs.
TEST_F(PlyMesh, ColoursMayBePackedInAFloat) {
  const std::string elements = "element vertex 3\nproperty list uchar int other\n" + kXyz +
                               "property float rgb\nelement face 1\n" + kCorners;
  for (const bool big_endian : {false, true}) {
    std::string data;
    for (const auto& [x, y, bits] :
         {std::tuple(0.F, 0.F, 0xFF808182U), {4.F, 0.F, 0xFFC00000U}, {4.F, 2.F, 0x7FC00000U}}) {
      data += '\0' + number(x, big_endian) + number(y, big_endian) + number(0.F, big_endian) +
              number(bits, big_endian);
    }
    data += '\3';
    for (const int index : {0, 1, 2}) data += number(index, big_endian);
    const char* format = big_endian ? "binary_big_endian" : "binary_little_endian";
    const Mesh mesh = meshOf(folder_.write("a.ply", headed(format, elements) + data));
    EXPECT_EQ(mesh.colours, (std::vector<Colour>{{128, 129, 130}, {192, 0, 0}, {0, 0, 0}}));
  }
  const Mesh text = meshOf(folder_.write("a.ply", headed("ascii", elements) +
                                                      "0 0 0 0 -nan\n0 4 0 0 2.3509528e-38\n"
                                                      "0 4 2 0 nan\n3 0 1 2\n"));
  EXPECT_EQ(text.colours, (std::vector<Colour>{{0, 0, 0}, {255, 255, 0}, {0, 0, 0}}));
}

// Two images of one pixel; the second face's corners have places of their own.
TEST_F(PlyMesh, FacesHaveTextures) {
  if (!kHasTextures) GTEST_SKIP() << "built without libstb";
  folder_.write("one.ppm", "P6\n1 1\n255\nabc");
  folder_.write("the other.ppm", "P6\n2 1\n255\nABCDEF");
  const Mesh mesh = meshOf(folder_.write(
      "a.ply", headed("ascii",
                      "comment TextureFile one.ppm\ncomment TextureFile the other.ppm\n"
                      "element vertex 4\n" +
                          kXyz + "element face 2\n" + kCorners +
                          "property list uchar float texcoord\nproperty int texnumber\n") +
                   "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1 0\n"
                   "3 0 2 3 6 0.9 0.5 0.9 0.5 0.6 0.5 1\n"));
  ASSERT_EQ(mesh.triangles.size(), 2U);
  EXPECT_EQ(colourAt(mesh, 0, {0.6, 0.2, 0}), (Colour{'a', 'b', 'c'}));
  EXPECT_EQ(colourAt(mesh, 1, {0.2, 0.6, 0}), (Colour{'D', 'E', 'F'}));
  EXPECT_TRUE(mesh.notes.empty());
}

TEST_F(PlyMesh, VerticesHavePlacesOnATexture) {
  if (!kHasTextures) GTEST_SKIP() << "built without libstb";
  folder_.write("a.ppm", "P6\n2 1\n255\nabcABC");
  const std::string elements = "comment TextureFile a.ppm\nelement vertex 3\n" + kXyz +
                               "property float s\nproperty float t\nelement face 1\n" + kCorners;
  const Mesh mesh = meshOf(folder_.write(
      "a.ply", headed("ascii", elements) + "0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 0\n3 0 1 2\n"));
  EXPECT_EQ(colourAt(mesh, 0, {0.2, 0.2, 0}), (Colour{'a', 'b', 'c'}));
  EXPECT_EQ(colourAt(mesh, 0, {0.8, 0.1, 0}), (Colour{'A', 'B', 'C'}));
}

TEST_F(PlyMesh, DamageIsSaid) {
  const auto said = [&](const std::string& elements, const std::string& data) {
    const std::string error = errorOf(folder_.write("a.ply", headed("ascii", elements) + data));
    EXPECT_EQ(error.rfind((folder_ / "a.ply").string() + ": ", 0), 0U) << error;
    return error;
  };
  const std::string vertices = "0 0 0\n1 0 0\n0 1 0\n";
  const std::string triangle = "element vertex 3\n" + kXyz + "element face 1\n" + kCorners;
  EXPECT_NE(said(triangle, vertices + "3 0 1 3\n").find("a face has the vertex 3, which is not in"),
            std::string::npos);
  EXPECT_NE(said(triangle, vertices + "3 0 1 -1\n").find("a face has the vertex -1"),
            std::string::npos);
  EXPECT_NE(said(triangle, vertices + "nan 0 1 2\n").find("it holds 0 of 1 of the element 'face'"),
            std::string::npos);
  EXPECT_NE(said(triangle, vertices + "2.5 0 1 2\n").find("it holds 0 of 1"), std::string::npos);
  EXPECT_NE(said(triangle, vertices + "-3 0 1 2\n").find("it holds 0 of 1"), std::string::npos);
  EXPECT_NE(said(triangle, "0 0 0\n1 0 x\n").find("it holds 1 of 3 of the element 'vertex'"),
            std::string::npos);
  EXPECT_NE(said("element vertex 3\n" + kXyz + "element face 1\nproperty int vertex_indices\n",
                 vertices + "3\n")
                .find("element face has no list vertex_indices"),
            std::string::npos);
  EXPECT_NE(said("element vertex 4000000000\n" + kXyz + "element face 1\n" + kCorners, vertices)
                .find("it holds 3 of 4,000,000,000"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::map_tools
