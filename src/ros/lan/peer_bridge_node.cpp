// SPDX-License-Identifier: BSD-3-Clause
#include "ros/lan/peer_bridge_node.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "common/seconds_text.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

// States of one instant arrive one after another; states within this time are sent together.
constexpr double kGather = 0.004;                   // [s] wall time
constexpr std::chrono::milliseconds kPatience{50};  // between looks at who is silent
constexpr double kGreetingPeriod = 1.0;             // [s] wall time
constexpr double kGreetingTime = 3.0;               // [s] wall time, until all know each other
constexpr double kBridgeWarningPeriod = 10.0;       // [s] wall time, between two of a kind

Endpoint endpointOf(const config::LanMachine& machine) {
  return resolveEndpoint(machine.address, static_cast<std::uint16_t>(machine.port));
}

std::set<int> numbersOf(const config::LanMachine& machine) {
  std::set<int> numbers;
  for (const config::LanUav& uav : machine.uavs) numbers.insert(uav.id);
  return numbers;
}

// Later starts have larger runs if the machine's clock is set; if not, the others report it.
std::uint64_t newRun() {
  using std::chrono::microseconds;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(1, std::chrono::duration_cast<microseconds>(since).count()));
}

std::string listed(const std::set<int>& numbers) {
  std::vector<std::string> words;
  for (const int number : numbers) words.push_back(fmt::format("{}", number));
  return join(words);
}

}  // namespace

PeerBridgeNode::PeerBridgeNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle),
      diagnostics_(handle, private_handle),
      run_(newRun()),
      warnings_(kBridgeWarningPeriod) {
  Params params(private_handle);
  readLan(params);
  const std::string vehicle = params.text("vehicle");
  readWorld(params);
  params.finish();
  config::requireApart(lan_, vehicle, lan_name_);
  readShapes(vehicle);
  socket_ = std::make_unique<DatagramSocket>(endpointOf(lan_.machine(machine_, params.where())));

  diagnostics_.setHardwareID(machine_);
  diagnostics_.add("bridge", this, &PeerBridgeNode::diagnose);
  publisher_ = handle.advertise<marsim::Peers>("/peers", 1000);
  flush_timer_ = handle.createWallTimer(
      ros::WallDuration(kGather), [this](const ros::WallTimerEvent&) { flush(); }, true, false);
  diagnostic_timer_ = handle.createWallTimer(
      ros::WallDuration(1.0), [this](const ros::WallTimerEvent&) { diagnostics_.force_update(); });
  map_info_subscriber_ = inputs_.subscribe("map_info", 1, &PeerBridgeNode::onMapInfo, this);
  subscriber_ = inputs_.subscribe("/peers", 1000, &PeerBridgeNode::onPeers, this);
  thread_ = std::thread(&PeerBridgeNode::receive, this);
}

PeerBridgeNode::~PeerBridgeNode() {
  stop_ = true;
  thread_.join();
}

void PeerBridgeNode::readLan(Params& params) {
  lan_name_ = params.text("lan", "");
  machine_ = params.text("machine", "");
  if (lan_name_.empty()) {
    throw ConfigError(params.where(), "lan", "''", "a name or file of config/lan");
  }
  lan_ = config::loadLan(lan_name_);
  own_uavs_ = numbersOf(lan_.machine(machine_, params.where()));
  const HmacKey key = lan_.readKey();
  const bool on_loopback = endpointOf(lan_.machine(machine_, params.where())).address >> 24U == 127;
  if (!key.isSecret() && !on_loopback) {
    ROS_WARN(
        "%s names no key: anybody on this network can take part in the simulation; docs/lan.md "
        "says how to make one",
        lan_name_.c_str());
  } else if (key.isSecret() && isReadableByOthers(lan_.key)) {
    ROS_WARN("%s: the key can be read by other users of this machine: chmod 600 %s",
             lan_.key.c_str(), lan_.key.c_str());
  }
  for (const config::LanMachine& machine : lan_.machines) {
    if (machine.name == machine_) continue;
    machines_.push_back({machine.name, endpointOf(machine), numbersOf(machine),
                         DatagramSession(key, machine_, machine.name)});
  }
}

