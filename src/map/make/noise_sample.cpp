// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/noise_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include <Eigen/Eigenvalues>

#include "common/nth_smallest.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr std::size_t kFewestSampled = 12;  // least points of a neighbourhood
constexpr std::size_t kOfCell = 8;          // points that a cell takes memory for, besides its own
constexpr double kEnough = 0.3;             // share of neighbourhoods that must have enough points
constexpr double kEnoughFlat = 0.1;         // share of these that must be flat
constexpr double kThinner = 0.18;           // of the radius: thicker noise hardly looks flat

/// Levels of cells: side [m], most points and most neighbourhoods used in each.
constexpr struct {
  double side;
  std::size_t most_in_cell, places;
} kLevels[] = {{1.2, 4096, 8}, {19.2, 32768, 64}};

/// Neighbourhoods are tried from small to large: level of the points, radius [m].
constexpr struct {
  std::size_t level;
  double radius;
} kScales[] = {{0, 0.15}, {0, 0.3}, {1, 0.6}, {1, 1.2}, {1, 2.4}, {1, 4.8}};

/// A point's place in the grid of cells, in sides of a cell. Walls and floors tend to lie at round
/// coordinates, borders of cells do not.
Vector3d inGrid(const Vector3f& p, double side) {
  return p.cast<double>() / side + Vector3d(0.37, 0.61, 0.53);
}

std::uint64_t cellOf(const Vector3f& p, double side) {
  const Vector3d place = inGrid(p, side);
  std::uint64_t cell = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double index = std::clamp(std::floor(place[axis]), -1e15, 1e15);
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) & 0x1FFFFF;
    cell = cell << 21 | bits;
  }
  return cell;
}

/// The hash that chooses cells. mixBits(0) is 0; the addend gives 0 a hash of its own.
std::uint64_t hashOf(std::uint64_t cell) { return mixBits(cell + kGoldenGamma); }

std::uint64_t hashOf(const Vector3f& p) {
  std::array<std::uint32_t, 3> bits{};
  std::memcpy(bits.data(), p.data(), sizeof(bits));
  return mixBits(mixBits(std::uint64_t{bits[0]} << 32 | bits[1]) ^ bits[2]);
}

bool isLeftOf(const Vector3f& a, const Vector3f& b) {
  return std::tie(a.x(), a.y(), a.z()) < std::tie(b.x(), b.y(), b.z());
}

/// Keeps the `most` points with the least hashes; returns the largest of these.
std::uint64_t keepLeast(std::vector<Vector3f>& points, std::size_t most) {
  std::vector<std::pair<std::uint64_t, Vector3f>> hashed;
  hashed.reserve(points.size());
  for (const Vector3f& p : points) hashed.emplace_back(hashOf(p), p);
  const auto last = hashed.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::nth_element(hashed.begin(), last, hashed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  points.clear();
  for (auto it = hashed.begin(); it != last + 1; ++it) points.push_back(it->second);
  return last->first;
}

/// Whether the cell holds the whole sphere of `radius` [m]: a border would cut surfaces thin.
bool isInside(const Vector3f& p, double side, double radius) {
  const Vector3d place = inGrid(p, side);
  const Vector3d share = place - place.array().floor().matrix();
  return share.minCoeff() * side >= radius && (1.0 - share.maxCoeff()) * side >= radius;
}

/// Thickness [m] of the points within `radius` of a centre; negative if they are not flat, infinite
/// if there are too few.
double flatThickness(const std::vector<Vector3f>& points, const Vector3f& centre, double radius) {
  std::size_t count = 0;
  Vector3d sum = Vector3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  const auto most = static_cast<float>(radius * radius);
  for (const Vector3f& p : points) {
    const Vector3f offset = p - centre;
    if (offset.squaredNorm() > most) continue;
    const Vector3d d = offset.cast<double>();
    ++count;
    sum += d;
    squares += d * d.transpose();
  }
  if (count < kFewestSampled) return HUGE_VAL;
  const auto n = static_cast<double>(count);
  const Vector3d mean = sum / n;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(squares / n - mean * mean.transpose(), Eigen::EigenvaluesOnly);
  const Vector3d& variances = solver.eigenvalues();
  const bool flat = variances[1] > 0.4 * variances[2] && variances[0] < 0.2 * variances[1];
  // A fitted plane takes three degrees of freedom.
  return flat ? std::sqrt(std::max(0.0, variances[0]) * n / (n - 3.0)) : -1.0;
}

}  // namespace

