// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/surfel_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include "map/tree/surfel_codec.hpp"
#include "map/tree/surfel_tree_builder.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map {
namespace {

constexpr float kFarthest = 1e8F;            // [m] squares of it are finite
constexpr std::size_t kSurfelGrain = 65536;  // surfels a task; fewer run without threads
constexpr std::size_t kNodeGrain = 1024;     // nodes a task

// Zero on each axis unless the map lies farther from it than it extends: all coordinates are then
// within a factor of two, and their differences are exact.
Eigen::Vector3d localOrigin(const Eigen::AlignedBox3f& bounds) {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const float low = bounds.min()[axis], high = bounds.max()[axis];
    const float nearest = std::max(std::max(low, -high), 0.0F);
    if (nearest > high - low) origin[axis] = 0.5F * low + 0.5F * high;
  }
  return origin;
}

// The box of the positions. Throws Error for an invalid surfel.
Eigen::AlignedBox3f survey(const std::vector<Surfel>& surfels, float planar_threshold) {
  if (surfels.size() >= (std::size_t{1} << 31)) {
    throw Error("a map of 2^31 surfels or more cannot be rendered");
  }
  const auto look = [&](std::size_t begin, std::size_t end, Eigen::AlignedBox3f box) {
    for (std::size_t i = begin; i < end; ++i) {
      const Surfel& surfel = surfels[i];
      const bool planar = surfel.thickness < planar_threshold;
      const bool has_normal = surfel.normal.squaredNorm() > 0.0F || !planar;
      if (!(surfel.position.array().abs() <= kFarthest).all() || !surfel.normal.allFinite() ||
          !has_normal) {
        throw Error(fmt::format(
            "surfel {} has no normal or no position within {:g} m of the origin", i, kFarthest));
      }
      box.extend(surfel.position);
    }
    return box;
  };
  if (surfels.size() <= kSurfelGrain) return look(0, surfels.size(), {});
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, surfels.size(), kSurfelGrain), Eigen::AlignedBox3f(),
      [&](const auto& range, const auto& box) { return look(range.begin(), range.end(), box); },
      [](const auto& a, const auto& b) { return a.merged(b); });
}

// visit(leaf, frame) for the leaves below a node.
template <class Visit>
void forEachLeaf(const TreeNode& node, const Visit& visit) {
  for (int slot = node.innerCount(); slot < node.childCount(); ++slot) {
    visit(StoredLeaf(node, slot), LeafFrame<double>(node, slot));
  }
}

// Statistics of some surfels as stored.
struct StoredSurvey {
  std::size_t planar = 0;
  Eigen::AlignedBox3f box;

  void add(const StoredSurfel& surfel) {
    planar += surfel.planar ? 1 : 0;
    box.extend(surfel.position.cast<float>());
  }
  static StoredSurvey joined(const StoredSurvey& a, const StoredSurvey& b) {
    return {a.planar + b.planar, a.box.merged(b.box)};
  }
};

// Fills the words of a leaf and surveys its stored surfels.
void writeLeaf(const TreeInput& input, const StoredLeaf& leaf, const LeafFrame<double>& frame,
               const std::uint32_t* order, std::uint32_t* words, StoredSurvey& survey) {
  for (std::uint32_t i = 0; i < leaf.count; ++i) {
    const Surfel& surfel = input.surfels[order[i]];
    StoredSurfel stored{surfel.position.cast<double>() - input.origin, surfel.normal.cast<double>(),
                        input.isPlanar(surfel)};
    const double length = stored.normal.norm();
    stored.normal =
        length > 0.0 ? Eigen::Vector3d(stored.normal / length) : Eigen::Vector3d::UnitZ();
    writeSurfel(frame, stored, i, leaf.count, words);
    survey.add(readSurfel(frame, words, i, leaf.count));
  }
}

template <class Value>
void requireSize(const char* what, const std::vector<Value>& channel, std::size_t surfels) {
  if (channel.empty() || channel.size() == surfels) return;
  throw Error(fmt::format("{} {} are given for {} surfels", channel.size(), what, surfels));
}

