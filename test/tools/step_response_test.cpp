// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sensors/step_response.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "marsim/config/load.hpp"
#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

using control::LoopSpec;

// A response of known frequency, damping and delay, as the differential equation gives it.
StepFlight integrated(const LoopSpec& spec, double delay, const LoopSpec& specified) {
  StepFlight flight{specified, 1e-3, {}};
  const double w = spec.natural_frequency;
  double y = 0.0, v = 0.0;
  for (int i = 0; i < 6000; ++i) {
    flight.shares.push_back(y);
    for (int k = 0; k < 20; ++k) {
      const double h = 5e-5, u = i * 1e-3 + k * h >= delay ? 1.0 : 0.0;
      v += h * (w * w * (u - y) - 2.0 * spec.damping * w * v);
      y += h * v;
    }
  }
  return flight;
}

TEST(StepResponse, FitFindsFrequencyDampingAndDelay) {
  for (const LoopSpec& spec : {LoopSpec{3.0, 0.5}, LoopSpec{6.0, 0.9}, LoopSpec{4.0, 1.3}}) {
    const StepFigures figures = stepFigures(integrated(spec, 0.1, {4.5, 0.8}));
    EXPECT_NEAR(figures.fitted.natural_frequency, spec.natural_frequency, 0.005 * 6.0);
    EXPECT_NEAR(figures.fitted.damping, spec.damping, 0.01);
    EXPECT_NEAR(figures.delay, 0.1, 0.002);
    EXPECT_LT(figures.misfit, 1e-3);
  }
}

// Textbook figures: overshoot exp(-pi z / sqrt(1 - z^2)).
TEST(StepResponse, OvershootAndSettlingAreThoseOfTheClosedForm) {
  const StepFigures figures = stepFigures(integrated({4.0, 0.5}, 0.0, {4.0, 0.5}));
  EXPECT_NEAR(figures.overshoot, std::exp(-M_PI * 0.5 / std::sqrt(0.75)), 1e-3);
  EXPECT_NEAR(figures.settling, 2.02, 0.05);
  EXPECT_NEAR(figures.rise, 0.41, 0.01);
}

TEST(StepResponse, OneThatDoesNotSettleSaysSo) {
  const StepFlight flight = integrated({4.0, 0.01}, 0.0, {4.0, 0.5});
  EXPECT_TRUE(std::isnan(stepFigures(flight).settling));
  EXPECT_NE(stepTable(flight).find("none"), std::string::npos);
}

void expectAsSpecified(const std::string& vehicle, const control::ControllerConfig& gains,
                       const char* axis, double step, double tolerance) {
  const StepFlight flight = flyStep(config::loadVehicle(vehicle), gains, stepAxis(axis), step);
  const StepFigures figures = stepFigures(flight);
  const LoopSpec& wanted = flight.specified;
  EXPECT_NEAR(figures.fitted.natural_frequency / wanted.natural_frequency, 1.0, tolerance)
      << vehicle << " " << axis;
  EXPECT_NEAR(figures.fitted.damping / wanted.damping, 1.0, tolerance) << vehicle << " " << axis;
  EXPECT_LT(figures.misfit, 0.01) << vehicle << " " << axis;
}

TEST(StepResponse, DefaultControllerIsAsSpecified) {
  const control::ControllerConfig gains = config::loadController("default");
  for (const char* vehicle : {"hummingbird", "iris", "uzh_5inch", "crazyflie", "firefly"}) {
    for (const char* axis : {"x", "y", "z"}) expectAsSpecified(vehicle, gains, axis, 0.2, 0.1);
    for (const char* axis : {"yaw", "roll", "pitch"}) {
      expectAsSpecified(vehicle, gains, axis, 0.05, 0.1);
    }
  }
}

// The attitude cannot follow a step of the reference at once, and what it lags shows in x and y:
// the response begins late and hurries after.
TEST(StepResponse, GeometricControllerIsAsSpecified) {
  control::ControllerConfig gains = config::loadController("default");
  gains.type = control::ControllerType::kGeometric;
  for (const char* vehicle : {"hummingbird", "iris", "uzh_5inch"}) {
    for (const char* axis : {"x", "y"}) expectAsSpecified(vehicle, gains, axis, 0.2, 0.25);
    expectAsSpecified(vehicle, gains, "z", 0.2, 0.1);
    for (const char* axis : {"yaw", "roll", "pitch"}) {
      expectAsSpecified(vehicle, gains, axis, 0.05, 0.1);
    }
  }
}

struct ProgramRun {
  int exit_code;
  std::string output;
};

ProgramRun respond(std::vector<std::string> options) {
  ChildCommand command;
  command.arguments = {std::string(MARSIM_PROGRAMS) + "/marsim-response"};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  std::string output;
  const ChildResult result =
      runChild(command, [&](const std::string& line) { output += line + "\n"; });
  return {result.exit_code, output};
}

TEST(ResponseProgram, PrintsTheFiguresAndDrawsThePicture) {
  const TemporaryFolder folder;
  const std::string picture = (folder.path() / "step.svg").string();
  const ProgramRun run =
      respond({"--vehicle", "iris", "--axis", "roll", "--step", "3deg", "--out", picture});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  for (const char* word : {"natural frequency", "18.000 rad/s", "overshoot", "settling"}) {
    EXPECT_NE(run.output.find(word), std::string::npos) << run.output;
  }
  std::ifstream file(picture);
  const std::string svg(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0U);
  EXPECT_NE(svg.find("class=\"curve u0\""), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

TEST(ResponseProgram, NamesWhatIsWrong) {
  const auto complaint = [](std::vector<std::string> options) {
    const ProgramRun run = respond(std::move(options));
    EXPECT_NE(run.exit_code, 0);
    return run.output;
  };
  const auto expect = [&](std::vector<std::string> options, const std::string& words) {
    const std::string output = complaint(std::move(options));
    EXPECT_NE(output.find(words), std::string::npos) << output;
  };
  expect({"--axis", "w"}, "unknown axis 'w'");
  expect({"--step", "0"}, "--step is 0, allowed: 0.001 to 50 m, up or down");
  expect({"--step", "3deg"}, "--step is '3deg'");
  expect({"--axis", "roll", "--step", "90deg"}, "allowed: 0.001 to 1.05 rad, up or down");
  expect({"--vehicle", "irs"}, "unknown vehicle 'irs' (did you mean 'iris'?)");
  expect({"--controller", "onbord"}, "unknown control 'onbord' (did you mean 'onboard'?)");
  expect({"--controller", "onboard", "--vehicle", "crazyflie"},
         "all that this vehicle can follow with feedback.motor_model off");
  expect({"--out", "picture.png"}, "picture.png: extension is '.png', allowed: .svg");
}

}  // namespace
}  // namespace marsim::tools
