#include "map_tools/mesh_sampling.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map_tools {
namespace {

constexpr double kDistance = 0.6;     // least distance of samples, of the resolution
constexpr double kThickness = 0.5;    // of that distance: samples nearer along the normal conflict
constexpr double kCandidates = 10.0;  // in a square of that distance
constexpr std::uint64_t kPasses = 8;  // over all triangles, so that none is filled before others
constexpr double kDensity = 0.65;     // samples in a square of that distance
constexpr double kMostSamples = 500e6;

/// The samples so far in a hash table of cubes.
class SampleGrid {
 public:
  explicit SampleGrid(double distance)
      : distance_(distance), inverse_(0.5 / distance), slots_(1024) {}

  /// Adds a sample unless another of the same surface is too near.
  bool add(const Eigen::Vector3d& p, const Eigen::Vector3d& normal) {
    const Eigen::Vector3d cell = inverse_ * p;
    const Eigen::Vector3d low = cell.array().floor();
    // A cube is two distances wide: what is within one lies in it or in those on the near sides.
    Eigen::Vector3i step;
    for (int axis = 0; axis < 3; ++axis) step[axis] = cell[axis] - low[axis] < 0.5 ? -1 : 1;
    const Eigen::Vector3i home = low.cast<int>();
    for (int corner = 0; corner < 8; ++corner) {
      const Eigen::Vector3i at =
          home + Eigen::Vector3i(corner & 1 ? step.x() : 0, corner & 2 ? step.y() : 0,
                                 corner & 4 ? step.z() : 0);
      if (conflicts(keyOf(at), p, normal)) return false;
    }
    insert(keyOf(home), p);
    return true;
  }
  const std::vector<Eigen::Vector3d>& samples() const { return samples_; }

 private:
  struct Slot {
    std::uint64_t key = kFree;
    std::uint32_t head = kEnd;
  };
  static constexpr std::uint64_t kFree = ~0ULL;
  static constexpr std::uint32_t kEnd = ~0U;

  static std::uint64_t keyOf(const Eigen::Vector3i& cell) {
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      key = key << 21U | (static_cast<std::uint64_t>(cell[axis] + (1 << 20)) & 0x1fffffU);
    }
    return key;
  }
  std::size_t slotOf(std::uint64_t key) const {
    std::size_t slot = mixBits(key) & (slots_.size() - 1);
    while (slots_[slot].key != key && slots_[slot].key != kFree)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  bool conflicts(std::uint64_t key, const Eigen::Vector3d& p, const Eigen::Vector3d& normal) const {
    for (std::uint32_t i = slots_[slotOf(key)].head; i != kEnd; i = next_[i]) {
      const Eigen::Vector3d offset = samples_[i] - p;
      if (offset.squaredNorm() < distance_ * distance_ &&
          std::abs(offset.dot(normal)) < kThickness * distance_) {
        return true;
      }
    }
    return false;
  }
  void insert(std::uint64_t key, const Eigen::Vector3d& p) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[slotOf(key)];
    if (slot.key == kFree) ++used_;
    next_.push_back(slot.head);
    slot = {key, static_cast<std::uint32_t>(samples_.size())};
    samples_.push_back(p);
  }
  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slots_[slotOf(slot.key)] = slot;
    }
  }

  double distance_, inverse_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Eigen::Vector3d> samples_;
  std::vector<std::uint32_t> next_;
};

/// A triangle and places on it.
struct Triangle {
  Eigen::Vector3d a, ab, ac, normal;
  double area;

  Triangle(const Mesh& mesh, const std::array<std::uint32_t, 3>& corners)
      : a(mesh.vertices[corners[0]]),
        ab(mesh.vertices[corners[1]] - a),
        ac(mesh.vertices[corners[2]] - a),
        normal(ab.cross(ac)),
        area(0.5 * normal.norm()) {
    normal.normalize();
  }
  Eigen::Vector3d place(double u, double v) const {
    return u + v > 1.0 ? Eigen::Vector3d(a + (1.0 - u) * ab + (1.0 - v) * ac)
                       : Eigen::Vector3d(a + u * ab + v * ac);
  }
};

