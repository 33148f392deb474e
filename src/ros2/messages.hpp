// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dataset/ros2_types.hpp"
#include "layouts/cloud_encoder.hpp"
#include "marsim/collision/contacts.hpp"
#include "marsim/geometry/pose.hpp"

/// Messages of ROS 2 in CDR that data sets do not have.
namespace marsim::ros2 {

/// The type of a layout's messages: PointCloud2, CustomMsg or LaserScan.
const dataset::ros2_types::Type& typeOf(lidar::CloudLayout layout);
std::string message(const layouts::Contents& contents);

struct Transform {
  TimeNs stamp = 0;
  std::string frame, child;
  Pose X_FC;
};
std::string tfMessage(const std::vector<Transform>& transforms);
std::string clockMessage(TimeNs now);
std::string poseMessage(const Pose& X_WF, TimeNs stamp, const std::string& frame);
/// A marsim/Contact; `count` of contacts begun so far.
std::string contactMessage(const collision::ContactEvent& event, TimeNs stamp,
                           const std::string& frame, std::uint32_t count);

/// An entry of diagnostic_msgs/DiagnosticArray.
struct Status {
  bool warns = false;
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> values;
};
std::string diagnosticsMessage(const std::vector<Status>& all, TimeNs stamp);

}  // namespace marsim::ros2
