// SPDX-License-Identifier: BSD-3-Clause
#include "planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "astar.hpp"
#include "optimizer.hpp"

namespace autonomy {
namespace {

using Eigen::Vector3d;

constexpr int kAttempts = 8;         // plans, each with more time than the last
constexpr double kLonger = 1.15;     // times the time, after a plan that met an obstacle
constexpr double kMostLonger = 1.3;  // times the time at most, after one beyond the limits
// The first part of a plan has to be free: this share of its time, or of the time to stop plus a
// delay.
constexpr double kFreeShare = 0.7;
constexpr double kStopShare = 0.55;
constexpr double kStopDelay = 0.25;  // [s]
constexpr int kRounds = 4;           // the optimiser runs, finds obstacles and runs again
// Shares of the limits: the optimiser aims at the first two; the straight line takes the last.
constexpr double kSpeedShare = 0.98;
constexpr double kAccelerationShare = 0.95;
constexpr double kLineShare = 0.7;

// The shortest time for a distance between two speeds.
double timeFor(double distance, double v0, double v1, double speed, double a) {
  const double square = (2.0 * a * distance + v0 * v0 + v1 * v1) / 2.0;
  const double peak = std::max({std::min(speed, std::sqrt(std::max(square, 1e-4))), v0, v1});
  const double cruise = distance - (2.0 * peak * peak - v0 * v0 - v1 * v1) / (2.0 * a);
  return (2.0 * peak - v0 - v1) / a + std::max(0.0, cruise) / peak;
}

// Where a path first crosses the plane through a place across a direction, else its nearest point.
Vector3d crossing(const std::vector<Vector3d>& path, const Vector3d& place,
                  const Vector3d& direction) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double before = (path[i - 1] - place).dot(direction);
    const double after = (path[i] - place).dot(direction);
    if (before <= 0.0 && after > 0.0) {
      return path[i - 1] + before / (before - after) * (path[i] - path[i - 1]);
    }
  }
  return *std::min_element(path.begin(), path.end(), [&](const Vector3d& a, const Vector3d& b) {
    return (a - place).squaredNorm() < (b - place).squaredNorm();
  });
}

/// One call of plan().
class Planning {
 public:
  explicit Planning(const Planner& planner)
      : planner_(planner), config_(planner.config()), map_(planner.map()) {}

  std::optional<Bspline> plan(const State& start, const Vector3d& goal,
                              const std::vector<Mover>& movers) const;

 private:
  enum class Outcome { kFree, kBlocked, kNoWay };
  State targetOf(const State& start, const Vector3d& goal, double stretch) const;
  Vector3d freeTarget(const Vector3d& from, const Vector3d& direction) const;
  Bspline straight(const State& start, const State& target, double stretch) const;
  bool addPlanes(const Bspline& spline, std::vector<Plane>& planes, Bspline& seed) const;
  Outcome optimise(Bspline& spline, const std::vector<Mover>& movers, double w_feasible) const;
  double excessOf(const Bspline& spline) const;

  const Planner& planner_;
  const PlannerConfig& config_;
  const LocalMap& map_;
};

std::optional<Bspline> Planning::plan(const State& start, const Vector3d& goal,
                                      const std::vector<Mover>& movers) const {
  double stretch = 1.0;  // of the time
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const State target = targetOf(start, goal, stretch);
    Bspline spline = straight(start, target, stretch);
    const Outcome outcome = optimise(spline, movers, config_.w_feasible * (1 + attempt));
    if (outcome == Outcome::kNoWay) return std::nullopt;
    const bool is_free = outcome == Outcome::kFree;
    const double excess = excessOf(spline);
    if (is_free && excess <= 1.0) return spline;
    stretch *= is_free ? std::min(1.02 * excess, kMostLonger) : kLonger;
  }
  return std::nullopt;
}

// The goal, or a free place on the way to it at the horizon, passed at a speed that allows to stop
// at the goal.
State Planning::targetOf(const State& start, const Vector3d& goal, double stretch) const {
  const Vector3d way = goal - start.p;
  State target;
  target.p = goal;
  if (way.norm() <= config_.horizon) return target;
  target.p = freeTarget(start.p, way.normalized());
  const Vector3d on = goal - target.p, line = target.p - start.p;
  const double a = kLineShare * config_.limits.acceleration;
  const double v0 = std::max(0.0, start.v.dot(line.normalized()));
  const double reached = std::sqrt(v0 * v0 + 2.0 * a * line.norm());
  const double stopping = std::sqrt(2.0 * a * on.norm());
  target.v =
      std::min({kSpeedShare * config_.limits.speed, reached, stopping}) / stretch * on.normalized();
  return target;
}

// The place at the horizon, aside from the way by as little as possible, that is free with some
// room before and behind it.
Vector3d Planning::freeTarget(const Vector3d& from, const Vector3d& direction) const {
  const Vector3d side = direction.cross(Vector3d::UnitZ()).normalized();
  Vector3d best = from + config_.horizon * direction;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 12; ++i) {
    const double aside = 0.25 * ((i + 1) / 2) * (i % 2 == 0 ? 1.0 : -1.0);
    const Vector3d place =
        from + config_.horizon * (direction + aside / config_.horizon * side).normalized();
    double cost = std::abs(aside);
    for (double along = -1.5; along <= 0.3; along += 0.1) {
      if (map_.isBlocked(Vector3d(place + along * direction))) cost += along > -0.5 ? 0.5 : 0.1;
    }
    if (cost < least) best = place;
    least = std::min(least, cost);
  }
  return map_.nearestFree(best, 1.0).value_or(best);
}

