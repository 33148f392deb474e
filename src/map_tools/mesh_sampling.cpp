// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/mesh_sampling.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "map_tools/mesh_pieces.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map_tools {
namespace {

constexpr double kDistance = 0.6;     // least distance of samples, as a share of the resolution
constexpr double kThickness = 0.5;    // of that distance: samples closer along the normal conflict
constexpr double kCandidates = 10.0;  // candidates in a square of that distance
/// Shares of the candidates; in each pass over all blocks twice as many, so that no triangle or
/// block is filled before the others.
constexpr std::array<double, 7> kPasses{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.37};
constexpr double kDensity = 0.65;  // expected samples in a square of that distance
constexpr double kMostSamples = 500e6;
constexpr double kBlock = 40.0;               // side of a block, in distances
constexpr std::size_t kBlocksAtATime = 1024;  // blocks between two reports of progress
constexpr double kWidest = 2.0 * (1 << 19);   // largest extent of a mesh, in distances

/// The samples of a block and those of its neighbours near it, in a grid of cubes.
class SampleGrid {
 public:
  /// For places within `box` [m].
  SampleGrid(const Eigen::AlignedBox3d& box, double distance)
      : distance_(distance), inverse_(0.5 / distance), low_(box.min().array() - 2.0 * distance) {
    size_ = (inverse_ * (box.max() - low_)).array().floor().cast<int>() + 2;
    heads_.assign(static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) *
                      static_cast<std::size_t>(size_.z()),
                  kEnd);
  }

  /// Adds a sample unless another one of the same surface is too near. A cube is two distances
  /// wide: samples within one distance lie in it or in the cubes on the near sides.
  void add(const Eigen::Vector3d& p, const Eigen::Vector3d& normal, std::uint32_t triangle) {
    const Eigen::Vector3d cell = inverse_ * (p - low_);
    const Eigen::Vector3i home = cell.cast<int>();
    for (int corner = 0; corner < 8; ++corner) {
      Eigen::Vector3i at = home;
      for (int axis = 0; axis < 3; ++axis) {
        if ((corner >> axis & 1) != 0) at[axis] += cell[axis] - home[axis] < 0.5 ? -1 : 1;
      }
      if (conflicts(at, p, normal)) return;
    }
    insert(p, triangle);
  }
  void insert(const Eigen::Vector3d& p, std::uint32_t triangle) {
    std::uint32_t& head = heads_[indexOf((inverse_ * (p - low_)).cast<int>())];
    next_.push_back(head);
    head = static_cast<std::uint32_t>(samples_.size());
    samples_.push_back(p);
    triangles_.push_back(triangle);
  }
  const std::vector<Eigen::Vector3d>& samples() const { return samples_; }
  /// Triangles of the samples.
  const std::vector<std::uint32_t>& triangles() const { return triangles_; }

 private:
  static constexpr std::uint32_t kEnd = ~0U;

  std::size_t indexOf(const Eigen::Vector3i& cell) const {
    return (static_cast<std::size_t>(cell.z()) * static_cast<std::size_t>(size_.y()) +
            static_cast<std::size_t>(cell.y())) *
               static_cast<std::size_t>(size_.x()) +
           static_cast<std::size_t>(cell.x());
  }
  bool conflicts(const Eigen::Vector3i& cell, const Eigen::Vector3d& p,
                 const Eigen::Vector3d& normal) const {
    for (std::uint32_t i = heads_[indexOf(cell)]; i != kEnd; i = next_[i]) {
      const Eigen::Vector3d offset = samples_[i] - p;
      if (offset.squaredNorm() < distance_ * distance_ &&
          std::abs(offset.dot(normal)) < kThickness * distance_) {
        return true;
      }
    }
    return false;
  }

  double distance_, inverse_;
  Eigen::Vector3d low_;
  Eigen::Vector3i size_;
  std::vector<std::uint32_t> heads_;
  std::vector<Eigen::Vector3d> samples_;
  std::vector<std::uint32_t> triangles_;
  std::vector<std::uint32_t> next_;
};

