// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "map_tools/export.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {
namespace {

constexpr double kMostCells = 400e6;
constexpr int kFloorAround = 5;  // of eight neighbours: a gap between them is floor, too

/// Kinds of points in a cell.
enum : std::uint8_t { kNothing = 0, kBelow = 1, kInside = 2 };

OccupancySlice emptySlice(const map::PointCloud& cloud, const SliceConfig& config) {
  Eigen::AlignedBox2d box;
  double low = 0.0, high = 0.0;
  bool inside = false;
  for (const Eigen::Vector3f& point : cloud.points) {
    const Eigen::Vector3d p = point.cast<double>();
    low = box.isEmpty() ? p.z() : std::min(low, p.z());
    high = box.isEmpty() ? p.z() : std::max(high, p.z());
    box.extend(p.head<2>());
    inside = inside || (p.z() >= config.z_min && p.z() <= config.z_max);
  }
  Validator("").require(inside, "slice", fmt::format("{:g} to {:g} m", config.z_min, config.z_max),
                        fmt::format("heights with a point between them; the map reaches from "
                                    "{:.3f} to {:.3f} m",
                                    low, high));
  OccupancySlice slice;
  slice.resolution = config.resolution;
  const Eigen::Array2d first = (box.min() / config.resolution).array().floor();
  const Eigen::Array2d size = (box.max() / config.resolution).array().floor() - first + 1.0;
  Validator("").require(size.prod() <= kMostCells, "resolution",
                        fmt::format("{:g} m", config.resolution),
                        fmt::format("at most 400 million cells, here {:.3g}", size.prod()));
  slice.origin = config.resolution * first;
  slice.width = static_cast<std::size_t>(size.x());
  slice.height = static_cast<std::size_t>(size.y());
  return slice;
}

std::vector<std::uint8_t> markedCells(const map::PointCloud& cloud, const SliceConfig& config,
                                      const OccupancySlice& slice) {
  std::vector<std::uint8_t> marks(slice.width * slice.height, kNothing);
  const auto cell = [&](double offset, std::size_t size) {
    const double index = std::floor(offset / slice.resolution + 1e-9);
    return std::min(static_cast<std::size_t>(std::max(index, 0.0)), size - 1);
  };
  for (const Eigen::Vector3f& point : cloud.points) {
    const Eigen::Vector3d p = point.cast<double>();
    if (p.z() > config.z_max) continue;
    const std::size_t x = cell(p.x() - slice.origin.x(), slice.width);
    const std::size_t y = cell(p.y() - slice.origin.y(), slice.height);
    marks[y * slice.width + x] |= p.z() < config.z_min ? kBelow : kInside;
  }
  return marks;
}

/// Number of a cell's eight neighbours with a floor.
int floorAround(const std::vector<std::uint8_t>& marks, const OccupancySlice& slice, std::size_t x,
                std::size_t y) {
  int count = 0;
  for (std::size_t v = y == 0 ? 0 : y - 1; v < std::min(y + 2, slice.height); ++v) {
    for (std::size_t u = x == 0 ? 0 : x - 1; u < std::min(x + 2, slice.width); ++u) {
      const bool floor = (marks[v * slice.width + u] & kBelow) != 0;
      if (floor && (u != x || v != y)) ++count;
    }
  }
  return count;
}

/// A YAML string in double quotes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result.push_back('\\');
    result.push_back(c);
  }
  return result + "\"";
}

}  // namespace

void SliceConfig::validate(const std::string& where) const {
  kResolutions.require(where, "resolution", resolution, "m");
  kPlaces.require(where, "slice", z_min, "m");
  kPlaces.require(where, "slice", z_max, "m");
  Validator(where).require(z_min < z_max, "slice", fmt::format("{:g} to {:g} m", z_min, z_max),
                           "ZMIN below ZMAX");
}

std::size_t OccupancySlice::count(Occupancy occupancy) const {
  return static_cast<std::size_t>(std::count(cells.begin(), cells.end(), occupancy));
}

OccupancySlice sliceOf(const map::PointCloud& cloud, const SliceConfig& config) {
  config.validate("");
  OccupancySlice slice = emptySlice(cloud, config);
  const std::vector<std::uint8_t> marks = markedCells(cloud, config, slice);
  slice.cells.resize(marks.size(), Occupancy::kUnknown);
  for (std::size_t y = 0; y < slice.height; ++y) {
    for (std::size_t x = 0; x < slice.width; ++x) {
      const std::size_t i = y * slice.width + x;
      if ((marks[i] & kInside) != 0) {
        slice.cells[i] = Occupancy::kOccupied;
      } else if ((marks[i] & kBelow) != 0 || floorAround(marks, slice, x, y) >= kFloorAround) {
        slice.cells[i] = Occupancy::kFree;
      }
    }
  }
  return slice;
}

std::filesystem::path imageOf(const std::filesystem::path& yaml) {
  return std::filesystem::path(yaml).replace_extension(".pgm");
}

void writeSlice(const std::filesystem::path& yaml, const OccupancySlice& slice) {
  const std::filesystem::path image = imageOf(yaml);
  OutputFile pgm(image), description(yaml);
  pgm.write(fmt::format("P5\n# MARSIM {:g} m/pix\n{} {}\n255\n", slice.resolution, slice.width,
                        slice.height));
  std::string row(slice.width, '\0');
  for (std::size_t y = slice.height; y-- > 0;) {  // the first row of a picture is its top
    for (std::size_t x = 0; x < slice.width; ++x) {
      // The values of map_saver; 205 is just above the free threshold.
      const Occupancy cell = slice.at(x, y);
      row[x] = static_cast<char>(cell == Occupancy::kOccupied ? 0
                                 : cell == Occupancy::kFree   ? 254
                                                              : 205);
    }
    pgm.write(row);
  }
  description.write(fmt::format(
      "image: {}\nresolution: {}\norigin: [{}, {}, 0.0]\nnegate: 0\noccupied_thresh: 0.65\n"
      "free_thresh: 0.196\n",
      quoted(image.filename().string()), slice.resolution, slice.origin.x(), slice.origin.y()));
  pgm.commit();
  description.commit();
}

}  // namespace marsim::map_tools
