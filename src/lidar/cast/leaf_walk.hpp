#pragma once

#include <cstdint>

#include "lidar/cast/seen_children.hpp"
#include "lidar/image/project_kernel.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

/// The leaves that some rows of an image may see, for whoever draws them.
namespace marsim::lidar {
namespace {

class LeafWalk {
 public:
  LeafWalk(const map::SurfelTreeView& tree, const ImageStrip& strip, const LeafSink& sink)
      : tree_(tree), image_(strip), sink_(sink) {}

  void run() {
    if (tree_.header.node_count == 0) return;
    std::uint32_t stack[(map::kTreeWidth - 1) * map::kMaxTreeDepth + map::kTreeWidth];
    int size = 0;
    stack[size++] = 0;
    while (size > 0) visit(stack[--size], stack, size);
  }

 private:
  void visit(std::uint32_t number, std::uint32_t* stack, int& size) const {
    const map::TreeNode& node = tree_.nodes[number];
    const SeenChildren seen(image_, node);
    for (unsigned left = seen.slots(); left != 0; left &= left - 1) {
      const int slot = __builtin_ctz(left);
      SeenLeaf leaf;
      leaf.range_count = inStrip(leaf.cells, seen.cells(slot, leaf.cells));
      if (leaf.range_count == 0) continue;
      if (slot < node.innerCount()) {
        stack[size++] = node.child_base + static_cast<std::uint32_t>(slot);
        continue;
      }
      leaf.node = number;
      leaf.slot = slot;
      leaf.distance = seen.distance(slot);
      sink_.take(sink_.to, leaf);
    }
  }

  // Clips the rows to the strip's and leaves out what is empty; returns how many are left.
  int inStrip(CellRange* ranges, int count) const {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
      CellRange cells = ranges[k];
      if (cells.first_row < image_.first_row) cells.first_row = image_.first_row;
      if (cells.last_row >= image_.end_row) cells.last_row = image_.end_row - 1;
      if (cells.first_row > cells.last_row || cells.first_column > cells.last_column) continue;
      ranges[kept++] = cells;
    }
    return kept;
  }

  const map::SurfelTreeView& tree_;
  const ImageStrip& image_;
  const LeafSink& sink_;
};

}  // namespace
}  // namespace marsim::lidar
