// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/lidar_node.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sensor_msgs/LaserScan.h>

#include "config/launch_words.hpp"
#include "lidar/output/slam_client.hpp"
#include "marsim/config/load.hpp"
#include "ros/common/swarm_params.hpp"
#include "ros/messages/cloud_message.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::uint32_t kScanQueue = 10;  // messages queued for a slow subscriber

ros::Publisher advertiseCloud(ros::NodeHandle& handle, const std::string& topic,
                              lidar::CloudLayout layout) {
  if (layout == lidar::CloudLayout::kLaserScan) {
    return handle.advertise<sensor_msgs::LaserScan>(topic, kScanQueue);
  }
  if (!lidar::isLivoxCustom(layout)) {
    return handle.advertise<sensor_msgs::PointCloud2>(topic, kScanQueue);
  }
  const bool driver2 = layout == lidar::CloudLayout::kLivoxCustom2;
  ros::AdvertiseOptions options(topic, kScanQueue, LivoxCustomMessage::kMd5Sum,
                                LivoxCustomMessage::typeName(driver2),
                                LivoxCustomMessage::definition(driver2));
  options.has_header = true;
  return handle.advertise(options);
}

}  // namespace

LidarNode::LidarNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  frames_ = readFrames(params, handle);
  const std::string points_frame = params.text("points_frame_id", frames_.lidar());
  world_frame_ = params.text("points_world_frame_id", frames_.world);
  lidar::LidarConfig config =
      config::loadLidar(given(readSwarmPlace(params, handle).lidar, params.text("lidar")));
  const std::string client = params.text("slam_client");
  config.outputs = lidar::outputsFor(client, config.outputs, params.text("output"), params.where());
  config::chooseBeam(params.text("rays"), params.text("returns"), params.where(), config);
  config.instantaneous = params.flag("instantaneous", config.instantaneous);
  const std::string surfaces = params.text("surfaces");
  if (surfaces != "none") config.surfaces = config::loadSurfaces(surfaces);
  const bool noise = params.flag("lidar_noise");
  const std::uint64_t seed = readSeed(params, handle);
  rendered_ = std::make_unique<RenderedSensor>(handle, private_handle, params);
  params.finish();

  view_watch_ = std::make_unique<sim::ViewWatch>(frames_.lidar(), config.range_max);
  sensor_ = std::make_unique<sim::LidarSensor>(std::move(config),
                                               rendered_->makeRayRenderer("lidar"), seed, noise);

  advertiseOutputs(handle, points_frame);
  rendered_->diagnostics().add("peers",
                               [this](diagnostic_updater::DiagnosticStatusWrapper& status) {
                                 rendered_->world().diagnose(status);
                               });
  rendered_->start(handle, private_handle, sensor_->config().rate, "lidar", sensor_->config().name,
                   {[this](const sim::VehicleReport& report) {
                      for (sim::LidarSensor::Interval& interval : sensor_->take(report)) {
                        push(std::move(interval));
                      }
                    },
                    [this](const lidar::Weather& weather) {
                      sensor_->lidar().setWeather(weather);
                      has_weather_ = weather.any();
                    },
                    [this](auto& status) { diagnose(status); }});
}

void LidarNode::advertiseOutputs(ros::NodeHandle& handle, const std::string& points_frame) {
  const lidar::LidarConfig& lidar = sensor_->config();
  const std::vector<std::string> topics = lidar::outputTopics(lidar.outputs);
  for (std::size_t i = 0; i < topics.size(); ++i) {
    Output& output = outputs_.emplace_back(
        layouts::CloudEncoder(lidar.outputs[i], lidar, points_frame, epoch()));
    for (int cloud = 0; cloud < output.encoder.clouds(); ++cloud) {
      const std::string number = cloud == 0 ? "" : std::to_string(cloud + 1);
      output.publishers.push_back(
          advertiseCloud(handle, topics[i] + number, lidar.outputs[i].layout));
    }
  }
  world_publisher_ = {handle, "points_world", kScanQueue};
  pose_publisher_ = {handle, "sensor_pose", kScanQueue};
  static_tf_.sendTransform(toTransform(lidar.X_BS, frames_.base(), frames_.lidar(), 0));
}

