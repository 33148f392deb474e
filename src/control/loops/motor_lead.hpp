// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/common/time.hpp"
#include "marsim/control/mixer.hpp"

namespace marsim::control {

/// A lead filter for slow motors. It follows the motors' speeds with their own second-order model,
/// fed with the commands it gave, and chooses commands such that the speeds approach the wanted
/// ones with a natural frequency of its own, critically damped and the same up and down: w'' = wf^2
/// (w_wanted - w) - 2 wf w'. For this a motor of natural frequency wn is commanded (wf/wn)^2 times
/// as far as its speed shall change, limited to its range; the model knows that limit.
class MotorLead {
 public:
  /// The largest wf/wn: commands swing 16 times as far as the wanted speeds.
  static constexpr double kMaxRatio = 4.0;

  /// natural_frequency: wf [rad/s].
  MotorLead(const VehicleModel& vehicle, double natural_frequency);

  /// Starts over with motors running steadily at these speeds [rad/s].
  void reset(const RotorArray& speeds);
  /// Carries the model on by dt under the last command.
  void advance(TimeNs dt);
  /// Commands [rad/s], within the motors' range, that lead to the wanted speeds [rad/s].
  RotorArray commandTowards(const RotorArray& wanted);

  const RotorArray& speeds() const { return speeds_; }                ///< [rad/s] modelled
  const RotorArray& accelerations() const { return accelerations_; }  ///< [rad/s^2] modelled

 private:
  template <class Rotors>
  void advanceAs(TimeNs dt);

  double up_, down_, damping_, speed_min_, speed_max_, natural_frequency_;
  RotorArray speeds_, accelerations_, commands_;
};

}  // namespace marsim::control
