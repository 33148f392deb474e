#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "marsim/control/state_estimator.hpp"
#include "marsim/sim/motion_track.hpp"
#include "marsim/vehicle/imu.hpp"

namespace marsim::sim {

/// The estimates that a controller flies on.
struct EstimateConfig {
  Pose X_BE;                       ///< the frame whose pose they are, in the body
  bool begins_at_vehicle = false;  ///< true: they are relative to the first one; false: in W
  TimeNs delay = 0;                ///< from an estimate's stamp to the first state that it acts on
  TimeNs settle = 0;               ///< how long they must have come before one is flown on
};

/// The loop that is closed on estimates in place of the truth. It hands a controller the truth
/// until the first estimate, from then on what a flight controller knows: a StateEstimator's state
/// from an IMU and the estimates. Where those end or jump, it asks for a hold, then for a landing.
class EstimateLoop {
 public:
  enum class Phase {
    kTruth,     ///< no estimate yet
    kEstimate,  ///< flies on it
    kHold,      ///< lost: propagates by the IMU, the vehicle is to hold its place
    kLand,      ///< lost for long: the vehicle is to land
  };

  EstimateLoop(const EstimateConfig& config, const control::EstimatorConfig& estimator,
               const vehicle::ImuConfig& imu);

  /// Samples that are newer than a report have no part in its motion.
  void addImu(const vehicle::ImuSample& sample);
  /// The pose of E in the frame of the estimates, at a stamp. What is not finite is refused, and so
  /// is what turns out to be more than 1 s ahead of a report.
  void addEstimate(TimeNs stamp, const Pose& X_OE);
  /// Whether the IMU's sample of a report's instant, or the last one before, has come.
  bool isReady(const VehicleReport& report) const;
  /// The motion that the controller is to see at a report. Estimates that act by then are used.
  KinematicState motion(const VehicleReport& report);
  Phase phase() const { return phase_; }
  /// Whether it holds or lands because estimates are missing.
  bool isLost() const { return phase_ == Phase::kHold || phase_ == Phase::kLand; }
  /// A line for people on what has changed since the last call; empty where nothing has.
  std::string takeNews() { return std::exchange(news_, {}); }

 private:
  void begin(const VehicleReport& report);
  void begin(const KinematicState& state, TimeNs now);
  void propagate(TimeNs until);
  void refuse(const std::string& reason);
  void use(const StampedPose& estimate, TimeNs now);
  bool close(const StampedPose& estimate, TimeNs now);
  void watch(const VehicleReport& report);

  EstimateConfig config_;
  control::EstimatorConfig limits_;
  Pose X_BI_;
  TimeNs imu_period_;
  control::StateEstimator estimator_;
  Phase phase_ = Phase::kTruth;
  std::deque<KinematicState> truth_;               ///< of the last moments, before it closes
  std::deque<control::InertialReading> readings_;  ///< the same
  std::deque<StampedPose> waiting_;                ///< poses of E, that do not act yet
  std::optional<Pose> X_WO_;                       ///< the estimates' frame
  std::optional<std::uint32_t> placements_;
  bool on_ground_ = false;
  TimeNs begun_at_ = 0, used_at_ = 0;
  std::optional<TimeNs> first_at_;  ///< stamp of the first estimate since then
  int refused_ = 0;                 ///< estimates since the last that was used
  double largest_jump_ = 0.0;       ///< [m] of those
  bool told_of_refusal_ = false;
  std::string news_;
};

}  // namespace marsim::sim
