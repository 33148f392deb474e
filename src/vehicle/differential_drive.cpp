// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/vehicle/differential_drive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marsim::vehicle {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kDrop = 3.0;          // [m] deeper ground than this is not looked for
constexpr double kDeepest = 200.0;     // [m] below its start at which reset() looks for ground
constexpr double kDifference = 1e-4;   // [s] of numerical derivatives
constexpr double kSettled = 1e-7;      // [m] or [rad] off the ground's plane
constexpr double kSettledRate = 1e-6;  // [m/s] or [rad/s]

Vector2d headingOf(double yaw) { return {std::cos(yaw), std::sin(yaw)}; }
Vector2d leftOf(const Vector2d& heading) { return {-heading.y(), heading.x()}; }

// z along the normal of a plane with a gradient, x above the heading.
Eigen::Matrix3d attitudeOf(double yaw, const Vector2d& gradient) {
  const Vector2d heading = headingOf(yaw);
  const Vector3d z = Vector3d(-gradient.x(), -gradient.y(), 1.0).normalized();
  const Vector3d x = Vector3d(heading.x(), heading.y(), gradient.dot(heading)).normalized();
  Eigen::Matrix3d R_WB;
  R_WB << x, z.cross(x), z;
  return R_WB;
}

}  // namespace

void DifferentialDrive::Sprung::follow(double target, double target_rate,
                                       double target_acceleration, double dt) {
  const double w = kSuspension, decay = std::exp(-w * dt);
  const double off = value - (target - target_rate * dt + 0.5 * target_acceleration * dt * dt);
  const double off_rate = rate - (target_rate - target_acceleration * dt);
  const double b = off_rate + w * off;
  const double e = (off + b * dt) * decay, e_rate = (off_rate - w * b * dt) * decay;
  value = target + e;
  rate = target_rate + e_rate;
  acceleration = target_acceleration - 2.0 * w * e_rate - w * w * e;
}

DifferentialDrive::DifferentialDrive(VehicleConfig config, GroundIn ground)
    : Platform(std::move(config)),
      drive_(config_.differential_drive.value_or(DifferentialDriveConfig())),
      ground_(std::move(ground)) {
  reset(Vector3d::Zero(), 0.0);
}

void DifferentialDrive::reset(const Vector3d& p_WB, double yaw, TimeNs stamp) {
  state_ = KinematicState{};
  state_.stamp = stamp;
  ++breaks_.placements;
  on_ground_ = true;
  motors_stopped_ = is_blocked_ = false;
  commands_.setZero();
  place_ = {p_WB.head<2>(), wrapAngle(yaw)};
  footing_ = footingBelow(place_, p_WB.z());
  setRest();
  updateState();
}

void DifferentialDrive::standAt(const Pose& X_WB) {
  leaveContact(X_WB, Vector3d::Zero(), Vector3d::Zero());
}

void DifferentialDrive::command(const RotorArray& speeds) {
  requireCount(speeds);
  if (motors_stopped_) return;
  commands_ = drive_.wheel_radius * Pair(speeds[0], speeds[1]);
  const double fastest = commands_.abs().maxCoeff();
  if (fastest > drive_.speed_max) commands_ *= drive_.speed_max / fastest;
}

void DifferentialDrive::setEffectiveness(int motor, double share) { shares_[motor] = share; }

void DifferentialDrive::stopMotors() {
  motors_stopped_ = true;
  commands_.setZero();
}

void DifferentialDrive::step(TimeNs dt_ns) {
  const double dt = toSeconds(dt_ns), most = drive_.acceleration * dt;
  state_.stamp += dt_ns;
  Pair before = rims_;
  rims_ += (commands_ * shares_ - rims_).max(-most).min(most);
  is_blocked_ = false;
  if (!before.isZero(0.0) || !rims_.isZero(0.0)) {
    const Pair mean = 0.5 * (before + rims_);
    const double turned = (mean[1] - mean[0]) / drive_.track * dt;
    const Vector2d heading = headingOf(place_.yaw + 0.5 * turned);
    const double slope = Vector2d(slope_x_.value, slope_y_.value).dot(heading);
    const Place next{place_.p + 0.5 * mean.sum() * dt / std::hypot(1.0, slope) * heading,
                     wrapAngle(place_.yaw + turned)};
    if (const auto footing = footingAt(next)) {
      footing_ = *footing;
      place_ = next;
    } else {
      is_blocked_ = true;
      ++breaks_.contacts;
      before.setZero();
      rims_.setZero();
    }
  }
  spring(dt, before);
  updateState();
}

