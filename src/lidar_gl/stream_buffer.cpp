#include "lidar_gl/stream_buffer.hpp"

#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

StreamBuffer::~StreamBuffer() { glDeleteBuffers(1, &buffer_); }

void StreamBuffer::reserve(std::size_t bytes, GLenum usage) {
  if (buffer_ == 0) glGenBuffers(1, &buffer_);
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer_);
  glBufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, usage);
  requireNoGlError("making a buffer");
}

void* StreamBuffer::map(std::size_t bytes, GLbitfield access) const {
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer_);
  void* data =
      glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), access);
  if (data == nullptr) {
    requireNoGlError("mapping a buffer");
    throw GlError("OpenGL: a buffer cannot be mapped");
  }
  return data;
}

void StreamBuffer::unmap() { glUnmapBuffer(GL_SHADER_STORAGE_BUFFER); }

void dispatch(std::size_t groups) {
  constexpr std::size_t kMostGroups = 65535;  // of a dimension, in any OpenGL 4.3
  const std::size_t rows = (groups + kMostGroups - 1) / kMostGroups;
  const std::size_t columns = (groups + rows - 1) / rows;
  glDispatchCompute(static_cast<GLuint>(columns), static_cast<GLuint>(rows), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT |
                  GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
}

}  // namespace marsim::lidar_gl
