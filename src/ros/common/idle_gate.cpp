// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/idle_gate.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <ros/master.h>
#include <ros/network.h>
#include <ros/single_subscriber_publisher.h>
#include <ros/subscriber_link.h>
#include <ros/this_node.h>
#include <ros/xmlrpc_manager.h>
#include <unistd.h>
#include <xmlrpcpp/XmlRpc.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

namespace fs = std::filesystem;

constexpr double kSlice = 0.2;  // [s] of wall time between looks at whether to stop
// Programs that start may rest for a moment, waiting for the master.
constexpr int kStartLooks = 6;
constexpr double kStartPause = 0.1;    // [s] of wall time between those looks
constexpr double kFindPeriod = 0.5;    // [s] of wall time between searches for programs
constexpr double kSayPeriod = 10.0;    // [s] of wall time between lines that say what is missing
constexpr double kLostPatience = 0.1;  // [s] of wall time for a program that was given up
constexpr int kRefreshTicks = 100;

// roscpp lends the link to a subscriber for the time of a callback only.
template <ros::SubscriberLinkPtr ros::SingleSubscriberPublisher::*kLink>
struct LinkMember {
  friend ros::SubscriberLinkPtr linkOf(const ros::SingleSubscriberPublisher& subscriber) {
    return subscriber.*kLink;
  }
};
ros::SubscriberLinkPtr linkOf(const ros::SingleSubscriberPublisher& subscriber);
template struct LinkMember<&ros::SingleSubscriberPublisher::link_>;

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

IdleWatch::WallTime in(double seconds) {
  return IdleWatch::WallClock::now() + std::chrono::duration_cast<IdleWatch::WallClock::duration>(
                                           std::chrono::duration<double>(seconds));
}

std::string hostOf(const std::string& uri, std::uint32_t& port) {
  std::string host;
  return ros::network::splitURI(uri, host, port) ? host : "";
}

/// A node and its process; 0: it does not answer, or runs on another machine.
struct RunningNode {
  std::string name, host;
  int pid = 0;
};

RunningNode lookUp(const std::string& name) {
  RunningNode node{name, "", 0};
  XmlRpc::XmlRpcValue request, response, uri, pid;
  request[0] = ros::this_node::getName();
  request[1] = name;
  if (!ros::master::execute("lookupNode", request, response, uri, false)) return node;
  std::uint32_t port = 0, own_port = 0;
  node.host = hostOf(static_cast<std::string>(uri), port);
  if (node.host != hostOf(ros::XMLRPCManager::instance()->getServerURI(), own_port)) return node;
  XmlRpc::XmlRpcClient client(node.host.c_str(), static_cast<int>(port), "/");
  request[0] = ros::this_node::getName();
  XmlRpc::XmlRpcValue caller;
  caller[0] = ros::this_node::getName();
  if (client.execute("getPid", caller, pid) && pid.valid() && pid.size() == 3) {
    node.pid = static_cast<int>(pid[2]);
  }
  return node;
}

std::vector<RunningNode> runningNodes() {
  std::vector<std::string> names;
  ros::master::getNodes(names);
  std::vector<RunningNode> nodes;
  for (const std::string& name : names) nodes.push_back(lookUp(name));
  return nodes;
}

fs::path programFolder(int pid) {
  std::error_code error;
  return fs::read_symlink(fmt::format("/proc/{}/exe", pid), error).parent_path();
}

// Whether the process was started with that command: the program's file name, or that of the script
// which it runs.
bool runsCommand(int pid, const std::string& command) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  std::string word;
  for (int i = 0; i < 2 && std::getline(file, word, '\0'); ++i) {
    if (fs::path(word).filename() == command) return true;
  }
  return false;
}

std::vector<int> processesOf(const std::string& command) {
  std::vector<int> pids;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && pid != getpid() && runsCommand(pid, command)) pids.push_back(pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

bool isNumber(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

}  // namespace

bool timeWaitsUntilIdle() {
  const std::string programs = ros::param::param<std::string>("/sim_clock/wait_until_idle", "none");
  return !programs.empty() && programs != "none";
}

IdleGate::IdleGate(ros::NodeHandle& handle, std::vector<std::string> names, TimeNs tick,
                   double patience)
    : names_(std::move(names)),
      name_(join(names_)),
      tick_(tick),
      patience_(patience),
      idle_publisher_(
          handle.advertise<rosgraph_msgs::Clock>(handle.resolveName("/clock") + "_idle", 10)) {}

ros::SubscriberStatusCallback IdleGate::onConnect() {
  return [this](const ros::SingleSubscriberPublisher& subscriber) {
    const std::lock_guard<std::mutex> lock(mutex_);
    links_.emplace(subscriber.getSubscriberName(), linkOf(subscriber));
  };
}

ros::SubscriberStatusCallback IdleGate::onDisconnect() {
  return [this](const ros::SingleSubscriberPublisher& subscriber) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const ros::SubscriberLinkPtr link = linkOf(subscriber);
    for (auto one = links_.begin(); one != links_.end();) {
      one = one->second == link ? links_.erase(one) : std::next(one);
    }
  };
}

void IdleGate::tell(const rosgraph_msgs::Clock& time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [node, link] : links_) {
    const bool waits = std::any_of(nodes_.begin(), nodes_.end(), [&name = node](const auto& nodes) {
      return std::find(nodes.begin(), nodes.end(), name) != nodes.end();
    });
    if (!waits) ros::SingleSubscriberPublisher(link).publish(time);
  }
}

void IdleGate::send(const rosgraph_msgs::Clock& time, std::size_t program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (program >= nodes_.size()) return;
  for (const std::string& node : nodes_[program]) {
    const auto [first, last] = links_.equal_range(node);
    for (auto one = first; one != last; ++one) {
      ros::SingleSubscriberPublisher(one->second).publish(time);
    }
  }
}

