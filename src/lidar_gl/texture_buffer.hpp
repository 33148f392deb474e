#pragma once

#include <cstddef>

#include "lidar_gl/gl.hpp"

namespace marsim::lidar_gl {

/// Words that a shader fetches as texels of one, two or four. For jobs of the context alone.
class TextureBuffer {
 public:
  TextureBuffer() = default;
  ~TextureBuffer();
  TextureBuffer(const TextureBuffer&) = delete;
  TextureBuffer& operator=(const TextureBuffer&) = delete;

  /// work(pointer) while `count` elements are written anew, texels of `format` then. Throws
  /// GlError.
  template <class T, class Work>
  void fill(std::size_t count, GLenum format, const Work& work) {
    work(static_cast<T*>(map(count * sizeof(T), format)));
    unmap();
  }
  /// Shows another's buffer, which must outlive this one's use. Throws GlError.
  void show(GLuint buffer, std::size_t bytes, GLenum format);
  /// At a texture unit, for samplers.
  void bind(GLuint unit) const;

 private:
  void* map(std::size_t bytes, GLenum format);
  static void unmap();
  static void requireRoom(std::size_t bytes, GLenum format);

  GLuint buffer_ = 0, texture_ = 0;
  std::size_t room_ = 0;  // bytes
};

}  // namespace marsim::lidar_gl
