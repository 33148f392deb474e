// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/dataset_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "config/names.hpp"
#include "config/scenario.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/run_folder.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "marsim/lidar/image_truth.hpp"
#include "tools/dataset/dataset_preview.hpp"
#include "tools/dataset/dataset_report.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/sensors/calibration_files.hpp"
#include "tools/suite/run_inputs.hpp"
#include "tools/suite/scenario_flight.hpp"

namespace marsim::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

scenario::Scenario scenarioOf(const DatasetRequest& request) {
  const std::string flown = request.field("scenario"), followed = request.field("trajectory");
  Validator(request.where())
      .require(request.scenario.empty() != request.trajectory.empty(), flown,
               request.scenario.empty() ? "not there" : "there beside " + followed,
               fmt::format("one of {} and {}", flown, followed));
  if (!request.scenario.empty()) {
    try {
      return config::loadScenario(config::resolve("dataset", request.scenario),
                                  config::Purpose::kDataset);
    } catch (const UnknownNameError& error) {
      throw Error(fmt::format("{}: {}", request.where(), error.what()));
    }
  }
  scenario::Scenario scenario;
  scenario.name = fs::path(request.trajectory).stem().string();
  scenario.file = request.where();
  return scenario;
}

GivenArguments givenBy(const DatasetRequest& request) {
  GivenArguments given{request.where(), request.arguments, request.trajectory_axes};
  if (!request.trajectory.empty()) given.values["replay"] = request.trajectory;
  return given;
}

/// Digests of all files that determine the flight.
Json allInputsOf(const DatasetRequest& request, const scenario::Scenario& scenario,
                 const ScenarioFlight& flight) {
  Json inputs = Json::object();
  if (!request.scenario.empty()) inputs["scenario"] = digestOf(scenario.file);
  for (const auto& [uav, way] : scenario.flights) {
    if (!way.trajectory.empty()) inputs["trajectory"] = digestOf(way.trajectory);
  }
  for (const auto& [name, value] : flight.arguments()) {
    if (name == "map") continue;  // by its points
    const std::vector<std::string> files = inputsOf(name, value);
    if (!files.empty()) inputs[name] = files;
  }
  if (!request.airsim.empty()) inputs["airsim"] = digestOf(request.airsim);
  inputs["map"] = fmt::format("{:016x}", flight.map().source.content);
  return inputs;
}

/// A text with everything that determines the files.
std::string keyOf(const DatasetRequest& request, const scenario::Scenario& scenario,
                  std::uint64_t seed, const ScenarioFlight& flight) {
  Json formats = Json::array();
  for (const dataset::Format format : request.formats) formats.push_back(nameOf(format));
  Json key = {{"made_by", "marsim dataset"},
              {"layout", 2},
              {"scenario", scenario.name},
              {"seed", seed},
              {"duration", request.duration ? Json(toSeconds(*request.duration)) : Json(nullptr)},
              {"formats", formats},
              {"frame", nameOf(request.axes)},
              {"truth_frame", request.truth_frame},
              {"image_truth", request.image_truth},
              {"arguments", flight.arguments()},
              {"inputs", allInputsOf(request, scenario, flight)}};
  if (!request.airsim_vehicle.empty()) key["airsim_vehicle"] = request.airsim_vehicle;
  if (request.trajectory_axes != dataset::Axes::kEnu) {
    key["trajectory_frame"] = nameOf(request.trajectory_axes);
  }
  if (request.imu_rate) key["imu_rate"] = *request.imu_rate;
  if (request.truth_rate) key["truth_rate"] = *request.truth_rate;
  return key.dump(2) + "\n";
}

/// The motion between two states that are one dynamics step apart.
KinematicState between(const KinematicState& from, const KinematicState& to, TimeNs stamp) {
  if (stamp >= to.stamp) return to;
  const double share = toSeconds(stamp - from.stamp) / toSeconds(to.stamp - from.stamp);
  KinematicState state;
  state.stamp = stamp;
  state.X_WB = interpolatePose(from, to, stamp);
  state.v_WB = from.v_WB + share * (to.v_WB - from.v_WB);
  state.a_WB = from.a_WB + share * (to.a_WB - from.a_WB);
  state.w_WB_B = from.w_WB_B + share * (to.w_WB_B - from.w_WB_B);
  state.dw_WB_B = from.dw_WB_B + share * (to.dw_WB_B - from.dw_WB_B);
  return state;
}

