// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/depth_sensor.hpp"

#include <utility>

namespace marsim::sim {

DepthSensor::DepthSensor(lidar::DepthCameraConfig config,
                         std::shared_ptr<const lidar::ImageRenderer> renderer)
    : camera_(std::move(config), std::move(renderer)),
      clock_(camera_.config().rate, SensorClock(camera_.config().clock, camera_.config().seed,
                                                "clock of the depth camera")) {}

}  // namespace marsim::sim
