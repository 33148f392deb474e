// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdio>
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
void requireAlone(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool is_allowed = name == "--run" || name == "--out" || name == "--threads";
    marsim::Validator("command line")
        .require(is_allowed || option->count() == 0, "--run", "there beside " + name,
                 "only --out and --threads beside it");
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
  DatasetRequest request;
  std::optional<double> duration;  // [s]
  std::vector<std::string> arguments;
  std::uint64_t seed = 1;
  std::string run_file;
  CLI::App app(
      "Writes a flight as a data set, without ROS: LiDAR, IMU, images, depth and truth, the same\n"
      "files each time. The arguments are those of sim.launch.",
      "marsim dataset");
  app.add_option("arguments", arguments, "of sim.launch: NAME:=VALUE ...")
      ->type_name("NAME:=VALUE")
      ->option_text(" ");
  app.add_option("--run", run_file, "file that says all of the run, as marsim batch writes it")
      ->type_name(marsim::tools::kInput);
  app.add_option("--scenario", request.scenario,
                 "who flies where: a name of config/dataset (stereo_building) or a scenario's file")
      ->type_name(marsim::tools::kInput);
  app.add_option("--trajectory", request.trajectory,
                 "or a file of poses that the UAV follows: TUM, or CSV with column names")
      ->type_name(marsim::tools::kInput);
  app.add_option("--trajectory-frame", request.trajectory_frame, "axes of its poses: enu or ned")
      ->type_name(marsim::tools::kWord)
      ->capture_default_str();
  const auto argument = [&](const char* option, const char* name, const char* description) {
    app.add_option_function<std::string>(
           option, [&request, name](const std::string& text) { request.arguments[name] = text; },
           fmt::format("{} (default: the scenario's, or {})", description,
                       marsim::config::defaultOf(name)))
        ->type_name(marsim::tools::kInput);
  };
  argument("--map", "map", "a bundled place or a file");
  argument("--lidar", "lidar", "a sensor's name or file; none");
  argument("--depth", "depth", "a depth camera's name or file");
  argument("--camera", "camera", "cameras' name or file: stereo, d435i");
  argument("--imu", "imu", "vehicle, lidar, auto, a name or file");
  app.add_option("--airsim", request.airsim,
                 "AirSim's settings.json, whose IMU, LiDAR and cameras are carried")
      ->type_name(marsim::tools::kInput);
  app.add_option("--airsim-vehicle", request.airsim_vehicle,
                 "whose sensors (default: the first that has some)")
      ->type_name(marsim::tools::kName);
  const auto rate = [&app](const char* option, std::optional<double>& hertz, const char* about) {
    app.add_option(option, hertz, about)
        ->transform(marsim::tools::number(Quantity::kFrequency, DatasetRequest::kRates));
  };
  rate("--imu-rate", request.imu_rate, "[Hz] (default: of its file)");
  rate("--truth-rate", request.truth_rate, "[Hz] (default: 200)");
  app.add_option("--duration", duration,
                 "[s] (default: until all has been flown, at most the scenario's)")
      ->transform(marsim::tools::number(Quantity::kTime, DatasetRequest::kDurations));
  app.add_option("--format", request.format,
                 "of tum, asl, kitti, pcd, rosbag, mcap; several with commas")
      ->type_name(marsim::tools::kWord)
      ->capture_default_str();
  app.add_option("--frame", request.frame,
                 "axes of world and body: enu or ned (default: enu, with --airsim ned)")
      ->type_name(marsim::tools::kWord);
  app.add_option(
         "--truth-frame", request.truth_frame,
         "whose poses tum has: base, imu, lidar, depth, camera, or x,y,z or x,y,z,roll,pitch,yaw;\n"
         "auto: the camera with images, else base")
      ->type_name(marsim::tools::kWord)
      ->capture_default_str();
  app.add_flag("--image-truth", request.image_truth,
               "class and instance of the cameras' pixels (asl, rosbag, mcap)");
  app.add_option("--out", request.out, "folder to write")
      ->type_name(marsim::tools::kFolder)
      ->required();
  app.add_option("--threads", request.threads, "that render, 0: all cores; changes no file")
      ->capture_default_str()
      ->transform(marsim::tools::whole(DatasetRequest::kThreads));
  marsim::tools::addSeed(app, seed, "of noise and wind");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    if (run_file.empty()) {
      readWords(app.count("--frame") > 0, request);
      for (const std::string& word : arguments) {
        const auto [name, value] = marsim::tools::splitArgument(word);
        request.arguments[name] = value;
      }
      if (duration) request.duration = marsim::toNs(*duration);
      if (app.count("--seed") > 0) request.seed = seed;
      return make(request);
    }
    requireAlone(app);
    DatasetRequest of_file = marsim::tools::requestOf(run_file);
    of_file.out = request.out;
    of_file.threads = request.threads;
    return make(of_file);
  });
}
