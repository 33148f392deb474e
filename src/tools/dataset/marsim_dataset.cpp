// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/defaults.hpp"
#include "marsim/common/error.hpp"
#include "tools/dataset/dataset_run.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"

namespace {

using marsim::Quantity;
using marsim::tools::DatasetRequest;
using marsim::tools::DatasetSummary;

/// Reads the words of the command line; AirSim's axes are ned.
void readWords(bool has_frame, DatasetRequest& request) {
  request.readWords();
  marsim::Validator("command line")
      .require(request.airsim_vehicle.empty() || !request.airsim.empty(), "--airsim-vehicle",
               fmt::format("'{}'", marsim::clipped(request.airsim_vehicle)), "with --airsim only");
  const bool is_ned = !request.airsim.empty() && marsim::dataset::takesAxes(request.formats);
  if (is_ned && !has_frame) request.axes = marsim::dataset::Axes::kNed;
}

/// With --run no other option may describe the run.
void requireAlone(const marsim::tools::CommandLine& line) {
  for (const std::string& name : line.givenOptions()) {
    const bool is_allowed = name == "--run" || name == "--out" || name == "--threads";
    marsim::Validator("command line")
        .require(is_allowed, "--run", "there beside " + name, "only --out and --threads beside it");
  }
}

int make(const DatasetRequest& request) {
  const auto began = std::chrono::steady_clock::now();
  const DatasetSummary summary = marsim::tools::makeDataset(request);
  if (summary.was_complete) {
    fmt::print("{}: holds this run already, complete\n", request.out.string());
    return 0;
  }
  if (summary.interrupted) {
    fmt::print(stderr, "marsim dataset: interrupted at {:.1f} s; {} is not complete\n",
               marsim::toSeconds(summary.duration), request.out.string());
    return marsim::tools::kInterrupted;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const double simulated = marsim::toSeconds(summary.duration);
  fmt::print("{}: {:.3f} s of flight in {:.1f} s, {} contacts", request.out.string(), simulated,
             seconds, summary.contacts);
  if (summary.goals > 0) fmt::print(", {} of {} goals reached", summary.reached, summary.goals);
  fmt::print("\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  DatasetRequest request;
  std::optional<double> duration;  // [s]
  std::vector<std::string> arguments;
  std::uint64_t seed = 1;
  std::string run_file;
  CommandLine line(
      "Writes a flight as a data set, without ROS: LiDAR, IMU, images, depth and truth, the same\n"
      "files each time. The arguments are those of sim.launch.",
      "marsim dataset");
  line.option("arguments", arguments, {"NAME:=VALUE"}, "of sim.launch: NAME:=VALUE ...")
      .shownAs(" ");
  line.option("--run", run_file, kInput,
              "file that says all of the run, as marsim batch writes it");
  line.option("--scenario", request.scenario, kInput,
              "who flies where: a name of config/dataset (stereo_building) or a scenario's file");
  line.option("--trajectory", request.trajectory, kInput,
              "or a file of poses that the UAV follows: TUM, or CSV with column names");
  line.option("--trajectory-frame", request.trajectory_frame, kWord,
              "axes of its poses: enu or ned");
  std::map<std::string, std::string> inputs;
  const auto argument = [&](const char* option, const char* name, const char* description) {
    line.option(option, inputs[name], kInput,
                fmt::format("{} (default: the scenario's, or {})", description,
                            marsim::config::defaultOf(name)));
  };
  argument("--map", "map", "a bundled place or a file");
  argument("--lidar", "lidar", "a sensor's name or file; none");
  argument("--depth", "depth", "a depth camera's name or file");
  argument("--camera", "camera", "cameras' name or file: stereo, d435i");
  argument("--imu", "imu", "vehicle, lidar, auto, a name or file");
  line.option("--airsim", request.airsim, kInput,
              "AirSim's settings.json, whose IMU, LiDAR and cameras are carried");
  line.option("--airsim-vehicle", request.airsim_vehicle, kName,
              "whose sensors (default: the first that has some)");
  const auto rate = [&line](const char* option, std::optional<double>& hertz, const char* about) {
    line.option(option, hertz, number(Quantity::kFrequency, DatasetRequest::kRates), about);
  };
  rate("--imu-rate", request.imu_rate, "[Hz] (default: of its file)");
  rate("--truth-rate", request.truth_rate, "[Hz] (default: 200)");
  line.option("--duration", duration, number(Quantity::kTime, DatasetRequest::kDurations),
              "[s] (default: until all has been flown, at most the scenario's)");
  line.option("--format", request.format, kWord,
              "of tum, asl, kitti, pcd, rosbag, mcap; several with commas");
  const Option frame =
      line.option("--frame", request.frame, kWord,
                  "axes of world and body: enu or ned (default: enu, with --airsim ned)")
          .hideDefault();
  line.option(
      "--truth-frame", request.truth_frame, kWord,
      "whose poses tum has: base, imu, lidar, depth, camera, or x,y,z or x,y,z,roll,pitch,yaw;\n"
      "auto: the camera with images, else base");
  line.flag("--image-truth", request.image_truth,
            "class and instance of the cameras' pixels (asl, rosbag, mcap)");
  line.option("--out", request.out, kFolder, "folder to write").required();
  line.option("--threads", request.threads, whole(DatasetRequest::kThreads),
              "that render, 0: all cores; changes no file");
  const Option given_seed = addSeed(line, seed, "of noise and wind");
  return line.run(argc, argv, [&] {
    if (run_file.empty()) {
      readWords(frame.isGiven(), request);
      for (const auto& [name, value] : inputs) {
        if (!value.empty()) request.arguments[name] = value;
      }
      for (const std::string& word : arguments) {
        const auto [name, value] = splitArgument(word);
        request.arguments[name] = value;
      }
      if (duration) request.duration = marsim::toNs(*duration);
      if (given_seed.isGiven()) request.seed = seed;
      return make(request);
    }
    requireAlone(line);
    DatasetRequest of_file = requestOf(run_file);
    of_file.out = request.out;
    of_file.threads = request.threads;
    return make(of_file);
  });
}
