// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <map>
#include <string>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "common/mutations.hpp"
#include "config/lan.hpp"
#include "config/scenario.hpp"
#include "config/study.hpp"
#include "marsim/config/load.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::config {
namespace {

namespace fs = std::filesystem;

/// Readers of the files in the folders of config.
std::map<std::string, std::function<void(const std::string&)>> readers() {
  return {{"batch", [](const std::string& file) { loadStudy(file); }},
          {"camera", [](const std::string& file) { loadCameras(file); }},
          {"control", [](const std::string& file) { loadController(file); }},
          {"dataset", [](const std::string& file) { loadScenario(file); }},
          {"depth", [](const std::string& file) { loadDepthCamera(file); }},
          {"imu", [](const std::string& file) { loadImu(file); }},
          {"lan", [](const std::string& file) { loadLan(file); }},
          {"lidar", [](const std::string& file) { loadLidar(file); }},
          {"obstacles", [](const std::string& file) { loadObstacles(file); }},
          {"suites", [](const std::string& file) { loadScenario(file); }},
          {"surfaces", [](const std::string& file) { loadSurfaces(file); }},
          {"swarm", [](const std::string& file) { loadSwarm(file); }},
          {"vegetation", [](const std::string& file) { loadVegetation(file); }},
          {"vehicle", [](const std::string& file) { loadVehicle(file); }},
          {"weather", [](const std::string& file) { loadWeather(file); }}};
}

TEST(Mutations, SettingsEndInAnErrorOrAResult) {
  const tools::TemporaryFolder folder;
  const auto known = readers();
  const fs::path copy = folder.path() / "config";  // since files name others beside them
  fs::copy(dataDir() / "config", copy, fs::copy_options::recursive);
  for (const fs::directory_entry& kind : fs::directory_iterator(copy)) {
    const std::string name = kind.path().filename();
    // SLAM programs read slam and clients; species are read with the vegetation that names them.
    if (!kind.is_directory() || name == "slam" || name == "species" || name == "clients") continue;
    const auto reader = known.find(name);
    if (reader == known.end()) {
      ADD_FAILURE() << name << " has no reader here";
      continue;
    }
    for (const fs::directory_entry& file : fs::directory_iterator(kind.path())) {
      if (file.path().extension() != ".yaml") continue;
      const std::string whole = readFile(file.path(), 1U << 20U);
      expectErrorsOrResults(file.path(), whole, reader->second);
      std::ofstream(file.path()) << whole;
    }
  }
}

}  // namespace
}  // namespace marsim::config
