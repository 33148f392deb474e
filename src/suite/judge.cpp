// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "suite/run_result.hpp"
#include "suite/series.hpp"
#include "suite/trajectory_error.hpp"
#include "suite/words.hpp"

namespace marsim::suite {
namespace {

/// The quantity and limit of a check.
struct Question {
  std::string name, subject, unit;
  scenario::Limit limit;
};

CheckResult unanswered(const Question& question, std::string message) {
  CheckResult result;
  result.name = question.name;
  result.subject = question.subject;
  result.unit = question.unit;
  result.limit = question.limit;
  result.message = std::move(message);
  return result;
}

CheckResult answered(const Question& question, double value) {
  CheckResult result = unanswered(question, "");
  if (std::isnan(value)) {
    result.message = "is not a number";
    return result;
  }
  result.value = value;
  result.passed = question.limit.holds(value);
  if (!result.passed) {
    const std::string unit = question.unit.empty() ? "" : " " + question.unit;
    result.message =
        fmt::format("is {}, allowed: {}{}", valueText(result), limitText(question.limit), unit);
  }
  return result;
}

/// Compares a recording with the checks of a scenario, one after another.
class Judge {
 public:
  Judge(const scenario::Scenario& scenario, const scenario::Recording& recording)
      : scenario_(scenario), checks_(scenario.checks), recording_(recording) {}

  void run();
  std::vector<CheckResult> results() { return std::move(results_); }
  std::vector<EstimateSeries> estimates() { return std::move(estimates_); }

 private:
  using Measure = std::function<double(const scenario::UavRecording& uav)>;

  const scenario::UavRecording* uav(const std::string& name) const;
  void checkGoals();
  void checkUavs(const char* name, const char* unit, const std::optional<scenario::Limit>& limit,
                 const Measure& measure);
  void checkEnd(const scenario::EndCheck& end);
  void checkRate(const scenario::RateCheck& rate);
  void checkEstimate(const scenario::EstimateCheck& estimate);
  void checkCoverage();
  void checkRealTimeFactor();

  const scenario::TopicRecording* topic(const std::string& name, std::string& complaint) const;

