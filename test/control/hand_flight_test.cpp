// SPDX-License-Identifier: BSD-3-Clause
// Flying by keys and by sticks.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "contains.hpp"
#include "control/pilot/key_flight.hpp"
#include "control/pilot/stick_flight.hpp"
#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

using Eigen::Vector3d;
using test::contains;

TEST(KeyReader, TellsArrowsFromOtherSequences) {
  KeyReader reader;
  EXPECT_EQ(reader.read("wsad"),
            (std::vector<Key>{Key::kForward, Key::kBack, Key::kLeft, Key::kRight}));
  EXPECT_EQ(reader.read("\x1b[A\x1b[B\x1b[C\x1bOD"),
            (std::vector<Key>{Key::kUp, Key::kDown, Key::kTurnRight, Key::kTurnLeft}));
  EXPECT_EQ(reader.read("\x1b[5~\x1b[1;5A"), (std::vector<Key>{Key::kStop, Key::kStop}))
      << "page up, control and up";
  EXPECT_EQ(reader.read("\x1b"), (std::vector<Key>{}));
  EXPECT_EQ(reader.read("[A"), (std::vector<Key>{Key::kUp})) << "in two reads";
  EXPECT_EQ(reader.read("\x1b"), (std::vector<Key>{}));
  EXPECT_EQ(reader.idle(), (std::vector<Key>{Key::kStop})) << "Esc itself";
  EXPECT_EQ(reader.read("kl?hq\x03x"),
            (std::vector<Key>{Key::kTakeControl, Key::kLand, Key::kHelp, Key::kHelp, Key::kQuit,
                              Key::kQuit, Key::kStop}));
}

TEST(KeyFlight, EachPressLastsHalfASecondAndStops) {
  KeyFlight flight{KeySpeeds{}};
  EXPECT_FALSE(flight.at(0));
  flight.press(Key::kForward, 0);
  EXPECT_EQ(flight.at(499'000'000)->v, Vector3d(3, 0, 0));
  EXPECT_EQ(flight.at(500'000'000)->v, Vector3d::Zero());
  EXPECT_FALSE(flight.at(510'000'000)) << "told once";
  flight.press(Key::kLeft, kNsPerSecond);
  flight.press(Key::kTurnRight, kNsPerSecond + 100'000'000);  // takes its place
  const auto turn = flight.at(kNsPerSecond + 550'000'000);
  EXPECT_EQ(turn->v, Vector3d::Zero());
  EXPECT_NEAR(turn->yaw_rate, -20.0 * kPi / 180.0, 1e-12);
  flight.press(Key::kStop, kNsPerSecond + 600'000'000);
  EXPECT_EQ(flight.at(kNsPerSecond + 600'000'000)->yaw_rate, 0.0);
}

TEST(KeyFlight, KeysHaveTheSpeedsOfTheTable) {
  const std::pair<Key, Vector3d> table[] = {{Key::kForward, {3, 0, 0}}, {Key::kBack, {-3, 0, 0}},
                                            {Key::kLeft, {0, 2, 0}},    {Key::kRight, {0, -2, 0}},
                                            {Key::kUp, {0, 0, 0.5}},    {Key::kDown, {0, 0, -0.5}}};
  for (const auto& [key, v] : table) {
    KeyFlight flight{KeySpeeds{}};
    flight.press(key, 0);
    EXPECT_EQ(flight.at(0)->v, v);
    EXPECT_EQ(flight.at(0)->yaw_rate, 0.0);
  }
}

TEST(KeySpeeds, BadOnesAreRefused) {
  KeySpeeds speeds;
  EXPECT_NO_THROW(speeds.validate("marsim fly"));
  speeds.forward = -1.0;
  try {
    speeds.validate("marsim fly");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "marsim fly: forward is -1, allowed: 0 to 30 m/s");
  }
}

