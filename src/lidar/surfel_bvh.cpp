#include "surfel_bvh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tbb/parallel_for.h>

#include "marsim/common/error.hpp"
#include "simd.hpp"

namespace marsim::lidar {
namespace {

using Node = SurfelBvh::Node;
using Block = SurfelBvh::Block;

constexpr std::size_t kLeafSize = 8;
constexpr std::size_t kParallelSize = 8192;  // larger ranges build their children in parallel
constexpr int kBins = 16;
// From here on ranges are halved, so that the depth stays below kMaxDepth whatever the points.
constexpr int kHalvingDepth = 32;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Box {
  Float4 lower = broadcast(kInfinity);
  Float4 upper = broadcast(-kInfinity);

  void grow(Float4 low, Float4 high) {
    lower = min4(lower, low);
    upper = max4(upper, high);
  }
  void grow(const Box& box) { grow(box.lower, box.upper); }
  float halfArea() const {
    const Float4 size = upper - lower;
    return size[0] < 0.0F ? 0.0F : size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  }
};

// A surfel's box; the fourth lanes are unused.
struct Reference {
  Float4 lower, upper;
  std::uint32_t index;

  Float4 doubledCentre() const { return lower + upper; }
};

// What a ray can meet of a surfel, rounded outwards.
Reference makeReference(const map::SurfelMap& map, const map::Surfel& surfel, std::uint32_t index) {
  const double radius = map.radius();
  const Eigen::Vector3d p = surfel.position.cast<double>();
  const Eigen::Vector3d n = surfel.normal.cast<double>();
  Eigen::Vector3d half = Eigen::Vector3d::Constant(radius);
  if (map.isPlanar(surfel) && n.squaredNorm() > 0.0) {
    for (int axis = 0; axis < 3; ++axis) {
      half[axis] *= std::hypot(n[(axis + 1) % 3], n[(axis + 2) % 3]) / n.norm();
    }
  }
  half.array() += 1e-5 * radius;
  Reference reference{};
  reference.index = index;
  for (int axis = 0; axis < 3; ++axis) {
    reference.lower[axis] = std::nextafter(static_cast<float>(p[axis] - half[axis]), -kInfinity);
    reference.upper[axis] = std::nextafter(static_cast<float>(p[axis] + half[axis]), kInfinity);
  }
  return reference;
}

// Tests of four surfels a ray needs at n of them.
float blocksOf(std::size_t n) { return static_cast<float>((n + 3) / 4); }

struct Range {
  std::size_t begin, end;
  Box box;

  std::size_t size() const { return end - begin; }
};

struct Subtree {
  std::vector<Node> nodes;
  std::vector<Block> blocks;
};

class Builder {
 public:
  explicit Builder(const map::SurfelMap& map)
      : map_(map), surfels_(map::decodeSurfels(map.tree())), references_(map.size()) {
    tbb::parallel_for(std::size_t{0}, references_.size(), [&](std::size_t i) {
      references_[i] = makeReference(map, surfels_[i], static_cast<std::uint32_t>(i));
    });
  }

  Subtree build() {
    Subtree tree;
    addNode(makeRange(0, references_.size()), 0, tree);
    return tree;
  }

 private:
  Range makeRange(std::size_t begin, std::size_t end) const {
    Range range{begin, end, Box{}};
    for (std::size_t i = begin; i < end; ++i) {
      range.box.grow(references_[i].lower, references_[i].upper);
    }
    return range;
  }