  const scenario::Scenario& scenario_;
  const scenario::Checks& checks_;
  const scenario::Recording& recording_;
  std::vector<CheckResult> results_;
  std::vector<EstimateSeries> estimates_;
};

const scenario::UavRecording* Judge::uav(const std::string& name) const {
  const auto found =
      std::find_if(recording_.uavs.begin(), recording_.uavs.end(),
                   [&](const scenario::UavRecording& uav) { return uav.name == name; });
  return found == recording_.uavs.end() || found->samples.empty() ? nullptr : &*found;
}

// Null, with the reason, if no message came on it.
const scenario::TopicRecording* Judge::topic(const std::string& name,
                                             std::string& complaint) const {
  for (const scenario::TopicRecording& topic : recording_.topics) {
    if (topic.topic != name) continue;
    complaint = topic.fault;
    if (!complaint.empty()) return nullptr;
    if (!topic.stamps.empty() || !topic.poses.empty()) return &topic;
    complaint = fmt::format("nothing came on {}, a {}", name, topic.type);
    if (!topic.type.empty()) return nullptr;
    complaint = fmt::format("nobody publishes {}", name);
    if (!topic.nearest.empty()) complaint += fmt::format(" (did you mean {}?)", topic.nearest);
    return nullptr;
  }
  complaint = fmt::format("nobody publishes {}", name);
  return nullptr;
}

void Judge::checkGoals() {
  if (!checks_.goals_within) return;
  for (const auto& [name, flight] : scenario_.flights) {
    if (flight.goals.empty()) continue;
    const Question question{"goals", name, "s", {std::nullopt, checks_.goals_within}};
    const scenario::UavRecording* recorded = uav(name);
    std::size_t reached = 0;
    TimeNs last = 0;
    for (const scenario::GoalRecord& goal :
         recorded ? recorded->goals : std::vector<scenario::GoalRecord>{}) {
      if (!goal.reached) continue;
      ++reached;
      last = std::max(last, *goal.reached);
    }
    if (reached < flight.goals.size()) {
      results_.push_back(unanswered(
          question, fmt::format("{} of {} goals were reached", reached, flight.goals.size())));
    } else {
      results_.push_back(answered(question, toSeconds(last - recorded->goals.front().sent)));
    }
  }
}

void Judge::checkUavs(const char* name, const char* unit,
                      const std::optional<scenario::Limit>& limit, const Measure& measure) {
  if (!limit) return;
  for (const std::string& subject : scenario_.uavNames()) {
    const Question question{name, subject, unit, *limit};
    const scenario::UavRecording* recorded = uav(subject);
    results_.push_back(recorded ? answered(question, measure(*recorded))
                                : unanswered(question, "its motion was not recorded"));
  }
}

void Judge::checkEnd(const scenario::EndCheck& end) {
  const Question position{"end_position", end.uav, "m", {std::nullopt, end.within}};
  const Question speed{"end_speed", end.uav, "m/s", end.speed};
  const bool has_speed = end.speed.at_least || end.speed.at_most;
  const scenario::UavRecording* recorded = uav(end.uav);
  const char* const complaint = "its motion was not recorded";
  if (recorded == nullptr) {
    results_.push_back(unanswered(position, complaint));
    if (has_speed) results_.push_back(unanswered(speed, complaint));
    return;
  }
  const scenario::MotionSample& last = recorded->samples.back();
  results_.push_back(answered(position, (last.X_WB.p - end.position).norm()));
  if (has_speed) results_.push_back(answered(speed, last.v_WB.norm()));
}

// The error in the stamps of a topic whose rate is checked.
std::string stampsComplaint(const std::vector<TimeNs>& stamps) {
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] > stamps[i - 1]) continue;
    return fmt::format("stamp {:.6f} s came after {:.6f} s", toSeconds(stamps[i]),
                       toSeconds(stamps[i - 1]));
  }
  return stamps.size() < 2 ? fmt::format("{} messages tell no rate", stamps.size()) : "";
}

void Judge::checkRate(const scenario::RateCheck& rate) {
  const Question mean{"rate",
                      rate.topic,
                      "Hz",
                      {rate.rate * (1.0 - rate.tolerance), rate.rate * (1.0 + rate.tolerance)}};
  const Question gap{"worst_gap", rate.topic, "periods", {std::nullopt, rate.worst_gap}};
  std::string complaint;
  const scenario::TopicRecording* recorded = topic(rate.topic, complaint);
  if (recorded != nullptr) complaint = stampsComplaint(recorded->stamps);
  if (!complaint.empty()) {
    results_.push_back(unanswered(mean, complaint));
    results_.push_back(unanswered(gap, complaint));
    return;
  }
  const std::vector<TimeNs>& stamps = recorded->stamps;
  const double duration = toSeconds(stamps.back() - stamps.front());
  results_.push_back(answered(mean, static_cast<double>(stamps.size() - 1) / duration));
  TimeNs worst = 0, since = stamps.front();
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    if (stamps[i] - stamps[i - 1] <= worst) continue;
    worst = stamps[i] - stamps[i - 1];
    since = stamps[i - 1];
  }
  // A message takes time to arrive, so a short silence at the end means nothing.
  const TimeNs silence = recording_.end - stamps.back();
  if (silence > kNsPerSecond + 2 * periodNs(rate.rate) && silence > worst) {
    worst = silence;
    since = stamps.back();
  }
  CheckResult result = answered(gap, toSeconds(worst) * rate.rate);
  if (!result.passed) result.message += fmt::format(", after {:.6f} s", toSeconds(since));
  results_.push_back(std::move(result));
}