void PeerBridgeNode::readWorld(Params& params) {
  // The map is known when it is loaded.
  world_texts_[1] = fmt::format("{}", params.positive("resolution", Quantity::kLength));
  world_texts_[2] = params.text("surface");
  world_texts_[3] = secondsText(epoch());
  world_texts_.back() = lan_name_;
  std::array<std::string, WorldDigest::kNames.size()> contents = world_texts_;
  contents.back() = lan_.summary();
  for (std::size_t i = 4; i + 1 < contents.size(); ++i) {  // obstacles to weather: files
    const std::string name = WorldDigest::kNames[i];
    world_texts_[i] = params.text(name);
    if (world_texts_[i].empty()) world_texts_[i] = "none";
    contents[i] = config::settingsText(name, world_texts_[i]);
  }
  for (std::size_t i = 1; i < contents.size(); ++i) {
    world_.values[i] = WorldDigest::of(contents[i]);
  }
}

// A body's cloud is a file, so it is never taken from the network: the LAN's file names the vehicle
// of each UAV.
void PeerBridgeNode::readShapes(const std::string& usual_vehicle) {
  std::map<std::string, Shape> by_vehicle;
  for (const config::LanMachine& machine : lan_.machines) {
    for (const config::LanUav& uav : machine.uavs) {
      const std::string& vehicle = uav.vehicle.empty() ? usual_vehicle : uav.vehicle;
      const auto [shape, is_new] = by_vehicle.try_emplace(vehicle);
      if (is_new) {
        const vehicle::VehicleConfig config = config::loadVehicle(vehicle);
        shape->second = {config.name, config.body};
      }
      if (!shape->second.cloud.empty()) shapes_[uav.id] = shape->second;
    }
  }
}

void PeerBridgeNode::onMapInfo(const marsim::MapInfoConstPtr& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  world_texts_[0] = message->source;
  world_.values[0] =
      message->content == 0 ? 0 : WorldDigest::of(fmt::format("{:016x}", message->content));
}

void PeerBridgeNode::onPeers(const marsim::PeersConstPtr& message) {
  if (!message->machine.empty()) return;  // it came from a bridge
  marsim::Peers own = *message;
  for (marsim::PeerBody& body : own.bodies) body.cloud.clear();
  const Removed removed = removeForeign(own_uavs_, own);
  if (removed.foreign > 0) noticeOwnForeign(removed);
  if (removed.bodies > 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    warn("own bodies",
         "a vehicle of this machine is not shown to the others: its name has more than "
         "64 characters");
  }
  for (const marsim::PeerBody& body : own.bodies) send(toDatagram(body));
  if (!own.peers.empty() && pending_.empty()) {
    flush_timer_.stop();
    flush_timer_.start();
  }
  for (const marsim::Peer& state : own.peers) {
    pending_.push_back(state);
    if (pending_.size() == kStatesInDatagram) flush();
  }
  if (own.impacts.empty()) return;
  flush();  // they are sent with the motion after the impact
  for (const marsim::Impact& impact : own.impacts) send(toDatagram(impact));
}

void PeerBridgeNode::noticeOwnForeign(const Removed& removed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  own_foreign_ += removed.foreign;
  for (const int number : removed.numbers) {
    const auto home = std::find_if(machines_.begin(), machines_.end(), [&](const Machine& machine) {
      return machine.uavs.count(number) != 0;
    });
    const std::string who = home == machines_.end()
                                ? "no machine's"
                                : fmt::format(
                                      "machine {}'s: two UAVs have this number, on {} and "
                                      "on {}",
                                      home->name, machine_, home->name);
    warn(fmt::format("own number {}", number),
         fmt::format("uav {} of this machine is not told to the others: {} has the "
                     "numbers {} in {}, and {} is {}",
                     number, machine_, listed(own_uavs_), lan_name_, number, who));
  }
}

void PeerBridgeNode::flush() {
  if (pending_.empty()) return;
  send(toDatagram(pending_));
  pending_.clear();
}