  // Appends the node of a range with all below it.
  void addNode(const Range& range, int depth, Subtree& tree) {
    std::array<Range, SurfelBvh::kWidth> children{range};
    const int count = divide(children, depth);

    const std::size_t node = tree.nodes.size();
    tree.nodes.emplace_back();
    for (int c = 0; c < SurfelBvh::kWidth; ++c) {
      const Box box = c < count ? children[static_cast<std::size_t>(c)].box : Box{};
      for (int axis = 0; axis < 3; ++axis) {
        tree.nodes[node].bounds[axis][c] = box.lower[axis];
        tree.nodes[node].bounds[axis + 3][c] = box.upper[axis];
      }
      tree.nodes[node].child[c] = SurfelBvh::kEmpty;
    }

    if (range.size() < kParallelSize) {
      for (int c = 0; c < count; ++c) {
        const std::uint32_t child = addChild(children[static_cast<std::size_t>(c)], depth, tree);
        tree.nodes[node].child[c] = child;
      }
      return;
    }
    std::array<Subtree, SurfelBvh::kWidth> parts;
    std::array<std::uint32_t, SurfelBvh::kWidth> roots{};
    tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(count),
                      [&](std::size_t c) { roots[c] = addChild(children[c], depth, parts[c]); });
    for (int c = 0; c < count; ++c) {
      const auto i = static_cast<std::size_t>(c);
      tree.nodes[node].child[c] = append(parts[i], roots[i], tree);
    }
  }

  std::uint32_t addChild(const Range& range, int depth, Subtree& tree) {
    if (range.size() <= kLeafSize) return addLeaf(range, tree);
    const auto node = static_cast<std::uint32_t>(tree.nodes.size());
    addNode(range, depth + 1, tree);
    return node;
  }

  std::uint32_t addLeaf(const Range& range, Subtree& tree) const {
    const std::size_t first = tree.blocks.size();
    for (std::size_t i = range.begin; i < range.end; i += SurfelBvh::kWidth) {
      Block block{};
      for (std::size_t lane = 0; lane < SurfelBvh::kWidth; ++lane) {
        const bool used = i + lane < range.end;
        const std::uint32_t index = references_[used ? i + lane : i].index;
        const map::Surfel& surfel = surfels_[index];
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto a = static_cast<Eigen::Index>(axis);
          block.position[axis][lane] =
              used ? surfel.position[a] : std::numeric_limits<float>::quiet_NaN();
          block.normal[axis][lane] = surfel.normal[a];
        }
        block.id[lane] = index | (map_.isPlanar(surfel) ? SurfelBvh::kPlanar : 0U);
      }
      tree.blocks.push_back(block);
    }
    return SurfelBvh::makeLeaf(first, tree.blocks.size() - first);
  }

  // Moves `part` to the end of `tree`; returns its root there.
  static std::uint32_t append(const Subtree& part, std::uint32_t root, Subtree& tree) {
    const std::size_t node_offset = tree.nodes.size(), block_offset = tree.blocks.size();
    const auto moved = [&](std::uint32_t child) {
      if (child == SurfelBvh::kEmpty) return child;
      if (!SurfelBvh::isLeaf(child)) return child + static_cast<std::uint32_t>(node_offset);
      return SurfelBvh::makeLeaf(SurfelBvh::firstBlock(child) + block_offset,
                                 SurfelBvh::blockCount(child));
    };
    tree.blocks.insert(tree.blocks.end(), part.blocks.begin(), part.blocks.end());
    tree.nodes.insert(tree.nodes.end(), part.nodes.begin(), part.nodes.end());
    for (std::size_t i = node_offset; i < tree.nodes.size(); ++i) {
      for (std::uint32_t& child : tree.nodes[i].child) child = moved(child);
    }
    return moved(root);
  }

  // Splits the largest child until there are four or only leaves; returns their number.
  int divide(std::array<Range, SurfelBvh::kWidth>& children, int depth) {
    int count = 1;
    while (count < SurfelBvh::kWidth) {
      int largest = -1;
      for (int c = 0; c < count; ++c) {
        const Range& child = children[static_cast<std::size_t>(c)];
        if (child.size() <= kLeafSize) continue;
        if (largest < 0 ||
            child.box.halfArea() > children[static_cast<std::size_t>(largest)].box.halfArea()) {
          largest = c;
        }
      }
      if (largest < 0) break;
      Range& range = children[static_cast<std::size_t>(largest)];
      const std::size_t middle = split(range, depth);
      children[static_cast<std::size_t>(count)] = makeRange(middle, range.end);
      range = makeRange(range.begin, middle);
      ++count;
    }
    return count;
  }

