// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lidar_gl/gl.hpp"
#include "marsim/map/surfel_tree_layout.hpp"

namespace marsim::lidar_gl {

/// An array on the device in parts of 2^shift elements, since shaders limit a buffer's size.
struct SplitBuffer {
  std::vector<GLuint> buffers;
  int shift = 0;
};

/// A map's tree on the device, in its layout in memory. For jobs of the context alone.
class DeviceTree {
 public:
  /// `block_bytes`: largest buffer, at least 80. Throws GlError if there is no room.
  DeviceTree(const map::SurfelTreeView& tree, std::size_t block_bytes);
  ~DeviceTree();
  DeviceTree(const DeviceTree&) = delete;
  DeviceTree& operator=(const DeviceTree&) = delete;

  const SplitBuffer& nodes() const { return nodes_; }
  const SplitBuffer& words() const { return words_; }
  std::size_t bytes() const { return bytes_; }
  /// Binds the parts of the nodes, then those of the words, to successive bindings from `first`.
  void bind(GLuint first) const;

 private:
  SplitBuffer upload(const void* data, std::size_t count, std::size_t size,
                     std::size_t block_bytes);
  void release();

  SplitBuffer nodes_, words_;
  std::size_t bytes_ = 0;
};

/// Largest number of children that a walk of the tree keeps for later at one time.
int stackNeed(const map::SurfelTreeView& tree);

}  // namespace marsim::lidar_gl
