// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/control/goal_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "marsim/geometry/pose.hpp"

namespace marsim::control {
namespace {

using Coefficients = Eigen::Matrix<double, 4, 6>;
using Row = Eigen::Vector4d;  // x, y, z, yaw

constexpr int kSamples = 128;
// True peaks exceed sampled ones by at most this.
constexpr double kMargin = 0.999;
// Below it by the possible rounding.
constexpr double kCruise = kMargin - 1e-6;
// [1/s] of the yaw rate's limit: largest rate of its change.
constexpr double kTurnSharpness = 2.0;
// The least duration tried [s] and the factor from one to the next [-].
constexpr double kShortest = 0.05, kGrowth = 1.1;

// The boundary conditions of a piece: start as given, no acceleration at its end.
struct Boundary {
  Row p, v, a, goal;
  Row goal_v = Row::Zero();
};

// Quintics with p, v, a at 0 and goal, goal_v, 0 at `duration` [s].
Coefficients quintics(const Boundary& b, double duration) {
  const double T = duration;
  // The change beyond the start's own motion.
  const Row p = b.goal - b.p - T * b.v - 0.5 * T * T * b.a;
  const Row v = b.goal_v - b.v - T * b.a;
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

// The largest ratio of speed, acceleration, yaw rate and its change to their limits on the way.
double strain(const Boundary& b, double duration, const GoalLimits& limits) {
  const Coefficients c = quintics(b, duration);
  Eigen::Matrix<double, 4, 5> of_v;
  for (int i = 0; i < 5; ++i) of_v.col(i) = (i + 1.0) * c.col(i + 1);
  Eigen::Matrix<double, 4, 4> of_a;
  for (int i = 0; i < 4; ++i) of_a.col(i) = (i + 2.0) * (i + 1.0) * c.col(i + 2);
  double speed_2 = 0.0, acceleration_2 = 0.0, yaw_rate = 0.0, turn = 0.0;  // largest; _2: squared
  for (int i = 0; i <= kSamples; ++i) {
    const double t = duration * i / kSamples;
    Row v = of_v.col(4), a = of_a.col(3);
    for (int power = 3; power >= 0; --power) v = v * t + of_v.col(power);
    for (int power = 2; power >= 0; --power) a = a * t + of_a.col(power);
    speed_2 = std::max(speed_2, v.head<3>().squaredNorm());
    acceleration_2 = std::max(acceleration_2, a.head<3>().squaredNorm());
    yaw_rate = std::max(yaw_rate, std::abs(v[3]));
    turn = std::max(turn, std::abs(a[3]));
  }
  return std::max({std::sqrt(speed_2) / limits.speed,
                   std::sqrt(acceleration_2) / limits.acceleration, yaw_rate / limits.yaw_rate,
                   turn / (kTurnSharpness * limits.yaw_rate)});
}

struct Piece {
  Boundary boundary;
  double duration;  // [s]
};

// Pieces one after another, and how far they strain the limits.
struct Plan {
  std::vector<Piece> pieces;
  double strain = std::numeric_limits<double>::infinity();

  double duration() const {
    double sum = 0.0;
    for (const Piece& piece : pieces) sum += piece.duration;
    return sum;
  }
  bool isWithinLimits() const { return strain <= kMargin; }
};

// One piece whose end may depend on its duration: the shortest duration up to `longest` [s] within
// limits, or the one that exceeds them least.
template <class BoundaryOf>
Plan shortestPlan(const BoundaryOf& boundaryOf, const GoalLimits& limits, double longest) {
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
  return {{{boundaryOf(best), best}}, strainOf(best)};
}

// One polynomial to the goal.
Plan directPlan(const Boundary& start, const GoalLimits& limits) {
  const double distance = (start.goal - start.p).head<3>().norm();
  // Well above a rest-to-rest duration; with a longer one a moving start only strays further.
  const double longest = 10.0 + 6.0 * distance / limits.speed +
                         10.0 * start.v.head<3>().norm() / limits.acceleration +
                         6.0 * std::abs(start.goal[3] - start.p[3]) / limits.yaw_rate +
                         6.0 * std::sqrt(distance / limits.acceleration);
  return shortestPlan([&](double) { return start; }, limits, longest);
}

// To rest, at the place where a velocity that falls as a cubic ends.
Plan brakingPlan(const Boundary& start, const GoalLimits& limits) {
  const double longest = 10.0 + 10.0 * start.v.head<3>().norm() / limits.acceleration;
  const auto boundaryOf = [&](double duration) {
    Boundary b = start;
    b.goal = b.p + 0.5 * duration * b.v + duration * duration / 12.0 * b.a;
    return b;
  };
  return shortestPlan(boundaryOf, limits, longest);
}

// The velocity goes to its new value V as V (1 - (1 - s)^3 (1 + 3 s)), s from 0 to 1: without jerk
// at the cruising end, 0.6 V T long, with accelerations up to 16/9 V/T. The way back to rest is
// the same one in reverse.
constexpr double kRampLength = 0.6;
constexpr double kRampPeak = 16.0 / 9.0;

// To the speed limit, straight on at it, to rest at the goal. `bounds` are the first piece's: the
// limits, or the start's own motion if that exceeds them. Without pieces if the goal is too near
// for that.
Plan cruisePlan(const Boundary& start, const GoalLimits& limits, const GoalLimits& bounds) {
  const double speed = kCruise * limits.speed;
  const double braking = kRampPeak * speed / (kMargin * limits.acceleration);  // [s]
  const double longest = 10.0 + 10.0 * (start.v.head<3>().norm() + speed) / limits.acceleration;
  const auto wayFrom = [&](double duration) -> Row {  // from the end of the start's own motion
    return start.goal - start.p - (1.0 - kRampLength) * duration * start.v -
           duration * duration / 20.0 * start.a;
  };
  const auto isLongEnough = [&](double duration) {
    return wayFrom(duration).norm() >= kRampLength * speed * (duration + braking);
  };
  const auto boundaryOf = [&](double duration) {
    Boundary b = start;
    const Row way = wayFrom(duration);
    b.goal_v = speed * way.normalized();
    b.goal = start.goal - way + kRampLength * duration * b.goal_v;
    return b;
  };
  if (!isLongEnough(kShortest)) return {};
  Plan plan = shortestPlan(boundaryOf, bounds, longest);
  const Piece first = plan.pieces.front();
  if (!plan.isWithinLimits() || !isLongEnough(first.duration)) return {};

  const Row rest = Row::Zero();
  const Row& v = first.boundary.goal_v;
  const Row brake = start.goal - kRampLength * braking * v;
  const double cruising = (brake - first.boundary.goal).norm() / speed;
  if (cruising > 1e-6) {
    plan.pieces.push_back({{first.boundary.goal, v, rest, brake, v}, cruising});
  }
  plan.pieces.push_back({{brake, v, rest, start.goal, rest}, braking});
  return plan;
}

// The shorter of two plans within limits, else the one that exceeds them less.
const Plan& better(const Plan& a, const Plan& b) {
  if (a.isWithinLimits() && b.isWithinLimits()) return a.duration() <= b.duration() ? a : b;
  return a.strain <= b.strain ? a : b;
}

// One polynomial if that is fastest, cruising between two if the way is long; braking first if the
// limits allow neither. `bounds` as in cruisePlan.
Plan planned(const Boundary& start, const GoalLimits& limits, const GoalLimits& bounds) {
  const bool is_fast = bounds.speed > limits.speed;
  const Plan cruise = cruisePlan(start, limits, bounds);
  if (is_fast && cruise.isWithinLimits()) return cruise;  // else all of it were too fast
  const Plan direct = directPlan(start, bounds);
  const Plan through = better(direct, cruise);
  if (through.isWithinLimits()) return through;
  Plan plan = brakingPlan(start, bounds);
  if (plan.strain >= through.strain) return through;
  Boundary stopped{plan.pieces.back().boundary.goal, Row::Zero(), Row::Zero(), start.goal};
  stopped.goal[3] = stopped.p[3] + wrapAngle(stopped.goal[3] - stopped.p[3]);
  const Plan onward = better(directPlan(stopped, limits), cruisePlan(stopped, limits, limits));
  plan.pieces.insert(plan.pieces.end(), onward.pieces.begin(), onward.pieces.end());
  return plan;
}

}  // namespace

void GoalLimits::declare(Settings& settings) {
  settings.optional("speed", speed, "m/s", kPositive);
  settings.optional("acceleration", acceleration, "m/s^2", kPositive);
  settings.optional("yaw_rate", yaw_rate, "rad/s", kPositive);
}

GoalPath::GoalPath(const Reference& from, TimeNs start, const Eigen::Vector3d& goal_p_WB,
                   double goal_yaw, const GoalLimits& limits)
    : from_(from), start_(start) {
  // A margin above the start's own motion: otherwise no path could begin with it.
  constexpr double kAbove = 1.01;
  GoalLimits bounds = limits;
  bounds.speed = std::max(limits.speed, kAbove * from.v_WB.norm());
  bounds.acceleration = std::max(limits.acceleration, kAbove * from.a_WB.norm());
  bounds.yaw_rate = std::max(limits.yaw_rate, kAbove * std::abs(from.yaw_rate));
  Boundary way;
  way.p << from.p_WB, 0.0;
  way.v << from.v_WB, 0.0;
  way.a << from.a_WB, 0.0;
  way.goal << goal_p_WB, 0.0;
  Boundary turn{Row::Zero(), Row::Zero(), Row::Zero(), Row::Zero()};
  turn.p[3] = from.yaw;
  turn.v[3] = from.yaw_rate;
  turn.goal[3] = from.yaw + wrapAngle(goal_yaw - from.yaw);
  const auto segmentsOf = [&](const Boundary& boundary) {
    std::vector<Segment> segments;
    TimeNs end = start_;
    for (const Piece& piece : planned(boundary, limits, bounds).pieces) {
      const TimeNs begin = end;
      end += toNs(piece.duration);
      segments.push_back({begin, end, quintics(piece.boundary, toSeconds(end - begin))});
    }
    return segments;
  };
  way_ = segmentsOf(way);
  turn_ = segmentsOf(turn);
  end_ = std::max(way_.back().end, turn_.back().end);
}

Reference GoalPath::at(TimeNs t) const {
  if (t < start_) return from_;
  const auto on = [t](const std::vector<Segment>& segments) {
    const Segment* segment = &segments.front();
    while (t >= segment->end && segment != &segments.back()) ++segment;
    const TimeNs end = segment->end;
    Derivatives d = evaluate(segment->coefficients, toSeconds(std::min(t, end) - segment->start));
    if (t >= end) d.v = d.a = d.j = Row::Zero();
    return d;
  };
  const Derivatives way = on(way_), turn = on(turn_);
  Reference reference;
  reference.p_WB = way.p.head<3>();
  reference.v_WB = way.v.head<3>();
  reference.a_WB = way.a.head<3>();
  reference.j_WB = way.j.head<3>();
  reference.yaw = wrapAngle(turn.p[3]);
  reference.yaw_rate = turn.v[3];
  return reference;
}

}  // namespace marsim::control
