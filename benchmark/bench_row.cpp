// SPDX-License-Identifier: BSD-3-Clause
#include "bench_row.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/output_file.hpp"

namespace marsim::benchmarks {
namespace {

template <class T>
nlohmann::ordered_json orNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string orDash(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

nlohmann::ordered_json toJson(const Row& row) {
  nlohmann::ordered_json json = {
      {"sensor", row.sensor},
      {"place", row.place},
      {"resolution_m", row.resolution},
      {"points", row.points},
      {"rays", row.rays},
      {"threads", row.threads},
      {"renderer", row.renderer},
      {"surface", row.surface},
      {"cold", row.cold},
      {"ms_median", row.ms_median},
      {"embree_ms_median", orNull(row.embree_ms_median)},
      {"bytes_per_point", row.bytes_per_point},
      {"embree_bytes_per_point", orNull(row.embree_bytes_per_point)},
      {"oracle_agreement", orNull(row.oracle_agreement)},
      {"embree_agreement", orNull(row.embree_agreement)},
  };
  if (!row.device.empty()) {
    json["device"] = row.device;
    json["cpu_renderer"] = row.cpu_renderer;
    json["cpu_ms_median"] = orNull(row.cpu_ms_median);
  }
  if (row.starts) {
    json["source_points"] = row.starts->source_points;
    json["preprocess_s"] = row.starts->preprocess_s;
    json["preprocess_cpu_s"] = row.starts->preprocess_cpu_s;
    json["preprocess_peak_mb"] = row.starts->preprocess_peak_mb;
    json["first_start_to_scan_s"] = row.starts->first_start_to_scan_s;
    json["warm_start_to_scan_s"] = row.starts->warm_start_to_scan_s;
    json["process_private_mb"] = row.starts->process_private_mb;
  }
  return json;
}

}  // namespace

void writeRows(const std::filesystem::path& path, const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) list.push_back(toJson(row));
  writeFile(path, list.dump(1) + '\n');
}

std::string tableHead() {
  return fmt::format(
      "{:<10} {:<8} {:>5} {:>9} {:>2} {:<10} {:<7} {:<4} {:>8} {:>8} {:>5} "
      "{:>5} {:>6} {:>7} {:>7}",
      "sensor", "place", "r (m)", "points", "t", "renderer", "surface", "", "ms", "Embree", "ratio",
      "B/pt", "Embree", "oracle", "Embree");
}

std::string tableLine(const Row& row) {
  std::optional<double> ratio;
  if (row.embree_ms_median) ratio = row.ms_median / *row.embree_ms_median;
  return fmt::format(
      "{:<10} {:<8} {:>5} {:>9} {:>2} {:<10} {:<7} {:<4} {:>8.2f} {:>8} {:>5} "
      "{:>5.1f} {:>6} {:>7} {:>7}",
      row.sensor, row.place, row.resolution, row.points, row.threads, row.renderer, row.surface,
      row.cold ? "cold" : "warm", row.ms_median, orDash(row.embree_ms_median, 2), orDash(ratio, 2),
      row.bytes_per_point, orDash(row.embree_bytes_per_point, 1), orDash(row.oracle_agreement, 4),
      orDash(row.embree_agreement, 4));
}

std::string openGlTableHead() {
  return "| sensor | place | r (m) | surfels | rays | surface | OpenGL ms | processor | "
         "threads | ms | OpenGL / processor | oracle |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";
}

std::string openGlTableLine(const Row& row) {
  std::optional<double> ratio;
  if (row.cpu_ms_median) ratio = row.ms_median / *row.cpu_ms_median;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {:.2f} | {} | {} | {} | {} | {} |",
                     row.sensor, row.place, row.resolution, row.points, row.rays, row.surface,
                     row.ms_median, row.cpu_renderer, row.threads, orDash(row.cpu_ms_median, 2),
                     orDash(ratio, 2), orDash(row.oracle_agreement, 4));
}

}  // namespace marsim::benchmarks