/// Passes a flight's measurements to the writers of all formats, and to the quality meter.
class Recorder {
 public:
  Recorder(ScenarioFlight& flight, const DatasetRequest& request, const dataset::Sensors& sensors,
           const std::string& title, const fs::path& folder)
      : flight_(&flight),
        quality_(std::make_shared<dataset::QualityMeter>(sensors, *flight.map().map)),
        truth_rate_(request.truth_rate.value_or(flight.config().rates.odometry)),
        twin_(flight.config().vehicle.imu, flight.config().seed) {
    writers_.push_back(quality_);
    writers_.push_back(std::make_shared<DatasetPreview>(flight.map().map, sensors, title, folder));
    for (const dataset::Format format : request.formats) {
      const fs::path own = folder / dataset::nameOf(format);
      makeFolder(own);
      writers_.push_back(dataset::makeWriter(format, {own, sensors, request.axes, flight.epoch()}));
    }
    flight.uav().keepMisses(std::any_of(writers_.begin(), writers_.end(),
                                        [](const auto& writer) { return writer->needsMisses(); }));
    addTruth(flight.uav().state());
    flight.uav().on_odometry = [this](const KinematicState& state) { addTruth(state); };
    flight.uav().on_imu = [this](const vehicle::ImuSample& sample) { addImu(sample); };
    flight.uav().on_image = [this](const lidar::DepthImage& image) {
      addImage({0, image.stamp, image.X_WC, image.depth, {}, {}});
    };
    const std::vector<dataset::ImageStream> streams = imageStreams(sensors);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].kind == Kind::kColour) colour_streams_.push_back(i);
    }
    has_truth_ = sensors.image_truth;
    flight.uav().on_camera_image = [this](std::size_t camera, const lidar::CameraImage& image,
                                          View<scene::MovingObject> objects) {
      addImages(camera, image, objects);
    };
    flight.uav().on_scan = [this](const lidar::Scan& scan) {
      for (const auto& writer : writers_) writer->addScan(scan);
    };
  }

  void finish() {
    for (const auto& writer : writers_) writer->finish();
  }
  const dataset::QualityMeter& quality() const { return *quality_; }

 private:
  // Passes on the motion at the multiples of the truth's period since the state before.
  void addTruth(const KinematicState& state) {
    for (TimeNs stamp = truthStamp(); stamp <= state.stamp; stamp = truthStamp()) {
      const dataset::Truth truth{between(last_, state, stamp), twin_.gyroscope().bias(),
                                 twin_.accelerometer().bias()};
      for (const auto& writer : writers_) writer->addTruth(truth);
      ++truths_;
    }
    last_ = state;
  }
  TimeNs truthStamp() const { return toNs(truths_ / truth_rate_); }
  void addImu(const vehicle::ImuSample& sample) {
    for (const auto& writer : writers_) writer->addImu(sample);
    twin_.sample(flight_->uav().state());
  }
  void addImage(const dataset::Image& image) {
    for (const auto& writer : writers_) writer->addImage(image);
  }
  // The streams in a camera's pixels follow its own stream.
  void addImages(std::size_t number, const lidar::CameraImage& image,
                 View<scene::MovingObject> objects) {
    std::size_t stream = colour_streams_[number];
    addImage({stream++, image.stamp, image.X_WC, {}, image.pixels, {}});
    const lidar::Camera& camera = flight_->uav().cameras()->cameras()[number];
    if (camera.config().aligned_depth) {
      lidar::DepthImage depth = camera.alignedDepth(image);
      addImage({stream++, depth.stamp, depth.X_WC, std::move(depth.depth), {}, {}});
    }
    if (!has_truth_) return;
    const lidar::ImageTruth truth(camera, image, objects);
    addImage({stream++, image.stamp, image.X_WC, {}, truth.classes(), {}});
    addImage({stream++, image.stamp, image.X_WC, {}, {}, truth.identities()});
  }

  using Kind = dataset::ImageStream::Kind;

  ScenarioFlight* flight_;
  std::vector<std::size_t> colour_streams_;  ///< by camera number
  bool has_truth_ = false;                   ///< for images
  std::shared_ptr<dataset::QualityMeter> quality_;
  double truth_rate_;    ///< [Hz]
  double truths_ = 0.0;  ///< number of samples
  KinematicState last_;  ///< the state before
  /// An IMU with the same errors and seed, and thus the same biases as the vehicle's, which hides
  /// them. The biases are those of its next reading.
  vehicle::Imu twin_;
  std::vector<std::shared_ptr<dataset::Writer>> writers_;
};

