// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/autopilot.hpp"

#include <gtest/gtest.h>

#include "contains.hpp"

namespace marsim::control {
namespace {

using test::contains;
using Kind = Autopilot::Action::Kind;
using Mode = Autopilot::Mode;

constexpr TimeNs kStep = 20'000'000;

/// The text of a list of one; a line that says how many there are otherwise.
std::string onlyOne(const std::vector<std::string>& lines) {
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " lines";
}

class AutopilotTest : public testing::Test {
 protected:
  void begin(bool on_ground) {
    state_.on_ground = on_ground;
    state_.p_WB = {1.0, 2.0, on_ground ? 0.1 : 3.0};
    autopilot_.step(state_);
  }
  /// Goes on for a time, with set points every so often [ms]; 0: without any.
  void run(double seconds, int setpoint_period = 0) {
    const TimeNs end = state_.stamp + toNs(seconds);
    while (state_.stamp < end) {
      state_.stamp += kStep;
      autopilot_.step(state_);
      const bool is_due =
          setpoint_period > 0 && state_.stamp % (setpoint_period * 1'000'000LL) == 0;
      if (is_due && autopilot_.setpoint()) ++followed_;
    }
  }
  /// Performs all pending actions, with success or without; returns their kinds.
  std::vector<Kind> perform(bool succeeds = true) {
    std::vector<Kind> kinds;
    for (const Autopilot::Action& action : autopilot_.takeActions()) {
      kinds.push_back(action.kind);
      last_ = action;
      autopilot_.done(action, succeeds);
    }
    return kinds;
  }

  Autopilot autopilot_;
  Autopilot::State state_;
  Autopilot::Action last_{};
  int followed_ = 0;
};

TEST_F(AutopilotTest, BeginsAsTheVehicleIs) {
  EXPECT_FALSE(autopilot_.connected());
  EXPECT_FALSE(autopilot_.arm(true).granted) << "no state yet";
  EXPECT_FALSE(autopilot_.setMode("AUTO.LAND").granted);
  begin(false);
  EXPECT_TRUE(autopilot_.connected());
  EXPECT_TRUE(autopilot_.armed());
  EXPECT_EQ(autopilot_.mode(), Mode::kLoiter);
  state_.on_ground = true;
  ++state_.placements;  // a teleport to the ground
  autopilot_.step(state_);
  EXPECT_FALSE(autopilot_.armed());
}

TEST_F(AutopilotTest, OffboardNeedsSetPointsFasterThan2Hz) {
  begin(true);
  EXPECT_TRUE(contains(autopilot_.setMode("OFFBOARD").reason, "faster than 2 Hz"));
  autopilot_.setpoint();
  EXPECT_FALSE(autopilot_.setMode("OFFBOARD").granted) << "one alone is no stream";
  run(3.0, 600);
  EXPECT_FALSE(autopilot_.setMode("OFFBOARD").granted) << "1.7 Hz";
  run(3.0, 400);
  EXPECT_TRUE(autopilot_.setMode("OFFBOARD").granted) << "2.5 Hz";
  EXPECT_EQ(autopilot_.mode(), Mode::kOffboard);
  EXPECT_EQ(followed_, 0) << "it is not armed";
  run(1.0);
  EXPECT_FALSE(autopilot_.setMode("OFFBOARD").granted) << "they stopped long ago";
}

TEST_F(AutopilotTest, LostOffboardHoldsAndSaysSoOnce) {
  begin(false);
  run(1.0, 100);
  ASSERT_TRUE(autopilot_.setMode("OFFBOARD").granted);
  run(2.0, 100);
  EXPECT_EQ(followed_, 20);
  EXPECT_TRUE(autopilot_.takeLines().empty());
  run(0.5);
  EXPECT_EQ(autopilot_.mode(), Mode::kOffboard) << "half a second is waited";
  run(0.04);
  EXPECT_EQ(autopilot_.mode(), Mode::kLoiter);
  EXPECT_TRUE(autopilot_.failsafe());
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kHold}));
  EXPECT_TRUE(contains(onlyOne(autopilot_.takeLines()), "no set point for 0.5 s"));
  run(2.0, 100);
  EXPECT_EQ(followed_, 20) << "OFFBOARD does not come back by itself";
  ASSERT_TRUE(autopilot_.setMode("OFFBOARD").granted);
  EXPECT_FALSE(autopilot_.failsafe());
}

