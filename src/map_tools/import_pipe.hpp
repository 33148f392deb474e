// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "map_tools/scan_reader.hpp"
#include "map_tools/sources.hpp"

/// The pipe between the program map_importer and the program that starts it. Numbers and arrays go
/// through it in memory layout, since both ends come from one build.
namespace marsim::map_tools {

constexpr int kImportPipe = 3;           ///< descriptor of map_importer's end
constexpr int kOutOfMemory = 3;          ///< exit code of map_importer
constexpr double kMostLeafPoints = 5e8;  ///< of an OctoMap

/// Parts of an answer in the pipe; a byte with the kind comes first.
enum class ImportPart : std::uint8_t {
  kFile,    ///< a file was opened: its size [bytes], uint64
  kPoints,  ///< points, an array of Eigen::Vector3d
  kMesh,    ///< see carry(); the last part
  kBag,     ///< BagContents, see carry()
  kScan,    ///< a scan of a bag, see carry()
  kNotes,   ///< an array of texts; the last part
  kError    ///< the text of an error; the last part
};

/// [bytes] that map_importer may use; `opened`: total size of the files that it opened.
inline double memoryLimit(const ImportLimits& limits, std::uint64_t opened) {
  constexpr double kGibi = 1U << 30U;
  if (limits.memory > 0.0) return kGibi * limits.memory;
  return std::max(kGibi, 50.0 * static_cast<double>(opened));
}

/// [s] that map_importer's caller waits at most.
inline double timeLimit(const ImportLimits& limits, std::uint64_t opened) {
  return limits.time > 0.0 ? limits.time : 60.0 + 10.0 * static_cast<double>(opened) / 1e8;
}

template <class Pipe>
void carry(Pipe& pipe, Notes& notes) {
  pipe.count(notes);
  for (std::string& note : notes) pipe.array(note);
}

/// Writes or reads a mesh, depending on the pipe.
template <class Pipe>
void carry(Pipe& pipe, Mesh& mesh) {
  pipe.array(mesh.vertices);
  pipe.array(mesh.triangles);
  pipe.array(mesh.colours);
  pipe.array(mesh.texture_at);
  pipe.array(mesh.texture_of);
  pipe.count(mesh.textures);
  for (Texture& texture : mesh.textures) {
    pipe.value(texture.width);
    pipe.value(texture.height);
    pipe.array(texture.pixels);
  }
  carry(pipe, mesh.notes);
  pipe.value(mesh.not_finite);
  pipe.value(mesh.degenerate);
  pipe.value(mesh.up);
  pipe.value(mesh.unit);
}

template <class Pipe>
void carry(Pipe& pipe, BagContents& contents) {
  pipe.array(contents.clouds);
  pipe.array(contents.odometry);
  pipe.array(contents.poses);
  pipe.value(contents.messages);
}

template <class Pipe>
void carry(Pipe& pipe, RawScan& scan) {
  pipe.value(scan.stamp);
  pipe.array(scan.cloud.points);
  map::forEachChannel([&pipe](auto& channel) { pipe.array(channel); }, scan.cloud);
  pipe.array(scan.times);
  pipe.array(scan.time_field);
  pipe.value(scan.times_are_float32);
}

}  // namespace marsim::map_tools
