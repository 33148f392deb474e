#include "marsim/ros/rendered_sensor.hpp"

#include <utility>

#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/ros/map_params.hpp"

namespace marsim::ros_nodes {

RenderedSensor::RenderedSensor(ros::NodeHandle& handle, Params& params)
    : map_(params.text("map", "forest")),
      map_config_(readMapConfig(params)),
      renderer_(RendererParams::read(params)),
      in_lockstep_(params.flag("lockstep", false)),
      world_(handle, params) {}

std::shared_ptr<const lidar::Renderer> RenderedSensor::makeRenderer(lidar_gl::Use use,
                                                                    const std::string& name) {
  Progress progress(name);
  auto surfels = map::shareSurfelMap(config::resolveMap(map_), map_config_, progress).map;
  progress.finish();
  world_.useMap(surfels);
  return renderer_.make(use, std::move(surfels));
}

void RenderedSensor::start(ros::NodeHandle& handle, const ros::NodeHandle& private_handle,
                           double period) {
  if (!in_lockstep_) return;
  lockstep_ = std::make_unique<RenderLockstep>(handle, private_handle, thread_, toNs(period));
}

bool RenderedSensor::push(TimeNs begin, TimeNs end, std::function<void(const ThingsOf&)> measure) {
  // What waits in lockstep may be measured when peers' states of its time are forgotten.
  std::shared_ptr<const Things> present;
  if (lockstep_) present = std::make_shared<const Things>(world_.things(begin, end));
  const auto things = [this, begin, end, present] {
    return present ? *present : world_.things(begin, end);
  };
  const bool is_taken = thread_.push([this, things, measure = std::move(measure)] {
    measure(things);
    if (lockstep_) lockstep_->onRendered();
  });
  if (!is_taken) dropped_.add(WarningTime::clock::now());
  return is_taken;
}

// A state that is told again, as while a controller is waited for, is no sign that time goes on.
void RenderedSensor::onState(TimeNs stamp) {
  if (lockstep_ && stamp != last_state_) lockstep_->onState(stamp);
  last_state_ = stamp;
}

}  // namespace marsim::ros_nodes
