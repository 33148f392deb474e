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
  kReport,      ///< "report": the UAV flies on through obstacles
  kStopMotors,  ///< "stop_motors": it bounces off and falls; the motors stop until a placement
  kBounce,      ///< "bounce": it bounces off and flies on
};

const char* nameOf(CollisionResponse response);
/// Throws UnknownNameError.
CollisionResponse collisionResponseOf(const std::string& name);

/// Settings of collision checking and response. The ground carries a UAV with every response: the
/// plane always, surfaces of the map as Ground says. On the ground a UAV may slide, fall over or
/// lie on its back. With "stop_motors" and "bounce" it bounces off the ground, and other touches of
/// map and objects change its motion, too. With ideal dynamics only the plane stops it. Standing
/// and landing are no contacts; all other touches are. A contact with the ground plane counts as
/// one with the map.
struct CollisionConfig {
  bool on = true;  ///< false: only the ground plane (for wheels, also the map's ground)
                   ///< stops it; no contacts are reported
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
  Eigen::Vector3d moment_W = Eigen::Vector3d::Zero();   ///< [N m s] on the struck UAV, about the
                                                        ///< origin of its body frame
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();        ///< [m] place of the impact
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, towards the struck UAV
  Eigen::Vector3d v_rel_W = Eigen::Vector3d::Zero();    ///< [m/s] of the struck UAV relative to
                                                        ///< the other
};

/// Checks a UAV's body for collisions after each dynamics step, and lets it respond.
class Collisions {
 public:
  using ObjectsNear = collision::CollisionChecker::ObjectsNear;
  /// After an impulse between two UAVs, further touches between them give none for this time, which
  /// is enough for them to part. The UAV that notices the touch first computes the impulse for
  /// both. If both compute one before the other's arrives, that of the UAV with the lower id
  /// counts.
  static constexpr TimeNs kBetweenImpacts = kNsPerSecond / 20;
  /// Returns mass and motion of the UAV `identity` at the end of the step; none if it is no UAV.
  using RigidBodyOf = std::function<std::optional<collision::RigidBody>(std::uint32_t identity)>;

  /// Without `map` (null) checks objects and the ground only. The body is divided into cells as
  /// large as the map's resolution, 0.1 m without a map. `id` is the UAV's id; objects with this
  /// id are ignored. Throws ConfigError, and FileError if the body's file cannot be read.
  Collisions(const CollisionConfig& config, const vehicle::VehicleConfig& vehicle,
             std::shared_ptr<const collision::Neighbours> map, double ground_z,
             std::optional<std::uint32_t> id = std::nullopt);

  /// Finds the touches of the vehicle after a step from `before`, and applies the response. A
  /// vehicle that rests upright on the ground with its thrust below its weight stands
  /// (Ground::standing(), Platform::standAt()).
  /// Appends the begins and ends of contacts; impacts() lists the UAVs that it ran into.
  void act(const KinematicState& before, vehicle::Platform& platform,
           const ObjectsNear& objectsNear, std::vector<collision::ContactEvent>& events,
           const RigidBodyOf& rigidBodyOf = {});
  /// Appends the begins and ends of contacts of a vehicle whose motion is prescribed; contacts do
  /// not change it.
  void watch(const KinematicState& before, const vehicle::Platform& platform,
             const ObjectsNear& objectsNear, std::vector<collision::ContactEvent>& events);
  /// The impacts on others in the last step. Before one is passed to the struck UAV's takeImpact(),
  /// its `identity` must be set to this UAV's id.
  const std::vector<Impact>& impacts() const { return impacts_; }
  /// Applies the impact of another UAV that has run into this one, even if this one noticed no
  /// touch: changes the motion, and the next step counts a contact. Does nothing if the response is
  /// "report", if collisions are off, or if the impulse is impossibly large. Within kBetweenImpacts
  /// after an impulse between the two UAVs `impact` is ignored; but if this UAV computed that
  /// impulse and has the higher id, `impact` replaces it.
  void takeImpact(const Impact& impact, vehicle::Platform& platform);
  /// Ends all contacts and forgets the surface below the vehicle. Call it before a placement
  /// (start, reset or teleport).
  void endContacts(std::vector<collision::ContactEvent>& events);

  /// Returns the least distance from the body to the map and to objects, searched up to `limit`
  /// [m].
  collision::Clearance clearance(const vehicle::Platform& platform, double limit,
                                 const ObjectsNear& objectsNear) {
    return checker_.clearance(platform.state().X_WB, platform.state().stamp, limit, objectsNear);
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

  std::vector<collision::FastestTouch> contactHits(
      const vehicle::Platform& platform, const std::vector<collision::Touch>& touches,
      const std::vector<collision::Touch>& ground) const;
  void trackContacts(const vehicle::Platform& platform,
                     const std::vector<collision::Touch>& touches,
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
               const RigidBodyOf& rigidBodyOf);
  void support(const std::vector<collision::Touch>& touches, vehicle::Platform& platform) const;
  void noteImpacts(const KinematicState& state, const std::vector<collision::FastestTouch>& hits,
                   const collision::RigidBodies& before, const collision::RigidBodies& after);

  CollisionConfig config_;
  Ground ground_;
  std::optional<std::uint32_t> id_;
  collision::CollisionChecker checker_;
  collision::ContactTracker tracker_;
  bool is_stuck_ = false;        // in the map after the last step
  int creep_direction_ = 0;      // number of the direction in which a stuck body is moved
  std::vector<Impact> impacts_;  // of the last step
  std::map<std::uint32_t, Exchange> exchanges_;  // the last with each UAV, by id
  // Hits by UAVs that ran into this one, since the last step.
  std::vector<collision::FastestTouch> hits_by_others_;
};

}  // namespace marsim::sim