// The reason why an estimate cannot be compared with the truth.
std::string estimateComplaint(const scenario::TopicRecording& recorded,
                              const TrajectoryError& error) {
  for (const StampedPose& pose : recorded.poses) {
    if (isPose(pose.X_WB)) continue;
    return fmt::format("the pose of {:.6f} s is not finite, or its quaternion not of length 1",
                       toSeconds(pose.stamp));
  }
  if (recorded.poses.empty()) {
    return fmt::format("{} is a {}, which tells no poses", recorded.topic, recorded.type);
  }
  return error.stamps.empty()
             ? fmt::format("0 of {} poses have a stamp within the flight", recorded.poses.size())
             : "";
}

void Judge::checkEstimate(const scenario::EstimateCheck& estimate) {
  std::string complaint;
  TrajectoryError error;
  const scenario::TopicRecording* recorded = topic(estimate.topic, complaint);
  const scenario::UavRecording* truth = uav(estimate.uav);
  if (recorded != nullptr && truth == nullptr) {
    complaint = fmt::format("the motion of {} was not recorded", estimate.uav);
  } else if (recorded != nullptr) {
    TrajectoryErrorConfig config;
    config.X_BF = estimate.X_BF;
    config.offset = estimate.offset;
    config.align = estimate.align;
    config.rpe_delta = estimate.rpe_delta;
    error = trajectoryError(truth->samples, recorded->poses, config);
    complaint = estimateComplaint(*recorded, error);
  }
  estimates_.push_back(estimateSeries(estimate.topic, error));

  const auto hold = [&](const char* name, const char* unit, const scenario::Limit& limit,
                        const std::optional<double>& value, const std::string& without) {
    if (!limit.at_least && !limit.at_most) return;
    const Question question{name, estimate.topic, unit, limit};
    const std::string& why = complaint.empty() ? without : complaint;
    results_.push_back(complaint.empty() && value ? answered(question, *value)
                                                  : unanswered(question, why));
  };
  const std::string too_few = fmt::format("{} poses are too few to align", error.stamps.size());
  const std::string no_pairs =
      fmt::format("no two poses are {:g} s apart or more", toSeconds(estimate.rpe_delta));
  hold("ate", "m", estimate.ate, error.ate_rms, too_few);
  hold("rpe", "m", estimate.rpe, error.rpe_rms, no_pairs);
  hold("rpe_angle", "rad", estimate.rpe_angle, error.rpe_angle_rms, no_pairs);
  hold("completeness", "", estimate.completeness, error.completeness, "");
}

void Judge::checkCoverage() {
  for (std::size_t i = 0; i < checks_.coverage.size(); ++i) {
    const scenario::CoverageCheck& check = checks_.coverage[i];
    const Question question{"coverage", check.uav, "", check.share};
    results_.push_back(i < recording_.coverage.size() ? answered(question, recording_.coverage[i])
                                                      : unanswered(question, "was not measured"));
  }
}

void Judge::checkRealTimeFactor() {
  if (!checks_.real_time_factor) return;
  const Question question{"real_time_factor", "", "", *checks_.real_time_factor};
  const double simulated = toSeconds(recording_.end - recording_.begin);
  results_.push_back(recording_.wall > 0.0 ? answered(question, simulated / recording_.wall)
                                           : unanswered(question, "no wall time has passed"));
  results_.back().depends_on_wall_time = true;
}

