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
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr TimeNs kLinger = kNsPerSecond;    // after all has been flown
constexpr TimeNs kTail = kNsPerSecond / 2;  // in which what counts arrives
constexpr TimeNs kGrantStep = kNsPerSecond / 100;
// That /clock may go past what has come. States that have come at once, as far as this, are
// answered at once, with grants as far again: commands must act later, since topics overtake one
// another.
constexpr TimeNs kAhead = 7 * kNsPerSecond / 100;
static_assert(2 * kAhead < scenario::FlightGuide::kLead);
constexpr TimeNs kMissing = 5 * kNsPerSecond;  // when it says which topics nobody publishes
constexpr double kTimer = 0.05;                // [s] of wall time
constexpr double kLongestConnecting = 10.0;    // [s] of wall time, for topics that may not exist
constexpr double kLongestTail = 10.0;          // [s] of wall time, for what does not arrive
constexpr double kProgressPeriod = 0.5;        // [s] of wall time
constexpr double kSettling = 0.2;              // [s] of wall time, when all is connected
constexpr std::size_t kLongestList = 300;      // letters

double since(const ros::SteadyTime& time) { return (ros::SteadyTime::now() - time).toSec(); }

/// Where a client's launch file puts the clouds in W, and the poses that they were seen from.
struct CloudTopics {
  std::string cloud, pose;
};
CloudTopics cloudTopics(const std::string& client, const std::string& uav) {
  if (client == "ego_swarm") {
    const std::string drone = "/drone_" + uav.substr(3);
    return {drone + "_pcl_render_node/cloud", drone + "_pcl_render_node/sensor_pose"};
  }
  if (client == "super") return {"/cloud_registered", "/pcl_render_node/sensor_pose"};
  if (client == "ego_planner" || client == "fast_planner" || client == "fuel") {
    return {"/pcl_render_node/cloud", "/pcl_render_node/sensor_pose"};
  }
  return {"/" + uav + "/points_world", "/" + uav + "/sensor_pose"};
}

// Of a cloud that begins with x, y, z; none of one that is too short for its size.
std::vector<Eigen::Vector3f> pointsOf(const sensor_msgs::PointCloud2& cloud) {
  constexpr std::size_t kPointSize = 3 * sizeof(float);
  const std::size_t count = std::size_t{cloud.width} * cloud.height;
  if (cloud.point_step < kPointSize || cloud.data.size() / cloud.point_step < count) return {};
  std::vector<Eigen::Vector3f> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(points[i].data(), &cloud.data[i * cloud.point_step], kPointSize);
  }
  points.erase(std::remove_if(points.begin(), points.end(),
                              [](const Eigen::Vector3f& p) { return !p.allFinite(); }),
               points.end());
  return points;
}

}  // namespace

