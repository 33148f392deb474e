// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>

#include "marsim/Peers.h"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/surroundings.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/params.hpp"
#include "scene/movers/peer_news.hpp"

namespace marsim::ros_nodes {

/// Listens to the UAVs of a world on /peers (marsim/Peers). Logs problems once in a while: states
/// that are not finite, numbers claimed twice, UAVs that fall silent. The nodes of a process share
/// one listener, which lives as long as any of them, unless a node must react at once to messages.
class PeerListener {
 public:
  /// Parameters: peer_timeout [s], peer_extrapolation [s] (see scene::PeersConfig). Throws
  /// ConfigError.
  static std::shared_ptr<PeerListener> shared(const ros::NodeHandle& handle, Params& params);
  /// A node's own listener for lockstep, which calls `on_heard` in the node's callbacks after every
  /// message; states are known one sim::kPeerPeriod after their stamps.
  static std::shared_ptr<PeerListener> own(const ros::NodeHandle& handle, Params& params,
                                           std::function<void()> on_heard);

  PeerListener(const ros::NodeHandle& handle, const std::string& topic,
               const scene::PeersConfig& config, std::function<void()> on_heard = {});

  sim::Surroundings& surroundings() { return surroundings_; }
  const sim::Surroundings& surroundings() const { return surroundings_; }

  /// Adds a UAV of this process: if it is the only one, its own silence is not reported.
  void addOwn(std::uint32_t id);

  /// Reports on all UAVs but one. Safe from any thread.
  void diagnose(std::uint32_t own, diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  void onPeers(const marsim::PeersConstPtr& message);
  void takeBody(const marsim::PeerBody& message);
  void takeImpact(const marsim::Impact& message);
  void logChanges();

  sim::Surroundings surroundings_;
  std::atomic<TimeNs> now_{0};  ///< stamp of the newest message from this machine
  TimeNs logged_ = 0;           ///< of the last look for changes
  std::mutex mutex_;            ///< guards the members below
  scene::PeerNews news_;
  std::function<void()> on_heard_;
  std::string topic_;
  Inputs inputs_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
