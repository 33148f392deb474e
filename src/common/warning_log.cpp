// SPDX-License-Identifier: BSD-3-Clause
#include "common/warning_log.hpp"

namespace marsim {
namespace {

constexpr std::size_t kMostSaid = 1000;  // texts that are remembered

std::int64_t secondOf(WarningTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

void RecentCount::add(WarningTime now, std::uint64_t events) {
  const std::int64_t second = secondOf(now);
  Second& place = seconds_[static_cast<std::size_t>(second % kLately)];
  if (place.begin != second) place = {second, 0};
  place.events += events;
  total_ += events;
}

std::uint64_t RecentCount::lately(WarningTime now) const {
  const std::int64_t oldest = secondOf(now) - kLately;
  std::uint64_t sum = 0;
  for (const Second& second : seconds_) {
    if (second.begin > oldest) sum += second.events;
  }
  return sum;
}

bool WarningLog::add(const std::string& kind, const std::string& text, WarningTime now) {
  Entry& entry = entries_[kind];
  entry.count.add(now);
  entry.last = text;
  if (said_.size() >= kMostSaid) said_.clear();
  const std::string words = text.substr(0, text.find_first_of("0123456789"));
  const auto [said, is_first] = said_.try_emplace(kind + ": " + words, now);
  if (!is_first && now - said->second < period_) return false;
  said->second = now;
  return true;
}

std::uint64_t WarningLog::total(const std::string& kind) const {
  const auto entry = entries_.find(kind);
  return entry == entries_.end() ? 0 : entry->second.count.total();
}

}  // namespace marsim
