// SPDX-License-Identifier: BSD-3-Clause
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
#include "marsim/vehicle/platform.hpp"

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

/// Settings of collision checking and response. With every response the ground (see Ground: the
/// plane, and surfaces of the map on which a UAV lands) carries a UAV, which may fall over, slide
/// and stay on its back; with "report" it does not bounce off the ground. All other touches of map
/// and objects change its motion with "stop_motors" and "bounce" only. Every touch but standing and
/// landing is a contact; contacts with the plane are contacts with the map.
struct CollisionConfig {
  bool on = true;  ///< false: only the ground plane stops it; no contacts are reported
  CollisionResponse response = CollisionResponse::kReport;
  collision::ImpactConfig impact;
  double release = 0.1;  ///< [s] without a touch after which a contact ends
  LandingConfig landing;

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// An impulse that a UAV gave another one by running into it, or got from one that ran into it.
struct Impact {
  TimeNs stamp = 0;
  /// Id of the other UAV (as MovingObject::identity): the struck one in Collisions::impacts() and
  /// Announcement, the striking one in takeImpact() and PendingImpacts.
  std::uint32_t identity = 0;
  Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero();  ///< [N s] on the struck UAV
  Eigen::Vector3d moment_W = Eigen::Vector3d::Zero();   ///< [N m s] on the struck UAV, about its B
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] place of the impact
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, towards the struck UAV
  Eigen::Vector3d v_rel_W = Eigen::Vector3d::Zero();    ///< [m/s] of the struck UAV relative to
                                                        ///< the other
};

/// Checks a UAV's body for collisions after each dynamics step, and lets it respond.
class Collisions {
 public:
  using ObjectsIn = collision::CollisionChecker::ObjectsIn;
  /// Two UAVs exchange at most one impulse in this time, which is enough to part them. The UAV that
  /// notices the touch first computes the impulse for both. If both compute one before they have
  /// heard of each other, that of the UAV with the lower id holds.
  static constexpr TimeNs kBetweenImpacts = kNsPerSecond / 20;
  /// The mass and motion, after a step, of the object with an id, if it gives way (another UAV);
  /// none for other objects.
  using BodyIn = std::function<std::optional<collision::RigidBody>(std::uint32_t identity)>;

  /// `map` may be null: objects and the ground only; the body's cells are of the map's resolution
  /// or, without a map, 0.1 m. `self` is the UAV's id; objects with it are ignored. Throws
  /// ConfigError, FileError for the body.
  Collisions(const CollisionConfig& config, const vehicle::VehicleConfig& vehicle,
             std::shared_ptr<const collision::Neighbours> map, double ground_z,
             std::optional<std::uint32_t> self = std::nullopt);

  /// Finds the touches of the vehicle after a step from `before`, and applies the response. A
  /// vehicle at rest on its feet with its thrust below its weight stands (Platform::standAt).
  /// Appends the contacts that begin and end; impacts() lists the UAVs that it ran into.
  void act(const KinematicState& before, vehicle::Platform& platform, const ObjectsIn& objectsIn,
           std::vector<collision::ContactEvent>& events, const BodyIn& bodyIn = {});
  /// Appends the contacts that begin and end, of a vehicle whose motion is prescribed: they do not
  /// change its motion.
  void watch(const KinematicState& before, const vehicle::Platform& platform,
             const ObjectsIn& objectsIn, std::vector<collision::ContactEvent>& events);
  /// The impacts on others in the last step, to be passed to their takeImpact().
  const std::vector<Impact>& impacts() const { return impacts_; }
  /// Applies the impact of another UAV that has run into this one, whether this one has touched it
  /// or not: changes the motion, and lets the next step count a contact. Does nothing if the
  /// response is "report", if collisions are off, or if the impulse is impossibly large. Within
  /// kBetweenImpacts after an exchange with the same UAV, `impact` replaces an impulse that this
  /// UAV computed if the other has the lower id; any other `impact` is ignored.
  void takeImpact(const Impact& impact, vehicle::Platform& platform);
  /// Ends all contacts and forgets the map's surface. Call it before a placement (VehicleReport).
  void leave(std::vector<collision::ContactEvent>& events);

  /// Returns the least distance from the body to the map and to objects, searched up to `limit`
  /// [m].
  collision::Clearance clearance(const vehicle::Platform& platform, double limit,
                                 const ObjectsIn& objectsIn) {
    return checker_.clearance(platform.state().X_WB, platform.state().stamp, limit, objectsIn);
  }
  const collision::ContactTracker& contacts() const { return tracker_; }
  const collision::CollisionChecker& checker() const { return checker_; }

 private:
  struct Exchange {
    TimeNs stamp = 0;
    bool is_own = false;  // computed by this UAV
    Eigen::Vector3d impulse_W = Eigen::Vector3d::Zero(),
                    moment_W = Eigen::Vector3d::Zero();  // on this UAV
  };

  std::vector<collision::FastestTouch> countedHits(
      const vehicle::Platform& platform, const std::vector<collision::Touch>& touches,
      const std::vector<collision::Touch>& ground) const;
  void count(const vehicle::Platform& platform, const std::vector<collision::Touch>& touches,
             const std::vector<collision::Touch>& ground,
             std::vector<collision::ContactEvent>& events);
  std::vector<collision::Touch> groundTouches(const Pose& X_WB) const;
  bool freeOfMap(const Pose& X_WB);
  bool slide(const Pose& from, const Eigen::Quaterniond& q, collision::RigidBody& body);
  void creep(const Pose& from, const std::vector<collision::Touch>& touches,
             collision::RigidBody& body);
  void stepBack(const Pose& from, const std::vector<collision::Touch>& touches,
                const Eigen::Vector3d& normal_W, bool is_struck, double energy_before,
                collision::RigidBody& body);
  bool hasStruck(std::uint32_t identity, TimeNs stamp) const;
  collision::ImpactConfig impactOf(const std::vector<collision::Touch>& touches,
                                   const collision::RigidBody& body,
                                   const collision::RigidBodies& others) const;
  void respond(const KinematicState& before, const std::vector<collision::Touch>& ground,
               const std::vector<collision::Touch>& solid, vehicle::Platform& platform,
               const BodyIn& bodyIn);
  void support(const std::vector<collision::Touch>& touches, vehicle::Platform& platform) const;
  void noteImpacts(const KinematicState& state, const std::vector<collision::FastestTouch>& hits,
                   const collision::RigidBodies& before, const collision::RigidBodies& after);

  CollisionConfig config_;
  Ground ground_;
  std::optional<std::uint32_t> self_;
  collision::CollisionChecker checker_;
  collision::ContactTracker tracker_;
  bool is_caught_ = false;                        // found no free place in the last step
  int creep_way_ = 0;                             // in which a caught body creeps aside
  std::vector<Impact> impacts_;                   // of the last step
  std::map<std::uint32_t, Exchange> struck_;      // the last one with each UAV, by id
  std::vector<collision::FastestTouch> was_hit_;  // by others that ran into it, since the last step
};

}  // namespace marsim::sim