  // Reorders a range about the split of least expected cost (surface-area heuristic over binned
  // centres: Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007).
  std::size_t split(const Range& range, int depth) {
    Box centres;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Float4 centre = references_[i].doubledCentre();
      centres.grow(centre, centre);
    }
    if (depth < kHalvingDepth) {
      const std::size_t middle = splitByArea(range, centres);
      if (middle != range.begin && middle != range.end) return middle;
    }
    const Float4 size = centres.upper - centres.lower;
    const int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    const std::size_t middle = range.begin + range.size() / 2;
    const auto at = [&](std::size_t i) {
      return references_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::nth_element(at(range.begin), at(middle), at(range.end),
                     [axis](const Reference& a, const Reference& b) {
                       const float ca = a.doubledCentre()[axis], cb = b.doubledCentre()[axis];
                       return ca < cb || (ca == cb && a.index < b.index);
                     });
    return middle;
  }

  struct Bin {
    Box box;
    std::size_t count = 0;
  };
  struct Plane {
    int axis = -1;
    int bin = 0;  // first bin of the right side
    float cost = kInfinity;
  };

  std::size_t splitByArea(const Range& range, const Box& centres) {
    const int bin_count = range.size() < 64 ? kBins / 2 : kBins;
    const Float4 size = centres.upper - centres.lower;
    Float4 scale{};
    for (int axis = 0; axis < 3; ++axis) {
      scale[axis] = size[axis] > 0.0F ? 0.9999F * static_cast<float>(bin_count) / size[axis] : 0.0F;
      if (!std::isfinite(scale[axis])) scale[axis] = 0.0F;
    }
    const auto binsOf = [&](const Reference& reference) {
      return __builtin_convertvector((reference.doubledCentre() - centres.lower) * scale, Int4);
    };
    std::array<std::array<Bin, kBins>, 3> bins;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Reference& reference = references_[i];
      const Int4 bin = binsOf(reference);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        Bin& target = bins[axis][static_cast<std::size_t>(bin[axis])];
        target.box.grow(reference.lower, reference.upper);
        ++target.count;
      }
    }
    Plane best;
    for (int axis = 0; axis < 3; ++axis) {
      if (scale[axis] > 0.0F)
        chooseOnAxis(bins[static_cast<std::size_t>(axis)], bin_count, axis, best);
    }
    if (best.axis < 0) return range.begin;
    const auto first = references_.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto middle = std::partition(
        first, references_.begin() + static_cast<std::ptrdiff_t>(range.end),
        [&](const Reference& reference) { return binsOf(reference)[best.axis] < best.bin; });
    return range.begin + static_cast<std::size_t>(middle - first);
  }

  static void chooseOnAxis(const std::array<Bin, kBins>& bins, int bin_count, int axis,
                           Plane& best) {
    std::array<float, kBins> right_cost{};
    Bin right;
    for (int b = bin_count - 1; b > 0; --b) {
      const auto i = static_cast<std::size_t>(b);
      right.box.grow(bins[i].box);
      right.count += bins[i].count;
      right_cost[i] = right.box.halfArea() * blocksOf(right.count);
    }
    Bin left;
    for (int b = 1; b < bin_count; ++b) {
      const auto i = static_cast<std::size_t>(b);
      left.box.grow(bins[i - 1].box);
      left.count += bins[i - 1].count;
      const float cost = left.box.halfArea() * blocksOf(left.count) + right_cost[i];
      if (cost < best.cost) best = {axis, b, cost};
    }
  }

  const map::SurfelMap& map_;
  const std::vector<map::Surfel> surfels_;
  std::vector<Reference> references_;
};

}  // namespace

SurfelBvh::SurfelBvh(const map::SurfelMap& map) : radius_(map.radius()) {
  if (map.size() >= kPlanar) throw Error("a map of more than 2^31 surfels cannot be rendered");
  if (map.size() == 0) return;
  Subtree tree = Builder(map).build();
  nodes_ = std::move(tree.nodes);
  blocks_ = std::move(tree.blocks);
}

}  // namespace marsim::lidar
