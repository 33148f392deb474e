// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "lidar/oracle.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::lidar {

/// Every primitive of every instance, in double precision, by other formulas than the kernel's: the
/// ray is moved into the patch by the inverse of a matrix, and a solid's surface is met where the
/// quadratic's roots lie between the caps, or at the caps.
class PlantOracle {
 public:
  struct Meeting {
    double range = std::numeric_limits<double>::infinity();  // [m]
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();        // not of length 1
  };
  struct Answer {
    Meeting meeting;
    std::size_t instance = 0, primitive = 0;
    bool ambiguous = false;  // rounding may decide
  };

  /// As plants stand at a time [s]; the vegetation is kept by reference.
  explicit PlantOracle(const scene::Vegetation& vegetation, double time = 0.0);

  Answer trace(const OracleRay& ray) const;

 private:
  struct Frame {
    Eigen::Vector3d foot;  // in W
    double radius;         // [m] of a ball about it that holds all
    Eigen::Matrix3d into;  // of differences: W to M
    const scene::Patch* patch;
    std::size_t first;  // number of the patch's first primitive
  };

  void addFrame(const scene::PlantInstance& instance, double time);

  const scene::Vegetation& vegetation_;
  std::vector<Frame> frames_;
};

}  // namespace marsim::lidar