double fraction(double value) { return value - std::floor(value); }

// Places at random, the same number a pass: the order of all candidates is nearly random, too, so
// that samples lie as densely on large triangles as on small ones.
void addAtRandom(const Triangle& triangle, double density, RandomStream& random, SampleGrid& grid) {
  const auto count = static_cast<std::uint64_t>(triangle.area * density + random.uniform());
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = random.uniform(), v = random.uniform();
    grid.add(triangle.place(u, v), triangle.normal);
  }
}

// Fills the holes that chance has left, first along the edges, then by a sequence of low
// discrepancy (R2: Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
void fillHoles(const Triangle& triangle, double distance, double density, RandomStream& random,
               SampleGrid& grid) {
  const Eigen::Vector3d b = triangle.a + triangle.ab, c = triangle.a + triangle.ac;
  for (const auto& [from, to] :
       {std::pair(triangle.a, b), std::pair(b, c), std::pair(c, triangle.a)}) {
    const double parts = std::ceil(2.0 * (to - from).norm() / distance);
    for (double i = 0.0; i < parts; ++i) {
      grid.add(from + (i / parts) * (to - from), triangle.normal);
    }
  }
  const double u = random.uniform(), v = random.uniform();
  const auto count = static_cast<std::uint64_t>(triangle.area * density);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto n = static_cast<double>(i);
    grid.add(
        triangle.place(fraction(u + 0.7548776662466927 * n), fraction(v + 0.5698402909980532 * n)),
        triangle.normal);
  }
}

}  // namespace

double areaOf(const Mesh& mesh) {
  double area = 0.0;
  for (const auto& corners : mesh.triangles) area += Triangle(mesh, corners).area;
  return area;
}

std::vector<Eigen::Vector3d> sampleMesh(const Mesh& mesh, const SamplingConfig& config,
                                        Progress& progress) {
  Validator("").positive("resolution", config.resolution, "m");
  const double distance = kDistance * config.resolution;
  const double area = areaOf(mesh);
  const double expected = kDensity * area / (distance * distance);
  Eigen::AlignedBox3d box;
  for (const auto& corners : mesh.triangles) {
    for (const std::uint32_t corner : corners) box.extend(mesh.vertices[corner]);
  }
  const double reach = 2.0 * distance * (1 << 19);
  if (!(expected < kMostSamples) || box.sizes().maxCoeff() > reach) {
    throw Error(
        fmt::format("{:.3g} m2 of surface, {:.3g} m wide, give about {:.2g} points at a "
                    "resolution of {} m, allowed: 5e8 points, {:.3g} m; are the units metres "
                    "(--scale 0.001 for millimetres)?",
                    area, box.sizes().maxCoeff(), expected, config.resolution, reach));
  }
  Mesh local = mesh;  // near its own middle, where the grid's cells are counted from
  const Eigen::Vector3d middle = box.center();
  for (Eigen::Vector3d& vertex : local.vertices) vertex -= middle;
  SampleGrid grid(distance);
  const double density = kCandidates / (distance * distance);
  progress.phase("sampling", (kPasses + 1) * local.triangles.size());
  std::size_t done = 0;
  for (std::uint64_t pass = 0; pass <= kPasses; ++pass) {
    for (std::size_t i = 0; i < local.triangles.size(); ++i) {
      const Triangle triangle(local, local.triangles[i]);
      RandomStream random(config.seed, i * (kPasses + 1) + pass);
      if (pass < kPasses) {
        addAtRandom(triangle, density / kPasses, random, grid);
      } else {
        fillHoles(triangle, distance, density, random, grid);
      }
      if (++done % 1024 == 0) progress.update(done);
    }
  }
  std::vector<Eigen::Vector3d> samples = grid.samples();
  for (Eigen::Vector3d& sample : samples) sample += middle;
  return samples;
}

}  // namespace marsim::map_tools
