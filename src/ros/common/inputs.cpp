// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/inputs.hpp"

#include <fmt/format.h>

namespace marsim::ros_nodes {

bool LeapFilter::takes(TimeNs stamp) {
  const auto follows = [stamp](const std::optional<TimeNs>& before) {
    return before && stamp <= *before + kLongestLeap;
  };
  const bool is_confirmed = doubtful_ && stamp >= *doubtful_ && follows(doubtful_);
  if (last_ && !follows(last_) && !is_confirmed) {
    doubtful_ = stamp;
    return false;
  }
  last_ = stamp;
  doubtful_.reset();
  return true;
}

bool Inputs::isSound(const std::string& topic, const std::string& fault) {
  if (!fault.empty()) refuse(topic, fault);
  return fault.empty();
}

bool Inputs::isNext(const std::string& topic, LeapFilter& filter, TimeNs stamp) {
  if (filter.takes(stamp)) return true;
  refuse(topic, fmt::format("the stamp is {:.3f} s, allowed: up to {:.0f} s past the last one",
                            toSeconds(stamp), toSeconds(LeapFilter::kLongestLeap)));
  return false;
}

void Inputs::refuse(const std::string& topic, const std::string& fault) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!refusals_.add(topic, fault, WarningTime::clock::now())) return;
  const std::string name = handle_.resolveName(topic);
  ROS_WARN("a message on %s is ignored: %s", name.c_str(), fault.c_str());
}

void Inputs::addTo(diagnostic_updater::DiagnosticStatusWrapper& status) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [topic, entry] : refusals_.entries()) {
    status.add("messages refused on " + topic, entry.count.total());
    const std::uint64_t lately = entry.count.lately(WarningTime::clock::now());
    if (lately == 0) continue;
    status.mergeSummary(
        diagnostic_msgs::DiagnosticStatus::WARN,
        fmt::format("{} messages refused on {}, the last: {}", lately, topic, entry.last));
  }
}

}  // namespace marsim::ros_nodes
