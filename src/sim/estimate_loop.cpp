// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/estimate_loop.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::sim {
namespace {

using control::StateEstimator;

// Readings and estimates farther ahead of a report belong to another time.
constexpr TimeNs kAnotherTime = kNsPerSecond;

// The lever arm's part from the body's angular acceleration is left out, since it is not measured.
control::InertialReading inBody(const vehicle::ImuSample& sample, const Pose& X_BI) {
  control::InertialReading reading;
  reading.stamp = sample.stamp;
  reading.w_WB_B = X_BI.q * sample.angular_velocity;
  const Eigen::Vector3d& w = reading.w_WB_B;
  reading.f_B = X_BI.q * sample.specific_force - w.cross(w.cross(X_BI.p));
  return reading;
}

bool isFinite(const Pose& X) {
  return X.p.allFinite() && X.q.coeffs().allFinite() && X.q.squaredNorm() > 0.25;
}

}  // namespace

EstimateConfig EstimateConfig::simulated(const vehicle::SlamConfig& slam) {
  EstimateConfig config;
  config.delay = toNs(slam.delay);
  config.slam = slam;
  return config;
}

EstimateLoop::EstimateLoop(const EstimateConfig& config, const control::EstimatorConfig& estimator,
                           const vehicle::ImuConfig& imu, std::uint64_t seed)
    : config_(config),
      estimator_config_(estimator),
      X_BI_(imu.X_BI),
      imu_period_(periodNs(imu.rate)),
      estimator_(estimator) {
  estimator_config_.validate("controller");
  if (!config_.slam) return;
  slam_.emplace(*config_.slam, seed);
  Validator("estimate")
      .require(config_.slam->rate * estimator_config_.timeout >= 1.0, "rate",
               fmt::format("{:g} Hz", config_.slam->rate),
               fmt::format("at least {:g} Hz, since estimates are lost after the "
                           "controller's timeout of {:g} s",
                           1.0 / estimator_config_.timeout, estimator_config_.timeout));
}

void EstimateLoop::addImu(const vehicle::ImuSample& sample) {
  const control::InertialReading reading = inBody(sample, X_BI_);
  if (!readings_.empty() && reading.stamp <= readings_.back().stamp) return;
  readings_.push_back(reading);
  while (readings_.front().stamp < reading.stamp - StateEstimator::kMemory) readings_.pop_front();
}

void EstimateLoop::addEstimate(TimeNs stamp, const Pose& X_OE) {
  if (!isFinite(X_OE)) {
    return refuse("an estimate is not used: a value is NaN or infinite, or the quaternion is none");
  }
  waiting_.push_back({stamp, {X_OE.q.normalized(), X_OE.p}});
}

// Reports a refusal once.
void EstimateLoop::refuse(const std::string& reason) {
  ++refused_;
  if (!std::exchange(has_reported_refusal_, true)) news_ = reason;
}

bool EstimateLoop::isReady(const VehicleReport& report) const {
  const TimeNs expected = report.motion.stamp / imu_period_ * imu_period_;
  const bool is_first = placements_ != report.placements || expected <= begun_at_;
  return is_first || (!readings_.empty() && readings_.back().stamp >= expected);
}

KinematicState EstimateLoop::motion(const VehicleReport& report) {
  const TimeNs now = report.motion.stamp;
  if (placements_ != report.placements) begin(report);
  if (slam_ && (simulated_ = slam_->at(now, report.motion.X_WB))) {
    addEstimate(simulated_->stamp, simulated_->X_WB);
  }
  on_ground_ = report.on_ground;
  if (phase_ == Phase::kTruth) {
    truth_.push_back(report.motion);
    while (truth_.front().stamp < now - StateEstimator::kMemory) truth_.pop_front();
  } else {
    propagate(now);
  }
  while (!waiting_.empty()) {
    const StampedPose estimate = waiting_.front();
    if (estimate.stamp > now + kAnotherTime) {
      refuse(fmt::format("an estimate of {:.3f} s is not used at {:.3f} s: it is of a time to come",
                         toSeconds(estimate.stamp), toSeconds(now)));
    } else if (estimate.stamp + config_.delay <= now) {
      use(estimate, now);
    } else {
      break;
    }
    waiting_.pop_front();
  }
  watch(report);
  return phase_ == Phase::kTruth ? report.motion : estimator_.at(now);
}

