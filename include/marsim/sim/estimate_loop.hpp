// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "marsim/control/state_estimator.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/vehicle/imu.hpp"
#include "marsim/vehicle/simulated_slam.hpp"

namespace marsim::sim {

/// Settings of the estimates that a controller flies on.
struct EstimateConfig {
  Pose X_BE;  ///< estimated frame E in body
  /// true: the first estimate in use is taken to be the true pose, later ones are relative to it;
  /// false: estimates are in W.
  bool begins_at_vehicle = false;
  TimeNs delay = 0;   ///< from an estimate's stamp to the report at which it is used
  TimeNs settle = 0;  ///< estimates stamped less than this after the first are not used
  std::optional<vehicle::SlamConfig> slam = std::nullopt;  ///< makes the estimates from the truth

  /// Returns the settings for a simulated SLAM.
  static EstimateConfig simulated(const vehicle::SlamConfig& slam);
};

/// Closes the control loop on estimates in place of the truth. The controller gets the truth until
/// an estimate is used. That is the first estimate after EstimateConfig::settle; without
/// `begins_at_vehicle` it must also be close to the true pose, within the estimator's
/// `largest_jump` and `largest_turn`. From then on the controller gets a StateEstimator's state
/// from an IMU and the estimates. After the estimator's `timeout` without a usable estimate,
/// phase() is kHold, later kLand. A placement (see VehicleReport) starts it anew.
class EstimateLoop {
 public:
  enum class Phase {
    kTruth,     ///< no estimate used yet: flies on the truth
    kEstimate,  ///< flies on estimates
    kHold,      ///< lost: propagates by the IMU, the vehicle is to hold its place
    kLand,      ///< lost for long: the vehicle is to land
  };

  /// `seed`: of a simulated SLAM's noise. Throws ConfigError.
  EstimateLoop(const EstimateConfig& config, const control::EstimatorConfig& estimator,
               const vehicle::ImuConfig& imu, std::uint64_t seed = 1);

  /// Adds a sample. Samples newer than a report do not affect the motion at it.
  void addImu(const vehicle::ImuSample& sample);
  /// Adds the pose of the estimated frame E in the SLAM's own frame O, at a stamp. Refuses a pose
  /// that is not finite; motion() refuses a pose stamped more than 1 s after its report.
  void addEstimate(TimeNs stamp, const Pose& X_OE);
  /// Whether all IMU samples stamped up to a report have come; also true for the first report after
  /// a placement. Call motion() once it is true.
  bool isReady(const VehicleReport& report) const;
  /// Returns the motion for the controller at a report, from all estimates that act by then.
  KinematicState motion(const VehicleReport& report);
  /// The estimate that the simulated SLAM made at the last report, if any.
  const std::optional<StampedPose>& simulated() const { return simulated_; }
  Phase phase() const { return phase_; }
  /// Whether the vehicle is to hold or land.
  bool isLost() const { return phase_ == Phase::kHold || phase_ == Phase::kLand; }
  /// Returns a line for the user on what has changed since the last call; empty if nothing has.
  std::string takeNews() { return std::exchange(news_, {}); }

 private:
  void begin(const VehicleReport& report);
  void begin(const KinematicState& state, TimeNs now);
  void propagate(TimeNs until);
  void refuse(const std::string& reason);
  void use(const StampedPose& estimate, TimeNs now);
  bool startOnEstimates(const StampedPose& estimate, TimeNs now);
  void watch(const VehicleReport& report);

  EstimateConfig config_;
  control::EstimatorConfig estimator_config_;
  Pose X_BI_;
  TimeNs imu_period_;
  control::StateEstimator estimator_;
  std::optional<vehicle::SimulatedSlam> slam_;
  std::optional<StampedPose> simulated_;
  Phase phase_ = Phase::kTruth;
  std::deque<KinematicState> truth_;               ///< recent true states, in kTruth
  std::deque<control::InertialReading> readings_;  ///< recent readings
  std::deque<StampedPose> waiting_;                ///< poses of E that do not act yet
  std::optional<Pose> X_WO_;                       ///< the estimates' frame O in W
  std::optional<std::uint32_t> placements_;
  bool on_ground_ = false;
  TimeNs begun_at_ = 0;
  TimeNs used_at_ = 0;              ///< report at which an estimate was last used
  std::optional<TimeNs> first_at_;  ///< stamp of the first estimate since begun_at_
  int refused_ = 0;                 ///< estimates since the last that was used
  double largest_jump_ = 0.0;       ///< [m] largest jump of the refused estimates
  bool has_reported_refusal_ = false;
  std::string news_;
};

}  // namespace marsim::sim
