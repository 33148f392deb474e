#include "marsim/ros/peer_bridge_node.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/ros/params.hpp"
#include "marsim/ros/peer_datagram.hpp"

namespace marsim::ros_nodes {
namespace {

// States of one instant arrive one after another; those of this long go together.
constexpr double kGather = 0.004;                   // [s] wall time
constexpr std::chrono::milliseconds kPatience{50};  // between looks at who is silent

Endpoint endpointOf(const config::LanMachine& machine) {
  return resolveEndpoint(machine.address, static_cast<std::uint16_t>(machine.port));
}

}  // namespace

PeerBridgeNode::PeerBridgeNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  const std::string lan = params.text("lan", "");
  machine_ = params.text("machine", "");
  const std::string vehicle = params.text("vehicle", "hummingbird");
  params.finish();
  if (lan.empty()) throw ConfigError(params.where(), "lan", "''", "a name or file of config/lan");
  lan_ = config::loadLan(lan);
  config::requireApart(lan_, vehicle, lan);
  const config::LanMachine& own = lan_.machine(machine_, params.where());
  for (const config::LanMachine& machine : lan_.machines) {
    if (machine.name != machine_) machines_.push_back({machine.name, endpointOf(machine)});
  }
  socket_ = std::make_unique<DatagramSocket>(endpointOf(own));

  diagnostics_.setHardwareID(machine_);
  diagnostics_.add("bridge", this, &PeerBridgeNode::diagnose);
  publisher_ = handle.advertise<marsim::Peers>("/peers", 1000);
  flush_timer_ = handle.createWallTimer(
      ros::WallDuration(kGather), [this](const ros::WallTimerEvent&) { flush(); }, true, false);
  diagnostic_timer_ = handle.createWallTimer(
      ros::WallDuration(1.0), [this](const ros::WallTimerEvent&) { diagnostics_.force_update(); });
  subscriber_ = handle.subscribe("/peers", 1000, &PeerBridgeNode::onPeers, this,
                                 ros::TransportHints().tcpNoDelay());
  thread_ = std::thread(&PeerBridgeNode::receive, this);
}

PeerBridgeNode::~PeerBridgeNode() {
  stop_ = true;
  thread_.join();
}

void PeerBridgeNode::onPeers(const marsim::PeersConstPtr& message) {
  if (!message->machine.empty()) return;  // from a bridge
  for (const marsim::PeerBody& body : message->bodies) send(toDatagram(body));
  if (!message->peers.empty() && pending_.empty()) {
    flush_timer_.stop();
    flush_timer_.start();
  }
  for (const marsim::Peer& state : message->peers) {
    pending_.push_back(state);
    if (pending_.size() == kStatesInDatagram) flush();
  }
  if (message->strikes.empty()) return;
  flush();  // they come with the motion after the impact
  for (const marsim::Strike& strike : message->strikes) send(toDatagram(strike));
}

void PeerBridgeNode::flush() {
  if (pending_.empty()) return;
  send(toDatagram(pending_));
  pending_.clear();
}

void PeerBridgeNode::send(const std::vector<std::uint8_t>& datagram) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Machine& machine : machines_) {
    if (socket_->send(machine.endpoint, datagram.data(), datagram.size())) {
      ++sent_datagrams_;
      sent_bytes_ += datagram.size();
    } else {
      ++unsent_;
    }
  }
}

void PeerBridgeNode::receive() {
  std::vector<std::uint8_t> datagram;
  while (!stop_) {
    const auto from = socket_->receive(datagram, kPatience);
    const std::lock_guard<std::mutex> lock(mutex_);
    noticeSilence();
    if (!from) continue;
    const auto machine =
        std::find_if(machines_.begin(), machines_.end(),
                     [&](const Machine& other) { return other.endpoint == *from; });
    if (machine == machines_.end()) {
      ++foreign_;
    } else {
      take(*machine, datagram);
    }
  }
}

void PeerBridgeNode::take(Machine& machine, const std::vector<std::uint8_t>& datagram) {
  const auto message = boost::make_shared<marsim::Peers>();
  if (!fromDatagram(datagram, *message)) {
    ++unreadable_;
    return;
  }
  const ros::WallTime now = ros::WallTime::now();
  if (machine.silent) {
    if (machine.heard.isZero()) {
      ROS_INFO("machine %s is there", machine.name.c_str());
    } else {
      ROS_WARN("machine %s is back after %.1f s", machine.name.c_str(),
               (now - machine.heard).toSec());
    }
  }
  machine.silent = false;
  machine.heard = now;
  ++machine.datagrams;
  machine.states += message->peers.size();
  message->machine = machine.name;
  publisher_.publish(message);
}

void PeerBridgeNode::noticeSilence() {
  const ros::WallTime now = ros::WallTime::now();
  for (Machine& machine : machines_) {
    if (machine.silent || (now - machine.heard).toSec() < lan_.silence) continue;
    machine.silent = true;
    ROS_WARN("machine %s is silent for %.1f s", machine.name.c_str(),
             (now - machine.heard).toSec());
  }
}

void PeerBridgeNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  using diagnostic_msgs::DiagnosticStatus;
  const std::lock_guard<std::mutex> lock(mutex_);
  status.summary(DiagnosticStatus::OK, "");
  for (const Machine& machine : machines_) {
    const double age = (ros::WallTime::now() - machine.heard).toSec();
    const std::string heard =
        machine.heard.isZero() ? "never heard" : fmt::format("heard {:.1f} s ago", age);
    if (machine.silent) status.mergeSummary(DiagnosticStatus::WARN, machine.name + ": " + heard);
    status.add(machine.name,
               fmt::format("{}, {}, {} datagrams, {} states", toString(machine.endpoint), heard,
                           machine.datagrams, machine.states));
  }
  if (status.level == DiagnosticStatus::OK) {
    status.summary(DiagnosticStatus::OK, "all machines are heard");
  }
  status.add("datagrams sent", sent_datagrams_);
  status.add("bytes sent", sent_bytes_);
  status.add("datagrams the network refused", unsent_);
  status.add("datagrams of others", foreign_);
  status.add("datagrams not understood", unreadable_);
}

}  // namespace marsim::ros_nodes
