// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/rendered_sensor.hpp"

#include <algorithm>
#include <utility>

#include "common/shared_by_key.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

RenderedSensor::RenderedSensor(ros::NodeHandle& handle, ros::NodeHandle& private_handle,
                               Params& params)
    : map_(params),
      vegetation_(params.text("vegetation")),
      weather_(std::make_shared<const lidar::Weather>(config::loadWeather(params.text("weather")))),
      sees_peers_(params.flag("peers_in_scans")),
      renderer_(RendererParams::read(params)),
      world_(handle, params,
             [this] {
               if (is_started_) release();
             }),
      inputs_(handle),
      diagnostics_(handle, private_handle) {
  if (vegetation_ != "none") vegetation_config_ = config::loadVegetation(vegetation_);
}

RenderedSensor::~RenderedSensor() {
  state_subscriber_.shutdown();
  is_started_ = false;
  thread_.stop();
}

std::unique_ptr<lidar::RayRenderer> RenderedSensor::makeRayRenderer(const std::string& name) {
  const auto surfels = load(name).map;
  return withPlants(renderer_.makeRayRenderer(surfels), surfels);
}

std::unique_ptr<lidar::ImageRenderer> RenderedSensor::makeImageRenderer(const std::string& name) {
  const auto surfels = load(name).map;
  return withPlants(renderer_.makeImageRenderer(surfels), surfels);
}

// Plants stand on the map that the other sensors see.
lidar::CameraRenderers RenderedSensor::makeCameraRenderers(const std::string& name,
                                                           double resolution) {
  const map::LoadedMap loaded = load(name);
  if (resolution == 0.0) {
    resolution = map::imageResolution(loaded.source, map_.config.resolution);
  }
  const auto seen =
      resolution == map_.config.resolution ? loaded.map : map_.loadAt(resolution, name).map;
  return {seen, withPlants(renderer_.makeRayRenderer(seen), loaded.map),
          withPlants(renderer_.makeImageRenderer(seen), loaded.map), renderer_.config.threads};
}

template <class Interface>
std::unique_ptr<Interface> RenderedSensor::withPlants(
    std::unique_ptr<Interface> renderer, const std::shared_ptr<const map::SurfelMap>& map) const {
  auto plants = plantOn(map);
  if (plants == nullptr) return renderer;
  return lidar::withPlants(std::shared_ptr<const Interface>(std::move(renderer)), std::move(plants),
                           renderer_.config);
}

// A map keeps its pointer while anyone holds it, as every renderer of plants does.
std::shared_ptr<const lidar::Plants> RenderedSensor::plantOn(
    const std::shared_ptr<const map::SurfelMap>& map) const {
  if (!vegetation_config_) return nullptr;
  static SharedByKey<std::pair<std::string, const map::SurfelMap*>, lidar::Plants> planted;
  return planted.get({vegetation_, map.get()}, [&] {
    const auto plants = lidar::plantOn(map, *vegetation_config_, vegetation_);
    ROS_INFO("vegetation %s: %zu instances, %.1f MiB", vegetation_.c_str(), plants->size(),
             static_cast<double>(plants->bytes()) / (1 << 20));
    return plants;
  });
}

map::LoadedMap RenderedSensor::load(const std::string& name) {
  map::LoadedMap loaded = map_.load(name);
  const map::SpacingAdvice advice = map::adviseOn(loaded.source, map_.config.resolution);
  if (advice.is_bad) {
    ROS_WARN_ONCE("map %s: %s", map_.source.c_str(), advice.text.c_str());
  } else {
    ROS_INFO_ONCE("map %s: %s", map_.source.c_str(), advice.text.c_str());
  }
  world_.useMap(loaded.map);
  return loaded;
}

void RenderedSensor::start(ros::NodeHandle& handle, ros::NodeHandle& private_handle, double rate,
                           const std::string& name, const std::string& hardware, Node node) {
  node_ = std::move(node);
  diagnostics_.setHardwareID(hardware);
  diagnostics_.add(name, [this](diagnostic_updater::DiagnosticStatusWrapper& status) {
    node_.diagnose(status);
    inputs_.addTo(status);
  });
  weather_service_ =
      private_handle.advertiseService("set_weather", &RenderedSensor::onSetWeather, this);
  if (world_.lockstep().on) {
    world_.surroundings().keepForScans(1.0 / rate);
    lockstep_ = std::make_unique<RenderLockstep>(
        handle, private_handle, thread_, toNs(1.0 / rate), [this] { return world_.hasMet(); },
        [this] { release(); });
    is_started_ = true;
  }
  state_subscriber_ = inputs_.subscribeToStream("state", world_.lockstep().stateQueue(),
                                                &RenderedSensor::onState, this);
}

