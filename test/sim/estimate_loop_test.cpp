// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/sim/estimate_loop.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/world.hpp"

namespace marsim::sim {
namespace {

using Eigen::Vector3d;
using Phase = EstimateLoop::Phase;

// A UAV that flies on a simulated SLAM: poses of 10 Hz, 50 ms late, with noise.
class SlamFlight {
 public:
  explicit SlamFlight(const std::string& vehicle = "hummingbird",
                      const EstimateConfig& estimate = {})
      : estimate_(estimate), uav_(configOf(vehicle, estimate), {}, 0.0) {}

  /// Steps for some time; `change` may alter a pose before it is given.
  void run(double seconds, const std::function<bool(StampedPose&)>& change = {}) {
    const TimeNs end = uav_.state().stamp + toNs(seconds);
    while (uav_.state().stamp < end) {
      const TimeNs now = uav_.state().stamp;
      if (now % (kNsPerSecond / 10) == 0) measure(now);
      while (!late_.empty() && late_.front().stamp + kNsPerSecond / 20 <= now) {
        StampedPose pose = late_.front();
        late_.pop_front();
        if (!change || change(pose)) uav_.addEstimate(pose.stamp, pose.X_WB);
      }
      uav_.step();
      worst_ = std::max(worst_, (uav_.state().X_WB.p - start_).norm());
      const std::string line = loop().takeNews();
      if (!line.empty()) news_.push_back(line);
    }
  }
  Uav& uav() { return uav_; }
  EstimateLoop& loop() { return *uav_.pilot().estimates(); }
  const std::vector<std::string>& news() const { return news_; }
  double worst() const { return worst_; }
  void forgetWorst() { worst_ = 0.0; }

 private:
  static UavConfig configOf(const std::string& vehicle, const EstimateConfig& estimate) {
    UavConfig config;
    config.vehicle = config::loadVehicle(vehicle);
    config.controller = config::loadController("onboard");
    config.estimate = estimate;
    config.start_p_WB = start_;
    config.start_yaw = 0.5;
    return config;
  }
  void measure(TimeNs now) {
    Pose X_WE = uav_.state().X_WB * estimate_.X_BE;
    const double x = random_.normal(), y = random_.normal(), z = random_.normal();
    X_WE.p += 0.01 * Vector3d(x, y, z);
    const double a = random_.normal(), b = random_.normal(), c = random_.normal();
    X_WE.q = X_WE.q * expMap(0.005 * Vector3d(a, b, c));
    if (estimate_.begins_at_vehicle) {
      if (!first_) first_ = X_WE;
      X_WE = first_->inverse() * X_WE;
    }
    late_.push_back({now, X_WE});
  }

