// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/sim_clock_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
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

constexpr double kStepPatience = 10.0;          // [s] wall time for which a step may be held
constexpr double kClockRepeatPeriod = 0.1;      // [s] wall time, while time stands
constexpr double kBeginPeriod = 10.0;           // [s] between warnings that time has not begun
constexpr double kClockDiagnosticPeriod = 1.0;  // [s] wall time
constexpr double kLongHold = 0.5;               // [s] wall time; a longer hold is reported
constexpr double kLongestSilence = 2.0;         // [s] wall time, for a leader
constexpr double kLargestError = 0.02;          // [s] behind or ahead of the leader
constexpr double kClockWarningPeriod = 5.0;     // [s]

Endpoint clockEndpoint(const config::LanMachine& machine) {
  return resolveEndpoint(machine.address, static_cast<std::uint16_t>(machine.port + 1));
}

double secondsBetween(SimClock::WallTime from, SimClock::WallTime to) {
  return std::chrono::duration<double>(to - from).count();
}

SimClock::WallClock::duration toWall(double seconds) {
  return std::chrono::duration_cast<SimClock::WallClock::duration>(
      std::chrono::duration<double>(seconds));
}

// Topics by their full names.
std::vector<AnswerRule> readAnswerRules(const std::string& text, const std::string& where) {
  std::vector<AnswerRule> rules = parseAnswerRules(text, where, "wait_for");
  for (AnswerRule& rule : rules) {
    for (std::string* topic : {&rule.input, &rule.output}) {
      std::string problem;
      if (!ros::names::validate(*topic, problem)) {
        throw ConfigError(where, "wait_for", fmt::format("'{}'", *topic), "names of topics");
      }
      *topic = ros::names::resolve(*topic);
    }
  }
  return rules;
}

}  // namespace

SimClockNode::SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : inputs_(handle), diagnostics_(handle, private_handle) {
  Params params(private_handle);
  SimClockConfig config;
  config.period =
      periodNs(params.positive("rate", 1.0 / toSeconds(config.period), Quantity::kFrequency));
  config.pace = parsePace(params.wordOrNumber("pace"), params.where());
  config.paused = params.flag("paused");
  const double patience = params.numberOrAuto("patience", Quantity::kTime);
  if (!std::isnan(patience)) Validator(params.where()).positive("patience", patience, "s");
  config.participants = readParticipants(params.tree("participants"));
  const std::string more = params.text("more_participants", config::defaultOf("participants"));
  for (const std::string& name : split(more == "none" ? "" : more, ',')) {
    if (!name.empty()) config.participants.push_back(ros::names::resolve(name));
  }
  config.answers = readAnswerRules(params.text("wait_for"), params.where());
  if (!std::isnan(patience)) {
    config.patience = config.answer_patience = patience;
  } else if (!config.participants.empty()) {
    config.patience = std::numeric_limits<double>::infinity();
  }
  const std::string idle = params.text("wait_until_idle");
  const double tick = params.positive("idle_tick", Quantity::kTime);
  const std::string lan = params.text("lan", "");
  const std::string machine = params.text("machine", "");
  params.finish();

  reported_at_ = told_at_ = ticked_ = WallClock::now();
  if (idle != "none") makeIdleGate(handle, idle, tick, params.where(), config);
  clock_ = std::make_unique<SimClock>(config, told_at_);
  clock_publisher_ = idle_ == nullptr
                         ? handle.advertise<rosgraph_msgs::Clock>("/clock", 100)
                         : handle.advertise<rosgraph_msgs::Clock>("/clock", 100, idle_->onConnect(),
                                                                  idle_->onDisconnect());
  grant_subscriber_ = inputs_.subscribe(grantTopic(handle), 1000, &SimClockNode::onGrant, this);
  answers_ =
      std::make_unique<AnswerListener>(handle, *clock_, mutex_, [this] { changed_.notify_all(); });
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("clock", this, &SimClockNode::diagnose);
  if (!lan.empty()) joinLan(lan, machine, params.where());
  advertise(private_handle);
  thread_ = std::thread(&SimClockNode::run, this);
}

