// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/hole_filling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Geometry>

#include "common/nth_smallest.hpp"
#include "map/make/cell_grid.hpp"
#include "map/make/channel_mean.hpp"
#include "map/make/voronoi_cell.hpp"
#include "marsim/common/units.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

// Sheets with randomly strewn points keep 1.6 % of their area open; a tenth of a gap three spacings
// wide and a hundredth of one four wide is closed. The spacing is taken low, because beside a gap
// it looks wider than it is.
constexpr float kUsual = 1.9F;          // largest radius of a hole, in spacings
constexpr std::size_t kSpacingOf = 6;   // number of the neighbour whose distance is the spacing
constexpr std::size_t kMostHeard = 15;  // neighbours whose spacings are used
constexpr float kLow = 0.3F;            // quantile of their spacings
constexpr float kLightest = 0.1F;       // of the heaviest surfel's weight around; else noise
constexpr float kLeastShare = 0.4F;     // of the surfels around on one sheet; below it is foliage
constexpr float kNearReach = 5.0F;      // [R] first reach, for points as dense as voxels
constexpr float kWiden = 1.6F;          // factor to the next reach, if surfels need a wider one
constexpr float kStrewn = 1.5F;         // [R] between points in a triangle
constexpr float kBend = 0.15F;          // deviation of a sheet from its plane, per metre
constexpr float kSameNormal = 0.8F;     // least cosine within one sheet
constexpr float kFlat = 0.9F;           // least cosine of a triangle's normal and its corners'
constexpr std::size_t kCellsPerBlock = 256;
constexpr float kFar = std::numeric_limits<float>::max();

/// Directions in the plane at which the edge of a surfel's disc is checked.
struct Compass {
  static constexpr std::size_t kCount = 16;
  std::array<float, kCount> x, y;

  Compass() {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double angle = 2.0 * kPi * static_cast<double>(i) / kCount;
      x[i] = static_cast<float>(std::cos(angle));
      y[i] = static_cast<float>(std::sin(angle));
    }
  }
};

/// Surfels of a cell of the grid and those around it, relative to its middle [m].
struct Around {
  std::vector<float> x, y, z, nx, ny, nz;
  std::vector<float> away;    ///< [m^2] squared distance from the surfel at hand
  std::vector<float> square;  ///< the same for surfels on its sheet; kFar for others
  std::vector<std::uint32_t> index;
  std::size_t count = 0;

  void clear() {
    for (auto* values : {&x, &y, &z, &nx, &ny, &nz}) values->clear();
    index.clear();
  }
  void add(const Vector3f& place, const Vector3f& normal, std::uint32_t number) {
    x.push_back(place.x());
    y.push_back(place.y());
    z.push_back(place.z());
    nx.push_back(normal.x());
    ny.push_back(normal.y());
    nz.push_back(normal.z());
    index.push_back(number);
  }
};

/// Neighbours of a surfel on its sheet, in the sheet's plane.
struct Neighbour {
  float square, x, y;  // [m^2]; [m]
  std::uint32_t index;

  bool operator<(const Neighbour& other) const {
    return square != other.square ? square < other.square : index < other.index;
  }
};

/// One thread's buffers and results.
struct Work {
  Around around;
  std::vector<std::uint32_t> chosen;  ///< indices into `around`
  std::vector<Neighbour> neighbours;
  VoronoiCell cell;
  std::vector<float> spacings;
  MovedPoints points;

  /// Keeps the points alone.
  void forget() {
    around = {};
    neighbours = {};
  }
};

class Filler {
 public:
  Filler(const MergedPoints& merged, const HoleSettings& settings);

  /// Finds the surfels beside holes.
  void findHoles();
  /// Fills the holes that neighbours within a reach [m] show.
  void fill(float reach);
  /// Whether some surfels want a wider reach.
  bool wantsMore() const { return wants_more_; }
  MovedPoints takePoints() { return std::move(points_); }

 private:
  /// State of the search around a surfel.
  enum class State : std::uint8_t {
    kDone,    ///< all holes beside it are filled
    kSparse,  ///< too few neighbours are known
    kOpen,    ///< enough neighbours are known to fill the holes
  };