// A machine with an unknown run could not take it.
void PeerBridgeNode::send(const std::vector<std::uint8_t>& payload) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Machine& machine : machines_) {
    if (machine.session.otherRun() != 0) sendTo(machine, machine.session.seal(payload, run_));
  }
}

void PeerBridgeNode::sendTo(const Machine& machine, const std::vector<std::uint8_t>& datagram) {
  if (socket_->send(machine.endpoint, datagram.data(), datagram.size())) {
    ++sent_datagrams_;
    sent_bytes_ += datagram.size();
  } else {
    ++unsent_;
  }
}

void PeerBridgeNode::greetAll() {
  greeted_ = ros::WallTime::now();
  for (Machine& machine : machines_) {
    DatagramSession& session = machine.session;
    std::vector<std::uint8_t> greeting = toDatagram(Greeting{session.otherRun(), world_});
    // A machine that fell silent may have restarted, with a run that it takes from this greeting.
    sendTo(machine, session.isConfirmed() && !machine.silent
                        ? session.seal(std::move(greeting), run_)
                        : session.sealGreeting(std::move(greeting), run_));
  }
}

void PeerBridgeNode::receive() {
  std::vector<std::uint8_t> datagram;
  while (!stop_) {
    const auto from = socket_->receive(datagram, kPatience);
    const std::lock_guard<std::mutex> lock(mutex_);
    noticeSilence();
    if ((ros::WallTime::now() - greeted_).toSec() >= kGreetingPeriod) greetAll();
    if (!from) continue;
    const auto machine =
        std::find_if(machines_.begin(), machines_.end(),
                     [&](const Machine& other) { return other.endpoint == *from; });
    if (machine == machines_.end()) {
      ++unknown_senders_;
    } else {
      take(*machine, datagram);
    }
  }
}

void PeerBridgeNode::take(Machine& machine, std::vector<std::uint8_t>& datagram) {
  using Verdict = DatagramSession::Verdict;
  const Verdict verdict = machine.session.open(datagram, run_);
  if (verdict == Verdict::kReplayed) {
    ++replayed_;
    if (machine.silent) machine.session.doubt();
    return;
  }
  if (verdict == Verdict::kForged) {
    ++forged_;
    machine.forged.add(WarningTime::clock::now());
    // Just after its start it gets datagrams that others still send to its earlier run.
    if (machine.silent && (ros::WallTime::now() - began_).toSec() > kGreetingTime) {
      warn("tags of " + machine.name,
           fmt::format("datagrams from {} ({}) are refused: they do not carry this "
                       "simulation's key. Another key file there, another version of this "
                       "package, or somebody else who sends in its name",
                       machine.name, toString(machine.endpoint)));
    }
    return;
  }
  const bool is_fresh = verdict == Verdict::kAccepted;
  if (is_fresh) noticeHeard(machine);
  const auto message = boost::make_shared<marsim::Peers>();
  if (Greeting greeting; fromDatagram(datagram, greeting)) {
    takeGreeting(machine, greeting, is_fresh);
  } else if (is_fresh && fromDatagram(datagram, *message)) {
    takePeers(machine, message);
  } else {
    ++unreadable_;
  }
}

void PeerBridgeNode::takeGreeting(Machine& machine, const Greeting& greeting, bool is_fresh) {
  // Its clock was ahead at an earlier start of this machine. Never takes a run that it had before,
  // should that greeting be a recording.
  const std::uint64_t run =
      DatagramSession::runAbove(greeting.known_run, run_, std::random_device{}());
  if (run != run_) {
    run_ = run;
    greetAll();
  }
  if (is_fresh) {
    noticeDifferences(machine, greeting.world);
  } else {  // to tell it this machine's run
    sendTo(machine,
           machine.session.seal(toDatagram(Greeting{machine.session.otherRun(), world_}), run_));
  }
}