double fraction(double value) { return value - std::floor(value); }

// Adds random places, the same number in each pass: the order of all candidates is nearly random,
// too, so that samples lie as densely on large triangles as on small ones.
void addAtRandom(const Triangle& triangle, std::uint32_t number, double density,
                 RandomStream& random, SampleGrid& grid) {
  const auto count = static_cast<std::uint64_t>(triangle.area * density + random.uniform());
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = random.uniform(), v = random.uniform();
    grid.add(triangle.place(u, v), triangle.normal, number);
  }
}

// Fills remaining holes, first along the mesh's edges, then by a low-discrepancy sequence (R2:
// Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
void fillHoles(const Triangle& triangle, std::uint32_t number, double distance, double density,
               RandomStream& random, SampleGrid& grid) {
  for (std::size_t edge = 0; edge < 3; ++edge) {
    if (!triangle.rim[edge]) continue;
    const Eigen::Vector3d& from = triangle.corners[edge];
    const Eigen::Vector3d along = triangle.corners[(edge + 1) % 3] - from;
    const double parts = std::ceil(2.0 * along.norm() / distance);
    for (double i = 0.0; i < parts; ++i)
      grid.add(from + (i / parts) * along, triangle.normal, number);
  }
  const double u = random.uniform(), v = random.uniform();
  const auto count = static_cast<std::uint64_t>(triangle.area * density);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(i);
    grid.add(
        triangle.place(fraction(u + 0.7548776662466927 * n), fraction(v + 0.5698402909980532 * n)),
        triangle.normal, number);
  }
}

/// A sample of a block.
struct Sample {
  Eigen::Vector3f place;   ///< [m] from the block's corner
  std::uint32_t triangle;  ///< number of its triangle in the mesh
};

/// Samples a mesh block by block.
class MeshSampler {
 public:
  MeshSampler(const Mesh& mesh, const Eigen::AlignedBox3d& box, const SamplingConfig& config)
      : mesh_(mesh),
        distance_(kDistance * config.resolution),
        seed_(config.seed),
        pieces_(mesh, box.min(), kBlock * distance_),
        samples_(pieces_.blocks().size()) {}