  template <class Visit>
  void visitCells(const CellGrid& grid, std::vector<Work>& blocks, const Visit& visit) const;
  void gather(const CellGrid& grid, std::size_t cell, CellGrid::Cursors& cursors,
              Around& around) const;
  void measure(const Vector3f& place, const Vector3f& n, Around& around) const;
  void collect(const Vector3f& place, const Vector3f& n, std::uint32_t index, float reach,
               Work& work) const;
  void look(std::uint32_t index, const Vector3f& place, Work& work);
  void lookWider(std::uint32_t index, const Vector3f& place, float reach, Work& work);
  void learnSpacing(std::uint32_t index, Work& work);
  bool isFull(std::uint32_t index) const;
  float radiusOf(std::uint32_t index) const;
  bool isClosed(std::uint32_t index, const std::vector<Neighbour>& neighbours) const;
  float spacingAround(std::uint32_t index, Work& work) const;
  float heaviestAround(std::uint32_t index, const Work& work) const;
  bool isFoliage(float square, const Work& work) const;
  void fillAround(std::uint32_t index, const Vector3f& place, float reach, Work& work);
  void strew(std::array<std::uint32_t, 3> corners, MovedPoints& points) const;

  const MergedPoints& merged_;
  const HoleSettings& settings_;
  const Compass compass_{};
  float touch_ = 0.0F;  ///< [m] between surfels whose discs touch, at most
  std::vector<Vector3f> positions_;
  Vector3d corner_;
  std::vector<State> states_;
  std::vector<float> spacings_;  ///< [m] each surfel's own spacing; 0: unknown
  bool wants_more_ = false;
  MovedPoints points_;
};

Filler::Filler(const MergedPoints& merged, const HoleSettings& settings)
    : merged_(merged), settings_(settings), spacings_(merged.surfels.size(), 0.0F) {
  positions_.reserve(merged.surfels.size());
  states_.reserve(merged.surfels.size());
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i < merged.surfels.size(); ++i) {
    positions_.push_back(merged.surfels[i].position);
    touch_ = std::max(touch_, 2.0F * radiusOf(static_cast<std::uint32_t>(i)));
    states_.push_back(isFull(static_cast<std::uint32_t>(i)) ? State::kSparse : State::kDone);
    box.extend(positions_.back());
  }
  const Vector3d low = box.min().cast<double>();
  corner_ = low - Vector3d::Constant(1e-3) - 1e-6 * low.cwiseAbs();
}

void Filler::gather(const CellGrid& grid, std::size_t cell, CellGrid::Cursors& cursors,
                    Around& around) const {
  const CellGrid::Columns columns = grid.columnsAround(grid.key(cell), cursors);
  const Vector3d middle = grid.middle(grid.key(cell));
  around.clear();
  for (std::size_t column = 0; column < columns.begin.size(); ++column) {
    for (std::size_t i = columns.begin[column]; i < columns.end[column]; ++i) {
      const std::uint32_t index = grid.order()[i];
      if (!isFull(index)) continue;
      const Vector3f place = (positions_[index].cast<double>() - middle).cast<float>();
      around.add(place, merged_.surfels[index].normal, index);
    }
  }
  around.count = around.index.size();
  around.away.resize(around.count);
  around.square.resize(around.count);
}

/// Squared distances of surfels on the same sheet: near its plane, and facing as it does.
void Filler::measure(const Vector3f& place, const Vector3f& n, Around& around) const {
  const float px = place.x(), py = place.y(), pz = place.z();
  const float nx = n.x(), ny = n.y(), nz = n.z();
  const float *const x = around.x.data(), *const y = around.y.data(), *const z = around.z.data();
  const float *const ax = around.nx.data(), *const ay = around.ny.data(),
                     *const az = around.nz.data();
  float *const all = around.away.data(), *const square = around.square.data();
  const float offset2 = settings_.offset * settings_.offset;
#pragma omp simd
  for (std::size_t i = 0; i < around.count; ++i) {
    const float dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    const float away = dx * nx + dy * ny + dz * nz;
    const float cosine = ax[i] * nx + ay[i] * ny + az[i] * nz;
    const float distance2 = dx * dx + dy * dy + dz * dz;
    const bool takes =
        (away * away < offset2 + kBend * kBend * distance2) & (std::abs(cosine) > kSameNormal);
    all[i] = distance2;
    square[i] = takes ? distance2 : kFar;
  }
}