  inline static const Vector3d start_{1.0, 2.0, 3.0};
  EstimateConfig estimate_;
  Uav uav_;
  RandomStream random_{3, "slam"};
  std::optional<Pose> first_;
  std::deque<StampedPose> late_;
  std::vector<std::string> news_;
  double worst_ = 0.0;
};

TEST(EstimateLoop, HoversWithinATenthOfAMetreForAMinute) {
  for (const char* vehicle : {"hummingbird", "iris", "uzh_5inch"}) {
    SlamFlight flight(vehicle);
    flight.run(60.0);
    EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
    EXPECT_LT(flight.worst(), 0.1) << vehicle;
    ASSERT_EQ(flight.news().size(), 1U);
    EXPECT_EQ(flight.news()[0].substr(0, 26), "flies on the estimate from");
  }
}

TEST(EstimateLoop, FliesToAGoal) {
  SlamFlight flight;
  flight.run(2.0);
  flight.uav().setGoal({6.0, -1.0, 2.0}, -1.0);
  flight.run(12.0);
  EXPECT_LT((flight.uav().state().X_WB.p - Vector3d(6.0, -1.0, 2.0)).norm(), 0.1);
  EXPECT_NEAR(yawOf(flight.uav().state().X_WB.q), -1.0, 0.05);
}

TEST(EstimateLoop, EstimatesMayBeginAtZeroAndBeOfAnotherFrame) {
  EstimateConfig estimate;
  estimate.begins_at_vehicle = true;
  estimate.X_BE = {fromRollPitchYaw(0.1, -0.2, 1.0), Vector3d(0.1, 0.0, -0.05)};
  SlamFlight flight("hummingbird", estimate);
  flight.run(20.0);
  EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
  EXPECT_LT(flight.worst(), 0.15);  // the first pose has noise, too
}

TEST(EstimateLoop, HoldsAndThenLandsWhenEstimatesEnd) {
  SlamFlight flight;
  flight.run(5.0);
  const auto never = [](StampedPose&) { return false; };
  flight.run(1.0, never);
  EXPECT_EQ(flight.loop().phase(), Phase::kHold);
  ASSERT_EQ(flight.news().size(), 2U);
  EXPECT_EQ(flight.news()[1].substr(0, 31), "the estimate is lost at 5.454 s") << flight.news()[1];
  flight.run(2.0, never);
  EXPECT_EQ(flight.loop().phase(), Phase::kLand);
  ASSERT_EQ(flight.news().size(), 3U);
  EXPECT_EQ(flight.news()[2].substr(0, 5), "lands");
  flight.run(10.0, never);
  EXPECT_TRUE(flight.uav().platform().onGround());
  EXPECT_LT((flight.uav().state().X_WB.p - Vector3d(1.0, 2.0, 0.0)).norm(),
            2.5);  // by the IMU alone
  EXPECT_LT(flight.uav().platform().motorSpeeds().maxCoeff(), 1.0);
  EXPECT_FALSE(flight.uav().pilot().takeOff(1.0).done);
  flight.run(2.0);
  EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
  EXPECT_TRUE(flight.uav().pilot().takeOff(1.0).done);
  flight.run(6.0);
  EXPECT_GT(flight.uav().state().X_WB.p.z(), 0.9);
}

TEST(EstimateLoop, ComesBackFromAHold) {
  SlamFlight flight;
  flight.run(5.0);
  flight.run(1.0, [](StampedPose&) { return false; });
  flight.run(10.0);
  EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
  EXPECT_LT(flight.worst(), 0.2);
}

TEST(EstimateLoop, DoesNotFollowAJump) {
  SlamFlight flight;
  flight.run(5.0);
  flight.run(0.4, [](StampedPose& pose) {
    pose.X_WB.p.x() += 3.0;
    return true;
  });
  EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
  flight.run(0.4, [](StampedPose& pose) {
    pose.X_WB.p.x() += 3.0;
    return true;
  });
  EXPECT_EQ(flight.loop().phase(), Phase::kHold);
  EXPECT_LT(flight.worst(), 0.15);
  EXPECT_NE(flight.news().back().find("jumps up to 3.0"), std::string::npos)
      << flight.news().back();
}

TEST(EstimateLoop, StaysOnTheTruthWhereTheFirstEstimateIsElsewhere) {
  SlamFlight flight;
  flight.run(3.0, [](StampedPose& pose) {
    pose.X_WB.p.setZero();
    return true;
  });
  EXPECT_EQ(flight.loop().phase(), Phase::kTruth);
  ASSERT_EQ(flight.news().size(), 1U);
  EXPECT_NE(flight.news()[0].find("3.74 m from the vehicle, allowed: 0.5 m"), std::string::npos)
      << flight.news()[0];
}

TEST(EstimateLoop, RefusesWhatIsNotFinite) {
  SlamFlight flight;
  flight.run(3.0, [](StampedPose& pose) {
    pose.X_WB.p.x() = std::numeric_limits<double>::quiet_NaN();
    return true;
  });
  EXPECT_EQ(flight.loop().phase(), Phase::kTruth);
  ASSERT_EQ(flight.news().size(), 1U);
  EXPECT_EQ(flight.news()[0],
            "an estimate is not used: a value is NaN or infinite, or the quaternion is none");
}

TEST(EstimateLoop, BeginsAfreshWhenTheVehicleIsPutSomewhere) {
  EstimateConfig estimate;
  SlamFlight flight("hummingbird", estimate);
  flight.run(3.0);
  flight.uav().teleport({-4.0, 0.0, 2.0}, 0.0);
  flight.run(0.02);
  EXPECT_EQ(flight.loop().phase(), Phase::kTruth);
  flight.run(3.0);
  EXPECT_EQ(flight.loop().phase(), Phase::kEstimate);
  EXPECT_LT((flight.uav().state().X_WB.p - Vector3d(-4.0, 0.0, 2.0)).norm(), 0.1);
}

UavConfig realistic(const std::string& vehicle) {
  UavConfig config;
  config.vehicle = config::loadVehicle(vehicle);
  config.vehicle.estimate.emplace();
  config.controller = config::loadController("onboard");
  config.start_p_WB = {1.0, 2.0, 3.0};
  return config;
}

// The true places [m] of a flight to a goal and back.
std::vector<Vector3d> placesOf(const UavConfig& config) {
  Uav uav(config, {}, 0.0);
  std::vector<Vector3d> places;
  for (const Vector3d& goal : {Vector3d(4.0, 2.0, 3.0), config.start_p_WB}) {
    uav.setGoal(goal, 0.0);
    for (int i = 0; i < 8000; ++i) {
      uav.step();
      places.push_back(uav.state().X_WB.p);
    }
    EXPECT_LT((places.back() - goal).norm(), 0.1);
  }
  return places;
}

TEST(RealisticEstimate, AUavHoversOnItsOwnEstimates) {
  for (const char* vehicle : {"hummingbird", "iris", "uzh_5inch"}) {
    const UavConfig config = realistic(vehicle);
    Uav uav(config, {}, 0.0);
    std::vector<StampedPose> estimates;
    double square_of_estimates = 0.0;
    uav.on_estimate = [&](const StampedPose& estimate) {
      estimates.push_back(estimate);
      square_of_estimates += (estimate.X_WB.p - uav.state().X_WB.p).squaredNorm();
    };
    double worst = 0.0, square = 0.0;
    constexpr int kSteps = 60'000;
    for (int i = 0; i < kSteps; ++i) {
      uav.step();
      const double error = (uav.state().X_WB.p - config.start_p_WB).norm();
      worst = std::max(worst, error);
      square += error * error / kSteps;
    }
    EXPECT_EQ(uav.pilot().estimates()->phase(), Phase::kEstimate);
    ASSERT_EQ(estimates.size(), 600U);  // that of the start has no listener
    EXPECT_EQ(estimates.front().stamp, kNsPerSecond / 10);
    EXPECT_NEAR(std::sqrt(square_of_estimates / 600.0), 0.01 * std::sqrt(3.0), 0.001);
    EXPECT_GT(std::sqrt(square), 0.005) << vehicle;
    EXPECT_LT(std::sqrt(square), 0.025) << vehicle;
    EXPECT_LT(worst, 0.1) << vehicle;
  }
}

TEST(RealisticEstimate, FlightsRepeatBySeedAndDifferFromThoseOnTheTruth) {
  UavConfig config = realistic("hummingbird");
  const std::vector<Vector3d> one = placesOf(config);
  EXPECT_EQ(one, placesOf(config));
  config.seed = 2;
  EXPECT_NE(one, placesOf(config));
  config.vehicle.estimate.reset();
  const std::vector<Vector3d> on_truth = placesOf(config);
  double farthest = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    farthest = std::max(farthest, (one[i] - on_truth[i]).norm());
  }
  EXPECT_GT(farthest, 0.02);
  EXPECT_LT(farthest, 0.2);
}

TEST(RealisticEstimate, LostEstimatesMakeAUavLand) {
  UavConfig config = realistic("hummingbird");
  config.vehicle.estimate->lost_at = 3.0;
  Uav uav(config, {}, 0.0);
  for (int i = 0; i < 12'000; ++i) uav.step();
  EXPECT_EQ(uav.pilot().estimates()->phase(), Phase::kLand);
  EXPECT_TRUE(uav.platform().onGround());
}

// An estimate of the old place and the same instant must not count at the new one.
TEST(RealisticEstimate, BeginsAfreshWhereTheVehicleIsPut) {
  UavConfig config = realistic("hummingbird");
  Uav uav(config, {}, 0.0);
  for (int i = 0; i < 3000; ++i) uav.step();
  uav.pilot().estimates()->takeNews();
  uav.teleport({-4.0, 0.0, 2.0}, 0.0);
  std::vector<std::string> news;
  for (int i = 0; i < 3000; ++i) {
    uav.step();
    news.push_back(uav.pilot().estimates()->takeNews());
  }
  news.erase(std::remove(news.begin(), news.end(), ""), news.end());
  EXPECT_EQ(news, std::vector<std::string>{"flies on the estimate from 3.150 s on"});
  EXPECT_LT((uav.state().X_WB.p - Vector3d(-4.0, 0.0, 2.0)).norm(), 0.1);
}

TEST(RealisticEstimate, AControllerThatReadsTrueAccelerationsIsRefused) {
  UavConfig config = realistic("hummingbird");
  config.controller = config::loadController("default");
  try {
    Uav(config, {}, 0.0);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 64),
              "estimate: controller is one that reads true accelerations, allow");
  }
}

