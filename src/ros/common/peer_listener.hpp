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

/// Hears of the UAVs of a world on /peers (marsim/Peers). What is wrong is logged once in a while:
/// states that are not finite, numbers claimed twice, UAVs that fall silent. The nodes of a process
/// share one listener, which lives as long as any of them, unless a node must know at once when
/// something was heard.
class PeerListener {
 public:
  /// Parameters: peer_timeout [s], peer_extrapolation [s] (see scene::PeersConfig). Throws
  /// ConfigError.
  static std::shared_ptr<PeerListener> shared(const ros::NodeHandle& handle, Params& params);
  /// One of the node's own for lockstep, in whose callbacks it calls `on_heard` after every
  /// message; what it hears is known one sim::kPeerPeriod after its stamp.
  static std::shared_ptr<PeerListener> own(const ros::NodeHandle& handle, Params& params,
                                           std::function<void()> on_heard);

  PeerListener(const ros::NodeHandle& handle, const std::string& topic,
               const scene::PeersConfig& config, std::function<void()> on_heard = {});

  sim::Surroundings& surroundings() { return surroundings_; }
  const sim::Surroundings& surroundings() const { return surroundings_; }

  /// A UAV of this process: where it is the only one, its silence is not told to itself.
  void addOwn(std::uint32_t id);

  /// Reports on all UAVs but one. From any thread.
  void diagnose(std::uint32_t own, diagnostic_updater::DiagnosticStatusWrapper& status) const;

 private:
  void onPeers(const marsim::PeersConstPtr& message);
  void takeBody(const marsim::PeerBody& message);
  void takeImpact(const marsim::Impact& message);
  void logChanges();

  sim::Surroundings surroundings_;
  std::atomic<TimeNs> now_{0};  ///< stamp of the newest message from this machine
  TimeNs logged_ = 0;           ///< when changes were looked for
  std::mutex mutex_;            ///< guards what follows
  scene::PeerNews news_;
  std::function<void()> on_heard_;
  std::string topic_;
  Inputs inputs_;
  ros::Subscriber subscriber_;
};

}  // namespace marsim::ros_nodes