TEST_F(AutopilotTest, ArmsOnTheGroundOnly) {
  begin(true);
  EXPECT_TRUE(autopilot_.arm(true).granted);
  EXPECT_FALSE(autopilot_.armed()) << "not before the controller has done it";
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kArm}));
  EXPECT_TRUE(autopilot_.armed());
  EXPECT_TRUE(autopilot_.arm(true).granted) << "it is so already";
  EXPECT_TRUE(perform().empty());
  state_.on_ground = false;
  run(0.1);
  EXPECT_TRUE(contains(autopilot_.arm(false).reason, "in the air"));
  EXPECT_TRUE(autopilot_.armed());
  state_.on_ground = true;
  run(0.1);
  EXPECT_TRUE(autopilot_.arm(false).granted);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kDisarm}));
  EXPECT_FALSE(autopilot_.armed());
  state_.on_ground = false;  // it falls
  run(0.1);
  EXPECT_FALSE(autopilot_.arm(true).granted);
}

TEST_F(AutopilotTest, AControllerThatRefusesLeavesItDisarmed) {
  begin(true);
  autopilot_.arm(true);
  EXPECT_EQ(perform(false), (std::vector<Kind>{Kind::kArm}));
  EXPECT_FALSE(autopilot_.armed());
}

TEST_F(AutopilotTest, TakesOffWhenArmedAndLoitersAbove) {
  begin(true);
  ASSERT_TRUE(autopilot_.takeOff(2.5).granted);
  EXPECT_TRUE(perform().empty());
  autopilot_.arm(true);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kArm}));
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kTakeOff}));
  EXPECT_EQ(last_.height, 2.5);
  run(1.0);
  EXPECT_EQ(autopilot_.mode(), Mode::kTakeOff) << "on the ground";
  state_.on_ground = false;
  state_.v_WB.z() = 1.0;
  run(3.0);
  EXPECT_EQ(autopilot_.mode(), Mode::kTakeOff);
  state_.v_WB.z() = 0.0;
  run(0.6);
  EXPECT_EQ(autopilot_.mode(), Mode::kLoiter);
  EXPECT_TRUE(perform().empty()) << "the controller holds the height by itself";
  EXPECT_FALSE(autopilot_.takeOff(1.0).granted) << "in the air";
  EXPECT_TRUE(contains(autopilot_.takeOff(-1.0).reason, "-1 m"));
}

TEST_F(AutopilotTest, LandsAndDisarmsOnTheGround) {
  begin(false);
  ASSERT_TRUE(autopilot_.land().granted);
  EXPECT_EQ(autopilot_.mode(), Mode::kLand);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kLand}));
  run(3.0);
  EXPECT_TRUE(perform().empty());
  state_.on_ground = true;
  run(1.1);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kDisarm}));
  EXPECT_FALSE(autopilot_.armed());
  EXPECT_TRUE(contains(autopilot_.arm(true).reason, "AUTO.LAND"));
  ASSERT_TRUE(autopilot_.setMode("POSCTL").granted);
  EXPECT_TRUE(autopilot_.arm(true).granted);
}

TEST_F(AutopilotTest, ReturnsHomeBeforeItLands) {
  begin(false);
  const Eigen::Vector3d home = state_.p_WB;
  state_.p_WB = {8.0, 2.0, 4.0};
  run(0.1);
  ASSERT_TRUE(autopilot_.setMode("AUTO.RTL").granted);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kGoHome}));
  EXPECT_EQ(last_.place, Eigen::Vector3d(1.0, 2.0, 4.0)) << "at the present height";
  run(1.0);
  EXPECT_TRUE(perform().empty());
  state_.p_WB.head<2>() = home.head<2>();
  run(0.1);
  EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kLand}));
  EXPECT_EQ(autopilot_.mode(), Mode::kReturn);
}

TEST_F(AutopilotTest, UnknownModesAreRefusedWithTheKnownOnes) {
  begin(false);
  const std::string reason = autopilot_.setMode("OFBOARD").reason;
  EXPECT_TRUE(contains(reason, "did you mean 'OFFBOARD'?"));
  for (const std::string& name : Autopilot::names()) EXPECT_TRUE(contains(reason, name));
  EXPECT_FALSE(autopilot_.setMode("").granted);
  EXPECT_FALSE(autopilot_.setMode("GUIDED").granted) << "ArduPilot's";
  EXPECT_EQ(autopilot_.mode(), Mode::kLoiter);
}

TEST_F(AutopilotTest, ModesFlownByHandHold) {
  for (const char* mode : {"STABILIZED", "ALTCTL", "POSCTL"}) {
    begin(false);
    ASSERT_TRUE(autopilot_.setMode(mode).granted);
    EXPECT_EQ(perform(), (std::vector<Kind>{Kind::kHold})) << mode;
    EXPECT_FALSE(autopilot_.guided());
  }
}

}  // namespace
}  // namespace marsim::control
