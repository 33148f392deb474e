// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "marsim/common/random.hpp"
#include "marsim/common/settings.hpp"
#include "marsim/geometry/kinematic_state.hpp"

/// Magnetometer, barometer and GNSS receiver: the truth, a slow error and white noise. Settings
/// without a published value are zero: off.
namespace marsim::vehicle {

/// A first-order Gauss-Markov process, stationary from its first value on.
struct SlowError {
  double sigma = 0.0;             ///< steady-state standard deviation, in the reading's unit
  double correlation_time = 0.0;  ///< [s]

  void declare(Settings& settings, const Unit& unit);
};

/// A magnetometer as described in a vehicle's file.
struct MagnetometerConfig {
  double rate = 50.0;  ///< [Hz]
  Pose X_BM;           ///< mounting: magnetometer in body
  /// [T] of the earth, in W (east, north, up). It depends on the place and has no default.
  Eigen::Vector3d field_W = Eigen::Vector3d::Zero();
  Eigen::Vector3d hard_iron = Eigen::Vector3d::Zero();  ///< [T] in M, added to every reading
  double noise = 0.0;                                   ///< [T] standard deviation, each axis

  void declare(Settings& settings);
  void validate(const std::string& where) const;
};

/// A barometer as described in a vehicle's file.
struct BarometerConfig {
  double rate = 50.0;                    ///< [Hz]
  double origin_altitude = 0.0;          ///< [m] of W's origin above mean sea level
  double sea_level_pressure = 101325.0;  ///< [Pa] (ICAO standard atmosphere, Doc 7488)
  SlowError drift;                       ///< [Pa]
  double noise = 0.0;                    ///< [Pa] standard deviation

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// A GNSS receiver as described in a vehicle's file.
struct GnssConfig {
  double rate = 10.0;  ///< [Hz]
  /// W's origin on WGS 84 [rad, rad, m above the ellipsoid]. It has no default.
  double latitude = 0.0, longitude = 0.0, altitude = 0.0;
  Eigen::Vector3d p_BA = Eigen::Vector3d::Zero();       ///< [m] antenna in body
  SlowError horizontal_drift, vertical_drift;           ///< [m] each axis
  double horizontal_noise = 0.0, vertical_noise = 0.0;  ///< [m] standard deviation, each axis
  double velocity_noise = 0.0;                          ///< [m/s] standard deviation, each axis

  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Geodetic coordinates on WGS 84.
struct Geodetic {
  double latitude = 0.0;   ///< [rad]
  double longitude = 0.0;  ///< [rad]
  double altitude = 0.0;   ///< [m] above the ellipsoid
};

/// Geodetic place of a point of W (east, north, up from the origin). Exact but for rounding, by
/// earth-centred coordinates (Heikkinen, Zeitschrift fuer Vermessungswesen 107, 1982).
Geodetic toGeodetic(const Geodetic& origin, const Eigen::Vector3d& p_W);

/// Static pressure [Pa] at an altitude above mean sea level [m], below 11 km (ICAO Doc 7488).
double standardPressure(double altitude, double sea_level_pressure);

/// One value of a Gauss-Markov process after another.
class SlowErrorStream {
 public:
  SlowErrorStream(const SlowError& error, double rate, std::uint64_t seed, const std::string& name);
  /// The present value; advances by 1/rate.
  double next();

 private:
  RandomStream random_;
  double decay_ = 0.0, step_ = 0.0, value_ = 0.0;
};

/// A magnetometer: the field in its own frame, with its errors.
class Magnetometer {
 public:
  /// Throws ConfigError, as the others do.
  Magnetometer(const MagnetometerConfig& config, std::uint64_t seed);
  /// Field in M [T]. Call once a sample.
  Eigen::Vector3d sample(const KinematicState& state);
  const MagnetometerConfig& config() const { return config_; }

 private:
  MagnetometerConfig config_;
  RandomStream random_;
};

/// A barometer: the pressure at the body, with its errors.
class Barometer {
 public:
  Barometer(const BarometerConfig& config, std::uint64_t seed);
  /// Pressure [Pa]. Call once a sample.
  double sample(const KinematicState& state);
  const BarometerConfig& config() const { return config_; }

 private:
  BarometerConfig config_;
  SlowErrorStream drift_;
  RandomStream random_;
};

/// One fix of a GNSS receiver.
struct GnssFix {
  Geodetic position;    ///< of the antenna
  Eigen::Vector3d v_W;  ///< [m/s] of the antenna: east, north, up
};

/// A GNSS receiver: position and velocity of its antenna, with their errors.
class Gnss {
 public:
  Gnss(const GnssConfig& config, std::uint64_t seed);
  /// Call once a sample.
  GnssFix sample(const KinematicState& state);
  const GnssConfig& config() const { return config_; }

 private:
  GnssConfig config_;
  SlowErrorStream east_, north_, up_;
  RandomStream random_;
};

}  // namespace marsim::vehicle
