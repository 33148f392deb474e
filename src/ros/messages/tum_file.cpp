#include "ros/messages/tum_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {

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
  const MessagePoses poses = readPoses(type, md5, std::move(message));
  if (poses.is_path) {
    open();
    left_out_ = 0;
  }
  for (const geometry_msgs::PoseStamped& pose : poses.poses) add(pose.header.stamp, pose.pose);
  file_.flush();
  if (!file_) throw FileError(path_.string(), "cannot be written");
}

}  // namespace marsim::ros_nodes