NoiseSample::NoiseSample(std::size_t most_points) : most_points_(most_points) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].side = kLevels[i].side;
    levels_[i].most_in_cell = kLevels[i].most_in_cell;
    levels_[i].places = kLevels[i].places;
  }
}

void NoiseSample::add(const std::vector<Vector3f>& points) {
  for (const Vector3f& p : points) {
    for (Level& level : levels_) add(p, level);
  }
}

void NoiseSample::add(const Vector3f& p, Level& level) const {
  const std::uint64_t key = cellOf(p, level.side);
  if (hashOf(key) > level.limit) return;
  Cell& cell = level.cells[key];
  if (cell.limit < ~std::uint64_t{0} && hashOf(p) > cell.limit) return;
  level.points += cell.points.empty() ? 1 + kOfCell : 1;
  cell.points.push_back(p);
  if (cell.points.size() > 2 * level.most_in_cell) {
    level.points -= cell.points.size() - level.most_in_cell;
    cell.limit = keepLeast(cell.points, level.most_in_cell);
  }
  if (level.points > 2 * most_points_) thin(level);
}

/// Keeps at most so many points in each cell and, while there are too many in all, half of the
/// cells. The choice depends on the set of all points only: a thinned level stays thinned.
void NoiseSample::thin(Level& level) const {
  level.points = 0;
  for (auto& [key, cell] : level.cells) {
    if (cell.points.size() > level.most_in_cell) {
      cell.limit = keepLeast(cell.points, level.most_in_cell);
    }
    level.points += cell.points.size() + kOfCell;
  }
  while (level.points > most_points_ && level.limit > 0) {
    level.limit /= 2;
    for (auto it = level.cells.begin(); it != level.cells.end();) {
      const bool kept = hashOf(it->first) <= level.limit;
      if (!kept) level.points -= it->second.points.size() + kOfCell;
      it = kept ? std::next(it) : level.cells.erase(it);
    }
  }
}

NoiseSample::Found NoiseSample::look(const Level& level, double radius) {
  std::vector<double> thickness;
  std::vector<Vector3f> centres;
  std::size_t places = 0, full = 0;
  for (const auto& [key, cell] : level.cells) {
    centres.clear();
    for (const Vector3f& p : cell.points) {
      if (isInside(p, level.side, radius)) centres.push_back(p);
    }
    const std::size_t looks = std::min(centres.size(), level.places);
    for (std::size_t i = 0; i < looks; ++i) {
      const std::size_t at = (2 * i + 1) * centres.size() / (2 * looks);
      const double found = flatThickness(cell.points, centres[at], radius);
      ++places;
      if (std::isinf(found)) continue;
      ++full;
      if (found >= 0.0) thickness.push_back(found);
    }
  }
  Found result;
  if (thickness.empty()) return result;
  result.share_full = static_cast<double>(full) / static_cast<double>(places);
  result.share_flat = static_cast<double>(thickness.size()) / static_cast<double>(full);
  result.thickness = nthSmallest(thickness, thickness.size() / 2);
  return result;
}

double NoiseSample::noise() {
  for (Level& level : levels_) {
    thin(level);
    for (auto& [key, cell] : level.cells) {  // points sorted by place, each once
      std::sort(cell.points.begin(), cell.points.end(), isLeftOf);
      cell.points.erase(std::unique(cell.points.begin(), cell.points.end()), cell.points.end());
    }
  }
  double noise = 0.0, doubtful = 0.0;
  for (const auto& scale : kScales) {
    const Found found = look(levels_[scale.level], scale.radius);
    if (found.share_full < kEnough) continue;
    if (found.share_flat < kEnoughFlat) {
      if (doubtful == 0.0) doubtful = found.thickness;
      continue;
    }
    noise = found.thickness;
    if (noise <= kThinner * scale.radius) break;
  }
  return noise > 0.0 ? noise : doubtful;
}

}  // namespace marsim::map
