// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/scenario_runner_node.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "config/scenario.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "ros/common/idle_gate.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kTail = kNsPerSecond / 2;  // time for the last messages of the flight
constexpr TimeNs kGrantStep = kNsPerSecond / 100;
// How far /clock may go past the last message. States that arrive at once, up to this far, are
// answered at once, with grants as far again: commands must act later, since topics may overtake
// one another.
constexpr TimeNs kAhead = 7 * kNsPerSecond / 100;
static_assert(2 * kAhead < scenario::FlightGuide::kLead);
constexpr TimeNs kMissing = 5 * kNsPerSecond;  // then it names topics without publishers
constexpr double kTimer = 0.05;                // [s] of wall time
constexpr double kLongestConnecting = 10.0;    // [s] of wall time, for topics that may not exist
constexpr double kLongestTail = 10.0;          // [s] of wall time, for messages that do not arrive
constexpr double kProgressPeriod = 0.5;        // [s] of wall time
constexpr double kSettling = 0.2;              // [s] of wall time, after all connections
constexpr double kFarewell = 0.5;              // [s] of wall time, for the last published messages
constexpr std::size_t kLongestList = 300;      // letters

double since(const ros::SteadyTime& time) { return (ros::SteadyTime::now() - time).toSec(); }

/// Topics of a client's launch file for clouds in W and the poses of their sensor.
struct CloudTopics {
  std::string cloud, pose;
};
CloudTopics cloudTopics(const std::string& client, const std::string& uav) {
  if (client == "ego_swarm" || client == "ego_planner_v2") {
    const std::string drone = "/drone_" + uav.substr(3);
    return {drone + "_pcl_render_node/cloud", drone + "_pcl_render_node/sensor_pose"};
  }
  if (client == "super") return {"/cloud_registered", "/pcl_render_node/sensor_pose"};
  if (client == "ego_planner" || client == "fast_planner" || client == "fuel") {
    return {"/pcl_render_node/cloud", "/pcl_render_node/sensor_pose"};
  }
  return {"/" + uav + "/points_world", "/" + uav + "/sensor_pose"};
}

// The finite points of a cloud that begins with x, y, z, perhaps intensity; none if the cloud is
// too short for its size.
map::PointCloud scanOf(const sensor_msgs::PointCloud2& cloud) {
  map::PointCloud scan;
  const std::size_t count = std::size_t{cloud.width} * cloud.height;
  const std::size_t size = std::min<std::size_t>(cloud.point_step, 4 * sizeof(float));
  if (size < 3 * sizeof(float) || cloud.data.size() / cloud.point_step < count) return scan;
  for (std::size_t i = 0; i < count; ++i) {
    float point[4] = {};
    std::memcpy(point, &cloud.data[i * cloud.point_step], size);
    const Eigen::Vector3f p_W(point[0], point[1], point[2]);
    if (!p_W.allFinite()) continue;
    scan.points.push_back(p_W);
    scan.intensity.push_back(point[3]);
  }
  return scan;
}

/// The scenario of a SLAM flight, which has no file.
scenario::Scenario slamScenario(Params& params) {
  scenario::Scenario scenario;
  scenario.duration = std::numeric_limits<TimeNs>::max() / 2;
  scenario.lockstep = params.flag("lockstep");
  return scenario;
}

}  // namespace

ScenarioRunnerNode::ScenarioRunnerNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : made_(ros::SteadyTime::now()) {
  Params params(private_handle);
  const bool flies_for_slam = params.flag("slam_flight");
  scenario_ =
      flies_for_slam ? slamScenario(params) : config::loadScenario(params.text("scenario", ""));
  if (flies_for_slam) slam_ = std::make_unique<const SlamFlight>(params);
  seed_ = params.seed();
  folder_ = params.text("output", ".");
  params.finish();
  end_ = scenario_.duration;

  const std::vector<std::string> names =
      slam_ ? std::vector<std::string>{handle.getNamespace().substr(1)} : scenario_.uavNames();
  for (const std::string& name : names) {
    uavs_.push_back(std::make_unique<ScenarioUav>(name, scenario_, slam_.get()));
    uavs_.back()->on_state = [this](TimeNs stamp) { onState(stamp); };
  }
  watchTopics(handle);
  openSurveys(handle);
  diagnostics_subscriber_ =
      handle.subscribe("/diagnostics", 100, &ScenarioRunnerNode::onDiagnostics, this);
  if (scenario_.lockstep) grants_ = std::make_unique<ClockGrants>(handle, private_handle);
  timer_ = handle.createSteadyTimer(ros::WallDuration(kTimer),
                                    [this](const ros::SteadyTimerEvent&) { onTimer(); });
}