TEST(RealisticEstimate, ARateBelowTheControllersTimeoutIsRefused) {
  UavConfig config = realistic("hummingbird");
  config.vehicle.estimate->rate = 1.5;
  try {
    Uav(config, {}, 0.0);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "estimate: rate is 1.5 Hz, allowed: at least 2 Hz, since estimates are lost after "
                 "the controller's timeout of 0.5 s");
  }
}

TEST(RealisticEstimate, IsOfNoUseInAReplay) {
  UavConfig config = realistic("hummingbird");
  config.controller = config::loadController("default");
  const std::vector<StampedPose> poses = {{0, Pose()}, {kNsPerSecond, Pose()}};
  config.replay = Replay{std::make_shared<const PoseTrack>(poses, "test"), 0};
  Uav uav(config, {}, 0.0);
  EXPECT_EQ(uav.pilot().estimates(), nullptr);
}

// A vehicle at rest at the origin, whose loop is fed by hand: states at 500 Hz, an IMU of 1 kHz.
class FedLoop {
 public:
  FedLoop() : loop_({}, {}, imu()) {}

  void addImu(TimeNs stamp) {
    vehicle::ImuSample sample;
    sample.stamp = stamp;
    sample.angular_velocity.setZero();
    sample.specific_force = Vector3d(0.3, 0.0, kGravity);  // it is a little off
    loop_.addImu(sample);
  }
  KinematicState motion(TimeNs stamp, std::uint32_t placements = 1) {
    VehicleReport report;
    report.motion.stamp = stamp;
    report.placements = placements;
    return loop_.motion(report);
  }
  /// Runs the loop: a state, its IMU samples, an estimate every 0.1 s.
  KinematicState run(TimeNs from, TimeNs to, std::uint32_t placements = 1) {
    KinematicState last;
    for (TimeNs t = from; t < to; t += kState) {
      addImu(t);
      if (t % (kNsPerSecond / 10) == 0) loop_.addEstimate(t, Pose());
      last = motion(t, placements);
      addImu(t + kState / 2);
    }
    return last;
  }
  EstimateLoop& loop() { return loop_; }
  static constexpr TimeNs kState = 2'000'000;