// Moves the body towards the plane of the ground.
void DifferentialDrive::spring(double dt, const Pair& rims_before) {
  rim_accelerations_ = (rims_ - rims_before) / dt;
  const Vector2d gradient(slope_x_.value, slope_y_.value), rate(slope_x_.rate, slope_y_.rate);
  const PlanMotion plan = planMotion();
  slope_x_.follow(footing_.gradient.x(), 0.0, 0.0, dt);
  slope_y_.follow(footing_.gradient.y(), 0.0, 0.0, dt);
  z_.follow(footing_.z, gradient.dot(plan.velocity),
            rate.dot(plan.velocity) + gradient.dot(plan.acceleration), dt);
  const auto settles = [](const Sprung& sprung, double target) {
    return std::abs(sprung.value - target) < kSettled && std::abs(sprung.rate) < kSettledRate;
  };
  if (rims_.isZero(0.0) && rims_before.isZero(0.0) && settles(z_, footing_.z) &&
      settles(slope_x_, footing_.gradient.x()) && settles(slope_y_, footing_.gradient.y())) {
    setRest();
  }
}

// Rolling along a slope covers less way in plan view.
DifferentialDrive::PlanMotion DifferentialDrive::planMotion() const {
  const Vector2d heading = headingOf(place_.yaw), left = leftOf(heading);
  const Vector2d gradient(slope_x_.value, slope_y_.value), rate(slope_x_.rate, slope_y_.rate);
  const double slope = gradient.dot(heading);
  const double slope_rate = rate.dot(heading) + turn() * gradient.dot(left);
  const double level = 1.0 / std::hypot(1.0, slope);  // horizontal part of the way
  const double level_rate = -slope * slope_rate * level * level * level;
  const double speed_rate = 0.5 * rim_accelerations_.sum();
  return {speed() * level * heading,
          (speed_rate * level + speed() * level_rate) * heading + speed() * level * turn() * left};
}

void DifferentialDrive::updateState() {
  const PlanMotion plan = planMotion();
  const double c = config_.ground_clearance, h = kDifference;
  const double turn_rate = (rim_accelerations_[1] - rim_accelerations_[0]) / drive_.track;
  const auto attitudeIn = [&](double t) {
    const auto later = [t](const Sprung& s) {
      return s.value + t * (s.rate + 0.5 * t * s.acceleration);
    };
    return attitudeOf(place_.yaw + t * (turn() + 0.5 * t * turn_rate),
                      {later(slope_x_), later(slope_y_)});
  };
  const Eigen::Matrix3d R = attitudeIn(0.0), earlier = attitudeIn(-h), later = attitudeIn(h);
  const Vector3d up = R.col(2);
  const auto lift = [](const Vector2d& plan_view, double z) {
    return Vector3d(plan_view.x(), plan_view.y(), z);
  };
  state_.X_WB = {Eigen::Quaterniond(R), lift(place_.p, z_.value) + c * up};
  state_.v_WB = lift(plan.velocity, z_.rate) + c / (2.0 * h) * (later.col(2) - earlier.col(2));
  state_.a_WB = lift(plan.acceleration, z_.acceleration) +
                c / (h * h) * ((later.col(2) - up) + (earlier.col(2) - up));
  const Vector3d forth = logMap(Eigen::Quaterniond(R.transpose() * later));
  const Vector3d back = logMap(Eigen::Quaterniond(R.transpose() * earlier));
  state_.w_WB_B = (forth - back) / (2.0 * h);
  state_.dw_WB_B = (forth + back) / (h * h);
  const bool rests = rims_.isZero(0.0) && rim_accelerations_.isZero(0.0) && z_.isAtRest() &&
                     slope_x_.isAtRest() && slope_y_.isAtRest();
  if (!rests) return;
  for (Vector3d* part : {&state_.v_WB, &state_.a_WB, &state_.w_WB_B, &state_.dw_WB_B}) {
    part->setZero();
  }
}

void DifferentialDrive::follow(const KinematicState& state, bool on_ground) {
  state_ = state;
  on_ground_ = on_ground;
  setPlace(state.X_WB);
  const Vector3d up = state.X_WB.q * Vector3d::UnitZ();
  footing_.z = (state.X_WB.p - config_.ground_clearance * up).z();
  if (up.z() > 0.0) footing_.gradient = -up.head<2>() / up.z();
  setRest();
}

void DifferentialDrive::leaveContact(const Pose& X_WB, const Vector3d& v_WB,
                                     const Vector3d& w_WB_B) {
  setPlace(X_WB);
  const double v = v_WB.dot(X_WB.q * Vector3d::UnitX()), side = 0.5 * drive_.track * w_WB_B.z();
  rims_ = Pair(v - side, v + side);
  rim_accelerations_.setZero();
  ++breaks_.contacts;
  if (const auto footing = footingAt(place_)) footing_ = *footing;
  updateState();
}