  /// Samples the blocks of one group on all cores: no block reaches another one's samples, and the
  /// order of groups does not depend on the cores.
  void run(Progress& progress) {
    const std::vector<MeshPieces::Block>& blocks = pieces_.blocks();
    std::array<std::vector<std::size_t>, 8> groups;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      groups.at(static_cast<std::size_t>(MeshPieces::groupOf(blocks[i]))).push_back(i);
    }
    progress.phase("sampling", (kPasses.size() + 1) * blocks.size());
    std::size_t done = 0;
    for (std::size_t pass = 0; pass <= kPasses.size(); ++pass) {
      for (const std::vector<std::size_t>& group : groups) {
        for (std::size_t begin = 0; begin < group.size(); begin += kBlocksAtATime) {
          const std::size_t end = std::min(begin + kBlocksAtATime, group.size());
          tbb::parallel_for(begin, end, [&](std::size_t i) { sample(group[i], pass); });
          done += end - begin;
          progress.update(done);
        }
      }
    }
  }
  void give(const TakePoints& take) {
    map::PointBlock points;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Eigen::Vector3d corner = pieces_.cornerOf(pieces_.blocks()[i]);
      for (const Sample& sample : samples_[i]) {
        points.points.emplace_back(corner + sample.place.cast<double>());
        if (mesh_.colours.empty()) continue;
        points.colour.push_back(colourAt(mesh_, sample.triangle, points.points.back()));
      }
      samples_[i] = {};
      if (points.size() < map::kBlockPoints) continue;
      take(points);
      points.points.clear();
      points.colour.clear();
    }
    if (points.size() > 0) take(points);
  }

 private:
  void sample(std::size_t number, std::size_t pass) {
    const MeshPieces::Block& block = pieces_.blocks()[number];
    std::vector<Triangle> triangles;
    Eigen::AlignedBox3d box;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      triangles.push_back(pieces_.triangleOf(pieces_.pieces()[i]));
      for (const Eigen::Vector3d& corner : triangles.back().corners) box.extend(corner);
    }
    const Eigen::AlignedBox3d near(box.min().array() - distance_, box.max().array() + distance_);
    SampleGrid grid(near, distance_);
    insertNear(block, near, grid);
    const std::size_t before = grid.samples().size();
    const double density = kCandidates / (distance_ * distance_);
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const Piece& piece = pieces_.pieces()[i];
      RandomStream random(seed_, mixBits(std::uint64_t{piece.triangle} << 32U | piece.path) + pass);
      const Triangle& triangle = triangles[i - block.begin];
      if (pass < kPasses.size()) {
        addAtRandom(triangle, piece.triangle, kPasses.at(pass) * density, random, grid);
      } else {
        fillHoles(triangle, piece.triangle, distance_, density, random, grid);
      }
    }
    keep(block, grid, before, samples_[number]);
  }
  // Inserts the samples that the block and its neighbours already have.
  void insertNear(const MeshPieces::Block& block, const Eigen::AlignedBox3d& near,
                  SampleGrid& grid) const {
    for (int i = 0; i < 27; ++i) {
      const std::size_t other = pieces_.neighbour(block, {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
      if (other == samples_.size()) continue;
      const Eigen::Vector3d corner = pieces_.cornerOf(pieces_.blocks()[other]);
      for (const Sample& sample : samples_[other]) {
        const Eigen::Vector3d p = corner + sample.place.cast<double>();
        if (near.contains(p)) grid.insert(p, sample.triangle);
      }
    }
  }
  // Kept as floats from the block's corner, which are precise enough and half as large.
  void keep(const MeshPieces::Block& block, const SampleGrid& grid, std::size_t first,
            std::vector<Sample>& kept) const {
    const Eigen::Vector3d corner = pieces_.cornerOf(block);
    for (std::size_t i = first; i < grid.samples().size(); ++i) {
      kept.push_back({(grid.samples()[i] - corner).cast<float>(), grid.triangles()[i]});
    }
  }

  const Mesh& mesh_;
  double distance_;
  std::uint64_t seed_;
  MeshPieces pieces_;
  std::vector<std::vector<Sample>> samples_;  // by block
};

void requireSize(double area, double width, double resolution) {
  const double distance = kDistance * resolution;
  const double expected = kDensity * area / (distance * distance);
  if (expected < kMostSamples && width <= kWidest * distance) return;
  throw Error(
      fmt::format("{:.3g} m2 of surface, {:.3g} m wide, give about {:.2g} points at a resolution "
                  "of {} m, allowed: 5e8 points, {:.3g} m; are the units metres (--scale 0.001 "
                  "for millimetres)?",
                  area, width, expected, resolution, kWidest * distance));
}

}  // namespace

double areaOf(const Mesh& mesh) {
  double area = 0.0;
  for (const auto& t : mesh.triangles) {
    area += Triangle({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]}).area;
  }
  return area;
}

void sampleMesh(const Mesh& mesh, const SamplingConfig& config, Progress& progress,
                const TakePoints& take) {
  Validator("").positive("resolution", config.resolution, "m");
  if (mesh.triangles.empty()) return;
  Eigen::AlignedBox3d box;
  for (const auto& corners : mesh.triangles) {
    for (const std::uint32_t corner : corners) box.extend(mesh.vertices[corner]);
  }
  requireSize(areaOf(mesh), box.sizes().maxCoeff(), config.resolution);
  progress.phase("cutting");
  MeshSampler sampler(mesh, box, config);
  sampler.run(progress);
  sampler.give(take);
}

}  // namespace marsim::map_tools
