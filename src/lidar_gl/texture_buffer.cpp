#include "lidar_gl/texture_buffer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

TextureBuffer::~TextureBuffer() {
  glDeleteTextures(1, &texture_);
  glDeleteBuffers(1, &buffer_);
}

void TextureBuffer::requireRoom(std::size_t bytes, GLenum format) {
  const std::size_t texel = format == GL_R32UI ? 4 : 16;
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
  if (bytes / texel > static_cast<std::size_t>(most)) {
    throw GlError(fmt::format("OpenGL: {} texels of a buffer are needed, the device reads {}",
                              bytes / texel, most));
  }
}

void* TextureBuffer::map(std::size_t bytes, GLenum format) {
  requireRoom(bytes, format);
  bytes = std::max<std::size_t>(bytes, 16);  // of an empty view
  if (bytes > room_) {
    if (buffer_ == 0) glGenBuffers(1, &buffer_);
    if (texture_ == 0) glGenTextures(1, &texture_);
    room_ = bytes + bytes / 2;
    glBindBuffer(GL_TEXTURE_BUFFER, buffer_);
    glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(room_), nullptr, GL_STREAM_DRAW);
    glBindTexture(GL_TEXTURE_BUFFER, texture_);
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer_);
    requireNoGlError("making a buffer of texels");
  }
  glBindBuffer(GL_TEXTURE_BUFFER, buffer_);
  void* data = glMapBufferRange(GL_TEXTURE_BUFFER, 0, static_cast<GLsizeiptr>(bytes),
                                GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
  if (data == nullptr) {
    requireNoGlError("mapping a buffer of texels");
    throw GlError("OpenGL: a buffer of texels cannot be mapped");
  }
  return data;
}

void TextureBuffer::unmap() { glUnmapBuffer(GL_TEXTURE_BUFFER); }

void TextureBuffer::show(GLuint buffer, std::size_t bytes, GLenum format) {
  requireRoom(bytes, format);
  if (texture_ == 0) glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glTexBuffer(GL_TEXTURE_BUFFER, format, buffer);
  requireNoGlError("making a buffer of texels");
}

void TextureBuffer::bind(GLuint unit) const {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
}

}  // namespace marsim::lidar_gl