/// The neighbours within a reach [m], in coordinates along the surfel's plane.
void Filler::collect(const Vector3f& place, const Vector3f& n, std::uint32_t index, float reach,
                     Work& work) const {
  const Around& around = work.around;
  const float most = reach * reach;
  work.chosen.resize(around.count + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < around.count; ++i) {  // no branch: it is unpredictable
    work.chosen[count] = static_cast<std::uint32_t>(i);
    count += around.square[i] < most ? 1 : 0;
  }
  const Vector3f u = n.unitOrthogonal(), v = n.cross(u);
  work.neighbours.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = work.chosen[k];
    if (around.index[i] == index) continue;
    const Vector3f d = Vector3f(around.x[i], around.y[i], around.z[i]) - place;
    const float a = d.dot(u), b = d.dot(v);
    work.neighbours.push_back({a * a + b * b, a, b, around.index[i]});
  }
}

/// Whether a surfel belongs to a sheet whose holes are filled. Small discs stand at edges.
bool Filler::isFull(std::uint32_t index) const {
  return merged_.kinds[index] == FitKind::kSheet && merged_.sizeOf(index) <= kUsualSize;
}

float Filler::radiusOf(std::uint32_t index) const {
  return settings_.disc * kSizeFactors[merged_.sizeOf(index)];
}

/// Whether the edge of its disc is covered by the discs of neighbours.
bool Filler::isClosed(std::uint32_t index, const std::vector<Neighbour>& neighbours) const {
  std::array<float, Compass::kCount> least;
  least.fill(1.0F);
  const float own = radiusOf(index);
  for (const Neighbour& n : neighbours) {
    const float other = radiusOf(n.index);
    const float beyond = n.square + own * own - other * other;
#pragma omp simd
    for (std::size_t k = 0; k < Compass::kCount; ++k) {
      const float along = own * (compass_.x[k] * n.x + compass_.y[k] * n.y);
      least[k] = std::min(least[k], beyond - 2.0F * along);
    }
  }
  return *std::max_element(least.begin(), least.end()) <= 0.0F;
}

/// Looks for a hole beside a surfel's disc; discs farther than twice the largest R do not touch it.
void Filler::look(std::uint32_t index, const Vector3f& place, Work& work) {
  const Vector3f& n = merged_.surfels[index].normal;
  measure(place, n, work.around);
  collect(place, n, index, touch_, work);
  if (isClosed(index, work.neighbours)) states_[index] = State::kDone;
  learnSpacing(index, work);
}

/// Looks again at a surfel that lacked neighbours to tell their spacing.
void Filler::lookWider(std::uint32_t index, const Vector3f& place, float reach, Work& work) {
  if (spacings_[index] == 0.0F) {
    const Vector3f& n = merged_.surfels[index].normal;
    measure(place, n, work.around);
    collect(place, n, index, reach, work);
    learnSpacing(index, work);
  }
  if (spacings_[index] > 0.0F) states_[index] = State::kOpen;
}

void Filler::learnSpacing(std::uint32_t index, Work& work) {
  if (work.neighbours.size() < kSpacingOf) return;
  const auto nth = work.neighbours.begin() + (kSpacingOf - 1);
  std::nth_element(work.neighbours.begin(), nth, work.neighbours.end());
  spacings_[index] = std::sqrt(static_cast<float>(kPi) / kSpacingOf * nth->square);
}

/// [m] From the spacings of the surfel and its nearest neighbours.
float Filler::spacingAround(std::uint32_t index, Work& work) const {
  std::vector<Neighbour>& all = work.neighbours;
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(kMostHeard, all.size()));
  if (end != all.end()) std::nth_element(all.begin(), end, all.end());
  work.spacings.assign(1, spacings_[index]);
  for (auto n = all.begin(); n != end; ++n) {
    if (spacings_[n->index] > 0.0F) work.spacings.push_back(spacings_[n->index]);
  }
  return nthSmallest(work.spacings,
                     static_cast<std::size_t>(kLow * static_cast<float>(work.spacings.size() - 1)));
}