/// The end of a data set: the given duration; else the end of the scan in which the flight is
/// complete, and a second later if the UAV does not follow a trajectory.
class End {
 public:
  End(const DatasetRequest& request, const scenario::Scenario& scenario,
      const ScenarioFlight& flight)
      : flight_(&flight), is_given_(request.duration.has_value()), end_(scenario.duration) {
    const auto& replay = flight.config().replay;
    if (replay) end_ = replay->end();
    if (request.duration) {
      const TimeNs most = replay ? end_ : toNs(scenario::kLongestDuration);
      Validator(request.where())
          .require(*request.duration > 0 && *request.duration <= most, request.field("duration"),
                   fmt::format("{:g} s", toSeconds(*request.duration)),
                   fmt::format("more than 0, up to {:g} s", toSeconds(most)));
      end_ = *request.duration;
    }
  }
  TimeNs latest() const { return end_; }
  bool hasCome() {
    const TimeNs now = flight_->now();
    if (!is_given_ && !flight_->config().replay && flight_->flownAt()) {
      const TimeNs period =
          flight_->config().lidar ? periodNs(flight_->config().lidar->rate) : kNsPerSecond / 10;
      const TimeNs flown = *flight_->flownAt() + scenario::FlightGuide::kLinger;
      end_ = std::min(end_, (flown + period - 1) / period * period);
    }
    return now >= end_;
  }

 private:
  const ScenarioFlight* flight_;
  bool is_given_;
  TimeNs end_;
};

/// Writes quality.json and report.html; returns the text of the summary.
std::string report(const ScenarioFlight& flight, const dataset::QualityMeter& quality,
                   const DatasetSummary& summary, const std::string& title,
                   const fs::path& folder) {
  const Json measured = qualityJson(quality);
  writeFile(folder / "quality.json", measured.dump(2) + "\n");
  const std::string about = fmt::format(
      "{} on the map {}, {:.3f} s, {:.1f} m, {} contacts, {} of {} goals reached",
      flight.config().vehicle.name, flight.arguments().at("map"), toSeconds(summary.duration),
      quality.distance, summary.contacts, summary.reached, summary.goals);
  writeFile(folder / "report.html", qualityHtml(quality, title, about));
  Json streams = measured["streams"];
  for (Json& stream : streams) stream.erase("intervals");
  const Json json = {{"format", 1},
                     {"duration", toSeconds(summary.duration)},
                     {"flight",
                      {{"goals", summary.goals},
                       {"reached", summary.reached},
                       {"contacts", summary.contacts},
                       {"distance_m", quality.distance}}},
                     {"streams", streams}};
  return json.dump(2) + "\n";
}

/// Flies to the end, or until the user interrupts.
void fly(ScenarioFlight& flight, End& end, DatasetSummary& summary) {
  const InterruptGuard guard;
  Progress progress("dataset");
  constexpr TimeNs kShown = kNsPerSecond / 10;
  progress.phase("flying", static_cast<std::size_t>(end.latest() / kShown));
  while (!end.hasCome()) {
    if (InterruptGuard::count() > 0) {
      summary.interrupted = true;
      return;
    }
    flight.step();
    if (flight.now() % kShown == 0)
      progress.update(static_cast<std::size_t>(flight.now() / kShown));
  }
  progress.finish();
}

/// Replaces sensors and rates of the flight by those of the request.
void equip(ScenarioFlight& flight, const DatasetRequest& request) {
  if (!request.airsim.empty()) {
    const AirsimSensors sensors =
        loadAirsim(request.airsim, request.airsim_vehicle, flight.config().vehicle.imu);
    for (const std::string& note : sensors.notes) {
      fmt::print(stderr, "{}: {}\n", request.airsim, note);
    }
    flight.carry(sensors);
  }
  if (request.imu_rate) {
    const double steps = flight.config().rates.dynamics, ratio = steps / *request.imu_rate;
    Validator(request.where())
        .require(ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-9 * ratio,
                 request.field("imu_rate"), fmt::format("{:g} Hz", *request.imu_rate),
                 fmt::format("{:g} Hz divided by a whole number", steps));
    flight.setImuRate(*request.imu_rate);
  }
  if (request.truth_rate) {
    DatasetRequest::kRates.require(request.where(), request.field("truth_rate"),
                                   *request.truth_rate, "Hz");
    flight.tellEveryStep();
  }
}

/// Sets the frame of the ground-truth poses.
void chooseTruthFrame(const DatasetRequest& request, dataset::Sensors& sensors) {
  std::vector<std::pair<std::string, Pose>> frames = {{"base", {}}, {"imu", sensors.imu.X_BI}};
  if (sensors.lidar) frames.emplace_back("lidar", sensors.lidar->X_BS);
  if (sensors.depth) frames.emplace_back("depth", sensors.depth->X_BC);
  if (sensors.cameras) frames.emplace_back("camera", sensors.cameras->cameras.front().X_BC);
  // As in the benchmark, the poses are those of the images.
  const bool is_chosen = request.truth_frame != "auto";
  const std::string word = is_chosen         ? request.truth_frame
                           : sensors.cameras ? "camera"
                           : sensors.depth   ? "depth"
                                             : "base";
  sensors.is_R_optical = word == "depth" || word == "camera";
  std::string allowed = "auto | ";
  for (const auto& [name, X_BR] : frames) {
    if (name == word) {
      sensors.X_BR = X_BR;
      return;
    }
    allowed += name + " | ";
  }
  const std::optional<Pose> place = config::placeInBody(word);
  const bool is_missing = word == "lidar" || word == "depth" || word == "camera";
  Validator(request.where())
      .require(place.has_value(), request.field("truth_frame"), fmt::format("'{}'", clipped(word)),
               allowed + config::kPlacesInBody + (is_missing ? ": there is no " + word : ""));
  sensors.X_BR = *place;
}