// The cubic (Hermite) from one state to the other.
Bspline Planning::straight(const State& start, const State& target, double stretch) const {
  const Vector3d &p0 = start.p, &v0 = start.v, &p1 = target.p, &v1 = target.v;
  const double distance = (p1 - p0).norm();
  const double along = distance > 0.0 ? v0.dot(p1 - p0) / distance : 0.0;
  const double time =
      stretch * timeFor(distance, along, v1.norm(), kSpeedShare * config_.limits.speed,
                        kLineShare * config_.limits.acceleration);
  const int segments = config_.control_points - 3;
  Bspline spline{Points(3, config_.control_points), std::max(time, 0.3) / segments};
  const double duration = spline.duration();
  for (int i = 0; i < config_.control_points; ++i) {
    const double s = (i - 1.0) / segments, r = 1.0 - s;
    spline.points.col(i) = r * r * (1.0 + 2.0 * s) * p0 + s * s * (1.0 + 2.0 * r) * p1 +
                           duration * (s * r * r * v0 - s * s * r * v1);
  }
  spline.points.leftCols<3>() = controlPointsOf(start, spline.dt);
  spline.points.rightCols<3>() = controlPointsOf(target, spline.dt);
  return spline;
}

// Finds the runs of control points in obstacles. A path around each stands for the surface; every
// control point of the run gets a plane where its normal plane meets the path (eq. 3-37, 3-38), and
// moves there. False: an obstacle has no way around it.
bool Planning::addPlanes(const Bspline& spline, std::vector<Plane>& planes, Bspline& seed) const {
  const Eigen::Index count = spline.points.cols();
  const auto isBlocked = [&](Eigen::Index i) {
    const Vector3d p = spline.points.col(i), next = spline.points.col(std::min(i + 1, count - 1));
    return map_.isBlocked(p) || map_.isBlocked(Vector3d((p + next) / 2.0));
  };
  for (Eigen::Index i = 1; i + 3 < count; ++i) {
    if (!isBlocked(i)) continue;
    Eigen::Index end = i + 1;
    while (end + 3 < count && isBlocked(end)) ++end;
    const auto path = findPath(map_, spline.points.col(i - 1), spline.points.col(end));
    if (path.size() < 2) return false;
    for (Eigen::Index k = std::max<Eigen::Index>(i - 1, 3); k <= end && k + 3 < count; ++k) {
      const Vector3d place = spline.points.col(k);
      const Vector3d tangent = spline.points.col(k + 1) - spline.points.col(k - 1);
      const Vector3d p = crossing(path, place, tangent);
      const double depth = (p - place).norm();
      if (depth < 0.5 * map_.config().side) continue;
      planes.push_back({k, p, (p - place) / depth});
      seed.points.col(k) = p;
    }
    i = end;
  }
  return true;
}

Planning::Outcome Planning::optimise(Bspline& spline, const std::vector<Mover>& movers,
                                     double w_feasible) const {
  std::vector<Plane> planes;
  Limits limits = config_.limits;
  limits.speed *= kSpeedShare;
  limits.acceleration *= kAccelerationShare;
  double w_collision = config_.w_collision;
  const Cost cost = [&](const Bspline& s, Points& gradient) {
    return config_.w_smooth * smoothness(s, config_.w_smooth, gradient) +
           w_feasible * feasibility(s, limits, w_feasible, gradient) +
           w_collision * collision(s, planes, config_.clearance, w_collision, gradient) +
           config_.w_moving * moving(s, movers, config_.w_moving, gradient);
  };
  for (int round = 0; round < kRounds; ++round) {
    Bspline seed = spline;
    if (!addPlanes(spline, planes, seed)) return Outcome::kNoWay;
    spline = seed;
    minimise(cost, spline);
    // The end is planned again before it is flown, unless it rests.
    const auto hit = planner_.firstCollision(spline, 0.0, movers);
    const double stopping = spline.at(0.0).v.norm() / config_.limits.acceleration;
    const double sure =
        std::max(kFreeShare * spline.duration(), kStopShare * stopping + kStopDelay);
    const bool rests = spline.at(spline.duration()).v.norm() < 0.1;
    if (!hit || (!rests && *hit > sure)) return Outcome::kFree;
    w_collision *= 3.0;
  }
  return Outcome::kBlocked;
}

// By how much the time has to grow for the limits.
double Planning::excessOf(const Bspline& spline) const {
  const Points v = differences(spline.points, spline.dt), a = differences(v, spline.dt);
  return std::max(v.colwise().norm().maxCoeff() / config_.limits.speed,
                  std::sqrt(a.colwise().norm().maxCoeff() / config_.limits.acceleration));
}

}  // namespace

std::optional<Bspline> Planner::plan(const State& start, const Vector3d& goal,
                                     const std::vector<Mover>& movers) const {
  return Planning(*this).plan(start, goal, movers);
}

}  // namespace autonomy
