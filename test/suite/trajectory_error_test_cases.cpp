// SPDX-License-Identifier: BSD-3-Clause
// Writes random trajectories, and what trajectoryError() makes of them, as JSON to the standard
// output, for trajectory_error_reference.py.

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "marsim/common/random.hpp"
#include "suite/trajectory_error.hpp"

namespace marsim::suite {
namespace {

using Json = nlohmann::ordered_json;

constexpr TimeNs kMs = kNsPerSecond / 1000;

Eigen::Vector3d randomVector(RandomStream& random, double sigma) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  return sigma * Eigen::Vector3d(x, y, z);
}

Pose randomPose(RandomStream& random, double length, double angle) {
  const Eigen::Quaterniond q = expMap(randomVector(random, angle));
  return {q, randomVector(random, length)};
}

/// Changes that make an estimate from the truth.
struct Case {
  std::string name;
  TrajectoryErrorConfig config;
  int samples = 400;                 // of the truth, every 20 ms or so
  TimeNs begin = 0, end = 0;         // of the estimate
  TimeNs period = 100 * kMs;         // of the estimate
  double noise = 0.02, turn = 0.01;  // [m], [rad]
  bool planar = false, shuffled = false;
};

std::vector<scenario::MotionSample> truthOf(const Case& one, RandomStream& random) {
  std::vector<scenario::MotionSample> truth;
  scenario::MotionSample sample;
  Eigen::Vector3d v = randomVector(random, 1.0), w = randomVector(random, 0.5);
  for (int i = 0; i < one.samples; ++i) {
    truth.push_back(sample);
    v += randomVector(random, 0.2);
    w += randomVector(random, 0.1);
    if (one.planar) v.z() = 0.0;
    sample.stamp += 15 * kMs + static_cast<TimeNs>(random.index(10 * kMs));
    sample.X_WB.p += 0.02 * v;
    sample.X_WB.q = (sample.X_WB.q * expMap(0.02 * w)).normalized();
  }
  return truth;
}

std::vector<StampedPose> estimateOf(const Case& one,
                                    const std::vector<scenario::MotionSample>& truth,
                                    RandomStream& random) {
  const Pose X_EW = randomPose(random, 5.0, 1.0);
  std::vector<StampedPose> estimate;
  for (TimeNs t = one.begin; t < one.end; t += one.period) {
    const auto i = static_cast<std::size_t>(
        std::clamp<TimeNs>(t / (20 * kMs), 0, static_cast<TimeNs>(truth.size()) - 1));
    const Pose noise = randomPose(random, one.noise, one.turn);
    estimate.push_back({t - one.config.offset, X_EW * truth[i].X_WB * one.config.X_BF * noise});
  }
  if (!one.shuffled) return estimate;
  for (std::size_t i = 1; i < estimate.size(); ++i) {
    std::swap(estimate[i], estimate[random.index(i + 1)]);
  }
  estimate.push_back(estimate.front());  // a stamp that has been there, with another pose
  estimate.back().X_WB.p.x() += 1.0;
  return estimate;
}

Json poseJson(TimeNs stamp, const Pose& X) {
  return {stamp, X.p.x(), X.p.y(), X.p.z(), X.q.x(), X.q.y(), X.q.z(), X.q.w()};
}

Json optionalJson(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json caseJson(const Case& one, RandomStream& random) {
  const std::vector<scenario::MotionSample> truth = truthOf(one, random);
  const std::vector<StampedPose> estimate = estimateOf(one, truth, random);
  const TrajectoryError error = trajectoryError(truth, estimate, one.config);
  Json json = {{"name", one.name},
               {"offset_ns", one.config.offset},
               {"align", one.config.align},
               {"rpe_delta_ns", one.config.rpe_delta},
               {"longest_gap_ns", one.config.longest_gap},
               {"X_BF", poseJson(0, one.config.X_BF)},
               {"truth", Json::array()},
               {"estimate", Json::array()}};
  for (const scenario::MotionSample& sample : truth) {
    json["truth"].push_back(poseJson(sample.stamp, sample.X_WB));
  }
  for (const StampedPose& pose : estimate) {
    json["estimate"].push_back(poseJson(pose.stamp, pose.X_WB));
  }
  json["result"] = {{"stamps", error.stamps},
                    {"error", error.error},
                    {"ate_rms", optionalJson(error.ate_rms)},
                    {"ate_max", optionalJson(error.ate_max)},
                    {"rpe_pairs", error.rpe_pairs},
                    {"rpe_rms", optionalJson(error.rpe_rms)},
                    {"rpe_angle_rms", optionalJson(error.rpe_angle_rms)},
                    {"completeness", error.completeness}};
  return json;
}

std::vector<Case> cases(RandomStream& random) {
  std::vector<Case> all;
  const auto add = [&](const char* name, TimeNs begin, TimeNs end) -> Case& {
    all.emplace_back();
    all.back().name = name;
    all.back().begin = begin;
    all.back().end = end;
    return all.back();
  };
  add("rotated, noisy", 0, 8 * kNsPerSecond);
  add("coarse noise", 0, 8 * kNsPerSecond).noise = 1.0;
  add("large turns", 0, 8 * kNsPerSecond).turn = 2.0;
  Case& frame = add("frame, offset, partly covering", kNsPerSecond, 5 * kNsPerSecond);
  frame.config.X_BF = randomPose(random, 0.3, 1.0);
  frame.config.offset = -37 * kMs;
  add("begins before and ends after the truth", -kNsPerSecond, 12 * kNsPerSecond);
  add("shuffled, a stamp twice", 0, 8 * kNsPerSecond).shuffled = true;
  add("planar", 0, 8 * kNsPerSecond).planar = true;
  Case& raw = add("not aligned, another delta", 0, 8 * kNsPerSecond);
  raw.config.align = false;
  raw.config.rpe_delta = 330 * kMs;
  Case& sparse = add("gaps too long", 0, 8 * kNsPerSecond);
  sparse.period = 501 * kMs;
  Case& two = add("two poses", 0, kNsPerSecond);
  two.period = 500 * kMs;
  add("outside", 20 * kNsPerSecond, 21 * kNsPerSecond);
  return all;
}

}  // namespace
}  // namespace marsim::suite

int main() {
  marsim::RandomStream random(7, "trajectories");
  marsim::suite::Json json = marsim::suite::Json::array();
  for (const auto& one : marsim::suite::cases(random)) {
    json.push_back(marsim::suite::caseJson(one, random));
  }
  std::cout << json.dump() << "\n";
}
