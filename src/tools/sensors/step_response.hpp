#pragma once

#include <string>
#include <vector>

#include "marsim/control/controller.hpp"
#include "marsim/vehicle/equipped_vehicle.hpp"

/// Step responses of a vehicle under a controller, held against the controller's specification.
namespace marsim::tools {

/// The stepped quantity: position in W, heading, or (by the inner loops alone) roll or pitch.
enum class StepAxis { kX, kY, kZ, kYaw, kRoll, kPitch };

/// The axis of a name. Throws UnknownNameError.
StepAxis stepAxis(const std::string& name);
bool isAngle(StepAxis axis);

/// A flight through a step that is commanded at time 0, from hover.
struct StepFlight {
  control::LoopSpec specified;  ///< of the loop that was stepped
  double dt = 0.0;              ///< [s] between values
  std::vector<double> shares;   ///< of the step, from time 0 on
};

/// step [m or rad]. Throws ConfigError where the step is zero or beyond what the axis allows.
StepFlight flyStep(const vehicle::EquippedVehicle& vehicle, const control::ControllerConfig& gains,
                   StepAxis axis, double step);

/// The unit step response of wn^2 / (s^2 + 2 zeta wn s + wn^2) at a time [s]; 0 before 0.
double secondOrderStep(const control::LoopSpec& spec, double t);

/// Figures of a response.
struct StepFigures {
  control::LoopSpec fitted;  ///< second-order system behind a delay, by least squares
  double delay = 0.0;        ///< [s] of the fit
  double misfit = 0.0;       ///< rms of what the fit leaves, as a share of the step
  double overshoot = 0.0;    ///< as a share of the step
  double rise = 0.0;         ///< [s] from 10 to 90 %; NaN where it does not rise
  double settling = 0.0;     ///< [s] to stay within 2 %; NaN where it does not
};

StepFigures stepFigures(const StepFlight& flight);

/// Lines for a terminal, specified against flown.
std::string stepTable(const StepFlight& flight);

/// A picture by itself: the specified response and the flown one.
std::string stepPicture(const StepFlight& flight, const std::string& title);

}  // namespace marsim::tools
