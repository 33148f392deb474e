// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "map/tree/leaf_storage.hpp"
#include "map/tree/surfel_binary_tree.hpp"

namespace marsim::map {

/// A tree without its surfels' words.
struct TreeShape {
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> order;  ///< index of each surfel in tree order
};

/// Builds the shape for at least one surfel.
TreeShape buildTreeShape(const TreeInput& input);

}  // namespace marsim::map
