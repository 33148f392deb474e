// SPDX-License-Identifier: BSD-3-Clause
#include "scene/movers/peer_news.hpp"

#include <utility>

namespace marsim::scene {

std::vector<PeerNews::Item> PeerNews::of(const std::vector<PeerReport>& reports) {
  std::vector<Item> items;
  std::map<std::uint32_t, bool> dropped;
  for (const PeerReport& report : reports) {
    if (own_.size() == 1 && own_.count(report.id) == 1) continue;
    dropped[report.id] = report.dropped;
    const auto known = dropped_.find(report.id);
    if (known == dropped_.end() || known->second == report.dropped) continue;
    items.push_back(
        {report.dropped, report.dropped ? report.summary() : identityName(report.id) + " is back"});
  }
  dropped_ = std::move(dropped);
  return items;
}

}  // namespace marsim::scene
