// SPDX-License-Identifier: BSD-3-Clause
#include "lidar_gl/transfer_buffer.hpp"

#include <fmt/format.h>

#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

TransferBuffer::TransferBuffer(Direction direction, std::size_t bytes, bool persistent)
    : direction_(direction), bytes_(bytes), persistent_(persistent) {
  try {
    make();
  } catch (...) {
    release();
    throw;
  }
}

TransferBuffer::~TransferBuffer() { release(); }

void TransferBuffer::make() {
  const auto size = static_cast<GLsizeiptr>(bytes_);
  const bool send = direction_ == Direction::kToDevice;
  glGenBuffers(1, &device_);
  glBindBuffer(GL_COPY_WRITE_BUFFER, device_);
  glBufferData(GL_COPY_WRITE_BUFFER, size, nullptr, send ? GL_DYNAMIC_DRAW : GL_DYNAMIC_READ);
  glGenBuffers(1, &host_);
  glBindBuffer(GL_COPY_WRITE_BUFFER, host_);
  if (persistent_) {
    const GLbitfield access =
        (send ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT) | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    // The processor reads slowly from memory that is not its own.
    glBufferStorage(GL_COPY_WRITE_BUFFER, size, nullptr,
                    access | (send ? 0U : GL_CLIENT_STORAGE_BIT));
    mapped_ = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access);
  } else {
    glBufferData(GL_COPY_WRITE_BUFFER, size, nullptr, send ? GL_STREAM_DRAW : GL_STREAM_READ);
  }
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR && (mapped_ != nullptr || !persistent_)) return;
  throw GlError(error == GL_OUT_OF_MEMORY
                    ? fmt::format("OpenGL: the device has no room for buffers of {:.1f} MiB",
                                  static_cast<double>(bytes()) / (1 << 20))
                    : fmt::format("OpenGL: a buffer cannot be made: error 0x{:04x}", error));
}

// This also unmaps the buffer.
void TransferBuffer::release() {
  glDeleteBuffers(1, &device_);
  glDeleteBuffers(1, &host_);
}

void* TransferBuffer::map(std::size_t bytes) {
  if (mapped_ != nullptr) return mapped_;
  const GLbitfield access = direction_ == Direction::kToDevice
                                ? GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT
                                : GL_MAP_READ_BIT;
  glBindBuffer(GL_COPY_WRITE_BUFFER, host_);
  void* data = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), access);
  if (data == nullptr) {
    requireNoGlError("mapping a buffer");
    throw GlError("OpenGL: a buffer cannot be mapped");
  }
  return data;
}

void TransferBuffer::unmap() {
  if (mapped_ == nullptr) glUnmapBuffer(GL_COPY_WRITE_BUFFER);
}

void TransferBuffer::copy(GLuint to, GLuint from, std::size_t bytes) {
  glBindBuffer(GL_COPY_READ_BUFFER, from);
  glBindBuffer(GL_COPY_WRITE_BUFFER, to);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
                      static_cast<GLsizeiptr>(bytes));
}

}  // namespace marsim::lidar_gl
