// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/time.hpp"

namespace marsim::control {

/// The modes and transitions of an autopilot as PX4 names and restricts them: whether the vehicle
/// is armed, who flies it, and what follows a loss of set points. It only decides; its owner
/// carries out its actions with a flight controller.
class Autopilot {
 public:
  enum class Mode : std::uint8_t {
    kStabilized,
    kAltitude,
    kPosition,
    kOffboard,
    kLoiter,
    kTakeOff,
    kLand,
    kReturn,
  };
  static const char* name(Mode mode);       ///< "AUTO.LOITER"
  static std::vector<std::string> names();  ///< of all modes

  /// An action for the caller to carry out.
  struct Action {
    enum class Kind : std::uint8_t {
      kArm,
      kDisarm,
      kTakeOff,
      kLand,
      kHold,    ///< stop and stay there
      kGoHome,  ///< fly to `place`
    };
    Kind kind;
    double height = 0.0;                              ///< [m] of kTakeOff; 0: the controller's own
    Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< [m] in W, of kGoHome
  };
  /// Whether a request is granted; if not, the reason and the allowed values.
  struct Outcome {
    bool granted = true;
    std::string reason;
  };
  /// The vehicle's state for its decisions.
  struct State {
    TimeNs stamp = 0;
    Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();  ///< [m]
    Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();  ///< [m/s]
    bool on_ground = false;
    std::uint32_t placements = 0;  ///< number of placements (teleports)
  };

  /// Set points must come faster than 2 Hz: the longest gap, and the longest wait for one.
  static constexpr TimeNs kSetpointTimeout = 500'000'000;
  /// Time on the ground after a landing before it disarms.
  static constexpr TimeNs kLanded = 1'000'000'000;

  /// Takes each state in turn. The first one, and the first after a placement, starts over: armed
  /// and in AUTO.LOITER in the air, disarmed on the ground.
  void step(const State& state);
  /// Takes a valid set point; returns whether it is to be followed now.
  bool setpoint();

  Outcome arm(bool armed);
  Outcome setMode(const std::string& name);
  /// `height` [m] above the place where it stands; 0: the controller's own. Takes off as soon as it
  /// is armed.
  Outcome takeOff(double height);
  Outcome land() { return setMode(name(Mode::kLand)); }

  /// Takes the result of an action; arming is complete only then.
  void done(const Action& action, bool succeeded);
  /// Removes and returns the actions to carry out, and the lines to report.
  std::vector<Action> takeActions() { return std::exchange(actions_, {}); }
  std::vector<std::string> takeLines() { return std::exchange(lines_, {}); }

  bool connected() const { return state_.has_value(); }
  bool armed() const { return armed_; }
  Mode mode() const { return mode_; }
  /// Whether set points were lost in OFFBOARD, with no mode set since.
  bool failsafe() const { return failsafe_; }
  bool guided() const { return mode_ >= Mode::kOffboard; }

 private:
  Outcome refuse(const std::string& what, const std::string& reason);
  Outcome enter(Mode mode);
  bool hasStream() const;
  void act(Action::Kind kind, double height = 0.0);
  void startTakeOff();
  void watchOffboard();
  void watchTakeOff();
  void watchReturn();
  void watchLanding();

  std::optional<State> state_;  ///< the last
  Mode mode_ = Mode::kLoiter;
  bool armed_ = false;
  bool failsafe_ = false;
  bool landing_ = false;     ///< after a command to land
  double height_ = 0.0;      ///< [m] of the next take-off
  bool climbs_ = false;      ///< after a command to take off
  TimeNs rests_since_ = -1;  ///< start of rest on the ground in landing, or in the air in take-off
  Eigen::Vector3d home_ = Eigen::Vector3d::Zero();  ///< [m] place of arming
  TimeNs last_setpoint_ = -1;                       ///< < 0: none
  bool streams_ = false;                            ///< the last two set points were close enough
  std::vector<Action> actions_;
  std::vector<std::string> lines_;
};

}  // namespace marsim::control
