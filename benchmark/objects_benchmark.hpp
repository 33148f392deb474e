#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace marsim::benchmarks {

struct ObjectsBench {
  std::vector<std::string> sensors = {"avia", "mid360"};
  std::string place = "forest";
  double resolution = 0.1;  ///< [m] r of the map
  int obstacles = 100;      ///< of mixed kinds
  int peers = 10;
  int repeats = 20;            ///< timings a pose
  std::filesystem::path work;  ///< clouds and made maps are kept here
};

/// Processor times of one sensor's scans in flight on one thread, medians over the poses of the
/// least of the repeats.
struct ObjectsCost {
  std::string sensor;
  double alone_ms = 0.0;          ///< without objects
  double with_objects_ms = 0.0;   ///< finding where they are included
  double share_on_objects = 0.0;  ///< of the returns, 0 to 1
  double overheadPercent() const { return 100.0 * (with_objects_ms / alone_ms - 1.0); }
};

/// What obstacles and peers add to a scan's time; both kinds of scan in turn in one process. Throws
/// UnknownNameError, Error.
std::vector<ObjectsCost> measureObjects(const ObjectsBench& bench);
/// The same as a table on the terminal.
void runObjectsBench(const ObjectsBench& bench);

}  // namespace marsim::benchmarks
