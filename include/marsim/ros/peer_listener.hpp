#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>

#include "marsim/Peers.h"
#include "marsim/ros/params.hpp"
#include "marsim/scene/peer_news.hpp"
#include "marsim/scene/peers.hpp"
#include "marsim/sim/collisions.hpp"

namespace marsim::ros_nodes {

/// Hears of the UAVs of a world on /peers (marsim/Peers). What is wrong is logged once in a while:
/// states that are not finite, numbers claimed twice, UAVs that fall silent. The nodes of a process
/// share one listener, which lives as long as any of them.
class PeerListener {
 public:
  /// Parameters: peer_timeout [s], peer_extrapolation [s] (see scene::PeersConfig). Throws
  /// ConfigError.
  static std::shared_ptr<PeerListener> shared(const ros::NodeHandle& handle, Params& params);

  PeerListener(const std::string& topic, const scene::PeersConfig& config);

  const scene::Peers& peers() const { return peers_; }

  /// A UAV of this process: where it is the only one, its silence is not told to itself.
  void addOwn(std::uint32_t id);

  /// What others gave one UAV by running into it, as heard of since the last call, oldest first;
  /// from the first call on. From any thread.
  std::vector<sim::Strike> takeStrikes(std::uint32_t struck);

  /// Of all but one UAV. From any thread.
  void diagnose(std::uint32_t own, diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  void onPeers(const marsim::PeersConstPtr& message);
  void takeBody(const marsim::PeerBody& message);
  void takeStrike(const marsim::Strike& message);
  void logChanges();

  scene::Peers peers_;
  std::atomic<TimeNs> now_{0};  ///< stamp of the newest message from this machine
  TimeNs logged_ = 0;           ///< when changes were looked for
  std::mutex mutex_;            ///< guards what follows
  scene::PeerNews news_;
  std::map<std::uint32_t, std::vector<sim::Strike>> strikes_;  ///< by who is struck and asks
  ros::NodeHandle handle_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
