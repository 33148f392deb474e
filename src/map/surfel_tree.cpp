#include "marsim/map/surfel_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tbb/parallel_for.h>

#include "marsim/common/error.hpp"
#include "surfel_codec.hpp"
#include "surfel_tree_builder.hpp"

namespace marsim::map {
namespace {

// On each axis zero, unless the map lies farther from it than it extends: then all coordinates are
// within a factor of two, and subtracting one from another loses nothing.
Eigen::Vector3d localOrigin(const Eigen::AlignedBox3f& bounds) {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const float low = bounds.min()[axis], high = bounds.max()[axis];
    const float nearest = std::max(std::max(low, -high), 0.0F);
    if (nearest > high - low) origin[axis] = 0.5F * low + 0.5F * high;
  }
  return origin;
}

void requireUsable(const SurfelMap& map) {
  if (map.size() >= (std::size_t{1} << 31)) {
    throw Error("a map of 2^31 surfels or more cannot be rendered");
  }
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Surfel& surfel = map.surfels()[i];
    const bool has_normal = surfel.normal.squaredNorm() > 0.0F || !map.isPlanar(surfel);
    if (surfel.position.allFinite() && surfel.normal.allFinite() && has_normal) continue;
    throw Error(fmt::format("surfel {} of the map has no finite position or no normal", i));
  }
}

// Fills the words of a node's leaves.
void writeLeaves(const SurfelMap& map, const SurfelTreeHeader& header, const TreeNode& node,
                 const std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& words) {
  const Eigen::Vector3d origin(header.origin[0], header.origin[1], header.origin[2]);
  for (int slot = node.innerCount(); slot < node.childCount(); ++slot) {
    const LeafFrame frame(node, slot);
    const std::size_t first = node.leaf_base + node.leafBegin(slot);
    const std::size_t n = node.leafEnd(slot) - node.leafBegin(slot);
    for (std::size_t i = 0; i < n; ++i) {
      const Surfel& surfel = map.surfels()[order[first + i]];
      StoredSurfel stored{surfel.position.cast<double>() - origin, surfel.normal.cast<double>(),
                          map.isPlanar(surfel)};
      if (stored.normal.squaredNorm() == 0.0) stored.normal = Eigen::Vector3d::UnitZ();
      writeSurfel(header.storage, frame, stored, i, n,
                  words.data() + first * wordsOf(header.storage));
    }
  }
}

}  // namespace

SurfelTree::SurfelTree(const SurfelMap& map, SurfelStorage storage) {
  requireUsable(map);
  header_.radius = map.radius();
  header_.storage = storage;
  header_.surfel_count = map.size();
  words_.resize(map.size() * wordsOf(storage) + kWordPadding);
  if (map.size() == 0) return;

  const Eigen::Vector3d origin = localOrigin(map.bounds());
  std::copy(origin.data(), origin.data() + 3, header_.origin);
  TreeShape shape = buildTreeShape(map, origin);
  nodes_ = std::move(shape.nodes);
  order_ = std::move(shape.order);
  header_.node_count = nodes_.size();
  tbb::parallel_for(std::size_t{0}, nodes_.size(),
                    [&](std::size_t i) { writeLeaves(map, header_, nodes_[i], order_, words_); });
}

SurfelTreeView SurfelTree::view() const {
  return {header_, nodes_.data(), words_.data(), order_.data()};
}

std::size_t SurfelTree::bytes() const {
  return nodes_.size() * sizeof(TreeNode) + words_.size() * sizeof(std::uint32_t);
}

std::vector<Surfel> decodeSurfels(const SurfelTreeView& view) {
  std::vector<Surfel> surfels(view.header.surfel_count);
  for (std::size_t k = 0; k < view.header.node_count; ++k) {
    const TreeNode& node = view.nodes[k];
    for (int slot = node.innerCount(); slot < node.childCount(); ++slot) {
      const LeafFrame frame(node, slot);
      const std::size_t first = node.leaf_base + node.leafBegin(slot);
      const std::size_t n = node.leafEnd(slot) - node.leafBegin(slot);
      for (std::size_t i = 0; i < n; ++i) {
        const StoredSurfel stored = readSurfel(
            view.header.storage, frame, view.words + first * wordsOf(view.header.storage), i, n);
        Surfel& surfel = surfels[view.order == nullptr ? first + i : view.order[first + i]];
        surfel.position = stored.position.cast<float>();
        surfel.normal = stored.normal.normalized().cast<float>();
        surfel.thickness = stored.planar ? 0.0F : std::numeric_limits<float>::infinity();
      }
    }
  }
  return surfels;
}

void validateTree(const SurfelTreeView& view) {
  const auto require = [](bool right, std::size_t node, const char* what) {
    if (!right) throw Error(fmt::format("surfel tree: node {}: {}", node, what));
  };
  const std::uint64_t node_count = view.header.node_count, surfel_count = view.header.surfel_count;
  if ((node_count == 0) != (surfel_count == 0) || surfel_count >= (std::uint64_t{1} << 31) ||
      node_count > (std::uint64_t{1} << 28)) {
    throw Error("surfel tree: its numbers of nodes and surfels cannot be");
  }
  for (std::size_t i = 0; view.order != nullptr && i < surfel_count; ++i) {
    if (view.order[i] >= surfel_count) throw Error("surfel tree: its order leaves the map");
  }
  // Children come after their one parent, so one pass knows every node's depth.
  std::vector<std::uint8_t> depth(node_count, 0);
  if (node_count > 0) depth[0] = 1;
  for (std::size_t k = 0; k < node_count; ++k) {
    const TreeNode& node = view.nodes[k];
    require(depth[k] > 0, k, "it has no parent");
    const int inner = node.innerCount(), children = node.childCount();
    require(children >= 1 && children <= kTreeWidth && inner <= children, k, "numbers of children");
    for (int axis = 0; axis < 3; ++axis) {
      require(std::isfinite(node.origin[axis]) && node.exponent[axis] >= 32 &&
                  node.exponent[axis] <= 200,
              k, "its box");
    }
    if (inner > 0) {
      require(
          node.child_base > k && node.child_base + static_cast<std::uint64_t>(inner) <= node_count,
          k, "its children's numbers");
      require(depth[k] < kMaxTreeDepth, k, "its depth");
      for (int i = 0; i < inner; ++i) {
        std::uint8_t& child = depth[node.child_base + static_cast<std::uint32_t>(i)];
        require(child == 0, k, "a child of two parents");
        child = static_cast<std::uint8_t>(depth[k] + 1);
      }
    }
    for (int slot = 0; slot < children; ++slot) {
      const std::uint32_t begin = node.leafBegin(slot), end = node.leafEnd(slot);
      require(slot < inner ? end == 0 : begin < end && end - begin <= kMaxLeafSize, k,
              "a leaf's size");
      require(slot < inner || node.leaf_base + static_cast<std::uint64_t>(end) <= surfel_count, k,
              "a leaf's surfels");
    }
  }
}

}  // namespace marsim::map
