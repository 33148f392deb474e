// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/ground.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/sim/body.hpp"

namespace marsim::sim {
namespace {

using collision::Plane;
using collision::Touch;
using Eigen::Vector3d;

// [m] by which an estimated surface may move from step to step.
constexpr double kUnsure = 0.01;
// Limits for standing: tilt [rad], speed [m/s] and body rate [rad/s].
constexpr double kStandingTilt = 0.01;
constexpr double kStandingSpeed = 0.03;
constexpr double kStandingTurn = 0.3;
constexpr double kOnFeet = 1e-3;  // [m] over the ground that counts as standing on it
constexpr TimeNs kRestBeforeStanding = kNsPerSecond / 10;

// A foot under every rotor.
std::vector<Vector3d> feetOf(const vehicle::VehicleConfig& vehicle) {
  std::vector<Vector3d> feet;
  for (const vehicle::RotorConfig& rotor : vehicle.rotors) {
    feet.emplace_back(rotor.position.x(), rotor.position.y(), -vehicle.ground_clearance);
  }
  return feet;
}

map::PointCloud surfaceOf(const vehicle::VehicleConfig& vehicle) {
  const scene::BodyConfig body = bodyOf(vehicle);
  return scene::bodyCloud(body, scene::bodyResolution(body));
}

bool comesDown(const KinematicState& state) {
  return -state.v_WB.z() > state.v_WB.head<2>().norm();
}

}  // namespace

void LandingConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.within("ground_margin", ground_margin, 0.0, 10.0, "m");
  check.within("landing_speed", speed, 0.0, 100.0, "m/s");
  check.within("landing_tilt", tilt, 0.0, kPi, "rad");
}

bool LandingConfig::isGentle(const KinematicState& state) const {
  return -state.v_WB.z() <= speed && state.v_WB.head<2>().norm() <= speed &&
         (state.X_WB.q * Vector3d::UnitZ()).z() >= std::cos(tilt);
}

Ground::Ground(const LandingConfig& config, const vehicle::VehicleConfig& vehicle,
               std::shared_ptr<const collision::Neighbours> map, double ground_z)
    : config_(config),
      hull_(surfaceOf(vehicle), feetOf(vehicle)),
      map_(std::move(map)),
      ground_z_(ground_z),
      surface_height_((map_ ? 0.5 * map_->resolution() : 0.0) + kUnsure) {
  if (!vehicle.differential_drive) return;
  under_wheels_ = vehicle.ground_clearance;
  surface_height_ = std::max(surface_height_, vehicle.differential_drive->step_max);
}

void Ground::findSurface(const KinematicState& before, const vehicle::Platform& platform,
                         bool solid, const std::vector<Touch>& touches, double nearest) {
  const KinematicState& now = platform.state();
  if (under_wheels_) {
    const Vector3d up = now.X_WB.q * Vector3d::UnitZ();
    surface_ = Plane{now.X_WB.p - *under_wheels_ * up, up};
    holds_ = true;
    return;
  }
  if (map_ == nullptr || platform.onGround()) return;
  const double reach = hull_.radius() + map_->resolution();
  const bool is_near = nearest < reach;
  const bool lands = is_near && comesDown(before) && config_.isGentle(before);
  surface_.reset();
  if (is_near && (holds_ || solid || lands || !touches.empty())) {
    map::FoundSurfel found;
    if (map_->nearest(now.X_WB.p, reach, found) < reach) {
      surface_ = collision::carryingSurface(*map_, hull_, now.X_WB, config_.tilt);
    }
  }
  if (surface_ && surface_->p_W.z() <= ground_z_ + config_.ground_margin) surface_.reset();
  if (!surface_) {
    holds_ = false;
    return;
  }
  over_surface_ = hull_.lowest(*surface_, now.X_WB);
  if (holds_) {
    holds_ = over_surface_ < map_->resolution();
  } else if (over_surface_ <= 0.0 && (solid || lands)) {
    holds_ = hull_.lowest(*surface_, before.X_WB) >= -kUnsure;
  }
}

void Ground::forgetSurface() {
  surface_.reset();
  holds_ = false;
  rests_since_.reset();
}

Ground::Planes Ground::planes() const {
  Planes planes;
  if (std::isfinite(ground_z_)) planes.add({{0.0, 0.0, ground_z_}, Vector3d::UnitZ()});
  if (surface_ && holds_) planes.add(*surface_);
  return planes;
}

std::vector<Touch> Ground::touchesOf(const Plane& plane, const Pose& X_WB, double height) const {
  std::vector<Vector3d> points_B;
  hull_.appendBelow(plane, X_WB, height, points_B);
  std::vector<Touch> touches;
  for (const Vector3d& p_B : points_B) {
    Touch touch;
    touch.p_W = X_WB * p_B;
    touch.p_W -= plane.heightOf(touch.p_W) * plane.normal_W;
    touch.normal_W = plane.normal_W;
    touches.push_back(touch);
  }
  return touches;
}

std::vector<Touch> Ground::touches(const Pose& X_WB, double height) const {
  std::vector<Touch> touches;
  for (const Plane& plane : planes()) {
    const std::vector<Touch> more = touchesOf(plane, X_WB, height);
    touches.insert(touches.end(), more.begin(), more.end());
  }
  return touches;
}

std::vector<Touch> Ground::touchesBelowSurface(const Pose& X_WB) const {
  if (!surface_ || holds_) return {};
  return touchesOf(*surface_, X_WB, 0.0);
}

bool Ground::raise(Pose& X_WB) const {
  bool raised = false;
  for (const Plane& plane : planes()) {
    if (plane.heightOf(X_WB.p) >= hull_.radius()) continue;
    const double depth = -hull_.lowest(plane, X_WB);
    if (!(depth > 0.0)) continue;
    X_WB.p += depth * plane.normal_W;
    raised = true;
  }
  return raised;
}

std::optional<Pose> Ground::standing(const vehicle::Platform& platform) {
  const KinematicState& state = platform.state();
  const Vector3d up = state.X_WB.q * Vector3d::UnitZ();
  if (platform.liftsOff() || state.v_WB.norm() > kStandingSpeed ||
      state.w_WB_B.norm() > kStandingTurn || up.z() < std::cos(config_.tilt)) {
    rests_since_.reset();
    return std::nullopt;
  }
  for (const Plane& plane : planes()) {
    if (up.cross(plane.normal_W).norm() > kStandingTilt) continue;
    if (hull_.lowest(plane, state.X_WB) > kOnFeet) continue;
    Pose X_WB = state.X_WB;
    X_WB.q = (Eigen::Quaterniond::FromTwoVectors(up, plane.normal_W) * X_WB.q).normalized();
    X_WB.p -= hull_.lowest(plane, X_WB) * plane.normal_W;
    return X_WB;
  }
  if (!rests_since_) rests_since_ = state.stamp;
  if (state.stamp - *rests_since_ < kRestBeforeStanding) return std::nullopt;
  return state.X_WB;
}

bool Ground::isOnPlane(const Touch& touch) const {
  return touch.identity == scene::kMapIdentity &&
         touch.p_W.z() <= ground_z_ + config_.ground_margin;
}

bool Ground::isOnSurface(const Touch& touch) const {
  if (touch.identity != scene::kMapIdentity || !surface_) return false;
  if (!holds_ && over_surface_ < 0.0) return false;
  return surface_->heightOf(touch.p_W) <= surface_height_;
}

}  // namespace marsim::sim
