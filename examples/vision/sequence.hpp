// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "errors.hpp"
#include "marsim/geometry/pose_track.hpp"
#include "moving_points.hpp"

namespace vision {

/// A sequence like those of freiburg3 of the TUM benchmark (Sturm et al., IROS 2012): an RGB-D
/// camera before a table, and people that walk between them or sit there and turn.
struct Sequence {
  bool people_walk = true;
  /// xyz: along three axes; rpy: about three axes; static; halfsphere: on one, looking at a place.
  enum class Motion { kXyz, kRpy, kStatic, kHalfsphere } motion = Motion::kXyz;
};
/// By name, as "walking_xyz".
extern const std::map<std::string, Sequence> kSequences;

struct SequenceResult {
  /// Poses of the odometry that leaves out moving points, and of one with all points.
  std::vector<PosePair> with_removal, without;
  std::size_t images = 0;
  double in_boxes = 0.0;  ///< share of the images' area, 0 to 1
  // Labels and velocities compared with the truth:
  std::size_t moving = 0, moving_found = 0;  ///< features on moving surfaces in boxes
  std::size_t still = 0, still_kept = 0;     ///< features of the room in boxes
  std::vector<double> velocity_errors;       ///< [m/s] of people who move
};

/// An image with its labels.
struct LabelledImage {
  double time;  ///< [s]
  const cv::Mat& grey;
  const std::vector<Box>& boxes;
  const std::vector<PointFlow>& points;
};

/// Poses of the body that carries a sequence's camera, 20 a second.
std::vector<marsim::StampedPose> pathOf(const Sequence& sequence, double seconds);

/// Records a sequence of `seconds` and follows it as it is made. The seed is that of the noise of
/// camera, gyroscope and detector, of people's sizes and of where walkers start on their ways.
/// `show` may be empty.
SequenceResult run(const Sequence& sequence, double seconds, std::uint32_t seed = 1,
                   const std::function<void(const LabelledImage&)>& show = {});

}  // namespace vision
