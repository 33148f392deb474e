// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lidar_gl/cast_queue.hpp"
#include "lidar_gl/device_tree.hpp"
#include "lidar_gl/gl.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

/// Resources that the renderers of a context share. For the context's thread alone, except
/// CastQueue's functions for any thread.
class Context::Resources {
 public:
  ~Resources();
  /// The compute program compiled from a text. Throws GlError with the compiler's message.
  GLuint program(const std::string& text);
  /// A map's tree, shared by its holders; the tree in memory must live as long. Release it in the
  /// context's thread. Throws as DeviceTree does.
  std::shared_ptr<const DeviceTree> tree(const map::SurfelTreeView& view, std::size_t block_bytes);
  /// Bytes of all trees in use.
  std::size_t treeBytes() const;
  CastQueue& casts() { return casts_; }

 private:
  CastQueue casts_;
  std::map<std::string, GLuint> programs_;
  /// By the address of the first node and the size of a part.
  std::map<std::pair<const map::TreeNode*, std::size_t>, std::weak_ptr<const DeviceTree>> trees_;
};

}  // namespace marsim::lidar_gl
