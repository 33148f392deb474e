// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <string>

#include <fmt/format.h>

#include "common/mutations.hpp"
#include "map_tools/export.hpp"
#include "map_tools/import_fixture.hpp"
#include "map_tools/recording.hpp"
#include "marsim/geometry/pose_file.hpp"

/// Damaged files of every format end in an error or a result.
namespace marsim::map_tools {
namespace {

const std::string kObj =
    "v 0 0 0 1 0 0\nv 4 0 0 0 1 0\nv 4 3 0 0 0 1\nv 0 3 0 1 1 1\nf 1 2 3\nf 1 3 4\n";
const std::string kPlyMesh =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n4 0 0\n4 3 0\n0 3 0\n3 0 1 2\n3 0 2 3\n";
std::string gltf(const std::string& uri) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
         R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"byteLength":36)" +
         uri +
         R"(}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,)"
         R"("componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[4,3,0]}]})";
}

std::string glb() {
  std::string json = gltf("");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto size = static_cast<std::uint32_t>(json.size());
  std::string bytes = "glTF" + bytesOf(std::uint32_t{2}) + bytesOf(size + 64) + bytesOf(size) +
                      "JSON" + json + bytesOf(std::uint32_t{36}) + std::string("BIN\0", 4);
  for (const float number : {0.F, 0.F, 0.F, 4.F, 0.F, 0.F, 4.F, 3.F, 0.F}) bytes += bytesOf(number);
  return bytes;
}

std::string table() {
  std::string rows;
  for (int i = 0; i < 12; ++i) rows += fmt::format("{} {} 0.5 {} 20 30\n", 0.1 * i, 2 * i, 20 * i);
  return rows;
}

std::string binaryPcd() {
  std::string bytes =
      "VERSION 0.7\nFIELDS x y z intensity rgb\nSIZE 4 4 4 4 4\nTYPE F F F F U\nCOUNT 1 1 1 1 1\n"
      "WIDTH 9\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 9\nDATA binary\n";
  for (int i = 0; i < 45; ++i) bytes += bytesOf(0.25F * static_cast<float>(i));
  return bytes;
}

std::string octoMap(const TestFolder& folder, const std::string& extension) {
  map::PointCloud cloud;
  for (int i = 0; i < 20; ++i) {
    cloud.points.emplace_back(0.5F * static_cast<float>(i), 0.3F * static_cast<float>(i % 7), 1.0F);
  }
  const auto path = folder.path() / ("whole" + extension);
  writeOctoMap(path, cloud, 0.1);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A whole file of each format; empty where the program was built without its library.
std::map<std::string, std::string> samples(const TestFolder& folder) {
  std::map<std::string, std::string> files{
      {".pcd", binaryPcd()},
      {".ply", kPlyMesh},
      {".las", las(4, 7, kPoints)},
      {".obj", kObj},
      {".gltf",
       gltf(
           R"(,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAQAAAAAAAAAAAAACAQAAAQEAAAAAA")")},
      {".glb", glb()},
      {".xyz", table()},
      {".txt", table()},
      {".csv", table()},
      {".asc", table()},
      {".pts", "12\n" + table()},
      {".off", "OFF\n3 1 0\n0 0 0\n4 0 0\n4 3 0\n3 0 1 2\n"},
      {".stl",
       "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 4 0 0\nvertex 4 3 0\n"
       "endloop\nendfacet\nendsolid s\n"},
      {".dae",
       R"(<?xml version="1.0"?><COLLADA version="1.4.1"><library_geometries><geometry id="g"><mesh>)"
       R"(<source id="p"><float_array id="pa" count="9">0 0 0 4 0 0 4 3 0</float_array>)"
       R"(<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>)"
       R"(<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>)"
       R"(</source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>)"
       R"(<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>)"
       R"(</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s">)"
       R"(<node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>)"
       R"(<scene><instance_visual_scene url="#s"/></scene></COLLADA>)"}};
#ifndef MARSIM_HAS_ASSIMP
  for (const char* mesh : {".obj", ".gltf", ".glb", ".off", ".stl", ".dae"}) files[mesh] = "";
#endif
#ifdef MARSIM_HAS_OCTOMAP
  for (const char* extension : {".bt", ".ot"}) files[extension] = octoMap(folder, extension);
#else
  for (const char* extension : {".bt", ".ot"}) files[extension] = "";
#endif
  return files;
}

TEST(Mutations, MapsEndInAnErrorOrAResult) {
  const TestFolder folder;
  const std::map<std::string, std::string> files = samples(folder);
  ImportConfig config;
  config.resolution = 0.5;
  config.limits.memory = 0.2;
  for (const std::string& format : importFormats()) {
    if (format == ".bag") continue;  // in recording_test.cpp
    const auto sample = files.find(format);
    if (sample == files.end()) {
      ADD_FAILURE() << format << " has no sample here";
      continue;
    }
    if (sample->second.empty()) continue;
    expectErrorsOrResults(folder / ("map" + format), sample->second,
                          [&](const std::filesystem::path& path) { imported({path}, config); });
  }
}

TEST(Mutations, PosesEndInAnErrorOrAResult) {
  const TestFolder folder;
  const auto read = [](const std::filesystem::path& path) { readPoseFile(path); };
  expectErrorsOrResults(folder / "a.tum", "0 1 2 3 0 0 0 1\n0.1 1 2 3 0 0 0 1\n0.2 1 2 3 0 0 0 1\n",
                        read);
  expectErrorsOrResults(folder / "a.csv",
                        "stamp [ns],x,y,z,qw,qx,qy,qz\n0,1,2,3,1,0,0,0\n100000000,1,2,3,1,0,0,0\n",
                        [](const std::filesystem::path& path) { readScanPoses(path); });
  expectErrorsOrResults(folder / "kitti.txt", "1 0 0 1 0 1 0 2 0 0 1 3\n1 0 0 2 0 1 0 2 0 0 1 3\n",
                        [](const std::filesystem::path& path) { readScanPoses(path); });
}

}  // namespace
}  // namespace marsim::map_tools