TEST(KeyScript, KeysFollowOneAnother) {
  const KeyScript script = KeyScript::read("k 4s w w a  # ahead\n 500ms left*3 l", "keys", {});
  std::vector<std::pair<TimeNs, Key>> keys;
  for (const ScriptedKey& key : script.keys) keys.emplace_back(key.at / 1'000'000, key.key);
  const std::vector<std::pair<TimeNs, Key>> wanted{
      {0, Key::kTakeControl}, {4000, Key::kForward},  {4500, Key::kForward},  {5000, Key::kLeft},
      {6000, Key::kTurnLeft}, {6500, Key::kTurnLeft}, {7000, Key::kTurnLeft}, {7500, Key::kLand}};
  EXPECT_EQ(keys, wanted);
  EXPECT_EQ(script.duration, 7'500'000'000);
}

TEST(KeyScript, BadWordsAreNamedWithTheirPlace) {
  const auto reason = [](const char* text) -> std::string {
    try {
      KeyScript::read(text, "flight.keys", {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(contains(reason("k 4s\nw up2 l"),
                       "flight.keys, line 2: unknown key 'up2' (did you mean 'up'?), known: w"));
  EXPECT_TRUE(contains(reason("k 4x"), "'4x' is no pause, allowed: 0s"));
  EXPECT_TRUE(contains(reason("1e9s w"), "is no pause"));
  EXPECT_TRUE(contains(reason("w*0"), "'w*0' is no number of presses"));
  EXPECT_TRUE(contains(reason("w*"), "is no number of presses"));
  EXPECT_TRUE(contains(reason(" # nothing"), "has no keys"));
}

class StickFlightTest : public testing::Test {
 protected:
  KinematicState at(double seconds) const {
    KinematicState state;
    state.stamp = toNs(seconds);
    state.X_WB = {fromRollPitchYaw(0.0, 0.0, kPi / 2), Vector3d(1, 2, 3)};
    return state;
  }
  const offboard::Body body_{1.0, 30.0};
  StickFlight flight_{StickLimits{}, body_};
};

TEST_F(StickFlightTest, PositionModeFliesAlongTheHeading) {
  const Sticks sticks{0.5, 1.0, -0.5, 0.25};  // right, forward, turn right, up
  const auto command = std::get<offboard::VelocitySetpoint>(
      flight_.command(StickFlight::Mode::kPosition, sticks, at(0)));
  EXPECT_TRUE(command.v_WB.isApprox(Vector3d(1.5, 3.0, 0.25))) << command.v_WB.transpose();
  EXPECT_NEAR(command.yaw_rate, -kPi / 6, 1e-12);
}

TEST_F(StickFlightTest, AttitudeModeHoversWithCentredThrottle) {
  const auto thrust = [&](double throttle) {
    return std::get<AttitudeSetpoint>(
               flight_.command(StickFlight::Mode::kAttitude, {0, 0, 0, throttle}, at(0)))
        .thrust;
  };
  EXPECT_NEAR(thrust(0.0), kGravity, 1e-12);
  EXPECT_NEAR(thrust(1.0), 30.0, 1e-12);
  EXPECT_NEAR(thrust(-1.0), 0.0, 1e-12);
  const auto setpoint = std::get<AttitudeSetpoint>(
      flight_.command(StickFlight::Mode::kAttitude, {1.0, 0.5, 0, 0}, at(0)));
  const Vector3d angles = toRollPitchYaw(setpoint.q_WB);
  EXPECT_NEAR(angles.x(), radians(25.0), 1e-9) << "to the right";
  EXPECT_NEAR(angles.y(), radians(12.5), 1e-9) << "nose down";
  EXPECT_NEAR(angles.z(), kPi / 2, 1e-9);
}

TEST_F(StickFlightTest, YawGoesOnAtItsRate) {
  Sticks sticks;
  sticks.yaw = 1.0;
  double yaw = 0.0;
  for (int i = 0; i <= 10; ++i) {
    const auto setpoint = std::get<AttitudeSetpoint>(
        flight_.command(StickFlight::Mode::kAttitude, sticks, at(0.1 * i)));
    yaw = yawOf(setpoint.q_WB);
  }
  EXPECT_NEAR(yaw, kPi / 2 + kPi / 3, 1e-9);
}

// A point mass under that thrust: climbs at the rate asked for, then keeps its height.
TEST_F(StickFlightTest, AltitudeModeClimbsAndHolds) {
  KinematicState state = at(0);
  const double h = 0.002;
  double left_at = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const double t = i * h;
    const Sticks sticks{0.0, 1.0, 0.0, t < 3.0 ? 0.5 : 0.0};
    const auto setpoint =
        std::get<AttitudeSetpoint>(flight_.command(StickFlight::Mode::kAltitude, sticks, state));
    const double up = (setpoint.q_WB * Vector3d(0, 0, setpoint.thrust)).z();
    state.v_WB.z() += h * (up - kGravity);
    state.X_WB.p.z() += h * state.v_WB.z();
    state.stamp += toNs(h);
    if (std::abs(t - 3.0) < h) {
      EXPECT_NEAR(state.v_WB.z(), 0.5, 0.01);
      left_at = state.X_WB.p.z();
    }
  }
  EXPECT_NEAR(state.v_WB.z(), 0.0, 1e-3);
  EXPECT_NEAR(state.X_WB.p.z(), left_at + 0.5 / 3.0, 0.05);
}

TEST(StickAxes, Mode2OfAJoystickByDefault) {
  // Left stick up and to the left, right stick down and to the right.
  const std::vector<float> axes{1.0F, 0.525F, 0.0F, -1.0F, -0.525F};
  const Sticks sticks = StickAxes{}.read(axes);
  EXPECT_NEAR(sticks.yaw, 1.0, 1e-6);
  EXPECT_NEAR(sticks.throttle, 0.5, 1e-6) << "evenly past the deadzone";
  EXPECT_NEAR(sticks.roll, 1.0, 1e-6);
  EXPECT_NEAR(sticks.pitch, -0.5, 1e-6);
  StickAxes reversed;
  reversed.reverse_roll = true;
  EXPECT_NEAR(reversed.read(axes).roll, -1.0, 1e-6);
  EXPECT_EQ(StickAxes{}.read({0.04F, -0.04F, 0.0F, 0.0F, 0.0F}).yaw, 0.0) << "deadzone";
}

TEST(StickAxes, BadMessagesAndSettingsAreRefused) {
  const auto reason = [](const std::vector<float>& axes) -> std::string {
    try {
      StickAxes{}.read(axes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(contains(reason({0.0F, 0.0F}), "has 2 axes and no axis 3 (roll)"));
  EXPECT_TRUE(contains(reason({0.0F, std::numeric_limits<float>::quiet_NaN(), 0.0F, 0.0F, 0.0F}),
                       "axis 1 (throttle) is nan"));
  StickAxes axes;
  axes.deadzone = 1.0;
  EXPECT_THROW(axes.validate("joystick"), ConfigError);
  StickLimits limits;
  limits.tilt = 2.0;
  EXPECT_THROW(limits.validate("joystick"), ConfigError);
}

}  // namespace
}  // namespace marsim::control
