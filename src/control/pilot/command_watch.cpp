// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/command_watch.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "common/bounds.hpp"

namespace marsim::control {
namespace {

// A reference less than this below the ground [m] is a landing, or due to the map's coarseness.
constexpr double kGroundTolerance = 0.1;
constexpr std::size_t kMostSaid = 100;  // texts that are reported once
constexpr double kHeadingError = 0.3;   // [rad], reported if it lasts
constexpr TimeNs kHeadingPatience = kNsPerSecond;

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(" ({} times so far)", count) : "";
}

}  // namespace

CommandWatch::CommandWatch(const ControllerConfig& config, const VehicleModel& vehicle, Say say)
    : envelope_(config, vehicle),
      limits_(config.warn),
      thrust_max_(static_cast<double>(vehicle.rotors.size()) * vehicle.thrust_coefficient *
                  vehicle.motor_speed_max * vehicle.motor_speed_max),
      motor_speed_max_(vehicle.motor_speed_max),
      say_(std::move(say)),
      ground_z_(-std::numeric_limits<double>::infinity()) {}

void CommandWatch::refused(const std::string& topic, const std::string& reason, WarningTime now) {
  if (!refusals_.add(topic, reason, now)) return;
  say_(fmt::format("{} ignored: {}{}", topic, reason, times(refusals_.total(topic))));
}

void CommandWatch::refusedAlways(const std::string& topic, const std::string& reason,
                                 WarningTime now) {
  refusals_.add(topic, reason, now);
  const std::string text = fmt::format("{} ignored: {}", topic, reason);
  if (said_.size() < kMostSaid && said_.insert(text).second) say_(text);
}

void CommandWatch::notGiven(const std::string& topic, const std::string& field) {
  if (++not_given_[topic + " " + field] > 1) return;
  say_(
      fmt::format("{}: {} is NaN or infinite and counts as not given (0); said once, counted in "
                  "/diagnostics",
                  topic, field));
}

void CommandWatch::checkYawRate(const std::string& topic, Reference& reference, TimeNs now) {
  if (yaw_rates_[topic].agrees(now, reference.yaw, reference.yaw_rate)) return;
  if (++not_given_[topic + " contradicting yaw rate"] == 1) {
    say_(
        fmt::format("{}: the yaw rate, {:.2f} rad/s, contradicts the change of the yaw it comes "
                    "with and counts as 0; said once, counted in /diagnostics",
                    topic, reference.yaw_rate));
  }
  reference.yaw_rate = 0.0;
}

void CommandWatch::tracked(const std::string& topic, const Reference& reference,
                           const KinematicState& state, WarningTime now) {
  ++commands_;
  std::vector<Note> notes;
  const double distance = (reference.p_WB - state.X_WB.p).norm();
  if (distance > limits_.reference_distance) {
    notes.push_back(
        {"distance",
         fmt::format("{}: the reference is {:.3g} m from the vehicle, beyond {:.3g} m "
                     "(warn.reference_distance of the controller's file); it is flown to straight",
                     topic, distance, limits_.reference_distance)});
  }
  look(topic, reference, notes);
  say(notes, now);
}

void CommandWatch::tracked(const std::string& topic, const std::vector<TrajectoryPoint>& points,
                           const KinematicState& state, WarningTime now) {
  if (points.empty()) return;
  if (points.front().moves) {
    tracked(topic, points.front().reference, state, now);
  } else {
    placed(topic, points.front().reference.p_WB, now);
  }
  // Checks the coming points up to the first with a problem: a message counts once.
  std::vector<Note> notes;
  for (std::size_t i = 1; i < points.size() && notes.empty(); ++i) {
    if (points[i].moves) {
      look(topic, points[i].reference, notes);
    } else {
      lookAtPlace(topic, points[i].reference.p_WB, notes);
    }
  }
  say(notes, now);
}

void CommandWatch::placed(const std::string& topic, const Eigen::Vector3d& p_WB, WarningTime now) {
  ++commands_;
  std::vector<Note> notes;
  lookAtPlace(topic, p_WB, notes);
  say(notes, now);
}

