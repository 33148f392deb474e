// SPDX-License-Identifier: BSD-3-Clause
#include "sensors.hpp"

#include <algorithm>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "places.hpp"

namespace marsim::benchmarks {
namespace {

using lidar::Ray;

lidar::ImageGrid aviaImage() {
  lidar::ImageGrid image;
  image.width = 350;
  image.height = 385;
  image.azimuth_min = radians(-35.2);
  image.azimuth_max = radians(35.2);
  image.elevation_min = radians(-38.6);
  image.elevation_max = radians(38.6);
  return image;
}

// The intrinsics of a RealSense in EGO-Planner, Fast-Planner and FUEL.
lidar::ImageGrid depthCameraImage() {
  lidar::ImageGrid image;
  image.projection = lidar::ImageGrid::Projection::kPinhole;
  image.width = 640;
  image.height = 480;
  image.fx = image.fy = 387.229;
  image.cx = 321.046;
  image.cy = 243.450;
  return image;
}

Ray rayOf(const Pose& X_WS, const Eigen::Vector3d& direction) {
  Ray ray{};
  ray.origin = X_WS.p.cast<float>();
  ray.range_max = static_cast<float>(kRangeMax);
  ray.direction = (X_WS.q * direction).cast<float>().normalized();
  return ray;
}

}  // namespace

Pose Sensor::imagePose(const Pose& X_WS) const {
  if (!optical) return X_WS;
  Eigen::Matrix3d R_SC;
  R_SC << 0, 0, 1, -1, 0, 0, 0, -1, 0;
  return X_WS * Pose{Eigen::Quaterniond(R_SC), Eigen::Vector3d::Zero()};
}

std::vector<Ray> Sensor::rays(const Pose& X_WS, int scan) const {
  std::vector<Ray> rays;
  if (pattern) {
    std::vector<lidar::Firing> firings;
    lidar::makePattern(*pattern)->fire(scan * kScan, (scan + 1) * kScan, firings);
    rays.reserve(firings.size());
    for (const lidar::Firing& firing : firings) {
      rays.push_back(rayOf(X_WS, firing.direction.cast<double>()));
    }
  } else {
    const Pose X_WI = imagePose(X_WS);
    rays.reserve(image.size());
    for (int row = 0; row < image.height; ++row) {
      for (int column = 0; column < image.width; ++column) {
        rays.push_back(rayOf(X_WI, image.direction(row, column)));
      }
    }
  }
  return rays;
}

std::vector<std::string> sensorNames() {
  return {"avia", "mid360", "vlp16", "vlp32c", "os1_128", "avia_image", "d455_image"};
}

Sensor sensorOf(const std::string& name) {
  const std::vector<std::string> known = sensorNames();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UnknownNameError("--sensors", "sensor", name, known);
  }
  Sensor sensor;
  sensor.name = name;
  if (name == "avia_image") {
    sensor.image = aviaImage();
  } else if (name == "d455_image") {
    sensor.image = depthCameraImage();
    sensor.optical = true;
  } else {
    sensor.pattern = config::loadLidar(name).pattern;
  }
  return sensor;
}

}  // namespace marsim::benchmarks
