#pragma once

#include <map>
#include <string>

#include "gl.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

/// The compiled compute programs of a context, by their text: renderers of one kind share one. To
/// be used in the context's thread alone.
class Context::Shaders {
 public:
  ~Shaders();
  /// Throws GlError with what the compiler said.
  GLuint program(const std::string& text);

 private:
  std::map<std::string, GLuint> programs_;
};

}  // namespace marsim::lidar_gl
