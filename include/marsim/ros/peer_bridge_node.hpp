#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.h>
#include <ros/ros.h>

#include "marsim/Peers.h"
#include "marsim/common/datagram_socket.hpp"
#include "marsim/config/lan.hpp"

namespace marsim::ros_nodes {

/// Carries what UAVs tell each other between machines, in datagrams (UDP): each machine's bridge
/// sends the states of its own UAVs to all other machines, and publishes what it receives. It needs
/// the ROS master at its start only.
///
/// In and out: /peers (marsim/Peers), which is this machine's alone. Parameters: lan (a name or
/// file of config/lan), machine (which of them this one is), vehicle (of UAVs for which that file
/// says none; UAVs that overlap at their starts are an error).
class PeerBridgeNode {
 public:
  PeerBridgeNode(ros::NodeHandle handle, ros::NodeHandle private_handle);
  ~PeerBridgeNode();

 private:
  struct Machine {
    std::string name;
    Endpoint endpoint;
    ros::WallTime heard{};  ///< zero: never
    bool silent = true;   ///< as logged last
    std::uint64_t datagrams = 0, states = 0;
  };

  void onPeers(const marsim::PeersConstPtr& message);
  void flush();
  void send(const std::vector<std::uint8_t>& datagram);
  void receive();
  void take(Machine& machine, const std::vector<std::uint8_t>& datagram);
  void noticeSilence();
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper& status);

  config::LanConfig lan_;
  std::string machine_;
  std::vector<marsim::Peer> pending_;  ///< states to be sent together
  ros::WallTimer flush_timer_, diagnostic_timer_;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_;
  diagnostic_updater::Updater diagnostics_;
  std::unique_ptr<DatagramSocket> socket_;

  std::mutex mutex_;               ///< guards what follows
  std::vector<Machine> machines_;  ///< the other ones
  std::uint64_t sent_datagrams_ = 0, sent_bytes_ = 0, unsent_ = 0, foreign_ = 0, unreadable_ = 0;

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace marsim::ros_nodes
