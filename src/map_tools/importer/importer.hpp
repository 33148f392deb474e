// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "map_tools/import_pipe.hpp"

/// The program map_importer: reads one file for the program that started it, see
/// map_tools/import_process.cpp.
namespace marsim::map_tools {

/// Writes to the pipe; ends the program if the reader is gone.
class ImportWriter {
 public:
  void part(ImportPart kind) { value(kind); }
  template <class T>
  void value(const T& number) {
    write(&number, sizeof(number));
  }
  template <class List>
  void count(const List& list) {
    value<std::uint64_t>(list.size());
  }
  template <class List>
  void array(const List& list) {
    count(list);
    write(list.data(), list.size() * sizeof(typename List::value_type));
  }

 private:
  static void write(const void* from, std::size_t size);
};

/// Opens all files, since the limits grow with their sizes.
class InputFiles {
 public:
  InputFiles(ImportWriter& writer, const ImportLimits& limits);

  /// Admits a file to be opened and returns its size [bytes]. Throws FileError unless it is a
  /// readable regular file: a FIFO would keep its reader waiting.
  std::size_t admit(const std::filesystem::path& path);

 private:
  ImportWriter& writer_;
  ImportLimits limits_;
  std::set<std::filesystem::path> admitted_;
  std::uint64_t opened_ = 0;  // [bytes]
};

/// A path in a file, with '\' replaced by '/' if a file exists only then.
std::filesystem::path nativePath(const std::filesystem::path& path);

/// Reads a PNG, JPEG, BMP, TGA or PPM file, or such a file's bytes. None if it is no such file or
/// the program was built without libstb.
std::optional<Texture> readTexture(const std::filesystem::path& path, InputFiles& files);
std::optional<Texture> readTexture(const unsigned char* bytes, std::size_t size);
/// The warning for a missing texture.
std::string missingTexture(const std::string& name);

/// Adds a triangle with finite corners and an area, else counts it. Returns whether it added it.
bool addTriangle(Mesh& mesh, const std::array<std::uint32_t, 3>& corners);
/// Throws FileError if a mesh has no triangles.
void requireTriangles(const std::filesystem::path& path, const Mesh& mesh);

/// Triangles of a polygon, convex or not, with the given corners in order.
std::vector<std::array<std::uint32_t, 3>> trianglesOf(const std::vector<Eigen::Vector3d>& vertices,
                                                      std::vector<std::uint32_t> corners);

/// Throws FileError if a mesh file of `size` bytes was obviously truncated.
void requireWholeMesh(const std::filesystem::path& path, const std::string& extension,
                      std::size_t size);
/// The first 64 KiB of a file.
std::string headOf(const std::filesystem::path& path);

Mesh readPlyMesh(const std::filesystem::path& path, InputFiles& files);
Mesh readAssimpMesh(const std::filesystem::path& path, const std::string& extension,
                    InputFiles& files);
/// See readRecording: writes the answer. The odometry's poses are read where a topic is given,
/// empty for the only one.
void readBag(const std::filesystem::path& file, const std::string& wanted_clouds,
             const std::optional<std::string>& wanted_odometry, ImportWriter& writer);
/// See readOctoMap.
Notes readOctree(const std::filesystem::path& path, double resolution, const TakePoints& take);

}  // namespace marsim::map_tools
