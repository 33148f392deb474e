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

/// What the renderers of a context share. To be used in the context's thread alone, but for what
/// CastQueue has for any thread.
class Context::Resources {
 public:
  ~Resources();
  /// The compiled compute program of a text. Throws GlError with what the compiler said.
  GLuint program(const std::string& text);
  /// A map's tree, which lives as long as somebody holds it, the tree in memory as long at least.
  /// To be let go in the context's thread. Throws as DeviceTree does.
  std::shared_ptr<const DeviceTree> tree(const map::SurfelTreeView& view, std::size_t block_bytes);
  /// Of the trees that live.
  std::size_t treeBytes() const;
  CastQueue& casts() { return casts_; }

 private:
  CastQueue casts_;
  std::map<std::string, GLuint> programs_;
  /// By the first node's address and the size of a part.
  std::map<std::pair<const map::TreeNode*, std::size_t>, std::weak_ptr<const DeviceTree>> trees_;
};

}  // namespace marsim::lidar_gl
