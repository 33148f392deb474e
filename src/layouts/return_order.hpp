// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "layouts/scan_shots.hpp"

namespace marsim::layouts {

/// Arrangement of several returns of a shot in an unorganised cloud.
enum class ReturnOrder {
  kInTurn,      ///< a shot's returns after one another, the nearest first
  kBlockPairs,  ///< packets of spinning sensors: each block of 32 shots twice
  kSlots,       ///< Livox: the same number of points for each shot
};

constexpr std::uint32_t kBlockShots = 32;

/// Calls visit(const ScanShot&) for the last return of every shot of a block, then once more for
/// the block's other returns; a shot with one return has it in both. Shots without a return appear
/// twice, written by `encoding`. (VLP-16 user manual, section on the dual return mode; PandarXT-32
/// manual: the first block of a pair has the last, the second the strongest or second strongest.)
template <class Visit>
void forEachInBlockPairs(const lidar::Scan& scan, lidar::MissEncoding encoding, Visit visit) {
  std::vector<ScanShot> last, other;
  const auto flush = [&] {
    for (const ScanShot& shot : last) visit(shot);
    for (const ScanShot& shot : other) visit(shot);
    last.clear();
    other.clear();
  };
  std::uint32_t block = 0;
  forEachShot(scan, encoding, [&](const ScanShot& shot) {
    if (shot.shot / kBlockShots != block) flush();
    block = shot.shot / kBlockShots;
    if (shot.return_number == shot.return_count) last.push_back(shot);
    if (shot.return_number + 1 == shot.return_count || shot.return_count < 2) other.push_back(shot);
  });
  flush();
}

/// Calls visit(const ScanShot&) `slots` times for every shot; missing returns are misses.
template <class Visit>
void forEachSlot(const lidar::Scan& scan, lidar::MissEncoding encoding, int slots, Visit visit) {
  forEachShot(scan, encoding, [&](const ScanShot& shot) {
    visit(shot);
    if (shot.return_number < shot.return_count || encoding == lidar::MissEncoding::kDrop) return;
    lidar::ScanMiss nothing{};
    nothing.time = shot.time;
    nothing.shot = shot.shot;
    nothing.column = shot.column;
    nothing.ring = shot.ring;
    nothing.line = shot.line;
    const ScanShot empty = toShot(nothing, missPosition(encoding));
    for (int slot = shot.isReturn() ? shot.return_count : 1; slot < slots; ++slot) visit(empty);
  });
}

/// Calls visit in the given order; `most`: most returns of a shot.
template <class Visit>
void forEachReturn(const lidar::Scan& scan, lidar::MissEncoding encoding, ReturnOrder order,
                   int most, Visit visit) {
  if (most == 1 || order == ReturnOrder::kInTurn) {
    forEachShot(scan, encoding, visit);
  } else if (order == ReturnOrder::kBlockPairs) {
    forEachInBlockPairs(scan, encoding, visit);
  } else {
    forEachSlot(scan, encoding, most, visit);
  }
}

}  // namespace marsim::layouts
