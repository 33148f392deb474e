// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/scan_points.hpp"

#include <fmt/format.h>

#include "dataset/append_bytes.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::dataset {
namespace {

// semantic-kitti-api, config/semantic-kitti.yaml.
constexpr std::uint32_t kMovingCar = 252, kMovingBicyclist = 253, kMovingPerson = 254,
                        kMovingMotorcyclist = 255, kMovingOnRails = 256, kMovingBus = 257,
                        kMovingTruck = 258, kMovingOther = 259;
constexpr std::uint32_t kMostInstances = 0xffff;

std::uint32_t movingClass(std::uint8_t of) {
  using namespace map::semantic;
  switch (of) {
    case kCar:
      return kMovingCar;
    case kBicycle:
      return kMovingBicyclist;
    case kPerson:
      return kMovingPerson;
    case kMotorcycle:
      return kMovingMotorcyclist;
    case kOnRails:
      return kMovingOnRails;
    case kBus:
      return kMovingBus;
    case kTruck:
      return kMovingTruck;
    default:
      return kMovingOther;
  }
}

bool moves(std::uint32_t identity) { return identity < scene::kFirstPlantIdentity; }

}  // namespace

std::uint32_t Labels::of(const lidar::ScanPoint& point) {
  if (point.surfel == lidar::kNoSurfel) return map::semantic::kOutlier;
  const bool is_static = !moves(point.identity);
  const std::uint32_t instance = is_static ? point.instance : instanceOf(point.identity);
  return instance << 16U | (is_static ? point.semantic_class : movingClass(point.semantic_class));
}

std::uint16_t Labels::instanceOf(std::uint32_t identity) {
  if (scene::isThing(identity)) {
    return static_cast<std::uint16_t>(identity - scene::kFirstThingIdentity);
  }
  if (!moves(identity)) return 0;
  const auto next = static_cast<std::uint32_t>(instances_.size()) + things_ + 1U;
  return static_cast<std::uint16_t>(instances_.emplace(identity, next).first->second &
                                    kMostInstances);
}

std::vector<std::uint16_t> Labels::instancesOf(const std::vector<std::uint32_t>& identities) {
  std::vector<std::uint16_t> instances;
  instances.reserve(identities.size());
  for (const std::uint32_t identity : identities) instances.push_back(instanceOf(identity));
  return instances;
}

std::string pointBytes(const lidar::Scan& scan, Axes axes, Labels& labels) {
  std::string bytes;
  bytes.reserve(kPointSize * scan.points.size());
  for (const lidar::ScanPoint& point : scan.points) {
    const Eigen::Vector3f p = inSensor(axes, point.p_S.cast<double>()).cast<float>();
    for (const float value : {p.x(), p.y(), p.z(), point.intensity, point.time}) {
      appendBytes(value, bytes);
    }
    appendBytes(point.ring, bytes);
    appendBytes(labels.of(point), bytes);
  }
  return bytes;
}

std::string pcdBytes(const lidar::Scan& scan, Axes axes, Labels& labels) {
  return fmt::format(
             "# .PCD v0.7 - Point Cloud Data file format\n"
             "VERSION 0.7\n"
             "FIELDS x y z intensity time ring label\n"
             "SIZE 4 4 4 4 4 2 4\n"
             "TYPE F F F F F U U\n"
             "COUNT 1 1 1 1 1 1 1\n"
             "WIDTH {0}\n"
             "HEIGHT 1\n"
             "VIEWPOINT 0 0 0 1 0 0 0\n"
             "POINTS {0}\n"
             "DATA binary\n",
             scan.points.size()) +
         pointBytes(scan, axes, labels);
}

}  // namespace marsim::dataset
