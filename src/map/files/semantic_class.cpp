// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/semantic_class.hpp"

#include <algorithm>

namespace marsim::map::semantic {

const std::vector<std::pair<std::string, std::uint8_t>>& names() {
  static const std::vector<std::pair<std::string, std::uint8_t>> all = {
      {"none", kNone},
      {"outlier", kOutlier},
      {"car", kCar},
      {"bicycle", kBicycle},
      {"bus", kBus},
      {"motorcycle", kMotorcycle},
      {"on_rails", kOnRails},
      {"truck", kTruck},
      {"other_vehicle", kOtherVehicle},
      {"person", kPerson},
      {"road", kRoad},
      {"parking", kParking},
      {"sidewalk", kSidewalk},
      {"other_ground", kOtherGround},
      {"building", kBuilding},
      {"fence", kFence},
      {"other_structure", kOtherStructure},
      {"lane_marking", kLaneMarking},
      {"vegetation", kVegetation},
      {"trunk", kTrunk},
      {"terrain", kTerrain},
      {"pole", kPole},
      {"traffic_sign", kTrafficSign},
      {"other_object", kOtherObject},
      {"floor", kFloor},
      {"ceiling", kCeiling},
      {"wall", kWall},
      {"table", kTable},
      {"chair", kChair}};
  return all;
}

std::string nameOf(std::uint8_t number) {
  const auto found = std::find_if(names().begin(), names().end(),
                                  [&](const auto& known) { return known.second == number; });
  return found == names().end() ? std::to_string(int{number}) : found->first;
}

}  // namespace marsim::map::semantic
