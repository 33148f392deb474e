// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/peer_listener.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/peer_message.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr double kWarningPeriod = 5.0;           // [s]
constexpr TimeNs kLogPeriod = kNsPerSecond / 5;  // between looks for changes
constexpr int kNamed = 5;                        // names of silent UAVs in a summary

scene::PeersConfig readPeersConfig(Params& params) {
  scene::PeersConfig config;
  config.timeout = params.positive("peer_timeout", config.timeout, Quantity::kTime);
  config.extrapolation = params.number("peer_extrapolation", config.extrapolation, Quantity::kTime);
  config.validate(params.where());
  return config;
}

}  // namespace

std::shared_ptr<PeerListener> PeerListener::own(const ros::NodeHandle& handle, Params& params,
                                                std::function<void()> on_heard) {
  return std::make_shared<PeerListener>(handle, handle.resolveName("/peers"),
                                        readPeersConfig(params), std::move(on_heard));
}

std::shared_ptr<PeerListener> PeerListener::shared(const ros::NodeHandle& handle, Params& params) {
  const scene::PeersConfig config = readPeersConfig(params);
  const std::string topic = handle.resolveName("/peers");

  static std::mutex mutex;
  static std::map<std::tuple<std::string, double, double>, std::weak_ptr<PeerListener>> listeners;
  const std::lock_guard<std::mutex> lock(mutex);
  auto& known = listeners[{topic, config.timeout, config.extrapolation}];
  std::shared_ptr<PeerListener> listener = known.lock();
  if (listener == nullptr) {
    listener = std::make_shared<PeerListener>(ros::NodeHandle(), topic, config);
    known = listener;
  }
  return listener;
}

PeerListener::PeerListener(const ros::NodeHandle& handle, const std::string& topic,
                           const scene::PeersConfig& config, std::function<void()> on_heard)
    : surroundings_(config, on_heard ? std::optional<TimeNs>(sim::kPeerPeriod) : std::nullopt),
      on_heard_(std::move(on_heard)),
      topic_(topic),
      inputs_(handle) {
  const std::uint32_t queue = on_heard_ ? 0 : 1000;  // nothing is lost in lockstep
  subscriber_ = inputs_.subscribe(topic, queue, &PeerListener::onPeers, this);
}

void PeerListener::onPeers(const marsim::PeersConstPtr& message) {
  for (const marsim::PeerBody& body : message->bodies) takeBody(body);
  for (const marsim::Peer& peer : message->peers) {
    const scene::PeerState state = fromMessage(peer);
    if (surroundings_.peers().push(state, message->machine) == scene::Peers::Effect::kRejected) {
      inputs_.refuse(topic_, scene::problemOf(state));
    } else if (message->machine.empty()) {
      now_ = state.motion.stamp;
    }
  }
  for (const marsim::Impact& impact : message->impacts) takeImpact(impact);
  if (std::abs(now_ - logged_) >= kLogPeriod) {
    logged_ = now_;
    logChanges();
  }
  if (on_heard_) on_heard_();
}

void PeerListener::takeBody(const marsim::PeerBody& message) {
  const auto& inertia = message.inertia;
  surroundings_.peers().setMass(message.id, {message.mass, {inertia[0], inertia[1], inertia[2]}});
  scene::BodyConfig body = fromMessage(message);
  const std::string vehicle = clipped(message.vehicle);
  try {
    body.validate("body");
    try {
      surroundings_.peers().setBody(message.id, vehicle, body);
    } catch (const FileError& error) {  // the cloud of another machine's user
      inputs_.refuse(topic_, fmt::format("uav {} is shown without its body's cloud: {}", message.id,
                                         clipped(error.what(), 200)));
      body.cloud.clear();
      surroundings_.peers().setBody(message.id, vehicle, body);
    }
  } catch (const Error& error) {
    inputs_.refuse(topic_, fmt::format("uav {} cannot be shown: {}", message.id, error.what()));
  }
}

void PeerListener::takeImpact(const marsim::Impact& message) {
  const sim::Impact impact = fromMessage(message);
  if (!isFinite(impact)) {
    return inputs_.refuse(topic_, fmt::format("impact on uav {} is not finite", message.struck));
  }
  surroundings_.put(message.struck, impact);
}

void PeerListener::addOwn(std::uint32_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  news_.addOwn(id);
}

void PeerListener::logChanges() {
  surroundings_.peers().forget(now_);
  const std::vector<scene::PeerReport> reports = surroundings_.peers().reports(now_);
  for (const scene::PeerReport& report : reports) {
    if (report.is_claimed_twice) {
      ROS_ERROR_THROTTLE(kWarningPeriod, "%s", report.summary().c_str());
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const scene::PeerNews::Item& item : news_.of(reports)) {
    if (item.is_silent) {
      ROS_WARN("%s", item.text.c_str());
    } else {
      ROS_INFO("%s", item.text.c_str());
    }
  }
}

void PeerListener::diagnose(std::uint32_t own,
                            diagnostic_updater::DiagnosticStatusWrapper& status) const {
  using diagnostic_msgs::DiagnosticStatus;
  int seen = 0, silent = 0;
  status.summary(DiagnosticStatus::OK, "");
  for (const scene::PeerReport& report : surroundings_.peers().reports(now_)) {
    if (report.is_claimed_twice) status.mergeSummary(DiagnosticStatus::ERROR, report.summary());
    if (report.id == own) continue;
    if (report.held || report.dropped) {
      if (++silent <= kNamed) status.mergeSummary(DiagnosticStatus::WARN, report.summary());
    } else if (report.has_body) {
      ++seen;
    }
    status.add(scene::identityName(report.id),
               fmt::format("{}; states taken {}, late {}, lost {}, repeated {}, refused {}",
                           report.summary(), report.taken, report.late, report.lost,
                           report.repeated, report.rejected));
  }
  if (silent > kNamed) {
    status.mergeSummary(DiagnosticStatus::WARN, fmt::format("and {} more", silent - kNamed));
  }
  if (status.level == DiagnosticStatus::OK) {
    status.summaryf(DiagnosticStatus::OK, "%d other UAVs in sight of the simulation", seen);
  }
  status.add("states refused of further numbers", surroundings_.peers().refusedUnknown());
  inputs_.addTo(status);
}

}  // namespace marsim::ros_nodes
