#include "marsim/ros/cloud_message.hpp"

#include <cstring>
#include <initializer_list>

#include "marsim/ros/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

using sensor_msgs::PointCloud2;
using sensor_msgs::PointField;

struct Field {
  const char* name;
  std::uint8_t datatype;
  std::uint32_t offset;
};

PointCloud2 makeCloud(std::size_t points, std::uint32_t point_step,
                      std::initializer_list<Field> fields, const std::string& frame) {
  PointCloud2 cloud;
  cloud.header.frame_id = frame;
  cloud.height = 1;
  cloud.width = static_cast<std::uint32_t>(points);
  cloud.point_step = point_step;
  cloud.row_step = point_step * cloud.width;
  cloud.is_bigendian = 0;
  cloud.is_dense = 1;
  for (const Field& field : fields) {
    PointField message;
    message.name = field.name;
    message.datatype = field.datatype;
    message.offset = field.offset;
    message.count = 1;
    cloud.fields.push_back(message);
  }
  cloud.data.resize(points * point_step);
  return cloud;
}

template <class Value>
void put(std::uint8_t* point, std::size_t offset, Value value) {
  std::memcpy(point + offset, &value, sizeof(Value));
}

void putPosition(std::uint8_t* point, const Eigen::Vector3f& p) {
  put(point, 0, p.x());
  put(point, 4, p.y());
  put(point, 8, p.z());
}

PointCloud2 velodyneCloud(const lidar::Scan& scan, const std::string& frame) {
  PointCloud2 cloud = makeCloud(scan.points.size(), 22,
                                {{"x", PointField::FLOAT32, 0},
                                 {"y", PointField::FLOAT32, 4},
                                 {"z", PointField::FLOAT32, 8},
                                 {"intensity", PointField::FLOAT32, 12},
                                 {"ring", PointField::UINT16, 16},
                                 {"time", PointField::FLOAT32, 18}},
                                frame);
  std::uint8_t* data = cloud.data.data();
  for (const lidar::ScanPoint& point : scan.points) {
    putPosition(data, point.p_S);
    put(data, 12, point.intensity);
    put(data, 16, point.ring);
    put(data, 18, point.time);
    data += cloud.point_step;
  }
  return cloud;
}

PointCloud2 xyzitCloud(const lidar::Scan& scan, const std::string& frame) {
  PointCloud2 cloud = makeCloud(scan.points.size(), 20,
                                {{"x", PointField::FLOAT32, 0},
                                 {"y", PointField::FLOAT32, 4},
                                 {"z", PointField::FLOAT32, 8},
                                 {"intensity", PointField::FLOAT32, 12},
                                 {"time", PointField::FLOAT32, 16}},
                                frame);
  std::uint8_t* data = cloud.data.data();
  for (const lidar::ScanPoint& point : scan.points) {
    putPosition(data, point.p_S);
    put(data, 12, point.intensity);
    put(data, 16, point.time);
    data += cloud.point_step;
  }
  return cloud;
}

}  // namespace

PointCloud2 sensorCloud(const lidar::Scan& scan, lidar::CloudLayout layout,
                        const std::string& frame) {
  PointCloud2 cloud = layout == lidar::CloudLayout::kVelodyne ? velodyneCloud(scan, frame)
                                                              : xyzitCloud(scan, frame);
  cloud.header.stamp = toRos(scan.stamp);
  return cloud;
}

PointCloud2 worldCloud(const lidar::Scan& scan, const std::string& frame) {
  PointCloud2 cloud = makeCloud(scan.points.size(), 16,
                                {{"x", PointField::FLOAT32, 0},
                                 {"y", PointField::FLOAT32, 4},
                                 {"z", PointField::FLOAT32, 8},
                                 {"intensity", PointField::FLOAT32, 12}},
                                frame);
  cloud.header.stamp = toRos(scan.stamp);
  std::uint8_t* data = cloud.data.data();
  for (const lidar::ScanPoint& point : scan.points) {
    putPosition(data, point.p_W);
    put(data, 12, point.intensity);
    data += cloud.point_step;
  }
  return cloud;
}

PointCloud2 mapCloud(const map::PointCloud& source, const std::string& frame) {
  PointCloud2 cloud = makeCloud(
      source.size(), 12,
      {{"x", PointField::FLOAT32, 0}, {"y", PointField::FLOAT32, 4}, {"z", PointField::FLOAT32, 8}},
      frame);
  std::uint8_t* data = cloud.data.data();
  for (const Eigen::Vector3f& point : source.points) {
    putPosition(data, point);
    data += cloud.point_step;
  }
  return cloud;
}

}  // namespace marsim::ros_nodes
