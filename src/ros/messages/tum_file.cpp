#include "ros/messages/tum_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "ros/messages/pose_messages.hpp"

namespace marsim::ros_nodes {
namespace {

const char* const kHeader = "# stamp x y z qx qy qz qw\n";

}  // namespace

TumFile::TumFile(std::filesystem::path path, TimeNs offset)
    : path_(std::move(path)), offset_(offset), file_(path_) {}

std::string TumFile::linesOf(const std::vector<geometry_msgs::PoseStamped>& poses) {
  std::string lines;
  for (const geometry_msgs::PoseStamped& stamped : poses) {
    if (!isFinite(stamped.pose)) {
      ++left_out_;
      continue;
    }
    const auto& p = stamped.pose.position;
    const auto& q = stamped.pose.orientation;
    const double seconds = toSeconds(static_cast<TimeNs>(stamped.header.stamp.toNSec()) + offset_);
    lines += fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", seconds, p.x,
                         p.y, p.z, q.x, q.y, q.z, q.w);
    ++poses_;
  }
  return lines;
}

void TumFile::take(const std::string& type, const std::string& md5,
                   std::vector<std::uint8_t> message) {
  const MessagePoses poses = readPoses(type, md5, std::move(message));
  if (poses.is_path) {
    poses_ = left_out_ = 0;
    writeFile(path_, kHeader + linesOf(poses.poses));
    return;
  }
  if (!is_begun_) file_.write(kHeader);
  is_begun_ = true;
  file_.write(linesOf(poses.poses));
}

}  // namespace marsim::ros_nodes
