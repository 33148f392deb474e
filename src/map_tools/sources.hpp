// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "map/files/point_records.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/progress.hpp"

/// Readers of the formats from which maps are imported, beside PCD and PLY.
namespace marsim::map_tools {

/// Upward axis of a file.
enum class UpAxis { kAuto, kX, kY, kZ };

/// Takes points in the file's own coordinates and unit, block by block.
using TakePoints = std::function<void(const map::PointBlock& block)>;

/// A reader's notes on its file, a line each.
using Notes = std::vector<std::string>;

/// Reads an uncompressed LAS file, 1.0 to 1.5, point formats 0 to 10 (ASPRS, LAS Specification 1.4
/// - R15), with its intensity, colours and classes. Points are in metres, by the file's unit or by
/// `scale` [m a unit] instead. Withheld points and noise (classes 7 and 18) are dropped and noted.
/// Throws FileError, also for LAZ and for degrees without `scale`.
Notes readLas(const std::filesystem::path& path, std::optional<double> scale, Progress& progress,
              const TakePoints& take);

/// Reads a table of numbers, one point per line. `names` of the columns ("-": not read) replace
/// those of a header line; without either the values decide (judgedNames()), which is noted.
/// Separators: blanks, commas, tabs or semicolons; between semicolons and tabs a comma is a decimal
/// point. Lines that begin with #, % or // are comments. A line with a single number (PTS) is the
/// number of points that follow. Throws FileError naming the line.
Notes readTable(const std::filesystem::path& path, const std::vector<std::string>& names,
                Progress& progress, const TakePoints& take);

/// Limits of the program map_importer, whose libraries may crash or use up memory.
struct ImportLimits {
  static constexpr Bounds kMemories{0.0, 1e6};  ///< [GiB]
  static constexpr Bounds kTimes{0.0, 1e6};     ///< [s]
  double memory = 0.0;  ///< [GiB]; 0: 1, or 50 times the size of the read files if that is more
  double time = 0.0;    ///< [s]; 0: 60, plus 10 for each 100 MB of the read files
};

/// Reads the occupied leaves of an OctoMap file (.bt, .ot) as the centres of cubes: a leaf larger
/// than `resolution` (in the file's unit; 0: the tree's own) is divided into cubes no larger.
/// Throws FileError, also for more than 5e8 cubes, beyond the limits, and if the program was built
/// without liboctomap.
Notes readOctoMap(const std::filesystem::path& path, double resolution, Progress& progress,
                  const TakePoints& take, const ImportLimits& limits = {});

/// An image for a mesh.
struct Texture {
  int width = 0, height = 0;        ///< [px]
  std::vector<map::Colour> pixels;  ///< row by row from the top
  /// Colour at (u, v); (0, 0) is the lower left corner, (1, 1) the upper right one; repeats beyond.
  map::Colour at(const Eigen::Vector2d& uv) const;
};

/// Triangles of a mesh file, or vertices of one with points only, in the file's own coordinates.
/// Colours come from textures, else from vertices, else from materials.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<map::Colour> colours;         ///< of the vertices; or empty
  std::vector<Eigen::Vector2f> texture_at;  ///< of the vertices, see Texture; or empty
  std::vector<std::uint16_t> texture_of;    ///< of triangles: 1 + number of the texture, 0: none
  std::vector<Texture> textures;
  Notes notes;
  std::size_t not_finite = 0;  ///< triangles dropped: a corner was NaN or infinite
  std::size_t degenerate = 0;  ///< triangles dropped: without area
  UpAxis up = UpAxis::kZ;      ///< from the file, z if its format has none
  double unit = 1.0;           ///< [m] from the file, 1 if its format has none
};

/// Reads OBJ, STL, DAE, glTF and OFF by assimp, and PLY. Throws FileError if the file has neither
/// triangles nor points, beyond the limits, and if the program was built without assimp (PLY
/// excepted).
Mesh readMesh(const std::filesystem::path& path, Progress& progress = Progress::none(),
              const ImportLimits& limits = {});

/// The colour of a coloured mesh at a place on one of its triangles.
map::Colour colourAt(const Mesh& mesh, std::uint32_t triangle, const Eigen::Vector3d& place);

}  // namespace marsim::map_tools
