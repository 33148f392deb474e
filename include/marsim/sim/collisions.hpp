#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marsim/collision/checker.hpp"
#include "marsim/collision/contacts.hpp"
#include "marsim/collision/impact.hpp"
#include "marsim/sim/ground.hpp"
#include "marsim/vehicle/quadrotor.hpp"

namespace marsim::sim {

/// The response of a UAV that hits something.
enum class CollisionResponse {
  kReport,      ///< "report": it flies on through it
  kStopMotors,  ///< "stop_motors": its motors stand still until reset; it bounces off and falls
  kBounce,      ///< "bounce": it bounces off and flies on
};

const char* nameOf(CollisionResponse response);
/// Throws UnknownNameError.
CollisionResponse collisionResponseOf(const std::string& name);

/// Settings of collision checking and response. A UAV is carried (Ground) by the plane and, where
/// it lands on them, by surfaces of the map. Standing there is no contact, nor is landing; whoever
/// meets them otherwise has a contact with the map, also with the plane where it has no points. On
/// the plane every response lets a UAV come to rest: it falls over, slides and stays on its back by
/// the same impulses as elsewhere, which with "report" give nothing back. Off the plane "report"
/// acts only on who lands.
struct CollisionConfig {
  bool on = true;  ///< false: there is the plane, which no contact tells of, and nothing else
  CollisionResponse response = CollisionResponse::kReport;
  collision::ImpactConfig impact;
  double release = 0.1;  ///< [s] without a touch that end a contact
  LandingConfig landing;

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// An impulse that a UAV gave another one by running into it, or got from one that ran into it.
struct Impact {
  TimeNs stamp = 0;
  std::uint32_t identity = 0;                           ///< of the other one
  Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero();  ///< [N s] on who is struck
  Eigen::Vector3d moment_W = Eigen::Vector3d::Zero();   ///< [N m s] on it, about its B
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] where
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, towards who is struck
  Eigen::Vector3d v_rel_W = Eigen::Vector3d::Zero();    ///< [m/s] of it there, less the other's
};

/// The collision checking after each of a UAV's dynamics steps.
class Collisions {
 public:
  using ObjectsIn = collision::CollisionChecker::ObjectsIn;
  /// Two UAVs give each other one impulse in this time, which is enough to part them. Who notices
  /// first works it out for both; where both notice before one has heard of the other, what the one
  /// of the lower number has worked out holds.
  static constexpr TimeNs kBetweenImpacts = kNsPerSecond / 20;
  /// The mass and motion of an object that gives way, another UAV, after a step; none for what does
  /// not.
  using BodyIn = std::function<std::optional<collision::RigidBody>(std::uint32_t identity)>;

  /// `map` may be null: objects and the ground only; the body's cells are of the map's resolution
  /// or, without a map, 0.1 m. `self` is the UAV's identity, passed over among objects. Throws
  /// ConfigError, FileError for the body.
  Collisions(const CollisionConfig& config, const vehicle::VehicleConfig& vehicle,
             std::shared_ptr<const collision::Neighbours> map, double ground_z,
             std::optional<std::uint32_t> self = std::nullopt);

  /// Checks what the vehicle touches after a step from `before`, and lets it respond. A vehicle
  /// that has come to rest on its feet, its thrust below its weight, stands (Quadrotor::standAt).
  /// Appends the contacts that begin and end; impacts() tells which UAVs it ran into.
  void act(const KinematicState& before, vehicle::Quadrotor& quadrotor, const ObjectsIn& objectsIn,
           std::vector<collision::ContactEvent>& events, const BodyIn& bodyIn = {});
  /// Counts the contacts of a vehicle whose motion is prescribed; they change nothing.
  void watch(const KinematicState& before, const vehicle::Quadrotor& quadrotor,
             const ObjectsIn& objectsIn, std::vector<collision::ContactEvent>& events);
  /// The impacts that it gave others in the last step; they must take it by takeImpact() of theirs.
  const std::vector<Impact>& impacts() const { return impacts_; }
  /// Another UAV has run into this one, which need not have noticed: its motion changes, unless its
  /// response is to report only, and the next step counts the contact. One that no impact could
  /// give is ignored, and so is one within kBetweenImpacts of the last that the two have had.
  void takeImpact(const Impact& impact, vehicle::Quadrotor& quadrotor);
  /// The vehicle is about to be put somewhere else: all contacts end, and no hill holds it.
  void leave(vehicle::Quadrotor& quadrotor, std::vector<collision::ContactEvent>& events);

  /// Searched up to `limit` [m].
  collision::Clearance clearance(const vehicle::Quadrotor& quadrotor, double limit,
                                 const ObjectsIn& objectsIn) {
    return checker_.clearance(quadrotor.state().X_WB, quadrotor.state().stamp, limit, objectsIn);
  }
  const collision::ContactTracker& contacts() const { return tracker_; }
  const collision::CollisionChecker& checker() const { return checker_; }

 private:
  struct Exchange {
    TimeNs stamp = 0;
    bool is_own = false;  // worked out by this one
    Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero(),
                    moment_W = Eigen::Vector3d::Zero();  // on it
  };

  std::vector<collision::FastestTouch> countedHits(
      const vehicle::Quadrotor& quadrotor, const std::vector<collision::Touch>& touches,
      const std::vector<collision::Touch>& ground) const;
  void count(const vehicle::Quadrotor& quadrotor, const std::vector<collision::Touch>& touches,
             const std::vector<collision::Touch>& ground,
             std::vector<collision::ContactEvent>& events);
  std::vector<collision::Touch> groundTouches(const Pose& X_WB) const;
  bool freeOfMap(const Pose& X_WB);
  void stepBack(const Pose& from, const Eigen::Vector3d& normal_W, bool is_struck,
                double energy_before, collision::RigidBody& body);
  bool hasStruck(std::uint32_t identity, TimeNs stamp) const;
  collision::ImpactConfig impactOf(const std::vector<collision::Touch>& touches,
                                   const collision::RigidBody& body,
                                   const collision::RigidBodies& others) const;
  void respond(const KinematicState& before, const std::vector<collision::Touch>& ground,
               const std::vector<collision::Touch>& solid, vehicle::Quadrotor& quadrotor,
               const BodyIn& bodyIn);
  void support(const std::vector<collision::Touch>& touches, vehicle::Quadrotor& quadrotor) const;
  void noteImpacts(const KinematicState& state, const std::vector<collision::FastestTouch>& hits,
                   const collision::RigidBodies& before, const collision::RigidBodies& after);

  CollisionConfig config_;
  Ground ground_;
  std::optional<std::uint32_t> self_;
  collision::CollisionChecker checker_;
  collision::ContactTracker tracker_;
  bool is_caught_ = false;                        // could not move as it wanted in the last step
  std::vector<Impact> impacts_;                   // of the last step
  std::map<std::uint32_t, Exchange> struck_;      // the last with another UAV
  std::vector<collision::FastestTouch> was_hit_;  // by others that ran into it, since the last step
};

}  // namespace marsim::sim
