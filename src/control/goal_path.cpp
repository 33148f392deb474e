#include <algorithm>
#include <cmath>

#include "marsim/common/error.hpp"
#include "marsim/control/reference.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Coefficients = Eigen::Matrix<double, 4, 6>;
using Row = Eigen::Vector4d;  // x, y, z, yaw

constexpr int kSamples = 128;
// Sampled peaks lie this little below the true ones at most.
constexpr double kMargin = 0.999;

// The boundary conditions of a path: start as given, at rest at the end.
struct Boundary {
  Row p, v, a, goal;
};

// Quintics with p, v, a at 0 and goal, 0, 0 at `duration` [s].
Coefficients quintics(const Boundary& b, double duration) {
  const double T = duration;
  // What is left to do beyond the start's own motion.
  const Row p = b.goal - b.p - T * b.v - 0.5 * T * T * b.a;
  const Row v = -b.v - T * b.a;
  const Row a = -b.a;
  Coefficients c;
  c.col(0) = b.p;
  c.col(1) = b.v;
  c.col(2) = 0.5 * b.a;
  c.col(3) = (10.0 * p - 4.0 * T * v + 0.5 * T * T * a) / std::pow(T, 3);
  c.col(4) = (-15.0 * p + 7.0 * T * v - T * T * a) / std::pow(T, 4);
  c.col(5) = (6.0 * p - 3.0 * T * v + 0.5 * T * T * a) / std::pow(T, 5);
  return c;
}

struct Derivatives {
  Row p, v, a, j;
};

Derivatives evaluate(const Coefficients& c, double t) {
  Derivatives d{c.col(5), 5.0 * c.col(5), 20.0 * c.col(5), 60.0 * c.col(5)};
  for (int power = 4; power >= 0; --power) {
    const double n = power;
    d.p = d.p * t + c.col(power);
    if (power >= 1) d.v = d.v * t + n * c.col(power);
    if (power >= 2) d.a = d.a * t + n * (n - 1.0) * c.col(power);
    if (power >= 3) d.j = d.j * t + n * (n - 1.0) * (n - 2.0) * c.col(power);
  }
  return d;
}

// The largest ratio of speed, acceleration and yaw rate to their limits on the way.
double strain(const Boundary& b, double duration, const GoalLimits& limits) {
  const Coefficients c = quintics(b, duration);
  double worst = 0.0;
  for (int i = 0; i <= kSamples; ++i) {
    const Derivatives d = evaluate(c, duration * i / kSamples);
    worst =
        std::max({worst, d.v.head<3>().norm() / limits.speed,
                  d.a.head<3>().norm() / limits.acceleration, std::abs(d.v[3]) / limits.yaw_rate});
  }
  return worst;
}

// A segment whose end may depend on how long it takes, and how far it strains the limits.
struct Plan {
  Boundary boundary;
  double duration;  // [s]
  double strain;
};

// The shortest duration up to `longest` [s] within limits, or the one that exceeds them least.
template <class BoundaryOf>
Plan shortestPlan(const BoundaryOf& boundaryOf, const GoalLimits& limits, double longest) {
  constexpr double kShortest = 0.05, kGrowth = 1.1;
  const auto strainOf = [&](double duration) {
    return strain(boundaryOf(duration), duration, limits);
  };
  double best = kShortest, least = strainOf(kShortest);
  for (double high = kShortest; high < longest && least > kMargin; high *= kGrowth) {
    const double here = strainOf(high);
    if (here < least) {
      least = here;
      best = high;
    }
  }
  if (least <= kMargin) {
    double low = best / kGrowth;
    for (int i = 0; i < 20 && low >= kShortest; ++i) {
      const double middle = 0.5 * (low + best);
      (strainOf(middle) <= kMargin ? best : low) = middle;
    }
  }
  return {boundaryOf(best), best, strainOf(best)};
}

Plan directPlan(const Boundary& start, const GoalLimits& limits) {
  const double distance = (start.goal - start.p).head<3>().norm();
  // Well above what rest to rest needs; beyond, a moving start only strays further.
  const double longest = 10.0 + 6.0 * distance / limits.speed +
                         10.0 * start.v.head<3>().norm() / limits.acceleration +
                         6.0 * std::abs(start.goal[3] - start.p[3]) / limits.yaw_rate +
                         6.0 * std::sqrt(distance / limits.acceleration);
  return shortestPlan([&](double) { return start; }, limits, longest);
}

// To rest, wherever a velocity that falls as a cubic ends up.
Plan brakingPlan(const Boundary& start, const GoalLimits& limits) {
  const double longest = 10.0 + 10.0 * start.v.head<3>().norm() / limits.acceleration;
  const auto boundaryOf = [&](double duration) {
    Boundary b = start;
    b.goal = b.p + 0.5 * duration * b.v + duration * duration / 12.0 * b.a;
    return b;
  };
  return shortestPlan(boundaryOf, limits, longest);
}

// One segment where the limits allow, else braking first.
std::vector<Plan> planned(const Boundary& start, const GoalLimits& limits) {
  const Plan direct = directPlan(start, limits);
  if (direct.strain <= kMargin) return {direct};
  const Plan braking = brakingPlan(start, limits);
  if (braking.strain >= direct.strain) return {direct};
  const Row stopped = braking.boundary.goal;
  Row goal = start.goal;
  goal[3] = stopped[3] + wrapAngle(goal[3] - stopped[3]);
  return {braking, directPlan({stopped, Row::Zero(), Row::Zero(), goal}, limits)};
}

}  // namespace

void GoalLimits::validate(const std::string& where) const {
  const Validator check(where);
  check.positive("goal.speed", speed, "m/s");
  check.positive("goal.acceleration", acceleration, "m/s^2");
  check.positive("goal.yaw_rate", yaw_rate, "rad/s");
}

GoalPath::GoalPath(const Reference& from, TimeNs start, const Eigen::Vector3d& goal_p_WB,
                   double goal_yaw, const GoalLimits& limits)
    : from_(from), start_(start) {
  Boundary b;
  b.p << from.p_WB, from.yaw;
  b.v << from.v_WB, from.yaw_rate;
  b.a << from.a_WB, 0.0;
  b.goal << goal_p_WB, from.yaw + wrapAngle(goal_yaw - from.yaw);
  // A margin above the start's own motion: otherwise no path could begin with it.
  constexpr double kAbove = 1.01;
  GoalLimits allowed = limits;
  allowed.speed = std::max(limits.speed, kAbove * from.v_WB.norm());
  allowed.acceleration = std::max(limits.acceleration, kAbove * from.a_WB.norm());
  allowed.yaw_rate = std::max(limits.yaw_rate, kAbove * std::abs(from.yaw_rate));
  end_ = start_;
  for (const Plan& plan : planned(b, allowed)) {
    const TimeNs begin = end_;
    end_ += toNs(plan.duration);
    segments_.push_back({begin, end_, quintics(plan.boundary, toSeconds(end_ - begin))});
  }
}

Reference GoalPath::at(TimeNs t) const {
  if (t < start_) return from_;
  const Segment* segment = &segments_.front();
  if (t >= segment->end) segment = &segments_.back();
  const Derivatives d =
      evaluate(segment->coefficients, toSeconds(std::min(t, end_) - segment->start));
  Reference reference;
  reference.p_WB = d.p.head<3>();
  reference.yaw = wrapAngle(d.p[3]);
  if (t >= end_) return reference;
  reference.v_WB = d.v.head<3>();
  reference.a_WB = d.a.head<3>();
  reference.j_WB = d.j.head<3>();
  reference.yaw_rate = d.v[3];
  return reference;
}

}  // namespace marsim::control
