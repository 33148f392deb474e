// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "marsim/geometry/kinematic_state.hpp"
#include "marsim/scene/moving_object.hpp"
#include "marsim/scene/vehicle_body.hpp"

namespace marsim::scene {

/// How long the motion of other UAVs is extrapolated, and kept, without new states.
struct PeersConfig {
  double history = 1.0;         ///< [s] behind the newest state that can be looked up
  double extrapolation = 0.25;  ///< [s] past the newest state that its motion is carried on
  double timeout = 3.0;         ///< [s] a UAV silent for longer is dropped
  double memory = 60.0;         ///< [s] a UAV silent for longer is forgotten

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// The motion of a UAV as announced to the others.
struct PeerState {
  std::uint32_t id = 0;          ///< below kFirstObstacleIdentity
  std::uint32_t run = 0;         ///< drawn at its start; differs for two UAVs of one id
  std::uint32_t placements = 0;  ///< number of placements (teleports), which break the motion
  std::uint16_t sequence = 0;    ///< counts its states, and begins again at 0 after 65535
  KinematicState motion;         ///< dw_WB_B is not announced
};

/// The mass and inertia with which a UAV gives way when it is hit.
struct PeerMass {
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d inertia = Eigen::Vector3d::Zero();  ///< [kg m^2] principal, about B's axes

  bool isSound() const {
    const auto is_sound = [](double value) { return value >= 1e-12 && value <= 1e6; };
    return is_sound(mass) && is_sound(inertia.x()) && is_sound(inertia.y()) &&
           is_sound(inertia.z());
  }
};
/// The mass of a UAV and its motion.
struct PeerMotion {
  PeerMass mass;
  Pose X_WB;
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();    ///< [m/s] in W
  Eigen::Vector3d w_WB_B = Eigen::Vector3d::Zero();  ///< [rad/s] in B
};

/// Returns the error in a state, on one line that names the UAV, the field and what is allowed;
/// empty if there is none.
std::string problemOf(const PeerState& state);

/// A summary of one UAV for diagnostics.
struct PeerReport {
  std::uint32_t id = 0;
  std::string name;       ///< of its vehicle; empty before its body is known
  double age = 0.0;       ///< [s] of its newest state; infinite where none was taken
  bool has_body = false;  ///< without a body it cannot be shown
  bool held = false;      ///< silent for so long that it is shown where it was last
  bool dropped = false;   ///< silent for longer than the timeout, or never heard of properly
  bool is_claimed_twice = false;       ///< two UAVs have its id
  std::string machine, other_machine;  ///< of that UAV and of the other one; empty: this machine
  std::uint64_t taken = 0, late = 0, lost = 0, repeated = 0, rejected = 0;  ///< states

  /// "uav 3: silent for 5.2 s, dropped".
  std::string summary() const;
};

/// The UAVs of a world, from states that may arrive late, out of order, twice, not at all or not
/// finite. Poses between two states are interpolated. Past the newest state they follow velocity,
/// acceleration and body rate for PeersConfig::extrapolation, then stay until the UAV is dropped. A
/// query may ignore states stamped later than `known_until`; its answer then does not depend on
/// later arrivals. Safe to use from several threads.
class Peers : public ObjectSource {
 public:
  enum class Effect {
    kTaken,     ///< the newest, or one that filled a gap
    kRepeated,  ///< known already
    kTooLate,   ///< older than the history, or from before a placement; if all new states are, the
                ///< newest known one was wrong and is forgotten
    kRejected,  ///< see problemOf
    kStranger,  ///< from another UAV with the same id, or the first states of a restarted one
  };

  /// Throws ConfigError.
  explicit Peers(PeersConfig config = {});

  /// Most UAVs kept without a usable state; refusedUnknown() counts the states of further ones.
  static constexpr std::size_t kMostUnusable = 64;

  /// Takes a state. `machine`: its sender; empty: this machine.
  Effect push(const PeerState& state, const std::string& machine = {});
  /// The body that others see. Equal bodies share their surfels. Throws as bodyShape does.
  void setBody(std::uint32_t id, const std::string& name, const BodyConfig& body);
  /// Sets the mass; ignored if it is not sound.
  void setMass(std::uint32_t id, const PeerMass& mass);

  /// Keeps at least this much motion [s] behind the newest state.
  void keepAtLeast(double history);

