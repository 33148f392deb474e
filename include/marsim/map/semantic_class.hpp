// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Classes of surfaces, by SemanticKITTI's numbers (semantic-kitti-api,
/// config/semantic-kitti.yaml). Any number from 0 to 255 is a class; these are the ones that
/// generated places and objects have. Numbers from 100 on are not SemanticKITTI's, which has no
/// interiors.
namespace marsim::map::semantic {

constexpr std::uint8_t kNone = 0;
constexpr std::uint8_t kOutlier = 1;  ///< of scans: drops, flakes, fog, dust
constexpr std::uint8_t kCar = 10;
constexpr std::uint8_t kBicycle = 11;
constexpr std::uint8_t kBus = 13;
constexpr std::uint8_t kMotorcycle = 15;
constexpr std::uint8_t kOnRails = 16;
constexpr std::uint8_t kTruck = 18;
constexpr std::uint8_t kOtherVehicle = 20;
constexpr std::uint8_t kPerson = 30;
constexpr std::uint8_t kRoad = 40;
constexpr std::uint8_t kParking = 44;
constexpr std::uint8_t kSidewalk = 48;
constexpr std::uint8_t kOtherGround = 49;
constexpr std::uint8_t kBuilding = 50;
constexpr std::uint8_t kFence = 51;
constexpr std::uint8_t kOtherStructure = 52;
constexpr std::uint8_t kLaneMarking = 60;
constexpr std::uint8_t kVegetation = 70;
constexpr std::uint8_t kTrunk = 71;
constexpr std::uint8_t kTerrain = 72;
constexpr std::uint8_t kPole = 80;
constexpr std::uint8_t kTrafficSign = 81;
constexpr std::uint8_t kOtherObject = 99;
constexpr std::uint8_t kFloor = 100;
constexpr std::uint8_t kCeiling = 101;
constexpr std::uint8_t kWall = 102;
constexpr std::uint8_t kTable = 103;
constexpr std::uint8_t kChair = 104;

/// Their names in YAML files: "none", "car", ...
const std::vector<std::pair<std::string, std::uint8_t>>& names();
/// "car", or the number of a class without a name.
std::string nameOf(std::uint8_t number);

}  // namespace marsim::map::semantic
