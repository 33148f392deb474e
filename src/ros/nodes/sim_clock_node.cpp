#include "ros/nodes/sim_clock_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rosgraph_msgs/Clock.h>

#include "common/text.hpp"
#include "config/lan.hpp"
#include "marsim/common/error.hpp"
#include "ros/common/clock_grants.hpp"
#include "ros/common/lockstep.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

// After a stall longer than this (a suspended machine, say) the clock goes on from where it was
// instead of rushing to make up.
constexpr std::chrono::milliseconds kLongestCatchUp{100};
constexpr std::chrono::milliseconds kGrantWait{20};  // between looks at what else is to be done
constexpr double kUsualPace = 1.0;
constexpr double kUsualPatience = 5.0;     // [s] wall time
constexpr double kRepeatPeriod = 0.1;      // [s] wall time, of a time that stands
constexpr double kBeginPeriod = 10.0;      // [s] between warnings that time has not begun
constexpr double kDiagnosticPeriod = 1.0;  // [s] wall time
constexpr double kLongHold = 0.5;          // [s] wall time, worth being said
constexpr std::size_t kMostNames = 5;      // of nodes that hold time
constexpr double kLongestSilence = 2.0;    // [s] wall time, of a leader
constexpr double kLargestError = 0.02;     // [s] behind or ahead of the leader
constexpr double kWarningPeriod = 5.0;     // [s]

Endpoint clockEndpoint(const config::LanMachine& machine) {
  return resolveEndpoint(machine.address, static_cast<std::uint16_t>(machine.port + 1));
}

}  // namespace

SimClockNode::SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  period_ = periodNs(params.positive("rate", 500.0, Quantity::kFrequency));
  pace_ = params.positive("pace", kUsualPace, Quantity::kNumber);
  const double patience = params.numberOrAuto("patience", Quantity::kTime);
  if (!std::isnan(patience)) Validator(params.where()).positive("patience", patience, "s");
  for (const std::string& name : readParticipants(params.tree("participants"))) grants_[name] = 0;
  const std::string more = params.text("more_participants", "none");
  for (const std::string& name : split(more == "none" ? "" : more, ',')) {
    if (!name.empty()) grants_[ros::names::resolve(name)] = 0;
  }
  in_lockstep_ = !grants_.empty();
  const double usual = in_lockstep_ ? std::numeric_limits<double>::infinity() : kUsualPatience;
  patience_ = std::isnan(patience) ? usual : patience;
  const std::string lan = params.text("lan", "");
  const std::string machine = params.text("machine", "");
  params.finish();

  clock_publisher_ = handle.advertise<rosgraph_msgs::Clock>("/clock", 100);
  grant_subscriber_ = handle.subscribe(grantTopic(handle), 1000, &SimClockNode::onGrant, this,
                                       ros::TransportHints().tcpNoDelay());
  pause_service_ = private_handle.advertiseService("pause", &SimClockNode::onPause, this);
  step_service_ = private_handle.advertiseService("step", &SimClockNode::onStep, this);
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("clock", this, &SimClockNode::diagnose);
  reported_at_ = ticked_ = WallClock::now();
  if (!lan.empty()) joinLan(lan, machine, params.where());
  thread_ = std::thread(&SimClockNode::run, this);
}

void SimClockNode::joinLan(const std::string& lan, const std::string& machine,
                           const std::string& where) {
  const config::LanConfig config = config::loadLan(lan);
  const config::LanMachine& own = config.machine(machine, where);
  const Endpoint leader = clockEndpoint(config.machine(config.leader, where));
  if (own.name == config.leader) {
    std::vector<Endpoint> known;
    for (const config::LanMachine& other : config.machines) known.push_back(clockEndpoint(other));
    run_ = std::random_device{}();
    server_ = std::make_unique<ClockServer>(leader, config.readKey(), std::move(known),
                                            [this] { return read(); });
  } else {
    leader_ = config.leader;
    if (pace_ != kUsualPace) {
      ROS_WARN_STREAM(fmt::format(
          "pace {} has no effect on machine {}: its clock follows that of machine {}, whose pace "
          "counts for all",
          pace_, machine, leader_));
    }
    client_ = std::make_unique<ClockClient>(Endpoint{clockEndpoint(own).address, 0}, leader,
                                            config.readKey(), config.sync_rate);
  }
}

