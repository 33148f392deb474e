// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/common/units.hpp"

/// Bounds of users' settings, the same in all files and commands.
namespace marsim {

/// [m] from the origin along any axis: single precision has a resolution of 6 cm there.
constexpr double kFarthestPlace = 1e6;
/// [rad] either way.
constexpr double kLargestAngle = 1e6;
/// [m] along an axis.
constexpr Bounds kPlaces{-kFarthestPlace, kFarthestPlace};
/// [rad]
constexpr Bounds kAngles{-kLargestAngle, kLargestAngle};
/// [m] Side of a voxel; the largest is more than any map is wide.
constexpr Bounds kResolutions{0.0, 1e4, true};

/// How far the length of a quaternion may be off 1.
constexpr double kUnitTolerance = 0.01;

/// Whether a place is finite, with no coordinate beyond kFarthestPlace.
bool isPlace(const Eigen::Vector3d& p_W);

/// These throw ConfigError naming field, value and what is allowed.
void requirePlace(std::string_view where, std::string_view field, const Eigen::Vector3d& p_W);
void requireAngle(std::string_view where, std::string_view field, double angle);

/// "(10.00, 11.00, 1.80)".
std::string pointText(const Eigen::Vector3d& point);

/// The values that parseWhole accepts, for messages.
extern const char* const kAllowedSeeds;

/// A question to add to the message for an angle of more than a turn without a unit, "were degrees
/// meant?"; empty for any other text and quantity.
std::string degreesHint(std::string_view text, Quantity quantity);

}  // namespace marsim
