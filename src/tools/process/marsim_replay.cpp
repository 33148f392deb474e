// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "map/files/point_records.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/launch_run.hpp"

namespace {

/// The command line: a file, then arguments of sim.launch.
struct ReplayWords {
  std::string trajectory, map, lidar, depth;
  std::vector<std::string> more;

  std::vector<std::string> launchWords() const {
    const std::string file = std::filesystem::absolute(trajectory).string();
    std::vector<std::string> words = {"sim.launch", "replay:=" + file, "replay_then:=end"};
    const auto add = [&words](const std::string& name, const std::string& value) {
      if (!value.empty()) words.push_back(name + ":=" + value);
    };
    add("map", map);
    add("lidar", lidar);
    add("depth", depth);
    const auto is_lockstep = [](const std::string& word) {
      return word.rfind("lockstep:=", 0) == 0;
    };
    if (std::none_of(more.begin(), more.end(), is_lockstep)) words.push_back("lockstep:=true");
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

/// Throws FileError if a map's header cannot be read.
void requireHeader(const std::filesystem::path& map) {
  struct HeaderWasRead {};
  marsim::map::PointSink sink;
  sink.begin = [](const marsim::map::RecordLayout&, std::uint64_t) { throw HeaderWasRead(); };
  try {
    marsim::map::readPoints(map, marsim::Progress::none(), sink);
  } catch (const HeaderWasRead&) {
  }
}

// Reports errors in the words before anything is started.
void check(const ReplayWords& words) {
  for (const std::string& word : words.more) marsim::tools::splitArgument(word);
  if (!words.map.empty()) requireHeader(marsim::config::resolveMap(words.map));
  if (!words.lidar.empty() && words.lidar != "none") marsim::config::loadLidar(words.lidar);
  if (!words.depth.empty() && words.depth != "none") marsim::config::loadDepthCamera(words.depth);
}

int replay(const ReplayWords& words) {
  check(words);
  const marsim::PoseTrack track(marsim::readPoseFile(words.trajectory), words.trajectory);
  const double seconds = marsim::toSeconds(track.end() - track.begin());
  fmt::print("{}: {:.3f} s\n", words.trajectory, seconds);
  std::fflush(stdout);
  const int code = marsim::tools::runLaunch(words.launchWords());
  if (code == 0) fmt::print("{}: replayed to its end, {:.3f} s\n", words.trajectory, seconds);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  ReplayWords words;
  CommandLine line(
      "Moves a UAV along a trajectory file (TUM: stamp x y z qx qy qz qw; or CSV with column\n"
      "names), without dynamics, with any sensors: sim.launch with replay:=TRAJECTORY in "
      "lockstep.\n"
      "Ends when the trajectory is over. Exit codes as those of marsim run.",
      "marsim replay");
  line.option("trajectory", words.trajectory, kInput, "the file").required().shownAs("TRAJECTORY");
  line.option("arguments", words.more, {"NAME:=VALUE"}, "of sim.launch: NAME:=VALUE ...")
      .shownAs(" ");
  line.option("--map", words.map, kInput, "a bundled place, or a file (default: as sim.launch)");
  line.option("--lidar", words.lidar, kInput, "a sensor's name or file (default: as sim.launch)");
  line.option("--depth", words.depth, kInput, "a camera's name or file (default: none)");
  return line.run(argc, argv, [&] { return replay(words); });
}
