// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/simulated_slam.hpp"

#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::vehicle {

void SlamConfig::declare(Settings& settings) {
  settings.optional("rate", rate, "Hz", {0.1, 1000.0});
  settings.optional("position_noise", position_noise, "m", kNotNegative);
  settings.optional("attitude_noise", attitude_noise, "rad", kNotNegative);
  settings.optional("drift", drift, "m/s");
  settings.optional("delay", delay, "s", {0.0, 1.0});
  settings.optional("lost_at", lost_at, "s");
  settings.optional("back_at", back_at, "s");
  settings.optional("jump_at", jump_at, "s");
  settings.optional("jump", jump, "m");
}

SimulatedSlam::SimulatedSlam(const SlamConfig& config, std::uint64_t seed)
    : config_(config), random_(seed, "simulated_slam") {
  checkSettings("estimate", config);
  const std::optional<double>&lost = config.lost_at, &back = config.back_at;
  Validator("estimate")
      .require(!back || (lost && *back > *lost), "back_at",
               back ? fmt::format("{:g} s", *back) : "", "a time after lost_at");
  period_ = periodNs(config.rate);
}

std::optional<StampedPose> SimulatedSlam::at(TimeNs stamp, const Pose& X_WB) {
  const std::optional<TimeNs> last = std::exchange(last_, stamp);
  if (last && stamp / period_ == *last / period_) return std::nullopt;
  const double now = toSeconds(stamp);
  const auto isPast = [now](const std::optional<double>& time) { return time && now >= *time; };
  if (isPast(config_.lost_at) && !isPast(config_.back_at)) return std::nullopt;
  Pose X = X_WB;
  X.p += deviate(config_.position_noise);
  X.q = (X.q * expMap(deviate(config_.attitude_noise))).normalized();
  X.p.x() += config_.drift * now + (isPast(config_.jump_at) ? config_.jump : 0.0);
  return StampedPose{stamp, X};
}

Eigen::Vector3d SimulatedSlam::deviate(double sigma) {
  const double x = random_.normal(), y = random_.normal(), z = random_.normal();
  return {sigma * x, sigma * y, sigma * z};
}

}  // namespace marsim::vehicle
