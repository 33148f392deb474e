#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "marsim/map/surfel_map.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::map {

/// A tree without its surfels' words.
struct TreeShape {
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> order;  ///< index into the map of each surfel in tree order
};

/// Of a map with surfels; coordinates become relative to `origin` [m].
TreeShape buildTreeShape(const SurfelMap& map, const Eigen::Vector3d& origin);

}  // namespace marsim::map