// It holds the clock as nodes do that grant time.
void SimClockNode::makeIdleGate(ros::NodeHandle& handle, const std::string& names, double tick,
                                const std::string& where, SimClockConfig& config) {
  const Validator validator(where);
  validator.require(!config.participants.empty(), "wait_until_idle", names,
                    "programs in lockstep (lockstep:=true); none otherwise");
  const TimeNs period = toNs(tick);
  validator.require(period > 0 && period % config.period == 0, "idle_tick",
                    fmt::format("{} s", tick),
                    fmt::format("multiples of {} s", toSeconds(config.period)));
  idle_ = std::make_unique<IdleGate>(handle, split(names, ','), period, config.answer_patience);
  config.participants.push_back(idle_->name());
}

// A service that waits for time has its own thread, since grants must be heard meanwhile.
void SimClockNode::advertise(ros::NodeHandle& private_handle) {
  services_ = {private_handle.advertiseService("pause", &SimClockNode::onPause, this),
               private_handle.advertiseService("step", &SimClockNode::onStep, this),
               private_handle.advertiseService("run_until", &SimClockNode::onRunUntil, this),
               private_handle.advertiseService("set_pace", &SimClockNode::onSetPace, this)};
  ros::NodeHandle waiting(private_handle);
  waiting.setCallbackQueue(&waiting_calls_);
  services_.push_back(waiting.advertiseService("step_time", &SimClockNode::onStepTime, this));
  waiting_spinner_ = std::make_unique<ros::AsyncSpinner>(1, &waiting_calls_);
  waiting_spinner_->start();
}

void SimClockNode::joinLan(const std::string& lan, const std::string& machine,
                           const std::string& where) {
  const config::LanConfig config = config::loadLan(lan);
  const config::LanMachine& own = config.machine(machine, where);
  const Endpoint leader = clockEndpoint(config.machine(config.leader, where));
  if (own.name == config.leader) {
    if (std::isinf(clock_->pace())) {
      throw ConfigError(where, "pace", "max", "a number, which the machines of a LAN can keep");
    }
    std::vector<Endpoint> known;
    for (const config::LanMachine& other : config.machines) known.push_back(clockEndpoint(other));
    run_ = std::random_device{}();
    server_ = std::make_unique<ClockServer>(leader, config.readKey(), std::move(known),
                                            [this] { return read(); });
  } else {
    leader_ = config.leader;
    if (clock_->pace() != SimClockConfig().pace) {
      ROS_WARN_STREAM(fmt::format(
          "pace {} has no effect on machine {}: its clock follows that of machine {}, whose pace "
          "counts for all",
          paceText(clock_->pace()), machine, leader_));
    }
    if (!clock_->answers().empty()) {
      ROS_WARN_STREAM(fmt::format(
          "wait_for has no effect on machine {}: its clock follows that of machine {}, where it is "
          "to be given",
          machine, leader_));
    }
    client_ = std::make_unique<ClockClient>(Endpoint{clockEndpoint(own).address, 0}, leader,
                                            config.readKey(), config.sync_rate);
  }
}

// The reading for other machines; between two ticks the clock runs on.
ClockReading SimClockNode::read() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const TimeNs wall = wallNow();
  const TimeNs now = clock_->now();
  if (clock_->paused()) return {wall, now, 0.0, run_};
  const double pace = clock_->pace();
  const double since = pace * secondsBetween(ticked_, WallClock::now());
  return {wall, now + toNs(std::min(toSeconds(clock_->period()), since)), pace, run_};
}

SimClockNode::~SimClockNode() {
  stop_ = true;
  changed_.notify_all();
  waiting_spinner_->stop();
  thread_.join();
  server_.reset();
  services_.clear();  // services use the clock and are removed before it
  grant_subscriber_.shutdown();
}

