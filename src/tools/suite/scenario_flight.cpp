// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/scenario_flight.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/defaults.hpp"
#include "config/epoch.hpp"
#include "config/launch_words.hpp"
#include "config/load_multirotor.hpp"
#include "control/paths/reference_of.hpp"
#include "lidar/output/slam_client.hpp"
#include "marsim/collision/clearance.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/lidar_gl/renderer.hpp"
#include "marsim/map/surfel_search.hpp"
#include "marsim/scene/obstacles.hpp"
#include "sim/start.hpp"
#include "tools/suite/scenario_launch.hpp"

namespace marsim::tools {
namespace {

/// Arguments of sim.launch that this flight takes.
const std::vector<std::string> kArguments = split(
    "camera check_start collision collision_response controller depth dynamics epoch estimate "
    "estimate_delay estimate_settle ground_z "
    "gusts image_resolution imu instantaneous lidar lidar_noise map motor_failure obstacles output "
    "rays renderer "
    "replay resolution returns speed surface surfaces vegetation vehicle weather wind",
    ' ');

void requireNoRos(const scenario::Scenario& scenario) {
  const Validator validator(scenario.file);
  validator.require(scenario.uavs == 1, "uavs", std::to_string(scenario.uavs), "1 without ROS");
  validator.require(scenario.client.empty(), "client", scenario.client, "none without ROS");
  validator.require(scenario.programs.empty(), "programs", "there", "none without ROS");
  validator.require(scenario.wait_for.empty(), "wait_for", "there", "nothing without ROS");
  validator.require(scenario.wait_until_idle.empty(), "wait_until_idle", "there",
                    "nothing without ROS");
}

}  // namespace

/// The arguments of a scenario, with sim.launch's meaning.
class ScenarioFlight::Arguments {
 public:
  Arguments(const scenario::Scenario& scenario, const GivenArguments& given)
      : where_(scenario.file), given_(given) {
    for (const std::string& name : kArguments) values_[name] = config::defaultOf(name);
    for (const auto& [name, value] : scenario.arguments) {
      requireArgument(where_, name);
      values_[name] = fromScenario(scenario, value);
    }
    for (const auto& [name, value] : given.values) {
      requireArgument(given.where, name);
      values_[name] = value;
    }
    // A replayed trajectory keeps its own stamps.
    const bool has_epoch = scenario.arguments.count("epoch") + given.values.count("epoch") > 0;
    if (!has_epoch && !isNone("replay")) values_["epoch"] = text("replay");
  }

  /// Source of an argument, for errors.
  const std::string& where(const std::string& name) const {
    return given_.values.count(name) > 0 ? given_.where : where_;
  }
  const std::string& where() const { return where_; }
  const std::map<std::string, std::string>& values() const { return values_; }
  const std::string& text(const std::string& name) const { return values_.at(name); }
  bool isNone(const std::string& name) const { return text(name) == "none"; }
  bool flag(const std::string& name) const { return choice(name, {"true", "false"}) == "true"; }
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) const {
    const std::string word = text(name);
    const bool is_known = std::find(allowed.begin(), allowed.end(), word) != allowed.end();
    Validator(where(name))
        .require(is_known, name, fmt::format("'{}'", clipped(word)), join(allowed));
    return word;
  }
  double number(const std::string& name, Quantity quantity) const {
    try {
      return parseQuantity(text(name), quantity);
    } catch (const Error&) {
      throw ConfigError(where(name), name, fmt::format("'{}'", clipped(text(name))),
                        fmt::format("a number in {}", unitList(quantity)));
    }
  }
  /// As number(), but NaN for "auto".
  double numberOrAuto(const std::string& name, Quantity quantity) const {
    return text(name) == "auto" ? std::nan("") : number(name, quantity);
  }
  /// Replaces "auto" by what it stands for.
  void resolve(const std::string& name, const std::string& value) { values_[name] = value; }
  /// The result of a loader for an argument; the error for an unknown name tells its source.
  template <class Load>
  auto loaded(const std::string& name, const Load& load) const {
    try {
      return load(text(name));
    } catch (const UnknownNameError& error) {
      throw Error(fmt::format("{}: {}", where(name), error.what()));
    }
  }

