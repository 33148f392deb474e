// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_ROSBAG
#include <algorithm>
#include <array>
#include <cstring>

#include <geometry_msgs/PoseStamped.h>
#include <nav_msgs/Odometry.h>
#include <rosbag/bag.h>
#include <rosbag/view.h>
#include <sensor_msgs/PointCloud2.h>

#include "common/text.hpp"
#include "map/files/point_records.hpp"
#endif

namespace marsim::map_tools {

#ifdef MARSIM_HAS_ROSBAG

namespace {

using sensor_msgs::PointCloud2;
using sensor_msgs::PointField;

constexpr const char* kCloudType = "sensor_msgs/PointCloud2";
const std::vector<std::string> kPoseTypes = {"nav_msgs/Odometry", "geometry_msgs/PoseStamped"};

/// Topics of a bag with one of the given types.
std::vector<std::string> topicsOf(const rosbag::Bag& bag, const std::vector<std::string>& types) {
  std::vector<std::string> topics;
  rosbag::View view(bag);
  for (const rosbag::ConnectionInfo* connection : view.getConnections()) {
    const bool fits = std::find(types.begin(), types.end(), connection->datatype) != types.end();
    const bool known = std::find(topics.begin(), topics.end(), connection->topic) != topics.end();
    if (fits && !known) topics.push_back(connection->topic);
  }
  std::sort(topics.begin(), topics.end());
  return topics;
}

/// The topic asked for, or the only one of the types.
std::string topicFor(const rosbag::Bag& bag, const std::string& path, const std::string& option,
                     const std::string& wanted, const std::vector<std::string>& types) {
  const std::vector<std::string> topics = topicsOf(bag, types);
  if (topics.empty()) throw FileError(path, fmt::format("has no topic of {}", join(types)));
  if (wanted.empty()) {
    if (topics.size() == 1) return topics.front();
    throw FileError(path, fmt::format("has several topics of {}: say which by {}: {}", join(types),
                                      option, join(topics)));
  }
  if (std::find(topics.begin(), topics.end(), wanted) == topics.end()) {
    throw FileError(
        path, fmt::format("has no topic {} of {}, allowed: {}", wanted, join(types), join(topics)));
  }
  return wanted;
}

TimeNs stampOf(const ros::Time& time) { return static_cast<TimeNs>(time.toNSec()); }

std::vector<StampedPose> posesOf(const rosbag::Bag& bag, const std::string& path,
                                 const std::string& topic) {
  std::vector<StampedPose> poses;
  rosbag::View view(bag, rosbag::TopicQuery(topic));
  for (const rosbag::MessageInstance& message : view) {
    geometry_msgs::Pose pose;
    ros::Time stamp;
    if (const auto odometry = message.instantiate<nav_msgs::Odometry>()) {
      pose = odometry->pose.pose;
      stamp = odometry->header.stamp;
    } else if (const auto stamped = message.instantiate<geometry_msgs::PoseStamped>()) {
      pose = stamped->pose;
      stamp = stamped->header.stamp;
    } else {
      continue;
    }
    StampedPose next;
    next.stamp = stampOf(stamp);
    next.X_WB.p = {pose.position.x, pose.position.y, pose.position.z};
    next.X_WB.q = Eigen::Quaterniond(pose.orientation.w, pose.orientation.x, pose.orientation.y,
                                     pose.orientation.z);
    if (!next.X_WB.p.allFinite() || std::abs(next.X_WB.q.norm() - 1.0) > 0.01) {
      throw FileError(path, fmt::format("topic {} has a pose at {:.3f} s that is none", topic,
                                        toSeconds(next.stamp)));
    }
    next.X_WB.q.normalize();
    if (poses.empty() || next.stamp > poses.back().stamp) poses.push_back(next);
  }
  if (poses.empty()) throw FileError(path, fmt::format("has no pose on {}", topic));
  return poses;
}

const PointField* fieldOf(const PointCloud2& cloud, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const PointField& field : cloud.fields) {
      if (field.name == name) return &field;
    }
  }
  return nullptr;
}

