// SPDX-License-Identifier: BSD-3-Clause
// Flight on estimates as launch arguments say it.
#include "config/launch_words.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

const double kAuto = std::nan("");

std::optional<sim::EstimateConfig> chosen(const std::string& estimate,
                                          const vehicle::VehicleConfig& vehicle = {},
                                          double delay = kAuto, double settle = kAuto,
                                          const std::string& frame = "base") {
  return chooseEstimate({estimate, frame, true, delay, settle}, vehicle, "none",
                        [](const std::string& name) { return "source of " + name; });
}

vehicle::VehicleConfig estimated() {
  vehicle::VehicleConfig vehicle;
  vehicle.estimate.emplace();
  vehicle.estimate->rate = 20.0;
  vehicle.estimate->delay = 0.2;
  return vehicle;
}

TEST(ChooseEstimate, TheVehicleSettingHoldsUnlessAWordIsGiven) {
  EXPECT_FALSE(chosen("auto"));
  EXPECT_FALSE(chosen("none", estimated()));
  EXPECT_FALSE(chosen("", estimated()));
  for (const char* word : {"auto", "realistic"}) {
    const auto own = chosen(word, estimated());
    ASSERT_TRUE(own && own->slam) << word;
    EXPECT_EQ(own->slam->rate, 20.0);
    EXPECT_EQ(own->delay, kNsPerSecond / 5);
    EXPECT_EQ(own->settle, 0);
    EXPECT_FALSE(own->begins_at_vehicle) << "frame and origin are of topics";
  }
}

TEST(ChooseEstimate, DelayAndSettlingFollowFromTheEstimate) {
  const auto realistic = chosen("realistic");
  ASSERT_TRUE(realistic && realistic->slam);
  EXPECT_EQ(realistic->delay, kNsPerSecond / 20);
  EXPECT_EQ(realistic->settle, 0);
  const auto topic = chosen("/Odometry", estimated());
  ASSERT_TRUE(topic && !topic->slam);
  EXPECT_EQ(topic->delay, 0);
  EXPECT_EQ(topic->settle, 5 * kNsPerSecond);
  EXPECT_TRUE(topic->begins_at_vehicle);
  for (const char* word : {"realistic", "/Odometry"}) {
    const auto given = chosen(word, estimated(), 0.3, 2.0);
    ASSERT_TRUE(given);
    EXPECT_EQ(given->delay, toNs(0.3));
    EXPECT_EQ(given->settle, 2 * kNsPerSecond);
  }
}

TEST(ChooseEstimate, BadValuesAreNamed) {
  EXPECT_EQ(complaint([] { chosen("none", {}, 2.0); }),
            "source of estimate_delay: estimate_delay is 2, allowed: 0 to 1 s");
  EXPECT_EQ(complaint([] { chosen("/o", {}, kAuto, -1.0); }),
            "source of estimate_settle: estimate_settle is -1, allowed: 0 to 60 s");
  EXPECT_EQ(complaint([] { chosen("/o", {}, kAuto, kAuto, "camera"); }).substr(0, 54),
            "source of estimate_frame: estimate_frame is 'camera', ");
}

TEST(ChooseController, AutoFollowsFromTheEstimate) {
  EXPECT_EQ(controllerName("auto", false), "default");
  EXPECT_EQ(controllerName("auto", true), "onboard");
  EXPECT_EQ(controllerName("geometric", true), "geometric");
  EXPECT_TRUE(chooseController("default", false, "x").readsAccelerations());
  EXPECT_FALSE(chooseController("geometric", true, "x").readsAccelerations());
  EXPECT_EQ(
      complaint([] { chooseController("agile", true, "x"); }),
      "x: controller is one that reads true accelerations, allowed: on an estimate (estimate:= or "
      "the vehicle's file) one that does not (feedback: {accelerations: false}): onboard, "
      "onboard_slow, geometric");
}

}  // namespace
}  // namespace marsim::config