 private:
  std::string where_;
  GivenArguments given_;
  std::map<std::string, std::string> values_;
};

ScenarioFlight::ScenarioFlight(const scenario::Scenario& scenario, std::uint64_t seed,
                               const GivenArguments& given)
    : guide_(scenario, scenario.uavNames().front()) {
  requireNoRos(scenario);
  arguments_ = std::make_unique<Arguments>(scenario, given);
  // Drawn like the seeds of its nodes.
  config_.seed = RandomStream(seed, "/" + given.uav).next();
  makeConfig(scenario, given.replay_axes);
  guide_.beginAfter(0);
}

ScenarioFlight::~ScenarioFlight() = default;

const std::map<std::string, std::string>& ScenarioFlight::arguments() const {
  return arguments_->values();
}

void ScenarioFlight::requireArgument(const std::string& where, const std::string& name,
                                     const std::vector<std::string>& more) {
  std::vector<std::string> known = kArguments;
  known.insert(known.end(), more.begin(), more.end());
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UnknownNameError(where, "argument of a flight without ROS", name, known);
}

void ScenarioFlight::makeConfig(const scenario::Scenario& scenario, dataset::Axes replay_axes) {
  const Arguments& given = *arguments_;
  config_.vehicle = given.loaded(
      "vehicle", scenario.flights.empty() ? config::loadVehicle : config::loadMultirotor);
  const std::string lidar = given.text("lidar"), imu = given.text("imu");
  if (lidar != "none") {
    config_.lidar = given.loaded("lidar", config::loadLidar);
    config_.lidar->instantaneous = config_.lidar->instantaneous || given.flag("instantaneous");
    if (!given.flag("lidar_noise")) config_.lidar->noise = config_.lidar->noise.ideal();
    config_.lidar->outputs = lidar::outputsFor("none", config_.lidar->outputs, given.text("output"),
                                               given.where("output"));
    const std::string rays = given.text("rays");
    config::chooseBeam(rays, given.text("returns"),
                       given.where(rays == "auto" ? "returns" : "rays"), *config_.lidar);
    addSurfaces();
  }
  if (!given.isNone("depth")) {
    config_.depth = given.loaded("depth", config::loadDepthCamera);
    config_.depth->seed = config_.seed;  // as its node does
  }
  if (!given.isNone("camera")) {
    config_.cameras = given.loaded("camera", config::loadCameras);
    config_.cameras->seed = config_.seed;  // likewise
  }
  weather_ = given.loaded("weather", config::loadWeather);
  Validator(given.where("imu"))
      .require(lidar != "none" || imu != "lidar", "imu", imu,
               "vehicle, auto or a name: there is no LiDAR");
  config_.vehicle.imu = given.loaded("imu", [&](const std::string& word) {
    const bool has_none = lidar == "none" && word == "auto";
    return config::chooseImu(has_none ? "vehicle" : word, config_.vehicle.imu, lidar);
  });
  chooseController();
  config_.controller.goal.speed = given.number("speed", Quantity::kSpeed);
  Validator(given.where("speed")).positive("speed", config_.controller.goal.speed, "m/s");
  config_.controller.validate(given.where("speed"));
  config_.collision.on = given.flag("collision");
  config_.collision.response = sim::collisionResponseOf(
      given.choice("collision_response", {"report", "stop_motors", "bounce"}));
  const bool is_ideal = given.choice("dynamics", {"rigid_body", "ideal"}) == "ideal";
  if (is_ideal) config_.dynamics = sim::Dynamics::kIdeal;
  config_.wind = config::windOf(given.text("wind"), "none", given.where("wind"));
  config_.wind.gusts = config::windOf("none", given.text("gusts"), given.where("gusts")).gusts;
  config_.motor_failures =
      config::motorFailuresOf(given.text("motor_failure"), given.where("motor_failure"));
  if (!given.isNone("replay")) {
    const std::string file = given.text("replay");
    std::vector<StampedPose> poses = readPoseFile(file);
    if (replay_axes == dataset::Axes::kNed) {  // the turn from ENU to NED is its own inverse
      for (StampedPose& pose : poses) pose.X_WB = sensorInWorld(replay_axes, pose.X_WB);
    }
    config_.replay = sim::Replay{std::make_shared<const PoseTrack>(poses, file), 0};
  }
  epoch_ = config::epochOf(given.text("epoch"), given.where("epoch"));
  config_.start_p_WB = scenario.start.value_or(
      Eigen::Vector3d(0.0, 0.0, config::defaultNumber("z", Quantity::kLength)));
  config_.start_yaw = scenario.yaw;
  config_.VehicleSetup::validate(given.where());
}