ScenarioRunnerNode::ScenarioRunnerNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : made_(ros::SteadyTime::now()) {
  Params params(private_handle);
  scenario_ = config::loadScenario(params.text("scenario", ""));
  seed_ = params.seed();
  folder_ = params.text("output", ".");
  params.finish();
  end_ = scenario_.duration;

  const ros::NodeHandle root("/");
  for (const std::string& name : scenario_.uavNames()) {
    uavs_.push_back(std::make_unique<ScenarioUav>(root, name, scenario_));
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
  if (scenario_.checks.coverage.empty()) return;
  const auto argument = [this](const std::string& name, const std::string& fallback) {
    const auto found = scenario_.arguments.find(name);
    return found == scenario_.arguments.end() ? fallback : found->second;
  };
  map::SurfelMapConfig map_config;
  map_config.resolution = std::stod(argument("resolution", "0.1"));
  map_config.surface = map::surfaceOf(argument("surface", "blended"));
  Progress progress("scenario_runner");
  const map::LoadedMap loaded =
      map::shareSurfelMap(config::resolveMap(argument("map", "forest")), map_config, progress);
  progress.finish();
  const vehicle::VehicleConfig vehicle =
      config::loadVehicle(argument("vehicle", "hummingbird")).vehicle;
  for (const scenario::CoverageCheck& check : scenario_.checks.coverage) {
    const Eigen::Vector3d start = scenario_.start.value_or(Eigen::Vector3d(0.0, 0.0, 1.5));
    suite::CoverageConfig config;
    config.voxel = check.voxel;
    config.box = {check.min, check.max};
    surveys_.push_back(std::make_unique<Survey>(
        Survey{suite::Coverage(*loaded.map, config, start, vehicle.radius), {}, {}, {}, {}, -1}));
    Survey& own = *surveys_.back();
    const CloudTopics topics = cloudTopics(scenario_.client, check.uav);
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
  }
}

// Takes clouds and poses of the same stamp; of those without a partner the old ones are forgotten.
void ScenarioRunnerNode::survey(Survey& survey) const {
  constexpr std::size_t kMostWaiting = 20;
  for (auto cloud = survey.clouds.begin(); cloud != survey.clouds.end();) {
    const auto place = survey.places.find(cloud->first);
    if (place == survey.places.end()) {
      ++cloud;
      continue;
    }
    if (cloud->first <= end_) survey.coverage.add(place->second, pointsOf(*cloud->second));
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
      if (entry.key != "mean render time [ms]") continue;
      const double ms = std::strtod(entry.value.c_str(), nullptr);
      if (ms > 0.0) timings_[status.name].emplace_back(fromRos(message->header.stamp), ms);
    }
  }
}

// What it still waits for before it begins.
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
  // A topic of a check may be one that nobody will ever publish.
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
  if (!scenario_.lockstep) {
    const TimeNs now = reached();
    for (const auto& uav : uavs_) uav->beginAfter(now);
    end_ = now + scenario_.duration;
  }
  fmt::print("scenario {}, seed {}: begins\n", scenario_.name, seed_);
  std::fflush(stdout);
}

// The time up to which the states of all UAVs have come.
TimeNs ScenarioRunnerNode::reached() const {
  TimeNs least = std::numeric_limits<TimeNs>::max();
  for (const auto& uav : uavs_) least = std::min(least, uav->now());
  return least;
}

void ScenarioRunnerNode::onState(TimeNs stamp) {
  if (finished_) return;
  if (first_.isZero() && stamp > 0) {  // it stands at 0 until all are there
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
  if (since(told_at_) >= kProgressPeriod) tellProgress();
  if (reached >= end_ + kTail && complete()) finish();
}

// By the stamps of states alone, so that it ends at the same instant in every run.
void ScenarioRunnerNode::decideEnd(TimeNs stamp) {
  if (decided_ || scenario_.flights.empty() || stamp >= end_) return;
  TimeNs flown = 0;
  for (const auto& uav : uavs_) {
    const auto at = uav->flownAt();
    if (!at) return;
    flown = std::max(flown, *at);
  }
  decided_ = true;
  end_ = std::min(end_, flown + kLinger);
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

// Whether all that counts has come. Estimates come when they come.
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
  for (const auto& survey : surveys_) recording.coverage.push_back(survey->coverage.share());
  recording.timings = timings_;
  return recording;
}

// A full disk shall be told as such, and end the run in good order.
void ScenarioRunnerNode::finish() {
  finished_ = true;
  try {
    const suite::RunResult result = suite::judge(scenario_, seed_, recording());
    suite::writeRun(folder_ / "run.json", result);
    fmt::print("scenario {}, seed {}: {}{}{}\n", scenario_.name, seed_,
               suite::verdictText(result.verdict), result.message.empty() ? "" : ": ",
               result.message);
    std::fflush(stdout);
  } catch (const Error& error) {
    ROS_FATAL("%s", error.what());
  }
  ros::shutdown();
}

}  // namespace marsim::ros_nodes
