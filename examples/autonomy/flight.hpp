// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "forest.hpp"

namespace autonomy {

/// A flight of Zhong 2023, section 4.5.
struct Course {
  Eigen::Vector3d start, goal;     ///< [m]
  double density;                  ///< [1/m^2] of posts
  double speed, acceleration;      ///< [m/s], [m/s^2]
  double shortest, tallest;        ///< [m] posts
  double lowest, highest;          ///< [m] of the UAV's centre
  std::vector<double> crossed_at;  ///< [m] y at which a ball crosses the way
};
extern const std::map<std::string, Course> kCourses;

/// Result of a flight.
struct Flight {
  bool arrived = false;
  double time = 0.0;                               ///< [s]
  double length = 0.0;                             ///< [m]
  Eigen::Vector3d last = Eigen::Vector3d::Zero();  ///< [m] its end
  double fastest = 0.0;                            ///< [m/s]
  double hardest = 0.0;                            ///< [m/s^2]
  double clearance = 1e3;                          ///< [m] of the vehicle's sphere from posts
  int contacts = 0;
  int failed_plans = 0;
  std::vector<double> planning;  ///< [s] of processor time, of each plan
  double effort = 0.0;           ///< [s] of processor time
};

/// Flies a course in one process, without ROS. `seed` decides on balls.
Flight fly(const Course& course, std::shared_ptr<const marsim::map::SurfelMap> map,
           std::uint32_t seed);

}  // namespace autonomy
