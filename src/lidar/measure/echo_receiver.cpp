// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/measure/echo_receiver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "marsim/common/units.hpp"

namespace marsim::lidar {
namespace {

bool stronger(const Echo& a, const Echo& b) {
  return a.energy > b.energy || (a.energy == b.energy && a.range < b.range);
}

bool nearer(const Echo& a, const Echo& b) { return a.range < b.range; }

bool isNearer(const Reflection& a, const Reflection& b) {
  if (a.range != b.range) return a.range < b.range;
  return a.energy > b.energy || (a.energy == b.energy && a.ray < b.ray);
}

/// Appends the echo of reflections, unless all are black.
void addEcho(const Reflection* begin, const Reflection* end, std::vector<Echo>& echoes) {
  float nearest = begin->range;
  for (const Reflection* one = begin; one != end; ++one) nearest = std::min(nearest, one->range);
  // Ranges are summed relative to the nearest, so that the range of a single reflection is exact.
  float energy = 0.0F, behind = 0.0F;
  const Reflection* strongest = begin;
  for (const Reflection* one = begin; one != end; ++one) {
    energy += one->energy;
    behind += one->energy * (one->range - nearest);
    if (one->energy > strongest->energy) strongest = one;
  }
  if (!(energy > 0.0F)) return;
  echoes.push_back(
      {nearest + behind / energy, nearest, energy, strongest->cosine, strongest->ray, 0});
}

/// Keeps one echo.
void keep(std::vector<Echo>::iterator chosen, std::vector<Echo>& echoes) {
  echoes.front() = *chosen;
  echoes.resize(1);
}

/// Keeps the strongest `count`, by range.
void keepStrongest(std::size_t count, std::vector<Echo>& echoes) {
  if (echoes.size() <= count) return;
  std::sort(echoes.begin(), echoes.end(), stronger);
  echoes.resize(count);
  std::sort(echoes.begin(), echoes.end(), nearer);
}

/// Keeps the strongest and the last, or the two strongest if these are the same.
void keepStrongestAndLast(std::vector<Echo>& echoes) {
  const auto strongest = std::min_element(echoes.begin(), echoes.end(), stronger);
  if (strongest == echoes.end() - 1) return keepStrongest(2, echoes);
  const Echo last = echoes.back();
  keep(strongest, echoes);
  echoes.push_back(last);
}

void rank(std::vector<Echo>& echoes) {
  for (Echo& echo : echoes) {
    echo.rank = static_cast<std::uint8_t>(std::count_if(
        echoes.begin(), echoes.end(), [&](const Echo& other) { return stronger(other, echo); }));
  }
}

}  // namespace

EchoReceiver::EchoReceiver(const ReturnsConfig& config, double pulse_length)
    : mode_(config.mode),
      resolution_(static_cast<float>(0.5 * kSpeedOfLight * pulse_length)),
      signal_cutoff_(static_cast<float>(config.signal_cutoff)),
      threshold_(static_cast<float>(config.threshold)),
      separation_(static_cast<float>(config.separation)) {}

void EchoReceiver::merge(std::vector<Reflection>& reflections, std::vector<Echo>& echoes) const {
  echoes.clear();
  if (reflections.empty()) return;
  const auto [nearest, farthest] =
      std::minmax_element(reflections.begin(), reflections.end(), isNearer);
  if (farthest->range - nearest->range < resolution_) {  // true for most pulses: no need to sort
    addEcho(reflections.data(), reflections.data() + reflections.size(), echoes);
    return;
  }
  std::sort(reflections.begin(), reflections.end(), isNearer);
  for (std::size_t begin = 0, end = 0; begin < reflections.size(); begin = end) {
    do {
      ++end;
    } while (end < reflections.size() &&
             reflections[end].range - reflections[end - 1].range < resolution_);
    addEcho(reflections.data() + begin, reflections.data() + end, echoes);
  }
}

void EchoReceiver::choose(const std::vector<Reflection>& reflections,
                          std::vector<Echo>& echoes) const {
  switch (mode_) {
    case ReturnMode::kStrongest:
      return keep(std::min_element(echoes.begin(), echoes.end(), stronger), echoes);
    case ReturnMode::kFirst:
      echoes.resize(1);
      if (signal_cutoff_ > 0.0F) averageFirst(reflections, echoes.front());
      return;
    case ReturnMode::kLast:
      return keep(echoes.end() - 1, echoes);
    case ReturnMode::kDual:
      separate(echoes);
      keepStrongestAndLast(echoes);
      return rank(echoes);
    case ReturnMode::kTriple:
      separate(echoes);
      keepStrongest(3, echoes);
      return rank(echoes);
    case ReturnMode::kTwoStrongest:
      separate(echoes);
      keepStrongest(2, echoes);
      return rank(echoes);
  }
}

/// Goodin et al., section 3.2.3: the mean of all ranges up to a cutoff behind the nearest. Each is
/// weighted by its share of the pulse, which is the same for all nine rays of the stencil.
void EchoReceiver::averageFirst(const std::vector<Reflection>& reflections, Echo& echo) const {
  float energy = 0.0F, weight = 0.0F, behind = 0.0F, most = 0.0F;
  for (const Reflection& reflection : reflections) {
    const float way = reflection.range - echo.nearest;
    if (way < 0.0F || way > signal_cutoff_ || !(reflection.energy > 0.0F)) continue;
    energy += reflection.energy;
    weight += reflection.weight;
    behind += reflection.weight * way;
    if (reflection.energy <= most) continue;
    most = reflection.energy;
    echo.cosine = reflection.cosine;
    echo.ray = reflection.ray;
  }
  echo.energy = energy;
  echo.range = echo.nearest + behind / weight;
}

/// Keeps only the stronger of echoes that are too close together.
void EchoReceiver::separate(std::vector<Echo>& echoes) const {
  if (!(separation_ > 0.0F)) return;
  std::sort(echoes.begin(), echoes.end(), stronger);
  std::vector<Echo>::iterator kept = echoes.begin();
  for (const Echo& echo : echoes) {
    const bool alone = std::none_of(echoes.begin(), kept, [&](const Echo& other) {
      return std::abs(other.range - echo.range) < separation_;
    });
    if (alone) *kept++ = echo;
  }
  echoes.erase(kept, echoes.end());
  std::sort(echoes.begin(), echoes.end(), nearer);
}

}  // namespace marsim::lidar