void CommandWatch::moved(const std::string& topic, const VelocityCommand& command,
                         const KinematicState& state, WarningTime now) {
  ++commands_;
  Reference reference;
  reference.p_WB = state.X_WB.p;
  reference.v_WB = command.velocity;
  reference.yaw_rate = command.yaw_rate;
  std::vector<Note> notes;
  for (const Excess& excess : envelope_.exceededBy(reference)) {
    notes.push_back({excess.what, topic + ": " + excess.text});
  }
  say(notes, now);
}

void CommandWatch::setInner(const std::string& topic, const InnerSetpoint& setpoint,
                            WarningTime now) {
  ++commands_;
  std::vector<Note> notes;
  const auto check = [&](const char* what, double value, double limit, const char* unit) {
    if (value <= 1.001 * limit) return;
    notes.push_back({what, fmt::format("{}: {} of {:.3g} {} is beyond {:.3g} {}, all that the "
                                       "rotors can",
                                       topic, what, value, unit, limit, unit)});
  };
  if (const auto* attitude = std::get_if<AttitudeSetpoint>(&setpoint)) {
    check("thrust", attitude->thrust, thrust_max_, "N");
  } else if (const auto* rates = std::get_if<RateSetpoint>(&setpoint)) {
    check("thrust", rates->thrust, thrust_max_, "N");
  } else {
    check("motor speed", std::get<MotorSetpoint>(setpoint).speeds.maxCoeff(), motor_speed_max_,
          "rad/s");
  }
  say(notes, now);
}

void CommandWatch::ended(Commander::Stream stream, WarningTime now) {
  const char* names[] = {"velocities", "attitudes", "body rates", "motor speeds"};
  if (stream == Commander::Stream::kVelocity) return;
  say({{"timeout",
        fmt::format("no {} came any more: the vehicle brakes and holds its place ({} s "
                    "after the last one)",
                    names[static_cast<int>(stream)], toSeconds(Commander::kStreamTimeout))}},
      now);
}

void CommandWatch::notFollowed(const std::string& topic, const std::string& fields) {
  const std::string text = fmt::format("{}: {} are not followed; said once", topic, fields);
  if (said_.insert(text).second) say_(text);
}

void CommandWatch::taken(const std::string& topic, TimeNs stamp, WarningTime now) {
  const auto known = taken_.find(topic);
  const TimeNs before = known != taken_.end() ? known->second : stamp - kTogether - 1;
  taken_[topic] = stamp;
  if (stamp - before > kTogether) return;
  for (const auto& [other, last] : taken_) {
    if (other == topic || last < before) continue;
    const auto [first, second] = std::minmax(topic, other);
    say({{"two sources", fmt::format("{} and {} both command the vehicle: the newest command is "
                                     "followed",
                                     first, second)}},
        now);
  }
}

void CommandWatch::look(const std::string& topic, const Reference& reference,
                        std::vector<Note>& notes) const {
  for (const Excess& excess : envelope_.exceededBy(reference)) {
    notes.push_back({excess.what, topic + ": " + excess.text});
  }
  lookAtPlace(topic, reference.p_WB, notes);
}

void CommandWatch::lookAtPlace(const std::string& topic, const Eigen::Vector3d& p_WB,
                               std::vector<Note>& notes) const {
  if (p_WB.z() < ground_z_ - kGroundTolerance) {
    notes.push_back({"below the ground",
                     fmt::format("{}: z = {:.2f} m is below the ground (ground_z = {:.2f} m)",
                                 topic, p_WB.z(), std::abs(ground_z_) < 0.005 ? 0.0 : ground_z_)});
  }
  if (!map_) return;
  const Eigen::Vector2d low = map_->min().head<2>(), high = map_->max().head<2>();
  const Eigen::Vector2d p = p_WB.head<2>();
  if ((p.array() >= low.array()).all() && (p.array() <= high.array()).all()) return;
  notes.push_back(
      {"outside the map", fmt::format("{}: ({:.1f}, {:.1f}) is outside the map, which goes from "
                                      "({:.1f}, {:.1f}) to ({:.1f}, {:.1f})",
                                      topic, p.x(), p.y(), low.x(), low.y(), high.x(), high.y())});
}

void CommandWatch::say(const std::vector<Note>& notes, WarningTime now) {
  for (const Note& note : notes) {
    if (warnings_.add(note.kind, note.text, now)) {
      say_(note.text + times(warnings_.total(note.kind)));
    }
  }
}