void PeerBridgeNode::takePeers(Machine& machine, const marsim::PeersPtr& message) {
  const Removed removed = removeForeign(machine.uavs, *message);
  foreign_ += removed.foreign;
  bodies_refused_ += removed.bodies;
  if (removed.foreign > 0) {
    warn("numbers of " + machine.name,
         fmt::format("uav {} of machine {} is ignored: that machine has the numbers {} "
                     "in {} of {}",
                     listed(removed.numbers), machine.name, listed(machine.uavs), lan_name_,
                     machine_));
  }
  if (removed.bodies > 0) {
    warn("bodies of " + machine.name,
         fmt::format("a body told by machine {} is ignored: it names a file, or its vehicle's name "
                     "has more than 64 characters",
                     machine.name));
  }
  for (marsim::PeerBody& body : message->bodies) {
    const auto shape = shapes_.find(body.id);
    if (shape != shapes_.end() && shape->second.vehicle == body.vehicle) {
      body.cloud = shape->second.cloud;
    }
  }
  machine.states += message->peers.size();
  if (message->peers.empty() && message->bodies.empty() && message->impacts.empty()) return;
  message->machine = machine.name;
  publisher_.publish(message);
}

void PeerBridgeNode::noticeHeard(Machine& machine) {
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
}

void PeerBridgeNode::noticeSilence() {
  const ros::WallTime now = ros::WallTime::now();
  for (Machine& machine : machines_) {
    // Before its UAVs exist a machine only greets.
    const double longest = lan_.silence + (machine.states == 0 ? kGreetingPeriod : 0.0);
    if (machine.silent || (now - machine.heard).toSec() < longest) continue;
    machine.silent = true;
    ROS_WARN("machine %s is silent for %.1f s", machine.name.c_str(),
             (now - machine.heard).toSec());
  }
}

void PeerBridgeNode::noticeDifferences(Machine& machine, const WorldDigest& world) {
  const std::vector<std::string> differences = world_.differences(world);
  for (const std::string& name : differences) {
    const auto known = std::find(machine.differences.begin(), machine.differences.end(), name);
    if (known != machine.differences.end()) continue;
    const auto at = std::find(WorldDigest::kNames.begin(), WorldDigest::kNames.end(), name);
    const auto i = static_cast<std::size_t>(at - WorldDigest::kNames.begin());
    ROS_WARN("machine %s has another %s than this one (%s: %s): give all machines the same %s:=",
             machine.name.c_str(), name == "lan" ? "lan file" : name.c_str(), machine_.c_str(),
             world_texts_[i].c_str(), name.c_str());
  }
  machine.differences = differences;
}

void PeerBridgeNode::warn(const std::string& kind, const std::string& text) {
  if (warnings_.add(kind, text, WarningTime::clock::now())) ROS_WARN("%s", text.c_str());
}

void PeerBridgeNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  using diagnostic_msgs::DiagnosticStatus;
  const std::lock_guard<std::mutex> lock(mutex_);
  status.summary(DiagnosticStatus::OK, "");
  for (const Machine& machine : machines_) {
    const double age = (ros::WallTime::now() - machine.heard).toSec();
    const std::string heard =
        machine.heard.isZero() ? "never heard" : fmt::format("heard {:.1f} s ago", age);
    if (machine.silent) {
      const bool forged = machine.forged.lately(WarningTime::clock::now()) > 0;
      status.mergeSummary(DiagnosticStatus::WARN,
                          machine.name + ": " + heard + (forged ? ", without this key" : ""));
    } else if (!machine.differences.empty()) {
      status.mergeSummary(DiagnosticStatus::WARN,
                          machine.name + ": another " + join(machine.differences));
    }
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
  status.add("datagrams of unknown addresses", unknown_senders_);
  status.add("datagrams without this key's tag", forged_);
  status.add("datagrams repeated or of an earlier run", replayed_);
  status.add("datagrams not understood", unreadable_);
  status.add("states of numbers that are not the sender's", foreign_);
  status.add("bodies that name a file or have too long a name", bodies_refused_);
  status.add("own states of numbers that are not this machine's", own_foreign_);
  inputs_.addTo(status);
}

}  // namespace marsim::ros_nodes