// The vehicle was placed elsewhere: earlier data are void, and so are later ones, since time may
// have been set back.
void EstimateLoop::begin(const VehicleReport& report) {
  placements_ = report.placements;
  begun_at_ = report.motion.stamp;
  phase_ = Phase::kTruth;
  truth_.clear();
  X_WO_.reset();
  first_at_.reset();
  refused_ = 0;
  has_reported_refusal_ = false;
  const auto is_void = [this](const auto& item) {
    return item.stamp < begun_at_ || item.stamp > begun_at_ + kAnotherTime;
  };
  if (slam_) waiting_.clear();  // an estimate of this instant may be of the place before
  readings_.erase(std::remove_if(readings_.begin(), readings_.end(), is_void), readings_.end());
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_void), waiting_.end());
}

// Sets the estimator to the truth at the last state before an estimate.
bool EstimateLoop::startOnEstimates(const StampedPose& estimate, TimeNs now) {
  const auto later = std::upper_bound(
      truth_.begin(), truth_.end(), estimate.stamp,
      [](TimeNs stamp, const KinematicState& state) { return stamp < state.stamp; });
  if (later == truth_.begin()) return false;
  const KinematicState& start = *std::prev(later);
  begin(start, now);
  X_WO_ = Pose();
  if (config_.begins_at_vehicle) X_WO_ = start.X_WB * config_.X_BE * estimate.X_WB.inverse();
  return true;
}

void EstimateLoop::begin(const KinematicState& state, TimeNs now) {
  estimator_.reset(state);
  propagate(now);
}

// Later readings wait, so that results do not depend on how early they come.
void EstimateLoop::propagate(TimeNs until) {
  for (const control::InertialReading& reading : readings_) {
    if (reading.stamp <= until) estimator_.propagate(reading);
  }
}

void EstimateLoop::use(const StampedPose& estimate, TimeNs now) {
  if (phase_ == Phase::kTruth) {
    if (!first_at_) first_at_ = estimate.stamp;
    if (estimate.stamp < *first_at_ + config_.settle) return;
    if (!startOnEstimates(estimate, now)) return;  // it is older than all known states
  }
  const Pose X_WB = *X_WO_ * estimate.X_WB * config_.X_BE.inverse();
  if (phase_ == Phase::kLand && on_ground_) {  // at rest the estimate may be anywhere
    KinematicState resting;
    resting.stamp = estimate.stamp - 1;
    resting.X_WB = X_WB;
    begin(resting, now);
  }
  const StateEstimator::Verdict verdict = estimator_.correct({estimate.stamp, X_WB});
  if (verdict != StateEstimator::Verdict::kUsed) {
    ++refused_;
    const bool jumped = verdict == StateEstimator::Verdict::kJumped;
    if (jumped) largest_jump_ = std::max(largest_jump_, estimator_.residual());
    if (phase_ == Phase::kTruth && jumped && !std::exchange(has_reported_refusal_, true)) {
      news_ = fmt::format(
          "the first estimate ({:.3f} s) is {:.2f} m from the vehicle, allowed: {} m (and {} rad): "
          "flies on the truth; estimate_origin:=vehicle is for estimates that begin at zero",
          toSeconds(estimate.stamp), estimator_.residual(), estimator_config_.largest_jump,
          estimator_config_.largest_turn);
    }
    return;
  }
  if (phase_ == Phase::kTruth) {
    news_ = fmt::format("flies on the estimate from {:.3f} s on", toSeconds(now));
    truth_.clear();
  } else if (phase_ == Phase::kHold) {
    news_ = fmt::format("the estimate is back at {:.3f} s", toSeconds(now));
  }
  if (phase_ != Phase::kLand) phase_ = Phase::kEstimate;
  used_at_ = now;
  refused_ = 0;
  largest_jump_ = 0.0;
}

void EstimateLoop::watch(const VehicleReport& report) {
  const TimeNs now = report.motion.stamp;
  const double lost = toSeconds(now - used_at_);
  if (phase_ == Phase::kEstimate && lost > estimator_config_.timeout) {
    phase_ = Phase::kHold;
    std::string why = fmt::format("none for {:.2f} s", lost);
    if (refused_ > 0)
      why = fmt::format("{} not usable, jumps up to {:.2f} m", refused_, largest_jump_);
    news_ = fmt::format("the estimate is lost at {:.3f} s ({}): holds, and lands in {} s",
                        toSeconds(now), why, estimator_config_.land_after);
  }
  if (phase_ == Phase::kHold && lost > estimator_config_.timeout + estimator_config_.land_after) {
    phase_ = Phase::kLand;
    news_ = fmt::format("lands at {:.3f} s: no estimate for {:.2f} s", toSeconds(now), lost);
  }
  if (phase_ == Phase::kLand && report.on_ground && lost <= estimator_config_.timeout) {
    phase_ = Phase::kEstimate;
    news_ = fmt::format("the estimate is back at {:.3f} s, on the ground", toSeconds(now));
  }
}

}  // namespace marsim::sim
