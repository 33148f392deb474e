// SPDX-License-Identifier: BSD-3-Clause
#include "ros/suite/swarm_meter_node.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

/// [MB] of this process by a name of /proc/self/smaps_rollup; 0 where there is none.
double megabytesOf(const std::string& name) {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    double kilobytes = 0.0;
    if (word == name + ":" && rollup >> kilobytes) return kilobytes / 1024.0;
  }
  return 0.0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

SwarmMeterNode::SwarmMeterNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle) {
  Params params(private_handle);
  const int size = params.integer("swarm_size", 1, kMostUavs);
  const std::string topic = params.text("topic", "points");
  period_ = periodNs(params.positive("scan_rate", 10.0, Quantity::kFrequency));
  warm_up_ = toNs(params.positive("warm_up", Quantity::kTime));
  duration_ = toNs(params.positive("duration", Quantity::kTime));
  report_file_ = params.text("report");
  params.finish();
  for (int i = 0; i < size; ++i) {
    Scans& scans = *scans_.emplace_back(std::make_unique<Scans>());
    scans.subscriber = handle.subscribe<sensor_msgs::PointCloud2>(
        fmt::format("uav{}/{}", i, topic), 100,
        [this, &scans](const sensor_msgs::PointCloud2ConstPtr& cloud) { onCloud(cloud, scans); });
  }
  clock_subscriber_ = inputs_.subscribeToStream("/clock", 1000, &SwarmMeterNode::onClock, this);
  state_subscriber_ = inputs_.subscribeToStream("uav0/state", 1000, &SwarmMeterNode::onState, this);
}

SwarmMeterNode::Usage SwarmMeterNode::usage(TimeNs stamp) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {ros::WallTime::now(), stamp, seconds(used.ru_utime), seconds(used.ru_stime),
          used.ru_nvcsw + used.ru_nivcsw};
}

void SwarmMeterNode::onClock(const rosgraph_msgs::ClockConstPtr& message) {
  now_ = fromRos(message->clock);
  if (first_ < 0) first_ = now_;
  if (!measuring_ && now_ - first_ >= warm_up_) {
    measuring_ = true;
    begin_ = usage(now_);
  }
  if (measuring_ && !done_ && now_ - begin_.stamp >= duration_) {
    done_ = true;
    report(usage(now_));
    ros::requestShutdown();
  }
}

// Its callbacks come one after another, so that both may be late; ros::Time is not.
void SwarmMeterNode::onState(const marsim::VehicleStateConstPtr& state) {
  if (!measuring_ || done_) return;
  latest_state_ = std::max(latest_state_, fromRos(ros::Time::now()) - fromRos(state->header.stamp));
}

void SwarmMeterNode::onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud, Scans& scans) {
  if (!measuring_ || done_) return;
  const TimeNs stamp = fromRos(cloud->header.stamp);
  const TimeNs since = stamp - (scans.last > 0 ? scans.last : stamp - period_);
  ++scans.arrived;
  scans.points += static_cast<std::uint64_t>(cloud->width) * cloud->height;
  scans.missing +=
      static_cast<std::uint64_t>(std::max<TimeNs>(0, (since + period_ / 2) / period_ - 1));
  scans.last = stamp;
  scans.latest = std::max(scans.latest, now_ - stamp - period_);
}

void SwarmMeterNode::report(const Usage& end) const {
  const double simulated = toSeconds(end.stamp - begin_.stamp);
  std::uint64_t arrived = 0, missing = 0, points = 0;
  TimeNs latest = 0;
  for (const auto& scans : scans_) {
    arrived += scans->arrived;
    missing += scans->missing;
    points += scans->points;
    latest = std::max(latest, scans->latest);
  }
  const double user = (end.user - begin_.user) / simulated;
  const double system = (end.system - begin_.system) / simulated;
  nlohmann::ordered_json json;
  json["uavs"] = scans_.size();
  json["simulated_s"] = simulated;
  json["real_time_factor"] = simulated / (end.wall - begin_.wall).toSec();
  json["cpu_s_per_simulated_s"] = user + system;
  json["cpu_user"] = user;
  json["cpu_system"] = system;
  json["context_switches_per_simulated_s"] =
      static_cast<double>(end.switches - begin_.switches) / simulated;
  json["scans"] = arrived;
  json["scans_expected"] = static_cast<double>(scans_.size()) * simulated / toSeconds(period_);
  json["scans_missing"] = missing;
  json["points_per_scan"] =
      static_cast<double>(points) / static_cast<double>(std::max<std::uint64_t>(1, arrived));
  json["longest_scan_delay_s"] = toSeconds(latest);
  json["longest_state_delay_s"] = toSeconds(latest_state_);
  json["rss_mb"] = megabytesOf("Rss");
  json["private_mb"] = megabytesOf("Private_Dirty");
  ROS_INFO("%s", json.dump().c_str());
  if (report_file_.empty()) return;
  try {
    writeFile(report_file_, json.dump(1) + "\n");
  } catch (const Error& error) {
    ROS_ERROR("%s", error.what());
  }
}

}  // namespace marsim::ros_nodes
