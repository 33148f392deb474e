// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "marsim/lidar/lidar.hpp"

namespace marsim::lidar {

/// Tells whether directions lie in a sensor's field of view and outside its blind zones, without
/// trigonometry for each. A shot on an edge belongs to the view.
class FieldOfView {
 public:
  explicit FieldOfView(const LidarConfig& config);

  /// `d`: unit, in the sensor frame.
  bool contains(const Eigen::Vector3f& d) const {
    if (!view_.contains(d)) return false;
    for (const Sector& zone : blind_zones_) {
      if (zone.contains(d)) return false;
    }
    return true;
  }

 private:
  class Sector {
   public:
    /// `tolerance`: how far the sector extends beyond its edges, as a sine.
    Sector(const AngularSector& sector, float tolerance);

    bool contains(const Eigen::Vector3f& d) const {
      if (d.z() < sine_min_ || d.z() > sine_max_) return false;
      if (all_round_) return true;
      const bool left_of_from = from_.x() * d.y() - from_.y() * d.x() >= -tolerance_;
      const bool right_of_to = to_.y() * d.x() - to_.x() * d.y() >= -tolerance_;
      return reflex_ ? left_of_from || right_of_to : left_of_from && right_of_to;
    }

   private:
    float tolerance_;
    float sine_min_, sine_max_;
    Eigen::Vector2f from_, to_;
    bool all_round_, reflex_;
  };

  Sector view_;
  std::vector<Sector> blind_zones_;
};

/// The smallest sector about the body's x axis that holds every shot of a mounted sensor's scan;
/// all azimuths if some shot points back.
AngularSector viewInBody(const LidarConfig& config);

/// Throws ConfigError; `field` is the sector's path in the file.
void validateSector(const AngularSector& sector, const std::string& where,
                    const std::string& field);

}  // namespace marsim::lidar
