// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "marsim/scene/peers.hpp"

namespace marsim::scene {

/// Notices which UAVs fall silent and which come back, for the log of a process.
class PeerNews {
 public:
  struct Item {
    bool is_silent;    ///< false: it is back
    std::string text;  ///< "uav 3: silent for 5.2 s, dropped"
  };

  /// Adds a UAV of this process. If it is the only one, its silence is no news.
  void addOwn(std::uint32_t id) { own_.insert(id); }
  /// The changes since the last call. Forgets UAVs without a report.
  std::vector<Item> of(const std::vector<PeerReport>& reports);

 private:
  std::set<std::uint32_t> own_;
  std::map<std::uint32_t, bool> dropped_;  ///< at the last call
};

}  // namespace marsim::scene
