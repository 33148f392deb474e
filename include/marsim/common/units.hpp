// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace marsim {

constexpr double kPi = 3.14159265358979323846;
/// Standard gravity [m/s^2] (CGPM 1901).
constexpr double kGravity = 9.80665;
/// In vacuum [m/s].
constexpr double kSpeedOfLight = 299'792'458.0;
/// International foot [m].
constexpr double kFoot = 0.3048;
/// [rad] Turns by this angle one after another spread evenly.
constexpr double kGoldenAngle = 2.39996322972865332;

constexpr double radians(double degrees) { return degrees * (kPi / 180.0); }
constexpr double degrees(double radians) { return radians * (180.0 / kPi); }

/// The kind of a quantity, which decides what unit suffixes its text may carry.
enum class Quantity {
  kNumber,        ///< no unit
  kLength,        ///< m, cm, mm, km
  kAngle,         ///< rad, deg
  kTime,          ///< s, ms, us, ns
  kFrequency,     ///< Hz, kHz, MHz
  kAngularSpeed,  ///< rad/s, deg/s, rpm
  kSpeed,         ///< m/s, km/h
  kMass,          ///< kg, g
};

/// Reads "0.4", "90deg", "5 cm", "200Hz" into SI (radians for angles, rad/s for angular speeds).
/// A bare number is SI already. Throws Error naming the text and the allowed units where the text
/// is no finite number or carries another unit.
double parseQuantity(std::string_view text, Quantity quantity);

/// The allowed unit suffixes of a quantity, for messages: "rad, deg".
std::string unitList(Quantity quantity);

}  // namespace marsim