void DifferentialDrive::setPlace(const Pose& X_WB) {
  const Vector3d up = X_WB.q * Vector3d::UnitZ();
  place_ = {(X_WB.p - config_.ground_clearance * up).head<2>(), yawOf(X_WB.q)};
}

// Lets it rest on its footing.
void DifferentialDrive::setRest() {
  rims_.setZero();
  rim_accelerations_.setZero();
  z_ = {footing_.z, 0.0, 0.0};
  slope_x_ = {footing_.gradient.x(), 0.0, 0.0};
  slope_y_ = {footing_.gradient.y(), 0.0, 0.0};
}

// Front left and right, rear left and right, on the plane of the last footing.
std::array<Vector3d, 4> DifferentialDrive::wheelsAt(const Place& place) const {
  const Vector2d along = 0.5 * drive_.wheelbase * headingOf(place.yaw);
  const Vector2d left = 0.5 * drive_.track * leftOf(headingOf(place.yaw));
  const auto on = [&](const Vector2d& p) {
    return Vector3d(p.x(), p.y(), footing_.z + footing_.gradient.dot(p - place_.p));
  };
  return {on(place.p + along + left), on(place.p + along - left), on(place.p - along + left),
          on(place.p - along - left)};
}

DifferentialDrive::Footing DifferentialDrive::planeOf(const Place& place,
                                                      const std::array<double, 4>& z) const {
  const Vector2d heading = headingOf(place.yaw);
  const double along = (z[0] + z[1] - z[2] - z[3]) / (2.0 * drive_.wheelbase);
  const double across = (z[0] + z[2] - z[1] - z[3]) / (2.0 * drive_.track);
  return {0.25 * (z[0] + z[1] + z[2] + z[3]), along * heading + across * leftOf(heading)};
}

// Height of the ground under a wheel, NaN where it is unknown; none where the wheel cannot go.
std::optional<double> DifferentialDrive::heightUnder(const Vector3d& wheel_W) const {
  const double step = drive_.step_max;
  const double top = config_.ground_clearance + 0.5 * drive_.size.z();
  const auto isGround = [&](double from, double to) {
    return !std::isnan(ground_(wheel_W, footing_.gradient, from, to));
  };
  if (isGround(step, std::max(top, 2.0 * step))) return std::nullopt;
  const double z = ground_(wheel_W, footing_.gradient, -step, step);
  if (std::isnan(z) && isGround(-kDrop, -step)) return std::nullopt;
  return z;
}

// Plane of the ground under the wheels at a place near the last one; none if it cannot go there.
std::optional<DifferentialDrive::Footing> DifferentialDrive::footingAt(const Place& place) const {
  std::array<double, 4> z{};
  const std::array<Vector3d, 4> wheels = wheelsAt(place);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::optional<double> height = heightUnder(wheels[i]);
    if (!height) return std::nullopt;
    z[i] = std::isnan(*height) ? wheels[i].z() : *height;
  }
  const Footing footing = planeOf(place, z);
  const double steepness = footing.gradient.norm();
  const bool is_too_steep =
      steepness > std::tan(drive_.slope_max) && steepness > footing_.gradient.norm();
  return is_too_steep ? std::nullopt : std::optional(footing);
}

// The uppermost ground below a height [m] of B; without any the level that its wheels have there.
DifferentialDrive::Footing DifferentialDrive::footingBelow(const Place& place, double z_B) {
  footing_ = {z_B - config_.ground_clearance, Vector2d::Zero()};
  const double slab = 2.0 * drive_.step_max;
  const auto below = [&](Vector3d wheel_W) {
    const double lowest = wheel_W.z() - kDeepest;
    for (wheel_W.z() = z_B; wheel_W.z() > lowest; wheel_W.z() -= slab) {
      const double z = ground_(wheel_W, Vector2d::Zero(), -slab, drive_.step_max);
      if (!std::isnan(z)) return z;
    }
    return std::nan("");
  };
  const std::array<Vector3d, 4> wheels = wheelsAt(place);
  std::array<double, 4> z{};
  double sum = 0.0;
  int known = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = below(wheels[i]);
    if (std::isnan(z[i])) continue;
    sum += z[i];
    ++known;
  }
  const double mean = known > 0 ? sum / known : footing_.z;
  for (double& height : z) {
    if (std::isnan(height)) height = mean;
  }
  return planeOf(place, z);
}

}  // namespace marsim::vehicle