std::string CommandWatch::goalProblem(const Eigen::Vector3d& p_WB) const {
  if (!p_WB.allFinite()) return "pose has a value that is NaN or infinite";
  if (!isPlace(p_WB)) {
    return fmt::format("({:.3g}, {:.3g}, {:.3g}) is too far, allowed: up to {:.0e} m", p_WB.x(),
                       p_WB.y(), p_WB.z(), kFarthestPlace);
  }
  if (p_WB.z() >= ground_z_ - kGroundTolerance) return "";
  return fmt::format("z = {:.2f} m is below the ground, allowed: {:.2f} m (ground_z) and above",
                     p_WB.z(), ground_z_);
}

void CommandWatch::followed(const Reference& reference, const KinematicState& state,
                            WarningTime now) {
  lookAtHeading(reference, state, now);
  error_ = (reference.p_WB - state.X_WB.p).norm();
  largest_error_ = std::max(largest_error_, error_);
  if (error_ <= limits_.tracking_error) {
    off_since_.reset();
    return;
  }
  const bool is_due = !off_since_ || now - *off_since_ >= std::chrono::duration<double>(kPeriod);
  if (!is_due) return;
  off_since_ = now;
  say({{"tracking error",
        fmt::format("tracking error of {:.2f} m is beyond {:.2f} m (warn.tracking_error of the "
                    "controller's file)",
                    error_, limits_.tracking_error)}},
      now);
}

void CommandWatch::lookAtHeading(const Reference& reference, const KinematicState& state,
                                 WarningTime now) {
  heading_error_ = std::abs(wrapAngle(reference.yaw - yawOf(state.X_WB.q)));
  if (heading_error_ <= kHeadingError) {
    turned_since_.reset();
    heading_said_.reset();
    return;
  }
  if (!turned_since_) turned_since_ = state.stamp;
  const bool is_due =
      !heading_said_ || now - *heading_said_ >= std::chrono::duration<double>(kPeriod);
  if (state.stamp - *turned_since_ < kHeadingPatience || !is_due) return;
  heading_said_ = now;
  say({{"heading error", fmt::format("heading error of {:.2f} rad stays beyond {:g} rad",
                                     heading_error_, kHeadingError)}},
      now);
}

void CommandWatch::reset() {
  error_ = largest_error_ = heading_error_ = 0.0;
  off_since_.reset();
  turned_since_.reset();
  heading_said_.reset();
  taken_.clear();
  yaw_rates_.clear();
}

CommandWatch::Report CommandWatch::report(WarningTime now) const {
  Report report;
  const auto warn = [&](const std::string& text) {
    report.summary += (report.warns ? "; " : "") + text;
    report.warns = true;
  };
  std::uint64_t refused = 0;
  std::string last_refusal;
  for (const auto& [topic, entry] : refusals_.entries()) {
    refused += entry.count.total();
    const std::uint64_t lately = entry.count.lately(now);
    if (lately == 0) continue;
    last_refusal = topic + ": " + entry.last;
    warn(fmt::format("{} commands refused, the last of {}", lately, last_refusal));
  }
  for (const auto& [kind, entry] : warnings_.entries()) {
    if (entry.count.lately(now) > 0) warn(entry.last);
  }
  if (!report.warns) report.summary = commands_ > 0 ? "following commands" : "no command yet";

  const auto add = [&](const std::string& key, const std::string& value) {
    report.values.emplace_back(key, value);
  };
  add("commands taken", fmt::format("{}", commands_));
  add("commands refused", fmt::format("{}", refused));
  for (const auto& [topic, entry] : refusals_.entries()) {
    add("last refused " + topic, entry.last);
  }
  for (const auto& [kind, entry] : warnings_.entries()) {
    add("times: " + kind, fmt::format("{}", entry.count.total()));
  }
  for (const auto& [field, count] : not_given_)
    add("not given: " + field, fmt::format("{}", count));
  add("tracking error [m]", fmt::format("{:.4f}", error_));
  add("largest tracking error [m]", fmt::format("{:.4f}", largest_error_));
  add("heading error [rad]", fmt::format("{:.4f}", heading_error_));
  return report;
}

}  // namespace marsim::control
