// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "marsim/control/controller.hpp"
#include "marsim/vehicle/vehicle_config.hpp"

/// Step responses of a vehicle under a controller, compared with the controller's specification.
namespace marsim::tools {

/// The stepped quantity: position in W, heading, or (by the inner loops alone) roll or pitch.
enum class StepAxis { kX, kY, kZ, kYaw, kRoll, kPitch };

/// The axis of a name. Throws UnknownNameError.
StepAxis stepAxis(const std::string& name);
bool isAngle(StepAxis axis);

/// A flight from hover through a step that is commanded at time 0.
struct StepFlight {
  control::LoopSpec specified;  ///< of the stepped loop
  double dt = 0.0;              ///< [s] between values
  std::vector<double> shares;   ///< as shares of the step, from time 0 on
};

/// step [m or rad]. Throws ConfigError if the step is zero or beyond the axis's limits.
StepFlight flyStep(const vehicle::VehicleConfig& vehicle, const control::ControllerConfig& gains,
                   StepAxis axis, double step);

/// The unit step response of wn^2 / (s^2 + 2 zeta wn s + wn^2) at a time [s]; 0 before 0.
double secondOrderStep(const control::LoopSpec& spec, double t);

/// Figures of a response.
struct StepFigures {
  control::LoopSpec fitted;  ///< second-order system behind a delay, by least squares
  double delay = 0.0;        ///< [s] of the fit
  double misfit = 0.0;       ///< rms of the residuals, as a share of the step
  double overshoot = 0.0;    ///< as a share of the step
  double rise = 0.0;         ///< [s] from 10 to 90 %; NaN if it does not rise
  double settling = 0.0;     ///< [s] until it stays within 2 %; NaN if it does not
};

StepFigures stepFigures(const StepFlight& flight);

/// Lines for a terminal: specified and flown figures.
std::string stepTable(const StepFlight& flight);

/// A separate picture of the specified response and the flown one.
std::string stepPicture(const StepFlight& flight, const std::string& title);

}  // namespace marsim::tools
