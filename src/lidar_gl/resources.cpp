// SPDX-License-Identifier: BSD-3-Clause
#include "lidar_gl/resources.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace marsim::lidar_gl {
namespace {

// The first lines of a log as one line.
std::string oneLine(std::string text) {
  constexpr std::size_t kMost = 400;
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, kMost);
}

template <class Read>
std::string logOf(GLint length, const Read& read) {
  std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
  read(static_cast<GLsizei>(log.size()), log.data());
  return oneLine(std::move(log));
}

GLuint compile(const std::string& text) {
  const GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
  const char* source = text.c_str();
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint good = GL_FALSE, length = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good == GL_TRUE) return shader;
  glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
  const std::string log = logOf(
      length, [&](GLsizei size, char* into) { glGetShaderInfoLog(shader, size, nullptr, into); });
  glDeleteShader(shader);
  throw GlError("OpenGL: the shader does not compile: " + log);
}

GLuint link(GLuint shader) {
  const GLuint program = glCreateProgram();
  glAttachShader(program, shader);
  glLinkProgram(program);
  glDetachShader(program, shader);
  glDeleteShader(shader);
  GLint good = GL_FALSE, length = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (good == GL_TRUE) return program;
  glGetProgramiv(program, GL_INFO_LOG_LENGTH, &length);
  const std::string log = logOf(
      length, [&](GLsizei size, char* into) { glGetProgramInfoLog(program, size, nullptr, into); });
  glDeleteProgram(program);
  throw GlError("OpenGL: the shader cannot be linked: " + log);
}

}  // namespace

Context::Resources::~Resources() {
  for (const auto& [text, program] : programs_) glDeleteProgram(program);
}

GLuint Context::Resources::program(const std::string& text) {
  const auto known = programs_.find(text);
  if (known != programs_.end()) return known->second;
  const GLuint program = link(compile(text));
  programs_.emplace(text, program);
  return program;
}

std::shared_ptr<const DeviceTree> Context::Resources::tree(const map::SurfelTreeView& view,
                                                           std::size_t block_bytes) {
  std::weak_ptr<const DeviceTree>& known = trees_[{view.nodes, block_bytes}];
  std::shared_ptr<const DeviceTree> tree = known.lock();
  if (tree == nullptr) {
    tree = std::make_shared<const DeviceTree>(view, block_bytes);
    known = tree;
  }
  return tree;
}

std::size_t Context::Resources::treeBytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, known] : trees_) {
    if (const auto tree = known.lock()) bytes += tree->bytes();
  }
  return bytes;
}

}  // namespace marsim::lidar_gl
