// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/messages.hpp"

#include "dataset/cdr.hpp"
#include "marsim/scene/moving_object.hpp"

namespace marsim::ros2 {

using dataset::Cdr;
namespace types = dataset::ros2_types;

const types::Type& typeOf(lidar::CloudLayout layout) {
  if (layout == lidar::CloudLayout::kLaserScan) return types::kLaserScan;
  return lidar::isLivoxCustom(layout) ? types::kCustomMsg : types::kPointCloud2;
}

namespace {

std::string messageOf(const layouts::Cloud& cloud) {
  Cdr cdr;
  cdr.reserve(cloud.data.size() + 1000);
  cdr.addHeader(cloud.stamp, cloud.frame_id);
  cdr.add(cloud.height);
  cdr.add(cloud.width);
  cdr.add(static_cast<std::uint32_t>(cloud.fields.size()));
  for (const layouts::CloudField& field : cloud.fields) {
    cdr.add(std::string(field.name));
    cdr.add(field.offset);
    cdr.add(static_cast<std::uint8_t>(field.datatype));
    cdr.add(std::uint32_t{1});
  }
  cdr.add(std::uint8_t{0});  // little endian
  cdr.add(cloud.point_step);
  cdr.add(cloud.row_step);
  cdr.addSequence(cloud.data);
  cdr.add(static_cast<std::uint8_t>(cloud.is_dense));
  return cdr.take();
}

std::string messageOf(const layouts::LivoxCloud& cloud) {
  Cdr cdr;
  cdr.reserve(20 * cloud.points.size() + 100);
  cdr.addHeader(cloud.stamp, cloud.frame_id);
  cdr.add(static_cast<std::uint64_t>(cloud.stamp));
  cdr.add(static_cast<std::uint32_t>(cloud.points.size()));
  for (int i = 0; i < 4; ++i) cdr.add(std::uint8_t{0});  // lidar_id, rsvd
  cdr.add(static_cast<std::uint32_t>(cloud.points.size()));
  for (const layouts::LivoxPoint& point : cloud.points) {
    cdr.add(point.offset_time);
    cdr.add(point.x);
    cdr.add(point.y);
    cdr.add(point.z);
    cdr.add(point.reflectivity);
    cdr.add(point.tag);
    cdr.add(point.line);
  }
  return cdr.take();
}

std::string messageOf(const layouts::PlanarScan& scan) {
  Cdr cdr;
  cdr.addHeader(scan.stamp, scan.frame_id);
  for (const float value : {scan.angle_min, scan.angle_max, scan.angle_increment,
                            scan.time_increment, scan.scan_time, scan.range_min, scan.range_max}) {
    cdr.add(value);
  }
  cdr.addSequence(scan.ranges);
  cdr.addSequence(scan.intensities);
  return cdr.take();
}

}  // namespace

std::string message(const layouts::Contents& contents) {
  return std::visit([](const auto& content) { return messageOf(content); }, contents);
}

std::string tfMessage(const std::vector<Transform>& transforms) {
  Cdr cdr;
  cdr.add(static_cast<std::uint32_t>(transforms.size()));
  for (const Transform& transform : transforms) {
    cdr.addHeader(transform.stamp, transform.frame);
    cdr.add(transform.child);
    cdr.add(transform.X_FC);
  }
  return cdr.take();
}

std::string clockMessage(TimeNs now) {
  Cdr cdr;
  cdr.addTime(now);
  return cdr.take();
}

std::string poseMessage(const Pose& X_WF, TimeNs stamp, const std::string& frame) {
  Cdr cdr;
  cdr.addHeader(stamp, frame);
  cdr.add(X_WF);
  return cdr.take();
}

std::string contactMessage(const collision::ContactEvent& event, TimeNs stamp,
                           const std::string& frame, std::uint32_t count) {
  const collision::FastestTouch& hit = event.hit;
  Cdr cdr;
  cdr.addHeader(stamp, frame);
  cdr.add(static_cast<std::uint8_t>(event.begins));
  cdr.add(count);
  cdr.add(hit.identity);
  cdr.add(scene::identityName(hit.identity));
  cdr.add(Eigen::Vector3d(hit.p_W));
  cdr.add(Eigen::Vector3d(hit.normal_W));
  cdr.add(Eigen::Vector3d(hit.v_rel_W));
  cdr.add(hit.v_rel_W.norm());
  cdr.add(Eigen::Vector3d(hit.p_BV));
  return cdr.take();
}

std::string diagnosticsMessage(const std::vector<Status>& all, TimeNs stamp) {
  Cdr cdr;
  cdr.addHeader(stamp, "");
  cdr.add(static_cast<std::uint32_t>(all.size()));
  for (const Status& status : all) {
    cdr.add(static_cast<std::uint8_t>(status.warns));  // OK or WARN
    cdr.add(status.name);
    cdr.add(status.summary);
    cdr.add(std::string("simulation"));
    cdr.add(static_cast<std::uint32_t>(status.values.size()));
    for (const auto& [key, value] : status.values) {
      cdr.add(key);
      cdr.add(value);
    }
  }
  return cdr.take();
}

}  // namespace marsim::ros2