// A channel as the tree numbers its surfels.
template <class Value>
std::vector<Value> inOrder(const std::vector<Value>& channel,
                           const std::vector<std::uint32_t>& order) {
  std::vector<Value> ordered;
  if (channel.empty()) return ordered;
  ordered.reserve(order.size());
  for (const std::uint32_t surfel : order) ordered.push_back(channel[surfel]);
  return ordered;
}

}  // namespace

SurfelTree::SurfelTree(const std::vector<Surfel>& surfels, float radius, float planar_threshold,
                       const SurfelChannels& channels, const std::vector<std::uint8_t>& sizes) {
  requireSize("reflectivities", channels.reflectivity, surfels.size());
  requireSize("colours", channels.colour, surfels.size());
  requireSize("classes", channels.classes, surfels.size());
  requireSize("instances", channels.instances, surfels.size());
  requireSize("sizes", sizes, surfels.size());
  const auto unknown = std::find_if(sizes.begin(), sizes.end(),
                                    [](std::uint8_t size) { return size >= kSizeCount; });
  if (unknown != sizes.end()) {
    throw Error(fmt::format("surfel {} has size class {}, allowed: 0 to {}",
                            unknown - sizes.begin(), *unknown, kSizeCount - 1));
  }
  const Eigen::AlignedBox3f bounds = survey(surfels, planar_threshold);
  header_.radius = radius;
  header_.storage = kCompactStorage;
  header_.surfel_count = surfels.size();
  words_.resize(view().wordCount());
  if (surfels.empty()) return;

  const TreeInput input{surfels, sizes, radius, planar_threshold, bounds, localOrigin(bounds)};
  std::copy(input.origin.data(), input.origin.data() + 3, header_.origin);
  TreeShape shape = buildTreeShape(input);
  nodes_ = std::move(shape.nodes);
  header_.node_count = nodes_.size();
  const StoredSurvey stored = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, nodes_.size(), kNodeGrain), StoredSurvey(),
      [&](const auto& range, StoredSurvey part) {
        for (std::size_t k = range.begin(); k != range.end(); ++k) {
          forEachLeaf(nodes_[k], [&](const StoredLeaf& leaf, const LeafFrame<double>& frame) {
            writeLeaf(input, leaf, frame, shape.order.data() + leaf.first,
                      words_.data() + leaf.first * kSurfelWords, part);
          });
        }
        return part;
      },
      StoredSurvey::joined);
  channels_.reflectivity = inOrder(channels.reflectivity, shape.order);
  channels_.colour = inOrder(channels.colour, shape.order);
  channels_.classes = inOrder(channels.classes, shape.order);
  channels_.instances = inOrder(channels.instances, shape.order);
  header_.planar_count = stored.planar;
  std::copy(stored.box.min().data(), stored.box.min().data() + 3, header_.lower);
  std::copy(stored.box.max().data(), stored.box.max().data() + 3, header_.upper);
}

SurfelChannelViews SurfelTree::channels() const {
  return {channels_.reflectivity, channels_.colour, channels_.classes, channels_.instances};
}

std::size_t SurfelTreeView::wordCount() const {
  return kSurfelWords * header.surfel_count + kWordPadding;
}

SurfelTreeView SurfelTree::view() const { return {header_, nodes_.data(), words_.data()}; }

std::size_t bytesOf(const SurfelTreeView& view) {
  return view.header.node_count * sizeof(TreeNode) + view.wordCount() * sizeof(std::uint32_t);
}

namespace {

// visit(leaf, frame) for all leaves, on all cores.
template <class Visit>
void forAllLeaves(const SurfelTreeView& view, const Visit& visit) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, view.header.node_count, kNodeGrain),
                    [&](const auto& range) {
                      for (std::size_t k = range.begin(); k != range.end(); ++k) {
                        forEachLeaf(view.nodes[k], visit);
                      }
                    });
}

}  // namespace

