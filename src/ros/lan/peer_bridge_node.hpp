// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <ros/ros.h>

#include "common/warning_log.hpp"
#include "config/lan.hpp"
#include "lan/datagram_session.hpp"
#include "lan/datagram_socket.hpp"
#include "marsim/MapInfo.h"
#include "marsim/Peers.h"
#include "ros/common/diagnostics.hpp"
#include "ros/common/inputs.hpp"
#include "ros/common/params.hpp"
#include "ros/lan/peer_datagram.hpp"

namespace marsim::ros_nodes {

/// Carries what UAVs tell each other between machines, in authenticated datagrams (UDP): each
/// machine's bridge sends the states of its own UAVs to all other machines, and publishes what it
/// receives of theirs. It needs the ROS master at its start only. Every second machines greet each
/// other with a digest of what must be the same everywhere; what differs is warned of.
///
/// In and out: /peers (marsim/Peers), which is this machine's alone. In: map_info (marsim/MapInfo).
/// Parameters: lan (a name or file of config/lan), machine (which of them this one is), vehicle (of
/// UAVs for which that file says none; UAVs that overlap at their starts are an error); resolution,
/// surface, obstacles, vegetation, surfaces and weather as this machine was launched with, to be
/// compared.
class PeerBridgeNode {
 public:
  PeerBridgeNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~PeerBridgeNode();

 private:
  struct Machine {
    std::string name;
    Endpoint endpoint;
    std::set<int> uavs;
    DatagramSession session;
    ros::WallTime heard{};                   ///< zero: never
    bool silent = true;                      ///< as last logged
    std::vector<std::string> differences{};  ///< settings, as last logged
    std::uint64_t datagrams = 0, states = 0;
    RecentCount forged{};
  };
  /// The name by which others know a vehicle, and its cloud.
  struct Shape {
    std::string vehicle, cloud;
  };

  void readLan(Params& params);
  void readWorld(Params& params);
  void readShapes(const std::string& usual_vehicle);
  void onPeers(const marsim::PeersConstPtr& message);
  void onMapInfo(const marsim::MapInfoConstPtr& message);
  void flush();
  void send(const std::vector<std::uint8_t>& payload);
  void sendTo(const Machine& machine, const std::vector<std::uint8_t>& datagram);
  void greetAll();
  void receive();
  void take(Machine& machine, std::vector<std::uint8_t>& datagram);
  void takeGreeting(Machine& machine, const Greeting& greeting, bool is_fresh);
  void takePeers(Machine& machine, const marsim::PeersPtr& message);
  void noticeHeard(Machine& machine);
  void noticeSilence();
  void noticeDifferences(Machine& machine, const WorldDigest& world);
  void noticeOwnForeign(const Removed& removed);
  void warn(const std::string& kind, const std::string& text);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  config::LanConfig lan_;
  std::string lan_name_, machine_;
  std::set<int> own_uavs_;
  std::map<int, Shape> shapes_;        ///< for UAVs whose vehicle has a cloud as its body
  std::vector<marsim::Peer> pending_;  ///< states to be sent together
  ros::WallTimer flush_timer_, diagnostic_timer_;
  ros::Publisher publisher_;
  Inputs inputs_;
  ros::Subscriber subscriber_, map_info_subscriber_;
  Diagnostics diagnostics_;
  std::unique_ptr<DatagramSocket> socket_;

  std::mutex mutex_;               ///< guards the members below
  std::vector<Machine> machines_;  ///< all others
  std::uint64_t run_ = 0;          ///< of this machine, see DatagramSession
  WorldDigest world_;
  std::array<std::string, WorldDigest::kNames.size()> world_texts_;
  const ros::WallTime began_ = ros::WallTime::now();
  ros::WallTime greeted_{};
  WarningLog warnings_;
  std::uint64_t sent_datagrams_ = 0, sent_bytes_ = 0, unsent_ = 0;
  std::uint64_t unknown_senders_ = 0, forged_ = 0, replayed_ = 0, unreadable_ = 0;
  std::uint64_t foreign_ = 0, bodies_refused_ = 0, own_foreign_ = 0;

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace marsim::ros_nodes
