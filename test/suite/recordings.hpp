// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scenario/recording.hpp"
#include "scenario/scenario.hpp"

namespace marsim::suite {

constexpr TimeNs kMs = kNsPerSecond / 1000;

/// Ten seconds straight ahead at 2 m/s, 1.5 m above the origin, a sample every 10 ms.
inline scenario::Recording straightFlight() {
  scenario::Recording recording;
  recording.end = 10 * kNsPerSecond;
  recording.wall = 4.0;
  scenario::UavRecording uav;
  uav.name = "uav0";
  for (TimeNs t = 0; t <= recording.end; t += 10 * kMs) {
    scenario::MotionSample sample;
    sample.stamp = t;
    sample.X_WB.p = {2.0 * toSeconds(t), 0.0, 1.5};
    sample.v_WB = {2.0, 0.0, 0.0};
    sample.tracking_error = t < 5 * kNsPerSecond ? 0.03 : 0.04;
    uav.samples.push_back(sample);
  }
  uav.goals = {{{10.0, 0.0, 1.5}, kNsPerSecond, 5 * kNsPerSecond},
               {{20.0, 0.0, 1.5}, 5 * kNsPerSecond, 9 * kNsPerSecond}};
  uav.contacts = 1;
  uav.least_clearance = 0.25;
  recording.uavs.push_back(uav);
  recording.coverage = {0.8};
  recording.timings["render"] = {{kNsPerSecond, 3.5}, {2 * kNsPerSecond, 4.5}};
  return recording;
}

/// A topic whose stamps come at a period, from one time to another.
inline scenario::TopicRecording steadyTopic(const std::string& name, TimeNs period, TimeNs begin,
                                            TimeNs end) {
  scenario::TopicRecording topic{name, "sensor_msgs/Imu", {}, {}};
  for (TimeNs t = begin; t <= end; t += period) topic.stamps.push_back(t);
  return topic;
}

inline scenario::Scenario scenarioOfTwoGoals() {
  scenario::Scenario scenario;
  scenario.name = "straight";
  scenario.file = "straight.yaml";
  scenario.description = "Two goals";
  scenario.arguments["map"] = "forest";
  scenario.flights["uav0"].goals = {{{{10.0, 0.0, 1.5}}}, {{{20.0, 0.0, 1.5}}}};
  return scenario;
}

}  // namespace marsim::suite