void ScenarioFlight::chooseController() {
  Arguments& given = *arguments_;
  config::EstimateWords words;
  words.estimate = given.isNone("replay") ? given.text("estimate") : "none";
  words.delay = given.numberOrAuto("estimate_delay", Quantity::kTime);
  words.settle = given.numberOrAuto("estimate_settle", Quantity::kTime);
  config_.estimate =
      config::chooseEstimate(words, config_.vehicle, given.text("lidar"),
                             [&given](const std::string& name) { return given.where(name); });
  if (!config_.estimate) config_.vehicle.estimate.reset();
  const bool on_estimate = config_.estimate.has_value();
  Validator(given.where("estimate"))
      .require(!on_estimate || config_.estimate->slam, "estimate",
               fmt::format("'{}'", clipped(words.estimate)), "auto, none or realistic without ROS");
  given.resolve("estimate", on_estimate ? "realistic" : "none");
  if (on_estimate) {
    given.resolve("estimate_delay", fmt::format("{}", toSeconds(config_.estimate->delay)));
    given.resolve("estimate_settle", fmt::format("{}", toSeconds(config_.estimate->settle)));
  }
  given.resolve("controller", config::controllerName(given.text("controller"), on_estimate));
  config_.controller = given.loaded("controller", [&](const std::string& name) {
    return config::chooseController(name, on_estimate, given.where("controller"));
  });
}

// Surfaces belong to the map, whatever LiDAR sees it.
void ScenarioFlight::addSurfaces() {
  if (arguments_->isNone("surfaces")) return;
  config_.lidar->surfaces = arguments_->loaded("surfaces", config::loadSurfaces);
}

void ScenarioFlight::carry(const AirsimSensors& sensors) {
  if (sensors.imu) config_.vehicle.imu = *sensors.imu;
  if (sensors.lidar) {
    config_.lidar = sensors.lidar;
    config_.lidar->instantaneous = arguments_->flag("instantaneous");
    addSurfaces();
  }
  if (sensors.cameras) {
    config_.cameras = sensors.cameras;
    config_.cameras->seed = config_.seed;
  }
  config_.VehicleSetup::validate(arguments_->where());
}

void ScenarioFlight::enter(int threads) {
  const Arguments& given = *arguments_;
  map::SurfelMapConfig map_config;
  map_config.resolution = given.number("resolution", Quantity::kLength);
  map_config.surface = map::surfaceOf(given.choice("surface", {"blended", "paper", "sized"}));
  map_config.validate(given.where("resolution"));
  Progress progress("map");
  const auto map_file = given.loaded("map", config::resolveMap);
  map_ = map::loadSurfelMap(map_file, map_config, progress);
  progress.finish();
  const double ground_z = given.text("ground_z") == "auto"
                              ? static_cast<double>(map_.source.box.min().z())
                              : given.number("ground_z", Quantity::kLength);
  sim::Renderers renderers = makeRenderers(map_.map, threads);
  if (const double resolution = imageResolution(map_config.resolution);
      resolution != map_config.resolution) {
    map_config.resolution = resolution;
    Progress finer("map for images");
    const auto seen = map::loadSurfelMap(map_file, map_config, finer).map;
    finer.finish();
    const sim::Renderers of_images = makeRenderers(seen, threads);
    renderers.cameras = {seen, of_images.rays, of_images.images, threads};
  }
  world_ = std::make_unique<sim::World>(map_.map, std::move(renderers), ground_z);
  const std::string vegetation = given.text("vegetation");
  if (vegetation != "none") {
    world_->addVegetation(lidar::vegetationOn(map_.map,
                                              given.loaded("vegetation",
                                                           [](const std::string& name) {
                                                             return config::loadVegetation(name);
                                                           }),
                                              vegetation),
                          vegetation);
  }
  if (!given.isNone("obstacles")) addObstacles(given.text("obstacles"));
  uav_ = &addUav(config_);
  uav_->on_report = [this](const sim::VehicleReport& report) { fly(report); };
  uav_->on_contact = [this](const collision::ContactEvent& event) {
    if (event.begins) ++contacts_;
  };
}