void LidarNode::push(sim::LidarSensor::Interval interval) {
  const TimeNs begin = interval.begin, end = interval.end;
  const auto due = std::make_shared<const sim::LidarSensor::Interval>(std::move(interval));
  const bool is_taken = rendered_->push(
      begin, end, [this, due](const RenderedSensor::ObjectsOf& objects) { render(*due, objects); });
  if (is_taken) return;
  ROS_WARN_ONCE(
      "the scan at %.3f s is dropped: rendering is too slow; the count of dropped "
      "scans is in /diagnostics",
      toSeconds(begin));
}

bool LidarNode::wanted() const {
  return world_publisher_.wanted() || pose_publisher_.wanted() ||
         std::any_of(outputs_.begin(), outputs_.end(),
                     [](const Output& output) { return output.wanted(); });
}

void LidarNode::render(const sim::LidarSensor::Interval& interval,
                       const RenderedSensor::ObjectsOf& objects) {
  if (!wanted()) return;
  const auto started = std::chrono::steady_clock::now();
  // Decided once: a later subscriber's output may need data that this scan leaves out.
  std::vector<const Output*> due;
  for (const Output& output : outputs_) {
    if (output.wanted()) due.push_back(&output);
  }
  sensor_->lidar().keepMisses(std::any_of(
      due.begin(), due.end(), [](const Output* output) { return output->encoder.needsMisses(); }));
  const lidar::Scan scan = sensor_->scan(interval, objects());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  publish(scan, due);
  const std::size_t returned = lidar::shotsReturned(scan);
  if (const auto warning = view_watch_->add(scan, returned)) ROS_WARN("%s", warning->c_str());
  const std::lock_guard<std::mutex> lock(mutex_);
  ++statistics_.scans;
  statistics_.returns += scan.points.size();
  statistics_.too_dark += scan.too_dark;
  statistics_.dark = !has_weather_ && lidar::nearlyAllTooDark(returned, scan.too_dark);
  if (statistics_.dark) {
    ROS_WARN_ONCE(
        "%zu of %zu shots of the scan at %.3f s that met a surface are lost to its low "
        "reflectivity: the map's intensities are low (~intensity_full_scale says what is 100 %%), "
        "or noise.range_by_reflectivity of the sensor is short",
        scan.too_dark, scan.too_dark + returned, toSeconds(scan.stamp));
  }
  statistics_.render_seconds += seconds;
  statistics_.render_seconds_max = std::max(statistics_.render_seconds_max, seconds);
}

// Shared pointers: subscribers in this process get the message without a copy.
void LidarNode::publish(const lidar::Scan& scan, const std::vector<const Output*>& due) {
  for (const Output* output : due) {
    for (int number = 0; number < output->encoder.clouds(); ++number) {
      const ros::Publisher& publisher = output->publishers[static_cast<std::size_t>(number)];
      if (publisher.getNumSubscribers() == 0) continue;
      const auto publishContents = [&](auto&& contents) {
        publisher.publish(boost::make_shared<decltype(toMessage(contents))>(
            toMessage(std::forward<decltype(contents)>(contents))));
      };
      std::visit(publishContents, output->encoder.encode(scan, number));
    }
  }
  if (world_publisher_.wanted()) {
    world_publisher_.publish(boost::make_shared<sensor_msgs::PointCloud2>(
        toMessage(layouts::worldCloud(scan, world_frame_))));
  }
  if (pose_publisher_.wanted()) {
    pose_publisher_.publish(boost::make_shared<geometry_msgs::PoseStamped>(
        toPoseStamped(scan.X_WS, world_frame_, scan.stamp)));
  }
}

void LidarNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Statistics& s = statistics_;
  rendered_->summarise(wanted(), "scans", s.scans, status);
  if (s.dark && wanted() && status.level == diagnostic_msgs::DiagnosticStatus::OK) {
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN,
                   "nearly all shots are lost to low reflectivity");
  }
  const double scans = static_cast<double>(std::max<std::uint64_t>(1, s.scans));
  status.add("mean returns per scan", static_cast<double>(s.returns) / scans);
  status.add("mean shots lost to low reflectivity per scan",
             static_cast<double>(s.too_dark) / scans);
  status.add("mean render time [ms]", 1e3 * s.render_seconds / scans);
  status.add("longest render time [ms]", 1e3 * s.render_seconds_max);
}

}  // namespace marsim::ros_nodes