void ScenarioRunnerNode::watchTopics(ros::NodeHandle& handle) {
  std::map<std::string, bool> with_poses;
  for (const scenario::RateCheck& check : scenario_.checks.rates) with_poses[check.topic];
  for (const scenario::EstimateCheck& check : scenario_.checks.estimates) {
    with_poses[check.topic] = true;
  }
  for (const auto& [topic, poses] : with_poses) {
    topics_.push_back(std::make_unique<ScenarioTopic>(handle, topic, poses));
  }
}

void ScenarioRunnerNode::openSurveys(ros::NodeHandle& handle) {
  if (!scenario_.checks.coverage.empty()) openCoverage(handle);
  const bool has_lidar = config::argumentOf(scenario_, "lidar") != "none";
  if (scenario_.keep && has_lidar) openSurvey(handle, scenario_.uavNames().front());
}

void ScenarioRunnerNode::openCoverage(ros::NodeHandle& handle) {
  const auto argument = [this](const char* name) { return config::argumentOf(scenario_, name); };
  map::SurfelMapConfig map_config;
  map_config.resolution = std::stod(argument("resolution"));
  map_config.surface = map::surfaceOf(argument("surface"));
  Progress progress("scenario_runner");
  const map::LoadedMap loaded =
      map::shareSurfelMap(config::resolveMap(argument("map")), map_config, progress);
  progress.finish();
  const vehicle::VehicleConfig vehicle = config::loadVehicle(argument("vehicle"));
  for (const scenario::CoverageCheck& check : scenario_.checks.coverage) {
    const Eigen::Vector3d start = scenario_.start.value_or(
        Eigen::Vector3d(0.0, 0.0, config::defaultNumber("z", Quantity::kLength)));
    suite::CoverageConfig config;
    config.voxel = check.voxel;
    config.box = {check.min, check.max};
    openSurvey(handle, check.uav).coverage.emplace(*loaded.map, config, start, vehicle.radius);
  }
}

ScenarioRunnerNode::Survey& ScenarioRunnerNode::openSurvey(ros::NodeHandle& handle,
                                                           const std::string& uav) {
  surveys_.push_back(std::make_unique<Survey>());
  Survey& own = *surveys_.back();
  const CloudTopics topics = cloudTopics(scenario_.client, uav);
  own.cloud_subscriber = handle.subscribe<sensor_msgs::PointCloud2>(
      topics.cloud, 100, [this, &own](const sensor_msgs::PointCloud2ConstPtr& cloud) {
        own.clouds[fromRos(cloud->header.stamp)] = cloud;
        survey(own);
      });
  own.pose_subscriber = handle.subscribe<geometry_msgs::PoseStamped>(
      topics.pose, 100, [this, &own](const geometry_msgs::PoseStampedConstPtr& pose) {
        own.places[fromRos(pose->header.stamp)] = fromPoint(pose->pose.position);
        survey(own);
      });
  return own;
}

// Takes clouds and poses of the same stamp; forgets old ones without a partner.
void ScenarioRunnerNode::survey(Survey& survey) {
  constexpr std::size_t kMostWaiting = 20;
  for (auto cloud = survey.clouds.begin(); cloud != survey.clouds.end();) {
    const auto place = survey.places.find(cloud->first);
    if (place == survey.places.end()) {
      ++cloud;
      continue;
    }
    if (cloud->first <= end_) {
      const map::PointCloud scan = scanOf(*cloud->second);
      if (survey.coverage) survey.coverage->add(place->second, scan.points);
      if (!survey.coverage) seen_.add(place->second, scan);
    }
    survey.last = std::max(survey.last, cloud->first);
    survey.places.erase(place);
    cloud = survey.clouds.erase(cloud);
  }
  while (survey.clouds.size() > kMostWaiting) survey.clouds.erase(survey.clouds.begin());
  while (survey.places.size() > kMostWaiting) survey.places.erase(survey.places.begin());
}

void ScenarioRunnerNode::onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message) {
  for (const diagnostic_msgs::DiagnosticStatus& status : message->status) {
    for (const diagnostic_msgs::KeyValue& entry : status.values) {
      const double value = std::strtod(entry.value.c_str(), nullptr);
      if (entry.key == "mean render time [ms]" && value > 0.0) {
        timings_[status.name].emplace_back(fromRos(message->header.stamp), value);
      }
      const bool is_read = entry.key == "scans" || entry.key == "images";
      if (is_read && value > 0.0) beginSlamFlight();
    }
  }
}

