// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/navigation_sensors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/pose_settings.hpp"
#include "vehicle/normal_vector.hpp"

namespace marsim::vehicle {
namespace {

constexpr Bounds kRates{0.1, 1000.0};         // [Hz]
constexpr Bounds kAltitudes{-500.0, 9000.0};  // [m]

// WGS 84 (NIMA TR8350.2): semi-major axis [m] and flattening.
constexpr double kSemiMajorAxis = 6378137.0;
constexpr double kFlattening = 1.0 / 298.257223563;
constexpr double kEccentricity2 = kFlattening * (2.0 - kFlattening);

template <class Config>
const Config& validated(const Config& config, const std::string& where) {
  config.validate(where);
  return config;
}

Eigen::Vector3d toEarthCentred(const Geodetic& g) {
  const double sine = std::sin(g.latitude), cosine = std::cos(g.latitude);
  const double normal_radius = kSemiMajorAxis / std::sqrt(1.0 - kEccentricity2 * sine * sine);
  return {(normal_radius + g.altitude) * cosine * std::cos(g.longitude),
          (normal_radius + g.altitude) * cosine * std::sin(g.longitude),
          (normal_radius * (1.0 - kEccentricity2) + g.altitude) * sine};
}

// Columns: east, north and up at a place, in earth-centred coordinates.
Eigen::Matrix3d localAxes(const Geodetic& g) {
  const double sp = std::sin(g.latitude), cp = std::cos(g.latitude);
  const double sl = std::sin(g.longitude), cl = std::cos(g.longitude);
  Eigen::Matrix3d axes;
  axes << -sl, -sp * cl, cp * cl,  //
      cl, -sp * sl, cp * sl,       //
      0.0, cp, sp;
  return axes;
}

Geodetic fromEarthCentred(const Eigen::Vector3d& p) {
  constexpr double a = kSemiMajorAxis, e2 = kEccentricity2;
  constexpr double b2 = a * a * (1.0 - e2);
  const double r2 = p.head<2>().squaredNorm(), r = std::sqrt(r2), z2 = p.z() * p.z();
  const double f = 54.0 * b2 * z2;
  const double g = r2 + (1.0 - e2) * z2 - e2 * (a * a - b2);
  const double c = e2 * e2 * f * r2 / (g * g * g);
  const double s = std::cbrt(1.0 + c + std::sqrt(c * c + 2.0 * c));
  const double k = s + 1.0 + 1.0 / s;
  const double q_p = f / (3.0 * k * k * g * g);
  const double q = std::sqrt(1.0 + 2.0 * e2 * e2 * q_p);
  const double radicand =
      0.5 * a * a * (1.0 + 1.0 / q) - q_p * (1.0 - e2) * z2 / (q * (1.0 + q)) - 0.5 * q_p * r2;
  const double r0 = -q_p * e2 * r / (1.0 + q) + std::sqrt(std::max(0.0, radicand));
  const double d = r - e2 * r0;
  const double u = std::sqrt(d * d + z2), v = std::sqrt(d * d + (1.0 - e2) * z2);
  const double z0 = b2 * p.z() / (a * v);
  const double second_eccentricity2 = e2 / (1.0 - e2);
  return {std::atan2(p.z() + second_eccentricity2 * z0, r), std::atan2(p.y(), p.x()),
          u * (1.0 - b2 / (a * v))};
}

}  // namespace

void SlowError::declare(Settings& settings, const Unit& unit) {
  settings.required("sigma", sigma, unit, kNotNegative);
  settings.required("correlation_time", correlation_time, "s", sigma > 0.0 ? kPositive : kFinite);
}

void MagnetometerConfig::declare(Settings& settings) {
  settings.optional("rate", rate, "Hz", kRates);
  declarePose(settings, X_BM);
  settings.required("field", field_W, "T");
  settings.optional("hard_iron", hard_iron, "T");
  settings.optional("noise", noise, "T", kNotNegative);
}

void MagnetometerConfig::validate(const std::string& where) const {
  checkSettings(where, *this);
  Validator(where).require(field_W.norm() > 0.0 && field_W.norm() < 1.0, "field",
                           fmt::format("[{}, {}, {}] T", field_W.x(), field_W.y(), field_W.z()),
                           "the earth's field at the place, east, north, up, in tesla");
}

void BarometerConfig::declare(Settings& settings) {
  settings.optional("rate", rate, "Hz", kRates);
  settings.optional("origin_altitude", origin_altitude, "m", kAltitudes);
  settings.optional("sea_level_pressure", sea_level_pressure, "Pa", {8e4, 1.2e5});
  settings.optional("drift", [&](Settings& process) { drift.declare(process, "Pa"); });
  settings.optional("noise", noise, "Pa", kNotNegative);
}

void GnssConfig::declare(Settings& settings) {
  settings.optional("rate", rate, "Hz", kRates);
  const Settings::Declare declareOrigin = [&](Settings& origin) {
    // At the poles east and north have no direction.
    origin.required("latitude", latitude, "rad", {radians(-89.9), radians(89.9)});
    origin.required("longitude", longitude, "rad", {-kPi, kPi});
    origin.optional("altitude", altitude, "m", kAltitudes);
  };
  // Messages about values name them without the map.
  settings.isReading() ? settings.required("origin", declareOrigin) : declareOrigin(settings);
  settings.optional("position", p_BA, "m");
  settings.optional("horizontal_drift",
                    [&](Settings& process) { horizontal_drift.declare(process, "m"); });
  settings.optional("vertical_drift",
                    [&](Settings& process) { vertical_drift.declare(process, "m"); });
  settings.optional("horizontal_noise", horizontal_noise, "m", kNotNegative);
  settings.optional("vertical_noise", vertical_noise, "m", kNotNegative);
  settings.optional("velocity_noise", velocity_noise, "m/s", kNotNegative);
}

Geodetic toGeodetic(const Geodetic& origin, const Eigen::Vector3d& p_W) {
  return fromEarthCentred(toEarthCentred(origin) + localAxes(origin) * p_W);
}

double standardPressure(double altitude, double sea_level_pressure) {
  // Temperature 288.15 K at sea level, 6.5 K less a kilometre; gas constant of dry air.
  constexpr double kTemperature = 288.15, kLapse = 0.0065, kGasConstant = 287.05287;
  return sea_level_pressure *
         std::pow(1.0 - kLapse * altitude / kTemperature, kGravity / (kGasConstant * kLapse));
}

SlowErrorStream::SlowErrorStream(const SlowError& error, double rate, std::uint64_t seed,
                                 const std::string& name)
    : random_(seed, name) {
  if (error.sigma <= 0.0) return;
  decay_ = std::exp(-1.0 / (rate * error.correlation_time));
  step_ = error.sigma * std::sqrt(1.0 - decay_ * decay_);
  value_ = error.sigma * random_.normal();
}

double SlowErrorStream::next() {
  const double value = value_;
  if (step_ > 0.0) value_ = decay_ * value_ + step_ * random_.normal();
  return value;
}

Magnetometer::Magnetometer(const MagnetometerConfig& config, std::uint64_t seed)
    : config_(validated(config, "magnetometer")), random_(seed, "magnetometer") {}

Eigen::Vector3d Magnetometer::sample(const KinematicState& state) {
  const Eigen::Quaterniond q_WM = state.X_WB.q * config_.X_BM.q;
  Eigen::Vector3d reading = q_WM.conjugate() * config_.field_W + config_.hard_iron;
  if (config_.noise > 0.0) reading += config_.noise * normalVector(random_);
  return reading;
}

Barometer::Barometer(const BarometerConfig& config, std::uint64_t seed)
    : config_(validated(config, "barometer")),
      drift_(config.drift, config.rate, seed, "barometer/drift"),
      random_(seed, "barometer/noise") {}

double Barometer::sample(const KinematicState& state) {
  const double altitude = config_.origin_altitude + state.X_WB.p.z();
  double pressure = standardPressure(altitude, config_.sea_level_pressure) + drift_.next();
  if (config_.noise > 0.0) pressure += config_.noise * random_.normal();
  return pressure;
}

Gnss::Gnss(const GnssConfig& config, std::uint64_t seed)
    : config_(validated(config, "gnss")),
      east_(config.horizontal_drift, config.rate, seed, "gnss/east"),
      north_(config.horizontal_drift, config.rate, seed, "gnss/north"),
      up_(config.vertical_drift, config.rate, seed, "gnss/up"),
      random_(seed, "gnss/noise") {}

GnssFix Gnss::sample(const KinematicState& state) {
  Eigen::Vector3d p_WA = state.X_WB * config_.p_BA;
  p_WA += Eigen::Vector3d(east_.next(), north_.next(), up_.next());
  const Eigen::Vector3d noise(config_.horizontal_noise, config_.horizontal_noise,
                              config_.vertical_noise);
  p_WA += noise.cwiseProduct(normalVector(random_));
  GnssFix fix;
  fix.position = toGeodetic({config_.latitude, config_.longitude, config_.altitude}, p_WA);
  fix.v_W = state.v_WB + state.X_WB.q * state.w_WB_B.cross(config_.p_BA) +
            config_.velocity_noise * normalVector(random_);
  return fix;
}

}  // namespace marsim::vehicle