/// Keeps the neighbours within a distance, sorted.
void keepWithin(float square, std::vector<Neighbour>& neighbours) {
  const auto beyond = std::partition(neighbours.begin(), neighbours.end(),
                                     [square](const Neighbour& n) { return n.square <= square; });
  neighbours.erase(beyond, neighbours.end());
  std::sort(neighbours.begin(), neighbours.end());
}

/// The surfel with the lowest number fills each triangle.
void Filler::fillAround(std::uint32_t index, const Vector3f& place, float reach, Work& work) {
  const Vector3f& n = merged_.surfels[index].normal;
  measure(place, n, work.around);
  collect(place, n, index, reach, work);
  const float usual = kUsual * spacingAround(index, work);
  const float half = 0.5F * reach;  // farther neighbours cut nothing off within half
  if (usual > half && settings_.largest > half) {
    states_[index] = State::kSparse;
    return;
  }
  states_[index] = State::kDone;
  const float most = std::min({usual, half, settings_.largest});
  keepWithin(4.0F * most * most, work.neighbours);
  const float lightest = kLightest * heaviestAround(index, work);
  if (merged_.weights[index] < lightest || isFoliage(4.0F * most * most, work)) return;
  work.cell.reset(most);
  float farthest = work.cell.farthestSquare();
  for (std::size_t i = 0; i < work.neighbours.size(); ++i) {
    const Neighbour& neighbour = work.neighbours[i];
    if (neighbour.square > 4.0F * farthest) break;
    work.cell.cut(neighbour.x, neighbour.y, static_cast<int>(i));
    farthest = work.cell.farthestSquare();
  }
  for (const VoronoiCell::Corner& corner : work.cell.corners()) {
    if (!corner.hasNeighbours() || corner.square() > most * most) continue;
    const std::uint32_t a = work.neighbours[static_cast<std::size_t>(corner.before)].index;
    const std::uint32_t b = work.neighbours[static_cast<std::size_t>(corner.after)].index;
    const float disc = std::min({radiusOf(index), radiusOf(a), radiusOf(b)});
    if (corner.square() < disc * disc) continue;
    if (merged_.weights[a] < lightest || merged_.weights[b] < lightest) continue;
    if (index < a && index < b) strew({index, a, b}, work.points);
  }
}

float Filler::heaviestAround(std::uint32_t index, const Work& work) const {
  float heaviest = merged_.weights[index];
  for (const Neighbour& other : work.neighbours) {
    heaviest = std::max(heaviest, merged_.weights[other.index]);
  }
  return heaviest;
}

/// Whether most surfels around lie on no sheet with the surfel; neighbours count within the same
/// distance.
bool Filler::isFoliage(float square, const Work& work) const {
  const auto all = std::count_if(work.around.away.begin(), work.around.away.end(),
                                 [square](float away) { return away <= square; });
  return static_cast<float>(work.neighbours.size() + 1) < kLeastShare * static_cast<float>(all);
}

void Filler::strew(std::array<std::uint32_t, 3> corners, MovedPoints& points) const {
  std::array<Vector3f, 3> at, normal;
  float longest = 0.0F;
  for (std::size_t i = 0; i < 3; ++i) {
    at[i] = positions_[corners[i]];
    normal[i] = merged_.surfels[corners[i]].normal;
    if (normal[i].dot(normal[0]) < 0.0F) normal[i] = -normal[i];
  }
  const Vector3f across = (at[1] - at[0]).cross(at[2] - at[0]).normalized();
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(across.dot(normal[i])) < kFlat) return;
    longest = std::max(longest, (at[i] - at[(i + 1) % 3]).norm());
  }
  const int parts = static_cast<int>(std::ceil(longest / (kStrewn * settings_.disc)));
  ChannelMean mean;
  for (int i = 0; i <= parts; ++i) {
    for (int j = 0; i + j <= parts; ++j) {
      const std::array<int, 3> share{i, j, parts - i - j};
      if (*std::max_element(share.begin(), share.end()) == parts) continue;  // the surfel itself
      Vector3f place = Vector3f::Zero(), direction = Vector3f::Zero();
      float thickness = 0.0F;
      mean.clear();
      for (std::size_t k = 0; k < 3; ++k) {
        const float of = static_cast<float>(share[k]) / static_cast<float>(parts);
        place += of * (at[k] - at[0]);
        direction += of * normal[k];
        thickness += of * merged_.surfels[corners[k]].thickness;
        mean.add(merged_, corners[k], static_cast<double>(of));
      }
      points.positions.push_back(at[0] + place);
      points.directions.push_back(direction.normalized());
      points.thickness.push_back(thickness);
      points.weights.push_back(1.0F);
      points.kinds.push_back(FitKind::kSheet);
      mean.appendTo(points);
    }
  }
}

