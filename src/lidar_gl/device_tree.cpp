// SPDX-License-Identifier: BSD-3-Clause
#include "lidar_gl/device_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "map/tree/leaf_storage.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

DeviceTree::DeviceTree(const map::SurfelTreeView& tree, std::size_t block_bytes) {
  if (tree.wordCount() >> 32 != 0) {
    throw GlError(
        fmt::format("OpenGL: a map of {} surfels is too large", tree.header.surfel_count));
  }
  try {
    nodes_ = upload(tree.nodes, tree.header.node_count, sizeof(map::TreeNode), block_bytes);
    words_ = upload(tree.words, tree.wordCount(), sizeof(std::uint32_t), block_bytes);
  } catch (...) {
    release();
    throw;
  }
}

DeviceTree::~DeviceTree() { release(); }

void DeviceTree::release() {
  for (const SplitBuffer* parts : {&nodes_, &words_}) {
    glDeleteBuffers(static_cast<GLsizei>(parts->buffers.size()), parts->buffers.data());
  }
}

SplitBuffer DeviceTree::upload(const void* data, std::size_t count, std::size_t size,
                               std::size_t block_bytes) {
  SplitBuffer parts;
  while (size << (parts.shift + 1) <= block_bytes) ++parts.shift;
  const std::size_t part = std::size_t{1} << parts.shift;
  const auto* bytes = static_cast<const char*>(data);
  for (std::size_t first = 0; first == 0 || first < count; first += part) {
    const std::size_t length = size * std::min(part, count - first);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    parts.buffers.push_back(buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    // Also for an empty map, whose root is never read.
    glBufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(std::max(length, size)),
                 length == 0 ? nullptr : bytes + first * size, GL_STATIC_DRAW);
    bytes_ += std::max(length, size);
  }
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    glDeleteBuffers(static_cast<GLsizei>(parts.buffers.size()), parts.buffers.data());
    throw GlError(
        error == GL_OUT_OF_MEMORY
            ? fmt::format("OpenGL: the device has no room for the map's {} MiB", count * size >> 20)
            : fmt::format("OpenGL: the map cannot be uploaded: error 0x{:04x}", error));
  }
  return parts;
}

void DeviceTree::bind(GLuint first) const {
  for (const SplitBuffer* parts : {&nodes_, &words_}) {
    for (const GLuint buffer : parts->buffers) {
      glBindBufferBase(GL_SHADER_STORAGE_BUFFER, first++, buffer);
    }
  }
}

// All children of a node but one wait; children have larger numbers than their parent.
int stackNeed(const map::SurfelTreeView& tree) {
  std::vector<std::uint16_t> waiting(tree.header.node_count, 0);
  int most = 1;
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    const map::TreeNode& node = tree.nodes[k];
    const int with_all = waiting[k] + node.childCount();
    most = std::max(most, with_all);
    for (int slot = 0; slot < node.innerCount(); ++slot) {
      waiting[node.child_base + static_cast<std::uint32_t>(slot)] =
          static_cast<std::uint16_t>(with_all - 1);
    }
  }
  return most;
}

}  // namespace marsim::lidar_gl