 private:
  static vehicle::ImuConfig imu() {
    vehicle::ImuConfig config;
    config.rate = 1000.0;
    return config;
  }
  EstimateLoop loop_;
};

TEST(EstimateLoop, ItDoesNotMatterHowEarlyTheImuComes) {
  FedLoop one, other;
  const TimeNs now = kNsPerSecond;
  for (FedLoop* fed : {&one, &other}) {
    fed->run(0, now);
    fed->addImu(now);
  }
  for (TimeNs t = now + 1'000'000; t < now + 20'000'000; t += 1'000'000) other.addImu(t);
  EXPECT_EQ(one.loop().phase(), Phase::kEstimate);
  const KinematicState expected = one.motion(now), early = other.motion(now);
  EXPECT_EQ(early.v_WB, expected.v_WB);
  EXPECT_EQ(early.X_WB.p, expected.X_WB.p);
}

TEST(EstimateLoop, AnEstimateOfATimeToComeDoesNotHoldUpTheOthers) {
  FedLoop fed;
  fed.run(0, kNsPerSecond / 2);
  fed.loop().takeNews();
  fed.loop().addEstimate(1'700'000'000 * kNsPerSecond, Pose());
  fed.run(kNsPerSecond / 2, 2 * kNsPerSecond);
  EXPECT_EQ(fed.loop().phase(), Phase::kEstimate);
  EXPECT_EQ(fed.loop().takeNews(),
            "an estimate of 1700000000.000 s is not used at 0.500 s: it is of a time to come");
}

TEST(EstimateLoop, BeginsAfreshWhenTimeIsSetBack) {
  FedLoop fed;
  fed.run(0, 20 * kNsPerSecond);
  fed.loop().addEstimate(20 * kNsPerSecond, Pose());
  const KinematicState last = fed.run(0, 3 * kNsPerSecond, 2);
  EXPECT_EQ(fed.loop().phase(), Phase::kEstimate);
  EXPECT_LT(last.X_WB.p.norm(), 0.05);
}

}  // namespace
}  // namespace marsim::sim