void append(const MovedPoints& from, MovedPoints& to) {
  const auto add = [](const auto& source, auto& target) {
    target.insert(target.end(), source.begin(), source.end());
  };
  add(from.positions, to.positions);
  add(from.directions, to.directions);
  add(from.thickness, to.thickness);
  add(from.weights, to.weights);
  add(from.kinds, to.kinds);
  appendChannels(from, to);
}

/// Calls visit(index, place, work) for each surfel that is not done, cells in blocks on all cores.
template <class Visit>
void Filler::visitCells(const CellGrid& grid, std::vector<Work>& blocks, const Visit& visit) const {
  const auto isWanted = [this](std::uint32_t index) { return states_[index] != State::kDone; };
  blocks.resize((grid.cells() + kCellsPerBlock - 1) / kCellsPerBlock);
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t block) {
    Work& work = blocks[block];
    CellGrid::Cursors cursors{};
    const std::size_t end = std::min(grid.cells(), (block + 1) * kCellsPerBlock);
    for (std::size_t cell = block * kCellsPerBlock; cell < end; ++cell) {
      const auto first = grid.order().begin() + static_cast<std::ptrdiff_t>(grid.begin(cell));
      const auto last = grid.order().begin() + static_cast<std::ptrdiff_t>(grid.begin(cell + 1));
      if (std::none_of(first, last, isWanted)) continue;
      gather(grid, cell, cursors, work.around);
      const Vector3d middle = grid.middle(grid.key(cell));
      for (auto index = first; index != last; ++index) {
        if (!isWanted(*index)) continue;
        visit(*index, (positions_[*index].cast<double>() - middle).cast<float>(), work);
      }
    }
    work.forget();
  });
}

void Filler::findHoles() {
  const CellGrid grid(positions_, static_cast<double>(touch_) * 1.000001, corner_);
  std::vector<Work> blocks;
  visitCells(grid, blocks, [&](std::uint32_t index, const Vector3f& place, Work& work) {
    look(index, place, work);
  });
}

void Filler::fill(float reach) {
  const CellGrid grid(positions_, static_cast<double>(reach) * 1.000001, corner_);
  std::vector<Work> blocks;
  visitCells(grid, blocks, [&](std::uint32_t index, const Vector3f& place, Work& work) {
    lookWider(index, place, reach, work);
  });
  visitCells(grid, blocks, [&](std::uint32_t index, const Vector3f& place, Work& work) {
    if (states_[index] == State::kOpen) fillAround(index, place, reach, work);
  });
  for (const Work& block : blocks) append(block.points, points_);
  wants_more_ = std::find(states_.begin(), states_.end(), State::kSparse) != states_.end();
}

}  // namespace

MovedPoints fillHoles(const MergedPoints& merged, const HoleSettings& settings,
                      Progress& progress) {
  if (merged.surfels.empty() || !(settings.largest > settings.disc)) return {};
  progress.phase("holes");
  Filler filler(merged, settings);
  const float near = kNearReach * settings.disc, wide = 2.0F * settings.largest;
  filler.findHoles();
  // The reach grows in steps, since the work grows with its square.
  for (float reach = near;; reach = std::min(kWiden * reach, wide)) {
    filler.fill(reach);
    if (!filler.wantsMore() || reach >= wide) return filler.takePoints();
  }
}

}  // namespace marsim::map
