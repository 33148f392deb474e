// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/autopilot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

using Kind = Autopilot::Action::Kind;

constexpr double kRestSpeed = 0.2;  // [m/s] below it a climb is over
constexpr double kAtHome = 0.3;     // [m] from home
constexpr TimeNs kSettling = kNsPerSecond / 2;
constexpr std::array<const char*, 8> kNames{"STABILIZED",  "ALTCTL",       "POSCTL",    "OFFBOARD",
                                            "AUTO.LOITER", "AUTO.TAKEOFF", "AUTO.LAND", "AUTO.RTL"};

}  // namespace

const char* Autopilot::name(Mode mode) { return kNames[static_cast<std::size_t>(mode)]; }

std::vector<std::string> Autopilot::names() { return {kNames.begin(), kNames.end()}; }

void Autopilot::act(Kind kind, double height) { actions_.push_back({kind, height, home_}); }

Autopilot::Outcome Autopilot::refuse(const std::string& what, const std::string& reason) {
  lines_.push_back(fmt::format("{} refused: {}", what, reason));
  return {false, lines_.back()};
}

void Autopilot::step(const State& state) {
  const bool begins =
      !state_ || state.placements != state_->placements || state.stamp < state_->stamp;
  state_ = state;
  if (begins) {
    mode_ = Mode::kLoiter;
    armed_ = !state.on_ground;
    failsafe_ = landing_ = climbs_ = streams_ = false;
    last_setpoint_ = -1;
    rests_since_ = -1;
    home_ = state.p_WB;
    actions_.clear();
    return;
  }
  watchOffboard();
  if (mode_ == Mode::kTakeOff && climbs_) watchTakeOff();
  if (mode_ == Mode::kReturn && armed_ && !landing_) watchReturn();
  if (landing_) watchLanding();
}

bool Autopilot::setpoint() {
  if (!state_) return false;
  const TimeNs now = state_->stamp;
  streams_ = last_setpoint_ >= 0 && now - last_setpoint_ <= kSetpointTimeout;
  last_setpoint_ = now;
  return armed_ && mode_ == Mode::kOffboard;
}

bool Autopilot::hasStream() const {
  return streams_ && state_->stamp - last_setpoint_ <= kSetpointTimeout;
}

void Autopilot::watchOffboard() {
  const bool is_lost = last_setpoint_ < 0 || state_->stamp - last_setpoint_ > kSetpointTimeout;
  if (mode_ != Mode::kOffboard || !is_lost) return;
  lines_.push_back(fmt::format("OFFBOARD is over: no set point for {} s, AUTO.LOITER holds",
                               toSeconds(kSetpointTimeout)));
  enter(Mode::kLoiter);
  failsafe_ = true;
}

// The height need not be known: the climb ends when the vehicle is off the ground and rises no
// more.
void Autopilot::watchTakeOff() {
  const bool rests = !state_->on_ground && state_->v_WB.norm() < kRestSpeed;
  if (!rests) {
    rests_since_ = -1;
  } else if (rests_since_ < 0) {
    rests_since_ = state_->stamp;
  } else if (state_->stamp - rests_since_ >= kSettling) {
    climbs_ = false;
    mode_ = Mode::kLoiter;
  }
}

void Autopilot::watchReturn() {
  const Eigen::Vector3d way = home_ - state_->p_WB;
  if (way.head<2>().norm() > kAtHome || state_->v_WB.norm() > kRestSpeed) return;
  landing_ = true;
  rests_since_ = -1;
  act(Kind::kLand);
}

void Autopilot::watchLanding() {
  if (!state_->on_ground) {
    rests_since_ = -1;
  } else if (rests_since_ < 0) {
    rests_since_ = state_->stamp;
  } else if (state_->stamp - rests_since_ >= kLanded) {
    landing_ = false;
    act(Kind::kDisarm);
  }
}

Autopilot::Outcome Autopilot::arm(bool armed) {
  const std::string what = armed ? "arming" : "disarming";
  if (!state_) return refuse(what, "no state of the vehicle yet");
  if (armed == armed_) return {};
  if (!state_->on_ground) return refuse(what, "it is in the air, allowed: on the ground");
  if (armed && (mode_ == Mode::kLand || mode_ == Mode::kReturn)) {
    return refuse(what,
                  fmt::format("the mode is {}, allowed: a mode that does not land", name(mode_)));
  }
  act(armed ? Kind::kArm : Kind::kDisarm);
  return {};
}

Autopilot::Outcome Autopilot::setMode(const std::string& wanted) {
  const std::vector<std::string> known = names();
  const auto found = std::find(known.begin(), known.end(), wanted);
  if (found == known.end()) {
    return refuse("mode", UnknownNameError("set_mode", "mode", clipped(wanted), known).what());
  }
  const auto mode = static_cast<Mode>(found - known.begin());
  if (!state_) return refuse(wanted, "no state of the vehicle yet");
  if (mode == Mode::kOffboard && !hasStream()) {
    return refuse(wanted, "set points do not come, allowed: with set points faster than 2 Hz");
  }
  if (mode == Mode::kTakeOff && armed_ && !state_->on_ground) {
    return refuse(wanted, "it is in the air, allowed: on the ground");
  }
  return enter(mode);
}

Autopilot::Outcome Autopilot::takeOff(double height) {
  if (std::isfinite(height) && height < 0.0) {
    return refuse("take-off",
                  fmt::format("the height is {} m, allowed: 0 or more above the ground", height));
  }
  const double before = height_;
  height_ = std::isfinite(height) ? height : 0.0;
  const Outcome outcome = setMode(name(Mode::kTakeOff));
  if (!outcome.granted) height_ = before;
  return outcome;
}

Autopilot::Outcome Autopilot::enter(Mode mode) {
  failsafe_ = false;
  const bool changes = mode != mode_;
  mode_ = mode;
  if (!armed_ || !changes) return {};
  landing_ = climbs_ = false;
  rests_since_ = -1;
  switch (mode) {
    case Mode::kOffboard:  // the next set point
      break;
    case Mode::kTakeOff:
      startTakeOff();
      break;
    case Mode::kLand:
      landing_ = true;
      if (!state_->on_ground) act(Kind::kLand);
      break;
    case Mode::kReturn:
      if (state_->on_ground) {
        landing_ = true;
        break;
      }
      act(Kind::kGoHome);
      actions_.back().place.z() = state_->p_WB.z();
      break;
    default:
      if (!state_->on_ground) act(Kind::kHold);
  }
  return {};
}

void Autopilot::startTakeOff() {
  climbs_ = true;
  rests_since_ = -1;
  act(Kind::kTakeOff, std::exchange(height_, 0.0));
}

void Autopilot::done(const Action& action, bool succeeded) {
  switch (action.kind) {
    case Kind::kArm:
      if (!succeeded) break;
      armed_ = true;
      home_ = state_->p_WB;
      if (mode_ == Mode::kTakeOff) startTakeOff();
      break;
    case Kind::kDisarm:
      if (succeeded) armed_ = false;
      break;
    case Kind::kTakeOff:
    case Kind::kLand:
      if (!succeeded) enter(Mode::kLoiter);
      break;
    default:
      break;
  }
}

}  // namespace marsim::control
