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
#include "map/make/voronoi_cell.hpp"
#include "marsim/common/units.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr float kUsual = 2.3F;       // a hole's radius is at most so many times the usual one
constexpr float kNearReach = 3.5F;   // [R] in which points as dense as voxels show the holes
constexpr float kStrewn = 1.5F;      // [R] between points in a triangle
constexpr float kBend = 0.15F;       // by which a sheet may leave its plane, a metre
constexpr float kSameNormal = 0.8F;  // cosine, within one sheet
constexpr float kFlat = 0.9F;        // cosine of a triangle's normal and those at its corners
constexpr std::size_t kLeastCorners = 3;  // of a cell that shows what is usual
constexpr std::size_t kCellsPerBlock = 256;
constexpr float kFar = std::numeric_limits<float>::max();

/// Directions in the plane, at which the edge of a surfel's disc is looked at.
struct Compass {
  static constexpr std::size_t kCount = 16;
  std::array<float, kCount> x, y;

  explicit Compass(float radius) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double angle = 2.0 * kPi * static_cast<double>(i) / kCount;
      x[i] = radius * static_cast<float>(std::cos(angle));
      y[i] = radius * static_cast<float>(std::sin(angle));
    }
  }
};

/// Surfels of a cell of the grid and those around it, relative to its middle [m].
struct Around {
  std::vector<float> x, y, z, nx, ny, nz, square;
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

/// Neighbours of a surfel on its sheet, in the plane of it.
struct Neighbour {
  float square, x, y;  // [m^2]; [m]
  std::uint32_t index;

  bool operator<(const Neighbour& other) const {
    return square != other.square ? square < other.square : index < other.index;
  }
};

/// What one thread works with, and what it has found.
struct Work {
  Around around;
  std::vector<Neighbour> neighbours;
  VoronoiCell cell;
  std::vector<float> radii;
  MovedPoints points;
  std::vector<std::uint32_t> sparse;  ///< surfels whose holes want a wider look
};

class Filler {
 public:
  Filler(const MergedPoints& merged, const HoleSettings& settings)
      : merged_(merged), settings_(settings), compass_(settings.disc) {
    positions_.reserve(merged.surfels.size());
    Eigen::AlignedBox3f box;
    for (const Surfel& surfel : merged.surfels) {
      positions_.push_back(surfel.position);
      box.extend(surfel.position);
    }
    const Vector3d low = box.min().cast<double>();
    corner_ = low - Vector3d::Constant(1e-3) - 1e-6 * low.cwiseAbs();
  }

  /// Of all surfels, or of those that `wanted` marks; `sparse` gets those for a wider reach [m].
  MovedPoints fill(float reach, const std::vector<bool>* wanted,
                   std::vector<std::uint32_t>& sparse) const;

 private:
  void gather(const CellGrid& grid, std::size_t cell, CellGrid::Cursors& cursors,
              Around& around) const;
  void fillCell(const CellGrid& grid, std::size_t cell, float reach,
                const std::vector<bool>* wanted, Work& work) const;
  void findNeighbours(const Vector3f& place, std::uint32_t index, float reach, Work& work) const;
  bool isClosed(const std::vector<Neighbour>& neighbours) const;
  void fillAround(std::uint32_t index, float reach, bool may_look_wider, Work& work) const;
  void strew(std::array<std::uint32_t, 3> corners, MovedPoints& points) const;

