#pragma once

#include <cstddef>

#include "lidar_gl/gl.hpp"

namespace marsim::lidar_gl {

/// A buffer that is filled or read anew for every dispatch. For jobs of the context alone.
class StreamBuffer {
 public:
  StreamBuffer() = default;
  ~StreamBuffer();
  StreamBuffer(const StreamBuffer&) = delete;
  StreamBuffer& operator=(const StreamBuffer&) = delete;

  /// With room for so many bytes, whose values are lost. Throws GlError.
  void reserve(std::size_t bytes, GLenum usage);

  /// work(pointer) while the first `count` elements are mapped for `access`. Throws GlError.
  template <class T, class Work>
  void mapped(std::size_t count, GLbitfield access, const Work& work) const {
    work(static_cast<T*>(map(count * sizeof(T), access)));
    unmap();
  }

  void bind(GLuint binding) const { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer_); }

 private:
  void* map(std::size_t bytes, GLbitfield access) const;
  static void unmap();

  GLuint buffer_ = 0;
};

/// Runs the program in use with so many groups, laid out in rows: in a shader, group number
/// gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, of which the last may be too many.
/// What it writes can be mapped, and read by the next program, afterwards.
void dispatch(std::size_t groups);

}  // namespace marsim::lidar_gl