template <class T>
double numberAt(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

std::size_t sizeOf(const PointField& field) {
  constexpr std::array<std::size_t, 9> kSizes = {0, 1, 1, 2, 2, 4, 4, 4, 8};
  return field.datatype < kSizes.size() ? kSizes[field.datatype] : 0;
}

double valueOf(const PointField& field, const std::uint8_t* point) {
  const std::uint8_t* bytes = point + field.offset;
  switch (field.datatype) {
    case PointField::INT8:
      return numberAt<std::int8_t>(bytes);
    case PointField::UINT8:
      return numberAt<std::uint8_t>(bytes);
    case PointField::INT16:
      return numberAt<std::int16_t>(bytes);
    case PointField::UINT16:
      return numberAt<std::uint16_t>(bytes);
    case PointField::INT32:
      return numberAt<std::int32_t>(bytes);
    case PointField::UINT32:
      return numberAt<std::uint32_t>(bytes);
    case PointField::FLOAT32:
      return numberAt<float>(bytes);
    default:
      return numberAt<double>(bytes);
  }
}

/// Fields of a cloud that are read.
struct CloudColumns {
  std::array<const PointField*, 3> xyz{};
  const PointField* intensity = nullptr;
  const PointField* colour = nullptr;  ///< 0x00RRGGBB, also as the bits of a float
  const PointField* label = nullptr;   ///< class label of a point
  const PointField* time = nullptr;

  CloudColumns(const PointCloud2& cloud, const std::string& path, const std::string& topic) {
    const auto refuse = [&](const std::string& what) {
      return FileError(path, fmt::format("topic {}: a cloud {}", topic, what));
    };
    for (std::size_t i = 0; i < 3; ++i) {
      xyz[i] = fieldOf(cloud, {std::string(1, "xyz"[i])});
      if (xyz[i] == nullptr) throw refuse("without x, y and z");
    }
    intensity = fieldOf(cloud, {"intensity", "reflectivity"});
    colour = fieldOf(cloud, {"rgb", "rgba"});
    if (colour != nullptr && sizeOf(*colour) != 4) colour = nullptr;
    // The simulator's layout `labelled` has both; its label distinguishes objects.
    label = fieldOf(cloud, {"class", "label"});
    for (const PointField& field : cloud.fields) {
      if (map::timeRank(field.name) > (time != nullptr ? map::timeRank(time->name) : 0)) {
        time = &field;
      }
    }
    for (const PointField* field : {xyz[0], xyz[1], xyz[2], intensity, colour, label, time}) {
      if (field != nullptr &&
          (sizeOf(*field) == 0 || field->offset + sizeOf(*field) > cloud.point_step)) {
        throw refuse(fmt::format("whose field {} lies beyond its points", field->name));
      }
    }
    const std::size_t width = cloud.width, height = cloud.height;
    if (cloud.is_bigendian != 0 || cloud.point_step * width > cloud.row_step ||
        cloud.row_step * height > cloud.data.size()) {
      throw refuse("whose sizes contradict each other, or of the other byte order");
    }
  }
};

map::Colour colourAt(const PointField& field, const std::uint8_t* point) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, point + field.offset, sizeof(bits));
  return map::unpackedColour(bits, field.datatype == PointField::FLOAT32);
}

void appendChannels(const CloudColumns& columns, const std::uint8_t* point,
                    map::PointChannels& channels) {
  if (columns.intensity != nullptr) {
    channels.intensity.push_back(static_cast<float>(valueOf(*columns.intensity, point)));
  }
  if (columns.colour != nullptr) {
    channels.colour.push_back(colourAt(*columns.colour, point));
  }
  if (columns.label != nullptr) {
    channels.classes.push_back(map::classOfLabel(valueOf(*columns.label, point)));
  }
}

RawScan scanOf(const PointCloud2& message, const std::string& path, const std::string& topic) {
  const CloudColumns columns(message, path, topic);
  RawScan scan;
  scan.stamp = stampOf(message.header.stamp);
  scan.name = topic;
  if (columns.time != nullptr) {
    scan.time_field = columns.time->name;
    scan.times_are_float32 = columns.time->datatype == PointField::FLOAT32;
  }
  for (std::uint32_t row = 0; row < message.height; ++row) {
    for (std::uint32_t column = 0; column < message.width; ++column) {
      const std::uint8_t* point = message.data.data() + std::size_t{row} * message.row_step +
                                  std::size_t{column} * message.point_step;
      Eigen::Vector3f p;
      for (int i = 0; i < 3; ++i) {
        p[i] = static_cast<float>(valueOf(*columns.xyz[static_cast<std::size_t>(i)], point));
      }
      scan.cloud.points.push_back(p);
      appendChannels(columns, point, scan.cloud);
      if (columns.time != nullptr) scan.times.push_back(valueOf(*columns.time, point));
    }
  }
  return scan;
}

}  // namespace

void readBag(const std::filesystem::path& file, const std::string& wanted_clouds,
             const std::optional<std::string>& wanted_odometry, ImportWriter& writer) try {
  const std::string path = file.string();
  rosbag::Bag bag(path, rosbag::bagmode::Read);
  BagContents contents;
  contents.clouds = topicFor(bag, path, "--clouds", wanted_clouds, {kCloudType});
  if (wanted_odometry) {
    contents.odometry = topicFor(bag, path, "--odometry", *wanted_odometry, kPoseTypes);
    contents.poses = posesOf(bag, path, contents.odometry);
  }
  rosbag::View view(bag, rosbag::TopicQuery(contents.clouds));
  contents.messages = view.size();
  writer.part(ImportPart::kBag);
  carry(writer, contents);
  for (const rosbag::MessageInstance& message : view) {
    const auto cloud = message.instantiate<PointCloud2>();
    if (!cloud) continue;
    RawScan scan = scanOf(*cloud, path, contents.clouds);
    writer.part(ImportPart::kScan);
    carry(writer, scan);
  }
  writer.part(ImportPart::kNotes);
  writer.count(Notes());
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {  // by rosbag, roscpp or a container
  throw FileError(file.string(),
                  fmt::format("is no whole bag ({}); 'rosbag reindex' mends one that was cut off",
                              clipped(error.what())));
}

#else

void readBag(const std::filesystem::path& file, const std::string& /*wanted_clouds*/,
             const std::optional<std::string>& /*wanted_odometry*/, ImportWriter& /*writer*/) {
  throw FileError(file.string(),
                  "is a bag, and the program was built without librosbag_storage "
                  "(librosbag-storage-dev); a folder of PCD files and --poses do without");
}

#endif

}  // namespace marsim::map_tools
