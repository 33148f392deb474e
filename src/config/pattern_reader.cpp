// SPDX-License-Identifier: BSD-3-Clause
#include "config/sensor_readers.hpp"

#include <filesystem>
#include <memory>

namespace marsim::config {
namespace {

template <class Kind>
void declare(YamlReader& reader, Kind& kind) {
  kind.declare(reader);
}

void declare(YamlReader& reader, lidar::CsvPatternConfig& pattern) {
  std::filesystem::path file;
  reader.required("file", file);
  lidar::ScanTableColumns columns;
  reader.readMap("columns", [&](YamlReader& item) {
    item.optional("azimuth", columns.azimuth);
    item.optional("elevation", columns.elevation);
    item.optional("zenith", columns.zenith);
    item.optional("time", columns.time);
    item.optional("line", columns.line);
    item.optional("ring", columns.ring);
  });
  pattern.declare(reader);
  const bool even = pattern.points_per_second != 0.0;
  if (even && (reader.has("period") || !columns.time.empty())) {
    reader.fail("points_per_second", "given beside the table's times", "one of them");
  }
  pattern.table =
      std::make_shared<lidar::ScanTable>(lidar::readScanTable(file.string(), columns, !even));
}

}  // namespace

void readPattern(YamlReader& reader, lidar::PatternConfig& pattern) {
  reader.required("kind", pattern,
                  {{"risley", lidar::RisleyPatternConfig{}},
                   {"mid360", lidar::Mid360PatternConfig{}},
                   {"spinning", lidar::SpinningPatternConfig{}},
                   {"csv", lidar::CsvPatternConfig{}},
                   {"grid", lidar::GridPatternConfig{}}});
  std::visit([&](auto& kind) { declare(reader, kind); }, pattern);
}

}  // namespace marsim::config