sim::Uav& ScenarioFlight::addUav(const sim::UavConfig& config) {
  if (arguments_->flag("check_start") && !config.replay) {
    sim::requireFreeStart(world_->clearances(), config.start_p_WB, config.vehicle, groundZ());
  }
  sim::Uav& uav = world_->addUav(config);
  uav.setWeather(weather_);
  return uav;
}

double ScenarioFlight::imageResolution(double resolution) const {
  if (!config_.cameras) return resolution;
  if (arguments_->text("image_resolution") == "auto") {
    return map::imageResolution(map_.source, resolution);
  }
  const double chosen = arguments_->number("image_resolution", Quantity::kLength);
  Validator(arguments_->where("image_resolution")).positive("image_resolution", chosen, "m");
  return chosen;
}

sim::Renderers ScenarioFlight::makeRenderers(const std::shared_ptr<const map::SurfelMap>& map,
                                             int threads) const {
  lidar::RendererConfig config;
  config.threads = threads;
  const lidar_gl::RendererChoice choice =
      lidar_gl::rendererChoiceOf(arguments_->text("renderer"), arguments_->where("renderer"));
  const auto log = [](const std::string& line, bool) { fmt::print(stderr, "{}\n", line); };
  sim::Renderers renderers;
  renderers.rays = lidar_gl::makeRayRenderer(choice, map, config, log);
  if (config_.depth || config_.cameras) {
    renderers.images = lidar_gl::makeImageRenderer(choice, map, config, log);
  }
  renderers.config = config;
  return renderers;
}

void ScenarioFlight::addObstacles(const std::string& name) {
  const auto clearance = [map = map_.map](const Eigen::Vector3d& p_W, double most) {
    map::FoundSurfel nearest;
    return map::nearestSurfel(map->tree(), p_W - map->origin(), most, nearest);
  };
  world_->addObjects(std::make_shared<scene::Obstacles>(
      arguments_->loaded("obstacles", config::loadObstacles), clearance, name));
}

// Does the part of a node with a message on `goal` or `command/state`.
void ScenarioFlight::fly(const sim::VehicleReport& report) {
  if (config_.replay) return;
  scenario::MotionSample sample;
  sample.stamp = report.motion.stamp;
  sample.X_WB = report.motion.X_WB;
  sample.v_WB = report.motion.v_WB;
  const scenario::FlightGuide::Commands commands = guide_.answer(sample);
  if (commands.goal) {
    const Eigen::Vector3d p_WB = commands.goal->X_WB.p;
    const double yaw = yawOf(commands.goal->X_WB.q.normalized());
    uav_->pilot().commandAt(commands.goal->stamp, sim::CommandKind::kGoal,
                            [p_WB, yaw](control::Commander& commander, TimeNs now) {
                              commander.setGoal(p_WB, yaw, now);
                            });
  }
  for (const KinematicState& state : commands.references) {
    const control::Reference reference = control::referenceOf(state);
    uav_->pilot().commandAt(state.stamp, sim::CommandKind::kState,
                            [reference](control::Commander& commander, TimeNs now) {
                              commander.setReference(reference, now);
                            });
  }
}

void ScenarioFlight::step() { world_->step(); }
TimeNs ScenarioFlight::now() const { return uav_->state().stamp; }

std::optional<TimeNs> ScenarioFlight::flownAt() const {
  if (config_.replay) return config_.replay->end();
  const bool is_flown = guide_.goalCount() > 0 || guide_.hasPath();
  return is_flown ? guide_.flownAt() : std::nullopt;
}

}  // namespace marsim::tools