  /// None before the first state and if the UAV is dropped at that time.
  std::optional<Pose> poseAt(std::uint32_t id, TimeNs t, TimeNs known_until = kAllKnown) const;
  /// None where poseAt() gives none or the mass is not known.
  std::optional<PeerMotion> motionAt(std::uint32_t id, TimeNs t,
                                     TimeNs known_until = kAllKnown) const;
  /// Stamp of the last state that came from a UAV, usable or not; none before the first. As long as
  /// states come in order, all earlier ones have come.
  std::optional<TimeNs> heardUntil(std::uint32_t id) const;
  /// Appends all UAVs whose body is known.
  void appendObjects(TimeNs begin, TimeNs end, std::vector<MovingObject>& objects) const override;
  /// Appends the UAVs that the UAV `own` sees: all but itself.
  void appendOthers(std::uint32_t own, TimeNs begin, TimeNs end, std::vector<MovingObject>& objects,
                    TimeNs known_until = kAllKnown) const;
  /// Appends the other UAVs whose sphere meets `near` at `end`. Returns the least gap [m] between
  /// `near` and the spheres of those left out; infinite without any.
  double appendOthersNear(std::uint32_t own, const BoundingSphere& near, TimeNs begin, TimeNs end,
                          std::vector<MovingObject>& objects, TimeNs known_until = kAllKnown) const;
  /// A report on each UAV, by id.
  std::vector<PeerReport> reports(TimeNs now) const;
  std::uint64_t refusedUnknown() const;
  /// Forgets UAVs not heard of since a call `memory` ago; `now` [ns] is the caller's own time,
  /// which may go back.
  void forget(TimeNs now);

 private:
  struct Shape {
    BodyConfig body;
    std::shared_ptr<const map::SurfelMap> surfels;
    double radius = 0.0;  ///< [m] of its bounding sphere about the origin
  };
  struct Told {
    KinematicState motion;
    std::uint32_t placements;
  };
  struct Peer {
    std::string name;
    std::shared_ptr<const map::SurfelMap> shape;
    double radius = 0.0;  ///< [m] of the shape's bounding sphere
    PeerMass mass;
    std::uint32_t run = 0, placements = 0;
    std::uint16_t sequence = 0;  ///< of the newest state
    std::deque<Told> states;     ///< by stamp, strictly increasing between placements
    // Another run of the same id takes over when it alone is heard; both together clash.
    std::uint32_t other_run = 0;
    std::string machine, other_machine;  ///< of the two runs
    int others = 0;                      ///< states of the other run since the last own one
    int clashes = 0;                     ///< changes between the two
    std::uint64_t since_clash = 0;       ///< own states
    int too_late = 0;                    ///< own states in a row
    PeerReport counts;
    std::optional<TimeNs> heard_until;
    bool heard = false;  ///< since the last forget()
    TimeNs last_heard = 0;
  };

  Peer* admit(std::uint32_t id);

  Effect pushMotion(Peer& peer, const PeerState& state) const;
  bool belongs(Peer& peer, const PeerState& state, const std::string& machine) const;
  /// The known states of one motion, without a placement between them.
  struct History;
  /// The positions of all UAVs with a body at an instant, shared by all queries for that instant.
  struct Places {
    struct Place {
      Eigen::Vector3d p_WB;
      double radius;
      std::uint32_t id;
      const Peer* peer;
    };
    TimeNs time = 0, known_until = 0;
    bool are_known = false;  ///< false: new states have come since
    std::vector<Place> places;
  };

  static History knownOf(const Peer& peer, TimeNs known_until);
  const std::vector<Places::Place>& placesAt(TimeNs t, TimeNs known_until) const;
  std::optional<MovingObject> objectOf(std::uint32_t id, const Peer& peer, TimeNs begin, TimeNs end,
                                       TimeNs known_until) const;
  bool isBridged(const History& known, std::deque<Told>::const_iterator after) const;
  Pose poseAt(const History& known, TimeNs t) const;
  Eigen::Vector3d positionAt(const History& known, TimeNs t) const;
  bool isGone(const History& known, TimeNs t) const;

  PeersConfig config_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::map<std::uint32_t, Peer> peers_;
  std::vector<Shape> shapes_;
  mutable Places places_;
  std::uint64_t refused_unknown_ = 0;
};

}  // namespace marsim::scene