// The reading that other machines are told; between two ticks the clock runs on.
ClockReading SimClockNode::read() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const TimeNs wall = wallNow();
  if (paused_) return {wall, now_, 0.0, run_};
  const double since = std::chrono::duration<double>(WallClock::now() - ticked_).count();
  return {wall, now_ + std::min(period_, toNs(pace_ * since)), pace_, run_};
}

SimClockNode::~SimClockNode() {
  stop_ = true;
  thread_.join();
  server_.reset();
}

void SimClockNode::run() {
  const auto wallPeriod = [this] {  // a paused leader's clock is looked at all the same
    return std::chrono::duration_cast<WallClock::duration>(
        std::chrono::duration<double>(toSeconds(period_) / (pace_ > 0.0 ? pace_ : 1.0)));
  };
  WallClock::time_point due = WallClock::now();
  WallClock::time_point diagnosed = due;
  while (!stop_ && ros::ok()) {
    std::this_thread::sleep_until(due);
    const WallClock::time_point now = WallClock::now();
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (client_ != nullptr) {
        follow();
      } else if (paused_) {
        held_ = false;
      } else if (!awaitGrants(lock)) {
        tick();
      }
      if (!held_) due += wallPeriod();
      if (now - due > kLongestCatchUp) due = now;
    }
    if (std::chrono::duration<double>(now - diagnosed).count() >= kDiagnosticPeriod) {
      diagnosed = now;
      diagnostics_.force_update();
    }
  }
}

// Whether time still has to wait, after a while.
bool SimClockNode::awaitGrants(std::unique_lock<std::mutex>& lock) {
  if (!isHeld()) return held_ = false;
  const WallClock::time_point now = WallClock::now();
  if (!held_) held_since_ = now;
  held_ = true;
  const bool may_begin = !in_lockstep_ || now_ > 0;  // time begins when all are there
  if (may_begin && std::chrono::duration<double>(now - held_since_).count() >= patience_) letGo();
  if (in_lockstep_) standStill(now);
  granted_.wait_for(lock, kGrantWait, [this] { return stop_ || !isHeld(); });
  return held_ = isHeld();
}

// Tells the time again: nodes that come late, or again, must hear it.
void SimClockNode::standStill(WallClock::time_point now) {
  if (std::chrono::duration<double>(now - repeated_at_).count() < kRepeatPeriod) return;
  repeated_at_ = now;
  publish();
  const double held = std::chrono::duration<double>(now - held_since_).count();
  if (now_ == 0 && held > kBeginPeriod) {
    ROS_WARN_STREAM_THROTTLE(kBeginPeriod, "time has not begun: waits for " << holders());
  }
}

bool SimClockNode::isHeld() const {
  return std::any_of(grants_.begin(), grants_.end(),
                     [this](const auto& grant) { return grant.second < now_ + period_; });
}

// Names of those that have not granted the next step, in alphabetical order.
std::string SimClockNode::holders() const {
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, until] : grants_) {
    if (until >= now_ + period_ || ++count > kMostNames) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return count > kMostNames ? fmt::format("{} and {} more", names, count - kMostNames) : names;
}

void SimClockNode::letGo() {
  for (auto grant = grants_.begin(); grant != grants_.end();) {
    if (grant->second >= now_ + period_) {
      ++grant;
      continue;
    }
    ROS_WARN_STREAM(
        fmt::format("{} held the clock at {:.3f} s for {} s and is waited for no longer",
                    grant->first, toSeconds(now_), patience_));
    let_go_[grant->first] = grant->second;
    grant = grants_.erase(grant);
  }
}