  const MergedPoints& merged_;
  const HoleSettings& settings_;
  Compass compass_;
  std::vector<Vector3f> positions_;
  Vector3d corner_;
};

void Filler::gather(const CellGrid& grid, std::size_t cell, CellGrid::Cursors& cursors,
                    Around& around) const {
  const CellGrid::Columns columns = grid.columnsAround(grid.key(cell), cursors);
  const Vector3d middle = grid.middle(grid.key(cell));
  around.clear();
  for (std::size_t column = 0; column < columns.begin.size(); ++column) {
    for (std::size_t i = columns.begin[column]; i < columns.end[column]; ++i) {
      const std::uint32_t index = grid.order()[i];
      if (merged_.kinds[index] != FitKind::kSheet) continue;
      const Vector3f place = (positions_[index].cast<double>() - middle).cast<float>();
      around.add(place, merged_.surfels[index].normal, index);
    }
  }
  around.count = around.index.size();
  around.square.resize(around.count);
}

/// Those on one sheet with it: near its plane, and facing as it does.
void Filler::findNeighbours(const Vector3f& place, std::uint32_t index, float reach,
                            Work& work) const {
  Around& around = work.around;
  const Vector3f n = merged_.surfels[index].normal;
  const float px = place.x(), py = place.y(), pz = place.z();
  const float nx = n.x(), ny = n.y(), nz = n.z();
  const float *const x = around.x.data(), *const y = around.y.data(), *const z = around.z.data();
  const float *const ax = around.nx.data(), *const ay = around.ny.data(),
                     *const az = around.nz.data();
  float* const square = around.square.data();
  const float most = reach * reach;
#pragma omp simd
  for (std::size_t i = 0; i < around.count; ++i) {
    const float dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    const float away = dx * nx + dy * ny + dz * nz;
    const float cosine = ax[i] * nx + ay[i] * ny + az[i] * nz;
    const float distance2 = dx * dx + dy * dy + dz * dz;
    const float offset = settings_.offset + kBend * std::sqrt(distance2);
    const bool takes = (distance2 < most) & (std::abs(away) < offset) &
                       (std::abs(cosine) > kSameNormal);
    square[i] = takes ? distance2 : kFar;
  }
  const Vector3f u = n.unitOrthogonal(), v = n.cross(u);
  work.neighbours.clear();
  for (std::size_t i = 0; i < around.count; ++i) {
    if (square[i] == kFar || around.index[i] == index) continue;
    const Vector3f d(x[i] - px, y[i] - py, z[i] - pz);
    const float a = d.dot(u), b = d.dot(v);
    work.neighbours.push_back({a * a + b * b, a, b, around.index[i]});
  }
}

/// Whether the edge of its disc is covered by the discs of neighbours.
bool Filler::isClosed(const std::vector<Neighbour>& neighbours) const {
  std::array<float, Compass::kCount> least;
  least.fill(1.0F);
  for (const Neighbour& n : neighbours) {
#pragma omp simd
    for (std::size_t k = 0; k < Compass::kCount; ++k) {
      const float along = compass_.x[k] * n.x + compass_.y[k] * n.y;
      least[k] = std::min(least[k], n.square - 2.0F * along);
    }
  }
  return *std::max_element(least.begin(), least.end()) <= 0.0F;
}

/// Each triangle is filled by the surfel of the lowest number.
void Filler::fillAround(std::uint32_t index, float reach, bool may_look_wider, Work& work) const {
  const float half = 0.5F * reach;  // a neighbour beyond the reach cuts nothing within half of it
  std::sort(work.neighbours.begin(), work.neighbours.end());
  work.cell.reset(half);
  float farthest = work.cell.farthestSquare();
  for (std::size_t i = 0; i < work.neighbours.size(); ++i) {
    const Neighbour& n = work.neighbours[i];
    if (n.square > 4.0F * farthest) break;
    work.cell.cut(n.x, n.y, static_cast<int>(i));
    farthest = work.cell.farthestSquare();
  }
  work.radii.clear();
  for (const VoronoiCell::Corner& corner : work.cell.corners()) {
    if (corner.hasNeighbours()) work.radii.push_back(std::sqrt(corner.square()));
  }
  const bool is_known = work.radii.size() >= kLeastCorners;
  const float usual = is_known ? kUsual * nthSmallest(work.radii, (work.radii.size() - 1) / 2) : 0.0F;
  if (may_look_wider && (!is_known || usual > half)) {
    work.sparse.push_back(index);
    return;
  }
  const float most = std::min({usual, half, settings_.largest});
  for (const VoronoiCell::Corner& corner : work.cell.corners()) {
    if (!corner.hasNeighbours() || corner.square() > most * most) continue;
    if (corner.square() < settings_.disc * settings_.disc) continue;
    const std::uint32_t a = work.neighbours[static_cast<std::size_t>(corner.before)].index;
    const std::uint32_t b = work.neighbours[static_cast<std::size_t>(corner.after)].index;
    if (index < a && index < b) strew({index, a, b}, work.points);
  }
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
  for (int i = 0; i <= parts; ++i) {
    for (int j = 0; i + j <= parts; ++j) {
      const std::array<int, 3> share{i, j, parts - i - j};
      const auto nearest = static_cast<std::size_t>(
          std::max_element(share.begin(), share.end()) - share.begin());
      if (share[nearest] == parts) continue;  // the surfel itself
      Vector3f place = Vector3f::Zero(), direction = Vector3f::Zero();
      for (std::size_t k = 0; k < 3; ++k) {
        const float of = static_cast<float>(share[k]) / static_cast<float>(parts);
        place += of * (at[k] - at[0]);
        direction += of * normal[k];
      }
      points.positions.push_back(at[0] + place);
      points.directions.push_back(direction.normalized());
      points.thickness.push_back(merged_.surfels[corners[nearest]].thickness);
      points.weights.push_back(1.0F);
      points.kinds.push_back(FitKind::kSheet);
      appendChannels(merged_, corners[nearest], points);
    }
  }
}

void Filler::fillCell(const CellGrid& grid, std::size_t cell, float reach,
                      const std::vector<bool>* wanted, Work& work) const {
  const Vector3d middle = grid.middle(grid.key(cell));
  for (std::size_t i = grid.begin(cell); i < grid.begin(cell + 1); ++i) {
    const std::uint32_t index = grid.order()[i];
    if (merged_.kinds[index] != FitKind::kSheet || (wanted != nullptr && !(*wanted)[index])) {
      continue;
    }
    const Vector3f place = (positions_[index].cast<double>() - middle).cast<float>();
    findNeighbours(place, index, reach, work);
    if (!isClosed(work.neighbours)) fillAround(index, reach, wanted == nullptr, work);
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

MovedPoints Filler::fill(float reach, const std::vector<bool>* wanted,
                         std::vector<std::uint32_t>& sparse) const {
  const CellGrid grid(positions_, static_cast<double>(reach) * 1.000001, corner_);
  const auto isWanted = [&](std::size_t cell) {
    if (wanted == nullptr) return true;
    const auto first = grid.order().begin() + static_cast<std::ptrdiff_t>(grid.begin(cell));
    const auto last = grid.order().begin() + static_cast<std::ptrdiff_t>(grid.begin(cell + 1));
    return std::any_of(first, last, [&](std::uint32_t index) { return (*wanted)[index]; });
  };
  std::vector<Work> blocks((grid.cells() + kCellsPerBlock - 1) / kCellsPerBlock);
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t block) {
    Work work;
    CellGrid::Cursors cursors{};
    const std::size_t end = std::min(grid.cells(), (block + 1) * kCellsPerBlock);
    for (std::size_t cell = block * kCellsPerBlock; cell < end; ++cell) {
      if (!isWanted(cell)) continue;
      gather(grid, cell, cursors, work.around);
      fillCell(grid, cell, reach, wanted, work);
    }
    blocks[block].points = std::move(work.points);
    blocks[block].sparse = std::move(work.sparse);
  });
  MovedPoints points;
  for (const Work& block : blocks) {
    append(block.points, points);
    sparse.insert(sparse.end(), block.sparse.begin(), block.sparse.end());
  }
  return points;
}

}  // namespace

MovedPoints fillHoles(const MergedPoints& merged, const HoleSettings& settings,
                      Progress& progress) {
  MovedPoints points;
  if (merged.surfels.empty() || !(settings.largest > settings.disc)) return points;
  progress.phase("holes");
  const Filler filler(merged, settings);
  const float near = kNearReach * settings.disc, wide = 2.0F * settings.largest;
  std::vector<std::uint32_t> sparse;
  points = filler.fill(near, nullptr, sparse);
  if (sparse.empty() || wide <= near) return points;
  std::vector<bool> wanted(merged.surfels.size());
  for (const std::uint32_t index : sparse) wanted[index] = true;
  sparse.clear();
  append(filler.fill(wide, &wanted, sparse), points);
  return points;
}

}  // namespace marsim::map
