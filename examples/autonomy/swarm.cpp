// SPDX-License-Identifier: BSD-3-Clause
#include "swarm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "onboard.hpp"

namespace autonomy {

using namespace marsim;
using Eigen::Vector3d;

namespace {

constexpr double kStep = 0.02;       // [s] between announcements
constexpr double kFirstScans = 1.0;  // [s] before the start
constexpr int kPlaces = 20;          // of an announced path
constexpr double kMargin = 0.1;      // [m] between the spheres of two vehicles, at least
constexpr double kArrived = 0.1;     // [m]

/// The UAVs of a flight and their results.
class Swarm {
 public:
  Swarm(const SwarmConfig& config, std::shared_ptr<const map::SurfelMap> map)
      : config_(config), world_(std::move(map)), members_(config.courses.size()) {
    for (std::size_t i = 0; i < config.courses.size(); ++i) add(i);
  }

  std::vector<SwarmMember> fly() {
    for (double time = 0.0; time < kFirstScans; time += kStep) advance();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto refusal = navigators_[i]->setGoal(config_.courses[i].goal);
      if (refusal) throw Error(refusal->reason);
    }
    const collision::ClearanceMap clearances = world_.clearances();
    const int steps = static_cast<int>(std::lround(config_.timeout / kStep));
    for (int step = 0; step < steps && !haveAllArrived(); ++step) {
      advance();
      for (std::size_t i = 0; i < members_.size(); ++i) measure(i, step, clearances);
    }
    return std::move(members_);
  }

 private:
  void add(std::size_t i) {
    const auto& [start, goal] = config_.courses[i];
    const Vector3d way = goal - start;
    const sim::UavConfig config = onboardConfig(start, std::atan2(way.y(), way.x()));
    radius_ = config.vehicle.radius;
    sim::Uav& uav = world_.addUav(config);
    NavigatorConfig navigator = config_.navigator;
    navigator.map.inflation = radius_ + 0.08;
    navigators_.push_back(std::make_unique<Navigator>(navigator));
    connect(uav, *navigators_.back());
    SwarmMember& member = members_[i];
    uav.on_contact = [&](const collision::ContactEvent& event) {
      if (!event.begins) return;
      ++(event.hit.identity == scene::kMapIdentity ? member.map_contacts : member.uav_contacts);
    };
    navigators_.back()->on_planned = [&](bool found, double) {
      ++member.plans;
      if (!found) ++member.failed_plans;
    };
  }

  void advance() {
    if (config_.announcement != Announcement::kNothing) announce();
    world_.runFor(kStep);
  }

  // Every UAV learns the motion of the others.
  void announce() {
    std::vector<Mover> members;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const KinematicState& state = world_.uavs()[i]->state();
      Mover& member =
          members.emplace_back(Mover{state.X_WB.p, state.v_WB, 2.0 * radius_ + kMargin});
      if (config_.announcement == Announcement::kPaths) {
        member.path = navigators_[i]->announcedPath(member.step, kPlaces);
      }
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      std::vector<Mover> others;
      for (std::size_t k = 0; k < members.size(); ++k) {
        if (k != i) others.push_back(members[k]);
      }
      navigators_[i]->setMovers(toSeconds(world_.time()), std::move(others));
    }
  }

  void measure(std::size_t i, int step, const collision::ClearanceMap& clearances) {
    const Vector3d p = world_.uavs()[i]->state().X_WB.p;
    SwarmMember& member = members_[i];
    if (step % 5 == 0) {
      if (!member.path.empty()) member.length += (p - member.path.back()).norm();
      member.path.push_back(p);
    }
    member.to_map = std::min(member.to_map, clearances.at(p).distance - radius_);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (k == i) continue;
      const double apart = (world_.uavs()[k]->state().X_WB.p - p).norm();
      member.to_uavs = std::min(member.to_uavs, apart - 2.0 * radius_);
    }
    const bool is_there = (p - config_.courses[i].goal).norm() < kArrived;
    if (is_there) member.arrived = std::min(member.arrived, kStep * (step + 1));
  }

  bool haveAllArrived() const {
    return std::all_of(members_.begin(), members_.end(),
                       [](const SwarmMember& member) { return std::isfinite(member.arrived); });
  }

  const SwarmConfig& config_;
  sim::World world_;
  double radius_ = 0.0;  // [m] of the vehicle
  std::vector<std::unique_ptr<Navigator>> navigators_;
  std::vector<SwarmMember> members_;
};

}  // namespace

std::vector<SwarmMember> flySwarm(const SwarmConfig& config,
                                  std::shared_ptr<const map::SurfelMap> map) {
  return Swarm(config, std::move(map)).fly();
}

}  // namespace autonomy