void Judge::run() {
  checkGoals();
  checkUavs("clearance", "m", checks_.clearance, [](const scenario::UavRecording& uav) {
    return uav.contacts > 0 ? 0.0 : uav.least_clearance;  // published less often
  });
  checkUavs("contacts", "", checks_.contacts,
            [](const scenario::UavRecording& uav) { return static_cast<double>(uav.contacts); });
  checkUavs("tracking_rms", "m", checks_.tracking_rms, scenario::trackingRms);
  const auto largest = [](const scenario::UavRecording& uav, const auto& valueOf) {
    double most = 0.0;
    for (const scenario::MotionSample& sample : uav.samples) {
      const double value = valueOf(sample);
      if (!(value <= most)) most = value;  // a NaN stays, unless a larger value comes
      if (std::isnan(most)) break;
    }
    return most;
  };
  checkUavs("tracking_max", "m", checks_.tracking_max, [&](const scenario::UavRecording& uav) {
    return largest(uav, [](const scenario::MotionSample& sample) { return sample.tracking_error; });
  });
  checkUavs("max_speed", "m/s", checks_.max_speed, [&](const scenario::UavRecording& uav) {
    return largest(uav, [](const scenario::MotionSample& sample) { return sample.v_WB.norm(); });
  });
  checkUavs("energy", "J", checks_.energy, scenario::energy);
  for (const scenario::EndCheck& end : checks_.end) checkEnd(end);
  for (const scenario::RateCheck& rate : checks_.rates) checkRate(rate);
  for (const scenario::EstimateCheck& estimate : checks_.estimates) checkEstimate(estimate);
  checkCoverage();
  checkRealTimeFactor();
}

// The first failed check, and the number of others. A check that depends on wall time is named only
// if no other failed, so that the text is the same on every machine.
std::string firstFailure(const std::vector<CheckResult>& checks) {
  for (const bool wall_time : {false, true}) {
    const auto failed = [&](const CheckResult& check) {
      return !check.passed && check.depends_on_wall_time == wall_time;
    };
    const auto first = std::find_if(checks.begin(), checks.end(), failed);
    if (first == checks.end()) continue;
    const auto more = std::count_if(std::next(first), checks.end(), failed);
    const std::string of = first->subject.empty() ? "" : " of " + first->subject;
    const std::string rest =
        more == 0 ? "" : fmt::format("; {} more check{} failed", more, more == 1 ? "" : "s");
    return fmt::format("{}{}: {}{}", first->name, of, first->message, rest);
  }
  return "";
}

void decide(RunResult& result) {
  const bool passed =
      !result.checks.empty() && std::all_of(result.checks.begin(), result.checks.end(),
                                            [](const CheckResult& check) { return check.passed; });
  result.verdict = passed ? Verdict::kPassed : Verdict::kFailed;
  result.message = result.checks.empty() ? "nothing was checked" : firstFailure(result.checks);
}

std::string motionDigest(const scenario::Recording& recording) {
  std::vector<double> numbers;
  for (const scenario::UavRecording& uav : recording.uavs) {
    for (const scenario::MotionSample& sample : uav.samples) {
      const Eigen::Quaterniond& q = sample.X_WB.q;
      numbers.push_back(static_cast<double>(sample.stamp));
      for (const Eigen::Vector3d& v : {sample.X_WB.p, sample.v_WB}) {
        numbers.insert(numbers.end(), v.data(), v.data() + 3);
      }
      numbers.insert(numbers.end(), {q.x(), q.y(), q.z(), q.w()});
    }
  }
  return fmt::format("{:016x}", XXH3_64bits(numbers.data(), numbers.size() * sizeof(double)));
}

}  // namespace

void addCheck(RunResult& result, CheckResult check) {
  result.checks.push_back(std::move(check));
  decide(result);
}

RunResult judge(const scenario::Scenario& scenario, std::uint64_t seed,
                const scenario::Recording& recording) {
  Judge judge(scenario, recording);
  judge.run();
  RunResult result;
  result.scenario = scenario.name;
  result.description = scenario.description;
  const auto map = scenario.arguments.find("map");
  if (map != scenario.arguments.end()) result.map = map->second;
  result.seed = seed;
  result.checks = judge.results();
  result.motion = motionDigest(recording);
  result.estimates = judge.estimates();
  decide(result);
  for (const scenario::UavRecording& uav : recording.uavs) result.uavs.push_back(uavSeries(uav));
  result.timings = timingSeries(recording.timings);
  result.simulated = toSeconds(recording.end - recording.begin);
  result.wall = recording.wall;
  return result;
}

std::string verdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kError:
      return "error";
    case Verdict::kSkipped:
      return "skipped";
  }
  return "error";
}

}  // namespace marsim::suite
