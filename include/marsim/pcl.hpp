// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include "marsim/lidar/scan.hpp"
#include "marsim/map/point_cloud.hpp"

/// Scans and maps as clouds of the Point Cloud Library, and back, for any point type: x y z and
/// those of the fields intensity, r g b, label (the class), ring and time that it has. Link
/// marsim::pcl.
namespace marsim {

/// Calls access(point) where the point type has the fields that it names in its return type.
template <class Point, class Access>
void accessFields(Point& point, const Access& access) {
  if constexpr (std::is_invocable_v<const Access&, Point&>) access(point);
}

/// The points of a map, in W.
template <class Point>
pcl::PointCloud<Point> toPcl(const map::PointCloud& cloud) {
  pcl::PointCloud<Point> result;
  result.resize(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Point& point = result[i];
    point.getVector3fMap() = cloud.points[i];
    if (cloud.hasIntensity()) {
      accessFields(point, [&](auto& p) -> decltype(p.intensity, void()) {
        p.intensity = cloud.intensity[i];
      });
    }
    if (cloud.hasColour()) {
      accessFields(point, [&](auto& p) -> decltype(p.r, p.g, p.b, void()) {
        p.r = cloud.colour[i][0];
        p.g = cloud.colour[i][1];
        p.b = cloud.colour[i][2];
      });
    }
    if (cloud.hasClasses() || cloud.hasInstances()) {
      accessFields(point,
                   [&](auto& p) -> decltype(p.label, void()) { p.label = cloud.labelOf(i); });
    }
  }
  return result;
}

/// The returns of a scan in the sensor's frame, each at its own firing time, as drivers publish
/// them; time [s] since the scan's stamp.
template <class Point>
pcl::PointCloud<Point> toPcl(const lidar::Scan& scan) {
  pcl::PointCloud<Point> result;
  result.header.stamp = static_cast<std::uint64_t>(scan.stamp / 1000);  // [us]
  result.resize(scan.points.size());
  for (std::size_t i = 0; i < scan.points.size(); ++i) {
    const lidar::ScanPoint& from = scan.points[i];
    Point& point = result[i];
    point.getVector3fMap() = from.p_S;
    accessFields(point,
                 [&](auto& p) -> decltype(p.intensity, void()) { p.intensity = from.intensity; });
    accessFields(point,
                 [&](auto& p) -> decltype(p.label, void()) { p.label = from.semantic_class; });
    accessFields(point, [&](auto& p) -> decltype(p.ring, void()) { p.ring = from.ring; });
    accessFields(point, [&](auto& p) -> decltype(p.time, void()) { p.time = from.time; });
  }
  return result;
}

/// The finite points of a cloud, which are taken to be in W. A label is a class in its lower 16
/// bits (0 where it is above 255) and an instance in the upper.
template <class Point>
map::PointCloud fromPcl(const pcl::PointCloud<Point>& cloud) {
  map::PointCloud result;
  for (const Point& point : cloud) {
    if (!point.getVector3fMap().allFinite()) continue;
    result.points.push_back(point.getVector3fMap());
    accessFields(point, [&](auto& p) -> decltype(p.intensity, void()) {
      result.intensity.push_back(p.intensity);
    });
    accessFields(point, [&](auto& p) -> decltype(p.r, p.g, p.b, void()) {
      result.colour.push_back({p.r, p.g, p.b});
    });
    accessFields(point, [&](auto& p) -> decltype(p.label, void()) {
      const std::uint32_t number = p.label & 0xffffU;
      result.classes.push_back(number > 255 ? std::uint8_t{0} : static_cast<std::uint8_t>(number));
      result.instances.push_back(static_cast<std::uint16_t>(p.label >> 16U));
    });
  }
  const bool no_instances = std::all_of(result.instances.begin(), result.instances.end(),
                                        [](std::uint16_t number) { return number == 0; });
  if (no_instances) result.instances.clear();
  return result;
}

}  // namespace marsim
