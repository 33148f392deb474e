// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseStamped.h>
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>

#include "ros/common/clock_grants.hpp"
#include "ros/suite/scenario_topic.hpp"
#include "ros/suite/scenario_uav.hpp"
#include "ros/suite/slam_flight.hpp"
#include "scenario/scenario.hpp"
#include "suite/coverage.hpp"
#include "suite/flight_record.hpp"
#include "suite/run_result.hpp"

namespace marsim::ros_nodes {

/// Flies a scenario (scenario::Scenario), records it, holds it to what the scenario asks for,
/// writes `run.json` and ends. It takes part in lockstep: time begins when all that it reads is
/// there, and goes only a little past what it has received. A flight is over a second after all has
/// been flown, at the latest after the scenario's duration; what has a later stamp does not count.
/// Outside of lockstep, where time does not wait for it, both count from when all is connected.
///
/// In: of each UAV what ScenarioUav reads, the topics of the checks, /diagnostics. Parameters:
/// scenario (YAML file), seed (as the simulation's), output (folder).
///
/// With slam_flight (false) it flies a SlamFlight in place of a scenario, by the UAV of its
/// namespace, as soon as somebody reads the scans (/diagnostics counts them), and records nothing;
/// parameters then are lockstep (false) and those of SlamFlight.
class ScenarioRunnerNode {
 public:
  ScenarioRunnerNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  /// Keeps the recording of an interrupted flight.
  ~ScenarioRunnerNode();

 private:
  /// The scans of a UAV, each with its sensor's place.
  struct Survey {
    std::optional<suite::Coverage> coverage;  ///< none: for seen_
    ros::Subscriber cloud_subscriber, pose_subscriber;
    std::map<TimeNs, sensor_msgs::PointCloud2ConstPtr> clouds;  ///< awaiting poses
    std::map<TimeNs, Eigen::Vector3d> places;                   ///< [m] in W
    TimeNs last = -1;                                           ///< stamp of the last pair
  };

  void watchTopics(ros::NodeHandle& handle);
  void openSurveys(ros::NodeHandle& handle);
  void openCoverage(ros::NodeHandle& handle);
  Survey& openSurvey(ros::NodeHandle& handle, const std::string& uav);
  void survey(Survey& survey);
  void onDiagnostics(const diagnostic_msgs::DiagnosticArrayConstPtr& message);
  void onTimer();
  void beginSlamFlight();
  void onState(TimeNs stamp);
  std::vector<std::string> missing() const;
  void begin();
  TimeNs reached() const;
  void decideEnd(TimeNs stamp);
  void tellProgress();
  void tellMissingTopics();
  bool complete() const;
  scenario::Recording recording() const;
  void finish();
  void write(bool completed);
  void finishSlamFlight();

  scenario::Scenario scenario_;
  std::unique_ptr<const SlamFlight> slam_;  ///< null: flies the scenario
  std::uint64_t seed_ = 1;
  std::filesystem::path folder_;
  std::vector<std::unique_ptr<ScenarioUav>> uavs_;
  std::vector<std::unique_ptr<ScenarioTopic>> topics_;
  std::vector<std::unique_ptr<Survey>> surveys_;  ///< for the checks in their order, then for seen_
  suite::SeenCloud seen_;
  std::map<std::string, std::vector<std::pair<TimeNs, double>>> timings_;
  std::map<std::string, std::string> hints_;  ///< similar names for topics without publishers

  std::unique_ptr<ClockGrants> grants_;  ///< null: not in lockstep
  bool begun_ = false, slam_begun_ = false, told_waiting_ = false, told_missing_ = false,
       finished_ = false;
  ros::SteadyTime made_, connected_since_, told_at_, ended_at_;
  ros::SteadyTime first_, last_;  ///< wall time of time's begin and of the last state that counts
  TimeNs granted_from_ = 0;
  TimeNs end_ = 0;        ///< stamp of the last state that counts
  bool decided_ = false;  ///< the end before the scenario's duration
  ros::Subscriber diagnostics_subscriber_;
  ros::SteadyTimer timer_, farewell_;
};

}  // namespace marsim::ros_nodes