dataset::Sensors sensorsOf(const ScenarioFlight& flight, const DatasetRequest& request) {
  const sim::UavConfig& config = flight.config();
  dataset::Sensors sensors;
  sensors.imu = config.vehicle.imu;
  sensors.lidar = config.lidar;
  sensors.depth = config.depth;
  sensors.cameras = config.cameras;
  sensors.image_truth = request.image_truth;
  Validator(request.where())
      .require(!request.image_truth || sensors.cameras, request.field("image_truth"), "there",
               "only with cameras (the argument camera)");
  chooseTruthFrame(request, sensors);
  return sensors;
}

/// Writes the files of `marsim calibration` that are possible.
void writeCalibrationOf(const ScenarioFlight& flight, const fs::path& folder) {
  const sim::UavConfig& config = flight.config();
  CarriedSensors sensors;
  sensors.imu = config.vehicle.imu;
  sensors.imu_topic = "imu/data";  // which bags have
  sensors.depth = config.depth;
  sensors.cameras = config.cameras;
  if (config.lidar) {
    sensors.X_BL = config.lidar->X_BS;
    sensors.lidar_name = config.lidar->name;
    sensors.lidar_clock = config.lidar->clock;
  }
  makeFolder(folder);
  writeFile(folder / "imu.yaml", kalibrImu(sensors));
  writeFile(folder / "extrinsics.yaml", extrinsicsTable(sensors, config.lidar.has_value()));
  if (config.lidar) writeFile(folder / "fast_lio.yaml", fastLioExtrinsics(sensors));
  if (sensors.cameras && !kalibrHolds(*sensors.cameras)) {
    fmt::print("no camchain.yaml: Kalibr's radtan has no k3\n");
  } else if (sensors.depth || sensors.cameras) {
    writeFile(folder / "camchain.yaml", kalibrCameras(sensors));
  }
  const std::string& obstacles = flight.arguments().at("obstacles");
  if (obstacles == "none") return;
  for (const auto& [name, text] : targetFiles(config::loadObstacles(obstacles))) {
    writeFile(folder / name, text);
  }
}

}  // namespace

std::string DatasetRequest::where() const { return run_file.empty() ? "command line" : run_file; }

std::string DatasetRequest::field(const std::string& key) const {
  if (!run_file.empty()) return key;
  std::string option = "--" + (key == "formats" ? "format" : key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

void DatasetRequest::readWords() {
  formats = dataset::formatsOf(format, where(), field("formats"));
  axes = dataset::axesOf(frame, where(), field("frame"));
  trajectory_axes = dataset::axesOf(trajectory_frame, where(), field("trajectory_frame"));
}

DatasetRequest requestOf(const fs::path& run_file) {
  DatasetRequest request;
  static_cast<config::DatasetRun&>(request) = config::loadDatasetRun(run_file);
  request.run_file = run_file.string();
  request.readWords();
  return request;
}

DatasetSummary makeDataset(const DatasetRequest& request) {
  dataset::requireRunFolder(request.out);  // before the map is made
  const scenario::Scenario scenario = scenarioOf(request);
  const std::uint64_t seed = request.seed.value_or(scenario.seeds.front());
  ScenarioFlight flight(scenario, seed, givenBy(request));
  equip(flight, request);
  dataset::Sensors sensors = sensorsOf(flight, request);
  requireCarried(request.formats, sensors, request.axes,
                 {request.where(), request.field("formats"), request.field("frame")});
  End end(request, scenario, flight);
  flight.enter(request.threads);
  for (const std::uint16_t thing : flight.map().map->channels().instances) {
    sensors.things = std::max(sensors.things, thing);
  }

  dataset::RunFolder folder(request.out, keyOf(request, scenario, seed, flight));
  DatasetSummary summary;
  summary.was_complete = folder.isComplete();
  if (summary.was_complete) return summary;
  writeCalibrationOf(flight, folder.unfinished() / "calibration");
  Recorder recorder(flight, request, sensors, scenario.name, folder.unfinished());
  fly(flight, end, summary);
  summary.duration = flight.now();
  summary.goals = flight.guide().goalCount();
  summary.reached = reachedCount(flight.guide().goals());
  summary.contacts = flight.contacts();
  if (summary.interrupted) return summary;
  recorder.finish();
  summary.text = report(flight, recorder.quality(), summary, scenario.name, folder.unfinished());
  folder.complete(summary.text);
  return summary;
}

}  // namespace marsim::tools