void SimClockNode::run() {
  WallClock::time_point diagnosed = WallClock::now();
  while (!stop_ && ros::ok()) {
    const WallClock::time_point wall = WallClock::now();
    if (secondsBetween(diagnosed, wall) >= kClockDiagnosticPeriod) {
      diagnosed = wall;
      diagnostics_.force_update();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    if (now() == 0) answers_->lookForPublishers();
    if (idle_ != nullptr && idle_->isDue(now())) settle(lock);
    const bool has_gone = client_ != nullptr ? follow() : clock_->advance(wall);
    for (const std::string& warning : clock_->takeWarnings()) ROS_WARN_STREAM(warning);
    if (has_gone) {
      ticked_ = wall;
      publish();
      if (clock_->paused()) changed_.notify_all();
      continue;
    }
    stand(wall);
    changed_.wait_until(lock, std::min(wakeAt(wall), diagnosed + toWall(kClockDiagnosticPeriod)));
  }
}

// Time stands meanwhile, and grants and requests are heard.
void SimClockNode::settle(std::unique_lock<std::mutex>& lock) {
  const TimeNs at = now();
  lock.unlock();
  const std::optional<TimeNs> until = idle_->settle(at, stop_);
  lock.lock();
  if (until) clock_->grant(idle_->name(), *until);
}

// Repeats the time: nodes that come late, or again, must hear it.
void SimClockNode::stand(WallClock::time_point wall) {
  const double held = clock_->heldFor(wall);
  if (held == 0.0 || secondsBetween(told_at_, wall) < kClockRepeatPeriod) return;
  publish();
  if (now() == 0 && held > kBeginPeriod) {
    ROS_WARN_STREAM_THROTTLE(kBeginPeriod, "time has not begun: waits for " << clock_->holders());
  }
}

SimClockNode::WallClock::time_point SimClockNode::wakeAt(WallClock::time_point wall) const {
  const TimeNs period = clock_->period();
  if (client_ != nullptr) {  // a paused leader's clock is checked nevertheless
    if (!(followed_pace_ > 0.0)) return wall + toWall(toSeconds(period));
    const TimeNs left = followed_ + period - client_->now();
    return wall + toWall(toSeconds(std::clamp(left, period / 10, period)) / followed_pace_);
  }
  const auto wake = clock_->wakeAt(wall);
  return clock_->heldFor(wall) > 0.0 ? std::min(wake, told_at_ + toWall(kClockRepeatPeriod)) : wake;
}

// Whole steps of the leader's time; back to an earlier time only if the leader started over.
bool SimClockNode::follow() {
  const ClockClient::Status status = client_->status();
  if (!status.synchronised) {
    ROS_WARN_STREAM_THROTTLE(kClockWarningPeriod, "waiting for the clock of machine " << leader_);
    return false;
  }
  followed_pace_ = status.pace;
  const TimeNs now = client_->now() / clock_->period() * clock_->period();
  if (now == followed_) return false;
  followed_ = now;
  return true;
}

void SimClockNode::publish() {
  const auto message = boost::make_shared<rosgraph_msgs::Clock>();  // shared in the process
  message->clock = toRos(now());
  if (idle_ != nullptr) {
    idle_->tell(*message);
  } else {
    clock_publisher_.publish(message);
  }
  told_at_ = WallClock::now();
}

void SimClockNode::onGrant(const marsim::ClockGrantConstPtr& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool was_held = clock_->isHeld();
  // Zero says that the participant has left. The start of time, a grant of nothing, is 0 as well.
  const TimeNs until = std::max<TimeNs>(fromRos(message->until), 1);
  clock_->grant(message->who, message->until.isZero() ? 0 : until);
  if (was_held) onHeard();
}

// Wakes the clock's thread, since the message may let time go on.
void SimClockNode::onHeard() {
  if (!clock_->isHeld()) changed_.notify_all();
}

// Replies with the clock's own words, or with the reason why it cannot do this.
template <class Response>
bool SimClockNode::answer(Response& response, const std::string& what, const Request& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SimClock::Reply reply{false, ""};
  if (client_ != nullptr) {
    reply.text = "this clock follows that of machine " + leader_ + ": " + what + " that one";
  } else {
    reply = request(WallClock::now());
  }
  changed_.notify_all();
  response.success = reply.done;
  response.message = reply.text;
  return true;
}

bool SimClockNode::onPause(std_srvs::SetBool::Request& request,
                           std_srvs::SetBool::Response& response) {
  return answer(response, "pause",
                [&](WallClock::time_point now) { return clock_->pause(request.data, now); });
}

bool SimClockNode::onStep(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
  return answer(response, "step", [&](WallClock::time_point now) {
    SimClock::Reply reply = clock_->step(now);
    if (reply.done) publish();
    return reply;
  });
}

bool SimClockNode::onRunUntil(marsim::RunUntil::Request& request,
                              marsim::RunUntil::Response& response) {
  return answer(response, "run", [&](WallClock::time_point now) -> SimClock::Reply {
    const TimeNs until = fromRos(request.time);
    if (until < 0 && !request.time.isZero()) {
      return {false, fmt::format("time is {} s, which is before /clock begins, {} s",
                                 request.time.toSec(), toSeconds(epoch()))};
    }
    return clock_->runUntil(until, now);
  });
}

bool SimClockNode::onSetPace(marsim::SetPace::Request& request,
                             marsim::SetPace::Response& response) {
  return answer(response, "set", [&](WallClock::time_point now) -> SimClock::Reply {
    if (server_ != nullptr && std::isinf(request.pace)) {
      return {false, "pace is inf, allowed on a LAN: a finite number"};
    }
    return clock_->setPace(request.pace, now);
  });
}

bool SimClockNode::onStepTime(marsim::StepTime::Request& request,
                              marsim::StepTime::Response& response) {
  std::optional<TimeNs> goal;
  answer(response, "step", [&](WallClock::time_point now) {
    const SimClock::Reply reply = clock_->stepBy(request.duration.toNSec(), now);
    goal = clock_->until();
    return reply;
  });
  std::unique_lock<std::mutex> lock(mutex_);
  while (response.success && clock_->until() == goal && !stop_ && ros::ok()) {
    const auto now = WallClock::now();
    changed_.wait_until(lock, now + toWall(kClockRepeatPeriod));
    if (clock_->heldFor(WallClock::now()) < kStepPatience) continue;
    response.success = false;
    response.message = "time waits for " + clock_->holders() + " and goes on when it may";
  }
  if (response.success && clock_->now() < goal) {
    response.success = false;
    response.message = "another request came first";
  }
  response.reached = toRos(now());
  return true;
}

void SimClockNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const WallClock::time_point wall_now = WallClock::now();
  const double wall = std::chrono::duration<double>(wall_now - reported_at_).count();
  const double factor = wall > 0.0 ? toSeconds(now() - reported_now_) / wall : 0.0;
  reported_at_ = wall_now;
  reported_now_ = now();
  const double pace = client_ != nullptr ? followed_pace_ : clock_->pace();
  const bool is_paused = clock_->paused();
  const bool slow = !is_paused && !std::isinf(pace) && factor < 0.95 * pace;
  status.summary(
      slow ? diagnostic_msgs::DiagnosticStatus::WARN : diagnostic_msgs::DiagnosticStatus::OK,
      is_paused ? "paused" : (slow ? "behind the pace asked for" : "running"));
  for (const AnswerWait& answer : clock_->answers()) {
    if (!answer.isLost()) continue;
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN,
                   "goes on without the answers of " + answer.rule().output);
  }
  if (idle_ != nullptr && !idle_->lost().empty()) {
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN, "not idle: " + idle_->lost());
  }
  const double held = clock_->heldFor(wall_now);
  if (held > kLongHold) {
    status.summary(diagnostic_msgs::DiagnosticStatus::WARN,
                   fmt::format("waits for {} for {:.1f} s", clock_->holders(), held));
  }
  inputs_.addTo(status);
  status.add("simulated time [s]", toSeconds(now()));
  status.add("real-time factor", factor);
  status.add("pace", paceText(pace));
  status.add("nodes it waits for", clock_->granting());
  status.add("waits now for", held > 0.0 ? clock_->holders() : "none");
  if (const auto until = clock_->until()) status.add("pauses at [s]", toSeconds(*until));
  if (server_ != nullptr) {
    status.add("questions answered", server_->answered());
    status.add("questions refused", server_->refused());
  }
  if (client_ != nullptr) diagnoseLeader(status);
}

void SimClockNode::diagnoseLeader(diagnostic_updater::DiagnosticStatusWrapper& status) {
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
