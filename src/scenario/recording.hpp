// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/time.hpp"
#include "marsim/geometry/pose_track.hpp"

namespace marsim::scenario {

/// The true motion of a UAV at a stamp, with its controller's tracking.
struct MotionSample {
  TimeNs stamp = 0;
  Pose X_WB;
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();              ///< [m/s] in W
  double tracking_error = 0.0;                                 ///< [m] position from its reference
  Eigen::Vector3d to_reference = Eigen::Vector3d::Zero();      ///< [m] in W, of that length
  double clearance = std::numeric_limits<double>::infinity();  ///< [m] the last one published
  double power = std::numeric_limits<double>::quiet_NaN();     ///< [W] the last one published
};

struct GoalRecord {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m] in W
  TimeNs sent = 0;
  std::optional<TimeNs> reached;
};

inline std::size_t reachedCount(const std::vector<GoalRecord>& goals) {
  std::size_t count = 0;
  for (const GoalRecord& goal : goals) count += goal.reached ? 1U : 0U;
  return count;
}

struct UavRecording {
  std::string name;
  std::vector<MotionSample> samples;  ///< by rising stamps
  std::vector<GoalRecord> goals;
  int contacts = 0;
  double worst_contact_speed = 0.0;                                  ///< [m/s] at a contact's begin
  double least_clearance = std::numeric_limits<double>::infinity();  ///< [m] of all published
};

/// [m] rms of the tracking errors; NaN without samples.
inline double trackingRms(const UavRecording& uav) {
  double sum = 0.0;
  for (const MotionSample& sample : uav.samples) {
    sum += sample.tracking_error * sample.tracking_error;
  }
  return std::sqrt(sum / static_cast<double>(uav.samples.size()));
}

/// [J] integral of the power; NaN where none was published.
inline double energy(const UavRecording& uav) {
  double sum = 0.0;
  for (std::size_t i = 1; i < uav.samples.size(); ++i) {
    const MotionSample& sample = uav.samples[i];
    if (!std::isnan(sample.power))
      sum += sample.power * toSeconds(sample.stamp - uav.samples[i - 1].stamp);
  }
  return uav.samples.empty() || std::isnan(uav.samples.back().power)
             ? std::numeric_limits<double>::quiet_NaN()
             : sum;
}

/// Messages of a topic, by the stamps of their headers.
struct TopicRecording {
  std::string topic;
  std::string type;                ///< empty: no message has come
  std::vector<TimeNs> stamps;      ///< in order of arrival
  std::vector<StampedPose> poses;  ///< of estimates, in a frame of their own
  std::string fault = "";          ///< why it could not be recorded; empty if it could
  std::string nearest = "";        ///< if it has no publisher: a topic with a similar name
};

/// The recording of a scenario's flight.
struct Recording {
  TimeNs begin = 0;  ///< simulated time of the first sample
  TimeNs end = 0;
  double wall = 0.0;  ///< [s] from the first to the last sample
  std::vector<UavRecording> uavs;
  std::vector<TopicRecording> topics;
  std::vector<double> coverage;  ///< in the order of the checks
  /// Milliseconds of wall time by name ("mean render time"), at stamps.
  std::map<std::string, std::vector<std::pair<TimeNs, double>>> timings;
};

}  // namespace marsim::scenario
