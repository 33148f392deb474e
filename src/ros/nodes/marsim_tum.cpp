// SPDX-License-Identifier: BSD-3-Clause
// `marsim tum`: the poses of a ROS topic in TUM format, without ROS's Python.
#include <atomic>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <topic_tools/shape_shifter.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "ros/messages/header_stamp.hpp"
#include "ros/messages/tum_file.hpp"
#include "tools/process/command_line.hpp"

namespace {

using topic_tools::ShapeShifter;

constexpr marsim::Bounds kOffsets{-1e9, 1e9};  // [s]
constexpr double kSilence = 5.0;  // [s] of wall time without a message, which is then reported

std::atomic<bool> g_stop{false};
void stop(int) { g_stop = true; }

/// Writes until it is told to stop, including all messages received by then.
void record(const std::string& topic, marsim::ros_nodes::TumFile& file) {
  ros::NodeHandle handle;
  const boost::function<void(const ShapeShifter::ConstPtr&)> take =
      [&](const ShapeShifter::ConstPtr& message) {
        file.take(message->getDataType(), message->getMD5Sum(),
                  marsim::ros_nodes::bytesOf(*message));
      };
  const ros::Subscriber subscriber = handle.subscribe<ShapeShifter>(topic, 100'000, take);
  ros::CallbackQueue& queue = *ros::getGlobalCallbackQueue();
  const ros::WallTime begun = ros::WallTime::now();
  bool warned = false;
  while (!g_stop && ros::ok()) {
    queue.callAvailable(ros::WallDuration(0.1));
    if (warned || file.poses() > 0 || (ros::WallTime::now() - begun).toSec() < kSilence) continue;
    fmt::print(stderr, "marsim tum: nothing on {} yet\n", subscriber.getTopic());
    warned = true;
  }
  queue.callAvailable();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  std::string topic, out = "trajectory.tum";
  double offset = 0.0;
  CommandLine line(
      "Writes the poses of a ROS topic (nav_msgs/Odometry, nav_msgs/Path, "
      "geometry_msgs/PoseStamped)"
      "\nin TUM format, stamp x y z qx qy qz qw, until Ctrl-C.",
      "marsim tum");
  line.option("TOPIC", topic, kName, "e.g. /Odometry").required();
  line.option("--out", out, kOutput, "file to write");
  line.option("--offset", offset, number(marsim::Quantity::kTime, kOffsets),
              "added to every stamp [s], e.g. 50ms");
  std::vector<char*> words = withoutRemappings(argc, argv);
  return line.run(static_cast<int>(words.size()), words.data(), [&] {
    ros::init(argc, argv, "marsim_tum",
              ros::init_options::NoSigintHandler | ros::init_options::AnonymousName);
    marsim::requireExtension(out, {".tum", ".txt", ""});
    marsim::requireWritable(out);
    if (!ros::master::check()) {
      throw marsim::Error(
          fmt::format("no ROS master at {}: start the simulation first", ros::master::getURI()));
    }
    marsim::ros_nodes::TumFile file(out, marsim::toNs(offset));
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    record(topic, file);
    fmt::print("{} poses of {} written to {}{}\n", file.poses(), topic, out,
               file.left_out() > 0
                   ? fmt::format(", {} left out: not finite or beyond 1e9", file.left_out())
                   : "");
    return file.poses() > 0 ? 0 : 1;
  });
}