std::vector<Surfel> decodeSurfels(const SurfelTreeView& view) {
  std::vector<Surfel> surfels(view.header.surfel_count);
  forAllLeaves(view, [&](const StoredLeaf& leaf, const LeafFrame<double>& frame) {
    const std::uint32_t* words = leaf.wordsIn(view);
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      const StoredSurfel stored = readSurfel(frame, words, i, leaf.count);
      Surfel& surfel = surfels[leaf.first + i];
      surfel.position = stored.position.cast<float>();
      surfel.normal = stored.normal.normalized().cast<float>();
      surfel.thickness = stored.planar ? 0.0F : std::numeric_limits<float>::infinity();
    }
  });
  return surfels;
}

std::vector<std::uint8_t> decodeSizes(const SurfelTreeView& view) {
  std::vector<std::uint8_t> sizes(view.header.surfel_count);
  forAllLeaves(view, [&](const StoredLeaf& leaf, const LeafFrame<double>&) {
    std::fill_n(sizes.begin() + leaf.first, leaf.count, leaf.size);
  });
  return sizes;
}

namespace {

// The flaw of a node by itself, or null.
const char* flawOf(const TreeNode& node) {
  const int inner = node.innerCount(), children = node.childCount();
  if (children < 1 || children > kTreeWidth || inner > children) return "numbers of children";
  for (int axis = 0; axis < 3; ++axis) {
    if (!(std::abs(node.origin[axis]) <= 2.0F * kFarthest) || node.exponent[axis] < 32 ||
        node.exponent[axis] > 200) {
      return "its box";
    }
  }
  for (int slot = 0; slot < children; ++slot) {
    const std::uint32_t size = StoredLeaf(node, slot).count;
    if (slot < inner ? node.leaf[slot] != 0 : size == 0 || size > kMaxLeafSize) {
      return "a leaf's size";
    }
  }
  return nullptr;
}

// Walks the tree in the order of building: depth first, each node taking the next free numbers for
// its inner children and its leaves' surfels. A tree with other numbers is rejected, so that no
// node is reached twice and the walk ends.
void requireShape(const SurfelTreeView& view) {
  const auto refuse = [](std::size_t node, const char* what) {
    throw Error(fmt::format("surfel tree: node {}: {}", node, what));
  };
  struct Step {
    std::uint32_t node;
    std::uint32_t depth;
  };
  std::vector<Step> steps{{0, 1}};
  std::uint64_t next_node = 1, next_surfel = 0;
  while (!steps.empty()) {
    const auto [k, depth] = steps.back();
    steps.pop_back();
    const TreeNode& node = view.nodes[k];
    if (const char* flaw = flawOf(node)) refuse(k, flaw);
    const auto inner = static_cast<std::uint32_t>(node.innerCount());
    if (node.child_base != next_node) refuse(k, "its children's numbers");
    if (node.leaf_base != next_surfel) refuse(k, "its leaves' surfels");
    next_node += inner;
    next_surfel += surfelsOf(node);
    if (next_node > view.header.node_count) refuse(k, "its children's numbers");
    if (next_surfel > view.header.surfel_count) refuse(k, "its leaves' surfels");
    if (inner > 0 && depth >= kMaxTreeDepth) refuse(k, "its depth");
    for (std::uint32_t i = inner; i-- > 0;) steps.push_back({node.child_base + i, depth + 1});
  }
  if (next_node != view.header.node_count || next_surfel != view.header.surfel_count) {
    throw Error("surfel tree: nodes or surfels that belong to no parent");
  }
}

}  // namespace

void validateTree(const SurfelTreeView& view) {
  const std::uint64_t node_count = view.header.node_count, surfel_count = view.header.surfel_count;
  if ((node_count == 0) != (surfel_count == 0) || surfel_count >= (std::uint64_t{1} << 31) ||
      node_count > (std::uint64_t{1} << 28)) {
    throw Error("surfel tree: its numbers of nodes and surfels cannot be");
  }
  if (view.header.storage != kCompactStorage) throw Error("surfel tree: its storage is unknown");
  if (node_count == 0) return;
  requireShape(view);  // every bit pattern is a valid surfel
}

}  // namespace marsim::map