// The LiDAR and cameras measure only for subscribers.
void ScenarioRunnerNode::beginSlamFlight() {
  if (!slam_ || !begun_ || slam_begun_) return;
  slam_begun_ = true;
  ROS_INFO("SLAM flight: begins");
  uavs_.front()->beginAfter(reached());
}

// The missing counterparts for which the node waits before it begins.
std::vector<std::string> ScenarioRunnerNode::missing() const {
  std::vector<std::string> missing;
  for (const auto& uav : uavs_) {
    for (std::string& one : uav->missing()) missing.push_back(std::move(one));
  }
  const auto reads = [&](const ros::Subscriber& subscriber) {
    if (subscriber.getNumPublishers() > 0) return;
    missing.push_back("nobody publishes " + subscriber.getTopic());
  };
  for (const auto& survey : surveys_) {
    reads(survey->cloud_subscriber);
    reads(survey->pose_subscriber);
  }
  // A topic of a check may never have a publisher.
  if (since(made_) > kLongestConnecting) return missing;
  for (const auto& topic : topics_) {
    if (!topic->connected()) missing.push_back("nobody publishes " + topic->name());
  }
  return missing;
}

// In wall time, since it must begin and end while simulated time stands.
void ScenarioRunnerNode::onTimer() {
  if (finished_) return;
  if (!begun_) {
    const std::vector<std::string> missing = this->missing();
    if (!missing.empty()) {
      connected_since_ = ros::SteadyTime();
      if (!told_waiting_ && since(made_) > kLongestConnecting) {
        told_waiting_ = true;
        ROS_WARN("the flight cannot begin: %s", clipped(join(missing), kLongestList).c_str());
      }
      return;
    }
    // Connections are made one by one, and the other side may need a moment for its own.
    if (connected_since_.isZero()) connected_since_ = ros::SteadyTime::now();
    if (since(connected_since_) < kSettling) return;
    if (!scenario_.lockstep && reached() < 0) return;
    begin();
  }
  if (grants_ != nullptr && granted_from_ == 0) grants_->grant(kAhead);
  if (reached() >= end_ + kTail) {
    if (ended_at_.isZero()) ended_at_ = ros::SteadyTime::now();
    if (complete() || since(ended_at_) > kLongestTail) finish();
  }
}

void ScenarioRunnerNode::begin() {
  begun_ = true;
  if (slam_) {
    slam_begun_ = scenario_.lockstep && timeWaitsUntilIdle();  // its programs are there
    ROS_INFO(slam_begun_ ? "SLAM flight: begins"
                         : "SLAM flight: waiting for somebody to read the scans");
    return;
  }
  if (!scenario_.lockstep) {
    const TimeNs now = reached();
    for (const auto& uav : uavs_) uav->beginAfter(now);
    end_ = now + scenario_.duration;
  }
  fmt::print("scenario {}, seed {}: begins\n", scenario_.name, seed_);
  std::fflush(stdout);
}

// The time up to which the states of all UAVs have arrived.
TimeNs ScenarioRunnerNode::reached() const {
  TimeNs least = std::numeric_limits<TimeNs>::max();
  for (const auto& uav : uavs_) least = std::min(least, uav->now());
  return least;
}

void ScenarioRunnerNode::onState(TimeNs stamp) {
  if (finished_) return;
  if (first_.isZero() && stamp > 0) {  // time stands at 0 until all participants are there
    first_ = ros::SteadyTime::now();
    if (!scenario_.lockstep && !begun_) end_ = stamp + scenario_.duration;
  }
  if (stamp <= end_) last_ = ros::SteadyTime::now();
  decideEnd(stamp);
  const TimeNs reached = this->reached();
  if (grants_ != nullptr && begun_ && reached >= granted_from_ + kGrantStep) {
    granted_from_ = reached;
    grants_->grant(reached + kAhead);
  }
  if (!told_missing_ && reached >= std::min(kMissing, end_)) tellMissingTopics();
  if (!slam_ && since(told_at_) >= kProgressPeriod) tellProgress();
  if (reached >= end_ + kTail && complete()) finish();
}

// Decides by the stamps of states alone, so that the flight ends at the same instant in every run.
void ScenarioRunnerNode::decideEnd(TimeNs stamp) {
  if (decided_ || (scenario_.flights.empty() && !slam_) || stamp >= end_) return;
  TimeNs flown = 0;
  for (const auto& uav : uavs_) {
    const auto at = uav->flownAt();
    if (!at) return;
    flown = std::max(flown, *at);
  }
  decided_ = true;
  end_ = std::min(end_, flown + scenario::FlightGuide::kLinger);
}