void SimClockNode::onGrant(const marsim::ClockGrantConstPtr& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const TimeNs until = fromRos(message->until);
  // The last grant before it was let go may be told again.
  const auto was = let_go_.find(message->who);
  if (was != let_go_.end() && until == was->second) return;
  if (was != let_go_.end()) let_go_.erase(was);
  if (until == 0) {
    grants_.erase(message->who);
  } else {
    grants_[message->who] = until;
  }
  granted_.notify_one();
}

void SimClockNode::tick() {
  now_ += period_;
  ticked_ = WallClock::now();
  publish();
}

// Whole steps of the leader's time; back to an earlier one only where the leader began anew.
void SimClockNode::follow() {
  const ClockClient::Status status = client_->status();
  if (!status.synchronised) {
    ROS_WARN_STREAM_THROTTLE(kWarningPeriod, "waiting for the clock of machine " << leader_);
    return;
  }
  pace_ = status.pace;
  const TimeNs now = client_->now() / period_ * period_;
  if (now == now_) return;
  now_ = now;
  publish();
}

void SimClockNode::publish() {
  const auto message = boost::make_shared<rosgraph_msgs::Clock>();  // shared within the process
  message->clock = toRos(now_);
  clock_publisher_.publish(message);
}

bool SimClockNode::onPause(std_srvs::SetBool::Request& request,
                           std_srvs::SetBool::Response& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (client_ != nullptr) {
    response.success = false;
    response.message = "this clock follows that of machine " + leader_ + ": pause that one";
    return true;
  }
  paused_ = request.data;
  response.success = true;
  response.message = paused_ ? "paused" : "running";
  return true;
}

bool SimClockNode::onStep(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (paused_ && in_lockstep_ && isHeld()) {
    response.success = false;
    response.message = "time waits for " + holders();
    return true;
  }
  response.success = paused_;
  response.message = client_ != nullptr
                         ? "this clock follows that of machine " + leader_ + ": step that one"
                         : (paused_ ? "stepped" : "not paused: call pause first");
  if (paused_) tick();
  return true;
}

void SimClockNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const WallClock::time_point wall_now = WallClock::now();
  const double wall = std::chrono::duration<double>(wall_now - reported_at_).count();
  const double factor = wall > 0.0 ? toSeconds(now_ - reported_now_) / wall : 0.0;
  reported_at_ = wall_now;
  reported_now_ = now_;
  const bool slow = !paused_ && factor < 0.95 * pace_;
  status.summary(
      slow ? diagnostic_msgs::DiagnosticStatus::WARN : diagnostic_msgs::DiagnosticStatus::OK,
      paused_ ? "paused" : (slow ? "behind the pace asked for" : "running"));
  const double held = std::chrono::duration<double>(wall_now - held_since_).count();
  if (held_ && held > kLongHold) {
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN,
                   fmt::format("waits for {} for {:.1f} s", holders(), held));
  }
  status.add("simulated time [s]", toSeconds(now_));
  status.add("real-time factor", factor);
  status.add("pace", pace_);
  status.add("nodes it waits for", grants_.size());
  status.add("waits now for", held_ ? holders() : "none");
  if (server_ != nullptr) {
    status.add("questions answered", server_->answered());
    status.add("questions refused", server_->refused());
  }
  if (client_ == nullptr) return;
  const ClockClient::Status sync = client_->status();
  if (!sync.synchronised) {
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN,
                   "waiting for the clock of machine " + leader_);
  } else if (sync.age > kLongestSilence) {
    status.summaryf(diagnostic_msgs::DiagnosticStatus::WARN,
                    "no answer from the clock of machine %s for %.1f s", leader_.c_str(), sync.age);
  } else if (std::abs(sync.error) > kLargestError) {
    status.summaryf(diagnostic_msgs::DiagnosticStatus::WARN, "%.0f ms off the clock of machine %s",
                    1e3 * std::abs(sync.error), leader_.c_str());
  }
  status.add("follows", leader_);
  status.add("behind the leader [ms]", 1e3 * sync.error);
  status.add("known within [ms]", 1e3 * sync.uncertainty);
  status.add("questions", sync.asked);
  status.add("answers", sync.answered);
  status.add("answers refused", sync.refused);
}

}  // namespace marsim::ros_nodes