// The programs in the order of their names, then the simulator's own. Returns names that no program
// has.
std::vector<std::string> IdleGate::find(std::vector<IdleWatch::Program>& programs,
                                        Nodes& nodes) const {
  const std::vector<RunningNode> running = runningNodes();
  std::vector<std::string> missing;
  for (const std::string& name : names_) {
    std::vector<int> pids;
    for (const RunningNode& node : running) {
      const bool is_named = node.name == name || node.name == "/" + name;
      if (is_named && node.pid > 0) pids = {node.pid};
    }
    if (pids.empty() && name.front() != '/') {
      pids = isNumber(name) ? std::vector{std::atoi(name.c_str())} : processesOf(name);
    }
    if (pids.empty()) missing.push_back(name);
    for (const int pid : pids) programs.push_back({name, pid, false});
  }
  nodes.resize(programs.size());
  std::vector<int> own = {getpid()};
  for (const RunningNode& node : running) {
    if (node.pid <= 0) continue;
    const auto program =
        std::find_if(programs.begin(), programs.end(),
                     [&node](const IdleWatch::Program& one) { return one.pid == node.pid; });
    if (program != programs.end()) {
      nodes[static_cast<std::size_t>(program - programs.begin())].push_back(node.name);
    } else if (programFolder(node.pid) == programFolder(getpid())) {
      own.push_back(node.pid);
    }
  }
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  for (const int pid : own) {
    std::string name = ros::this_node::getName();
    for (const RunningNode& node : running) {
      if (node.pid == pid && pid != getpid()) name = node.name;
    }
    programs.push_back({name, pid, true});
  }
  return missing;
}

// Whether all programs are there.
bool IdleGate::begin() {
  std::vector<IdleWatch::Program> programs;
  Nodes nodes;
  const std::vector<std::string> missing = find(programs, nodes);
  if (!missing.empty()) {
    setLost("nobody runs " + join(missing));
    if (watch_ == nullptr) {
      ROS_WARN_STREAM_THROTTLE(kSayPeriod,
                               "wait_until_idle: time waits for " << join(missing) << " to start");
    }
    return false;
  }
  watch_ = std::make_unique<IdleWatch>(std::move(programs));
  gone_.assign(nodes.size(), false);
  const std::lock_guard<std::mutex> lock(mutex_);
  nodes_ = std::move(nodes);
  lost_.clear();
  return true;
}

// New threads at every tick, new connections and programs at some.
void IdleGate::refresh() {
  if (--until_refresh_ > 0) return watch_->refreshThreads();
  until_refresh_ = kRefreshTicks;
  watch_->refresh();
  for (std::size_t i = 0; i < gone_.size(); ++i) {
    if (!watch_->isGone(i)) continue;
    if (!gone_[i]) {
      ROS_WARN("wait_until_idle: a program of %s has ended and is no longer waited for",
               name_.c_str());
    }
    gone_[i] = true;
  }
  if (std::count(gone_.begin(), gone_.end(), true) > 0) begin();
}

std::optional<TimeNs> IdleGate::settle(TimeNs now, const std::atomic<bool>& stop) {
  try {
    if (!off_ && watch_ == nullptr && !begin()) {
      pause(kFindPeriod);
      return std::nullopt;
    }
    if (!off_) settleAt(now, stop);
  } catch (const Error& error) {
    ROS_WARN("wait_until_idle: %s; time goes on in plain lockstep", error.what());
    off_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    nodes_.clear();
  }
  settled_ = now;
  return off_ ? std::numeric_limits<TimeNs>::max() : now + tick_;
}

void IdleGate::settleAt(TimeNs now, const std::atomic<bool>& stop) {
  const bool begins = settled_ < 0;
  refresh();
  const double patience = lost().empty() ? patience_ : kLostPatience;
  const IdleWatch::WallTime end = in(patience);
  std::optional<std::string> busy;
  const auto waits = [&](const Wait& wait) {
    if (busy) return;
    do {
      busy = wait(begins ? in(kSlice) : std::min(end, in(kSlice)));
      if (begins && busy && IdleWatch::WallClock::now() > end) {
        ROS_WARN_STREAM_THROTTLE(kSayPeriod, "wait_until_idle: time has not begun: " << *busy);
      }
    } while (busy && !stop && (begins || IdleWatch::WallClock::now() < end));
  };
  const auto all = [this](IdleWatch::WallTime deadline) { return watch_->wait(deadline); };
  rosgraph_msgs::Clock time;
  time.clock = toRos(now);
  waits(all);
  for (int i = 0; begins && i < kStartLooks; ++i) {
    pause(kStartPause);
    watch_->refresh();
    waits(all);
  }
  if (!busy && (until_refresh_ == kRefreshTicks || watch_->hasNewThreads())) watch_->findPollers();
  if (idle_publisher_.getNumSubscribers() > 0) {
    idle_publisher_.publish(time);
    waits(all);
  }
  for (std::size_t i = 0; i < gone_.size(); ++i) {
    send(time, i);
    waits([&](IdleWatch::WallTime deadline) { return watch_->waitAfterTick(i, deadline); });
  }
  waits(all);
  if (stop) return;
  if (!busy) return setLost("");
  if (lost().empty()) {
    ROS_WARN("wait_until_idle: at %.3f s %s, for %.1f s; time goes on until it is idle again",
             toSeconds(now), busy->c_str(), patience);
  }
  setLost(*busy);
}

void IdleGate::setLost(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lost_ = text;
}

std::string IdleGate::lost() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lost_;
}

}  // namespace marsim::ros_nodes
