#include "marsim/ros/sim_clock_node.hpp"

#include <rosgraph_msgs/Clock.h>

#include "marsim/ros/conversions.hpp"
#include "marsim/ros/params.hpp"

namespace marsim::ros_nodes {
namespace {

// After a stall longer than this (a suspended machine, say) the clock goes on from where it was
// instead of rushing to make up.
constexpr std::chrono::milliseconds kLongestCatchUp{100};
constexpr double kDiagnosticPeriod = 1.0;  // [s] wall time

}  // namespace

SimClockNode::SimClockNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  period_ = periodNs(params.positive("rate", 500.0, Quantity::kFrequency));
  pace_ = params.positive("pace", 1.0, Quantity::kNumber);
  params.finish();

  clock_publisher_ = handle.advertise<rosgraph_msgs::Clock>("/clock", 100);
  pause_service_ = private_handle.advertiseService("pause", &SimClockNode::onPause, this);
  step_service_ = private_handle.advertiseService("step", &SimClockNode::onStep, this);
  diagnostics_.setHardwareID("simulation");
  diagnostics_.add("clock", this, &SimClockNode::diagnose);
  reported_at_ = WallClock::now();
  thread_ = std::thread(&SimClockNode::run, this);
}

SimClockNode::~SimClockNode() {
  stop_ = true;
  thread_.join();
}

void SimClockNode::run() {
  const auto wall_period = std::chrono::duration_cast<WallClock::duration>(
      std::chrono::duration<double>(toSeconds(period_) / pace_));
  WallClock::time_point due = WallClock::now();
  WallClock::time_point diagnosed = due;
  while (!stop_ && ros::ok()) {
    std::this_thread::sleep_until(due);
    const WallClock::time_point now = WallClock::now();
    due += wall_period;
    if (now - due > kLongestCatchUp) due = now;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!paused_) tick();
    }
    if (std::chrono::duration<double>(now - diagnosed).count() >= kDiagnosticPeriod) {
      diagnosed = now;
      diagnostics_.force_update();
    }
  }
}

void SimClockNode::tick() {
  now_ += period_;
  const auto message = boost::make_shared<rosgraph_msgs::Clock>();  // shared within the process
  message->clock = toRos(now_);
  clock_publisher_.publish(message);
}

bool SimClockNode::onPause(std_srvs::SetBool::Request& request,
                           std_srvs::SetBool::Response& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  paused_ = request.data;
  response.success = true;
  response.message = paused_ ? "paused" : "running";
  return true;
}

bool SimClockNode::onStep(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  response.success = paused_;
  response.message = paused_ ? "stepped" : "not paused: call pause first";
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
  status.add("simulated time [s]", toSeconds(now_));
  status.add("real-time factor", factor);
  status.add("pace", pace_);
}

}  // namespace marsim::ros_nodes
