#include "ros/messages/tum_file.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/PoseWithCovarianceStamped.h>
#include <nav_msgs/Odometry.h>
#include <nav_msgs/Path.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"

namespace marsim::ros_nodes {
namespace {

template <class Message>
bool is(const std::string& md5) {
  return md5 == ros::message_traits::md5sum<Message>();
}

template <class Message>
Message read(std::vector<std::uint8_t>& bytes) {
  ros::serialization::IStream stream(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  Message message;
  ros::serialization::deserialize(stream, message);
  return message;
}

bool isFinite(const geometry_msgs::Pose& pose) {
  const auto& p = pose.position;
  const auto& q = pose.orientation;
  return std::isfinite(p.x + p.y + p.z) && std::isfinite(q.x + q.y + q.z + q.w);
}

}  // namespace

TumFile::TumFile(std::filesystem::path path, TimeNs offset)
    : path_(std::move(path)), offset_(offset) {
  open();
}

void TumFile::open() {
  file_.close();
  openStream(file_, path_);
  file_ << "# stamp x y z qx qy qz qw\n" << std::flush;
  if (!file_) throw FileError(path_.string(), "cannot be written");
  poses_ = 0;
}

void TumFile::add(const ros::Time& stamp, const geometry_msgs::Pose& pose) {
  if (!isFinite(pose)) {
    ++left_out_;
    return;
  }
  const auto& p = pose.position;
  const auto& q = pose.orientation;
  const double seconds = toSeconds(static_cast<TimeNs>(stamp.toNSec()) + offset_);
  file_ << fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", seconds, p.x,
                       p.y, p.z, q.x, q.y, q.z, q.w);
  ++poses_;
}

void TumFile::take(const std::string& type, const std::string& md5,
                   std::vector<std::uint8_t> message) {
  if (is<nav_msgs::Odometry>(md5)) {
    const auto odometry = read<nav_msgs::Odometry>(message);
    add(odometry.header.stamp, odometry.pose.pose);
  } else if (is<geometry_msgs::PoseStamped>(md5)) {
    const auto stamped = read<geometry_msgs::PoseStamped>(message);
    add(stamped.header.stamp, stamped.pose);
  } else if (is<geometry_msgs::PoseWithCovarianceStamped>(md5)) {
    const auto stamped = read<geometry_msgs::PoseWithCovarianceStamped>(message);
    add(stamped.header.stamp, stamped.pose.pose);
  } else if (is<nav_msgs::Path>(md5)) {
    const auto path = read<nav_msgs::Path>(message);
    open();
    left_out_ = 0;
    for (const auto& stamped : path.poses) add(stamped.header.stamp, stamped.pose);
  } else {
    throw Error(
        fmt::format("{} (md5 {}) has no poses that are known, allowed: nav_msgs/Odometry, "
                    "nav_msgs/Path, geometry_msgs/PoseStamped, "
                    "geometry_msgs/PoseWithCovarianceStamped",
                    type, md5));
  }
  file_.flush();
  if (!file_) throw FileError(path_.string(), "cannot be written");
}

}  // namespace marsim::ros_nodes