void RenderedSensor::onState(const marsim::VehicleStateConstPtr& message) {
  node_.take(fromMessage(*message));
  advanceTo(fromRos(message->header.stamp));
  diagnostics_.update();
}

bool RenderedSensor::onSetWeather(marsim::SetWeather::Request& request,
                                  marsim::SetWeather::Response& response) {
  try {
    weather_ = std::make_shared<const lidar::Weather>(config::loadWeather(request.weather));
    response.success = true;
    response.message = "weather: " + request.weather;
  } catch (const Error& error) {
    response.message = error.what();
  }
  return true;
}

bool RenderedSensor::push(TimeNs begin, TimeNs end, std::function<void(const ObjectsOf&)> measure) {
  if (!lockstep_) return pushNow({begin, end, std::move(measure), weather_});
  waiting_.push_back({begin, end, std::move(measure), weather_});
  return true;
}

// Not at the first state: listeners may come until time goes on.
void RenderedSensor::release() {
  if (last_state_ <= first_state_) return;
  while (!waiting_.empty() && world_.knows(waiting_.front().end)) {
    pushNow(waiting_.front());
    waiting_.pop_front();
  }
}

RenderedSensor::Objects RenderedSensor::visible(TimeNs begin, TimeNs end) const {
  Objects objects = world_.objects(begin, end);
  const auto is_unseen = [this](const scene::MovingObject& object) {
    return !sees_peers_ && object.identity < scene::kFirstObstacleIdentity;
  };
  objects.erase(std::remove_if(objects.begin(), objects.end(), is_unseen), objects.end());
  return objects;
}

bool RenderedSensor::pushNow(const Waiting& measurement) {
  const TimeNs begin = measurement.begin, end = measurement.end;
  // A measurement that waits in lockstep may begin when peers' states of its time are forgotten.
  std::shared_ptr<const Objects> present;
  if (lockstep_) present = std::make_shared<const Objects>(visible(begin, end));
  const auto objects = [this, begin, end, present] {
    return present ? *present : visible(begin, end);
  };
  const bool is_taken = thread_.push([this, objects, measurement] {
    if (measurement.weather != used_weather_) node_.set_weather(*measurement.weather);
    used_weather_ = measurement.weather;
    measurement.measure(objects);
    if (lockstep_) lockstep_->onRendered();
  });
  if (!is_taken) dropped_.add(WarningTime::clock::now());
  return is_taken;
}

// A repeated state, as during a wait for a controller, is no sign that time goes on.
void RenderedSensor::advanceTo(TimeNs stamp) {
  if (!lockstep_ || stamp == last_state_) return;
  if (first_state_ < 0 || stamp < last_state_) {
    first_state_ = stamp;
    if (stamp < last_state_) waiting_.clear();  // it belongs to another run
  }
  last_state_ = stamp;
  lockstep_->onState(stamp);
  release();
}

void RenderedSensor::summarise(bool wanted, const std::string& what, std::uint64_t count,
                               diagnostic_updater::DiagnosticStatusWrapper& status) const {
  const std::uint64_t lately = dropped_.lately(WarningTime::clock::now());
  if (!wanted) {
    status.summary(diagnostic_msgs::DiagnosticStatus::OK, "idle: nobody subscribes");
  } else if (lately > 0) {
    status.summaryf(diagnostic_msgs::DiagnosticStatus::WARN,
                    "%lu %s dropped in the last %d s: rendering is too slow",
                    static_cast<unsigned long>(lately), what.c_str(), RecentCount::kLately);
  } else {
    status.summary(diagnostic_msgs::DiagnosticStatus::OK, "measuring");
  }
  status.add(what, count);
  status.add("dropped " + what, dropped_.total());
}

}  // namespace marsim::ros_nodes