void ScenarioRunnerNode::tellProgress() {
  told_at_ = ros::SteadyTime::now();
  const std::string goals = uavs_.size() == 1 ? uavs_.front()->progress() : "";
  fmt::print("scenario {:.1f} s of {:.1f} s{}{}\n", toSeconds(std::min(reached(), end_)),
             toSeconds(end_), goals.empty() ? "" : ", ", goals);
  std::fflush(stdout);
}

void ScenarioRunnerNode::tellMissingTopics() {
  told_missing_ = true;
  ros::master::V_TopicInfo infos;
  if (!ros::master::getTopics(infos)) return;
  std::vector<std::string> names;
  for (const ros::master::TopicInfo& info : infos) names.push_back(info.name);
  for (const auto& topic : topics_) {
    if (topic->connected()) continue;
    const std::string near = nearestName(topic->name(), names);
    hints_[topic->name()] = near;
    ROS_WARN("nobody publishes %s%s", topic->name().c_str(),
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near).c_str());
  }
}

// Whether all messages that count have arrived. Estimates have no fixed time.
bool ScenarioRunnerNode::complete() const {
  const bool uavs = std::all_of(uavs_.begin(), uavs_.end(),
                                [this](const auto& uav) { return uav->complete(end_); });
  const auto is_there = [this](const scenario::RateCheck& check) {
    const auto topic = std::find_if(topics_.begin(), topics_.end(), [&check](const auto& watched) {
      return watched->name() == check.topic;
    });
    return !(*topic)->connected() || (*topic)->last() >= end_;
  };
  const bool surveys = std::all_of(surveys_.begin(), surveys_.end(), [this](const auto& survey) {
    return survey->cloud_subscriber.getNumPublishers() == 0 || survey->last >= end_;
  });
  return uavs && surveys &&
         std::all_of(scenario_.checks.rates.begin(), scenario_.checks.rates.end(), is_there);
}

scenario::Recording ScenarioRunnerNode::recording() const {
  scenario::Recording recording;
  recording.begin = recording.end = end_;
  for (const auto& uav : uavs_) {
    recording.uavs.push_back(uav->recording(end_));
    const std::vector<scenario::MotionSample>& samples = recording.uavs.back().samples;
    if (!samples.empty()) recording.begin = std::min(recording.begin, samples.front().stamp);
  }
  recording.wall = (last_ - first_).toSec();
  for (const auto& topic : topics_) {
    recording.topics.push_back(topic->recording(end_));
    const auto hint = hints_.find(topic->name());
    if (hint != hints_.end()) recording.topics.back().nearest = hint->second;
  }
  for (const auto& survey : surveys_) {
    if (survey->coverage) recording.coverage.push_back(survey->coverage->share());
  }
  recording.timings = timings_;
  return recording;
}

void ScenarioRunnerNode::finish() {
  if (slam_) return finishSlamFlight();
  write(true);
  ros::shutdown();
}

// The last published messages would be lost if the node ended at once.
void ScenarioRunnerNode::finishSlamFlight() {
  finished_ = true;
  ROS_INFO("SLAM flight: over, back at the start");
  if (grants_ != nullptr) grants_->leave();
  farewell_ = ros::NodeHandle().createSteadyTimer(
      ros::WallDuration(kFarewell), [](const ros::SteadyTimerEvent&) { ros::shutdown(); }, true);
}

ScenarioRunnerNode::~ScenarioRunnerNode() {
  if (!scenario_.keep || finished_) return;
  end_ = std::min(end_, std::max<TimeNs>(reached(), 0));
  write(false);
}

// A full disk must be reported as such, and end the run cleanly.
void ScenarioRunnerNode::write(bool completed) {
  finished_ = true;
  try {
    const scenario::Recording recording = this->recording();
    if (scenario_.keep) {
      suite::writeFlight(folder_, recording, seen_, uavs_.front()->goalCount(), completed, epoch());
    }
    const suite::RunResult result = suite::judge(scenario_, seed_, recording);
    suite::writeRun(folder_ / "run.json", result);
    fmt::print("scenario {}, seed {}: {}{}{}\n", scenario_.name, seed_,
               suite::verdictText(result.verdict), result.message.empty() ? "" : ": ",
               result.message);
    std::fflush(stdout);
  } catch (const Error& error) {
    ROS_FATAL("%s", error.what());
  }
}

}  // namespace marsim::ros_nodes
