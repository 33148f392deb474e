// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace marsim::benchmarks {

/// Times of a map's loading in a process of its own: made anew (first), then from the cache.
struct Starts {
  std::size_t source_points = 0;
  double preprocess_s = 0.0;         ///< from reading the source to the finished map
  double preprocess_cpu_s = 0.0;     ///< processor time of the same
  double preprocess_peak_mb = 0.0;   ///< most memory held
  double first_start_to_scan_s = 0;  ///< start of the process to the end of its first scan
  double warm_start_to_scan_s = 0;   ///< the same with a cached map
  double process_private_mb = 0.0;   ///< private memory of the second process
};

/// One cell of the table. Times are medians over the poses of each pose's least repeat.
struct Row {
  std::string sensor, place;
  double resolution = 0.0;  ///< [m]
  std::size_t points = 0;   ///< surfels of the map
  std::size_t rays = 0;     ///< of a scan
  int threads = 1;
  std::string renderer, surface;
  bool cold = false;  ///< caches overwritten before every scan
  double ms_median = 0.0;
  std::optional<double> embree_ms_median;  ///< same discs and rays, already sorted
  double bytes_per_point = 0.0;            ///< in the map's file
  std::optional<double> embree_bytes_per_point;
  std::string device;        ///< device of OpenGL; empty: the processor renders
  std::string cpu_renderer;  ///< timed in turn with OpenGL's renderer; empty: none
  std::optional<double> cpu_ms_median;
  std::optional<double> oracle_agreement;  ///< share of the unambiguous rays, 0 to 1
  std::optional<double> embree_agreement;
  std::optional<Starts> starts;  ///< for this place, resolution and surface
};

/// Writes the rows as a JSON list, one object a row. Throws FileError.
void writeRows(const std::filesystem::path& path, const std::vector<Row>& rows);

std::string tableHead();
std::string tableLine(const Row& row);
/// Head of the table of OpenGL's rows, in Markdown.
std::string openGlTableHead();
std::string openGlTableLine(const Row& row);

}  // namespace marsim::benchmarks
