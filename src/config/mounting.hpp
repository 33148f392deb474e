#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::config {

/// A sensor's pose in the body: position: [x, y, z], rpy: [roll, pitch, yaw].
inline void readMounting(YamlReader& reader, Pose& X_BS) {
  reader.read("position", X_BS.p, Quantity::kLength);
  if (!reader.has("rpy")) return;
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
  reader.read("rpy", rpy, Quantity::kAngle);
  X_BS.q = fromRollPitchYaw(rpy.x(), rpy.y(), rpy.z());
}

}  // namespace marsim::config
