// SPDX-License-Identifier: BSD-3-Clause
// Replaces all code that needs OpenGL in builds without it.

#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

[[noreturn]] void refuse() {
  throw GlError("this build has no OpenGL (GLEW, GLFW 3.3 and EGL were not all found)");
}

}  // namespace

class Context::Thread {};

Context::Context(const ContextOptions&) { refuse(); }
Context::~Context() = default;

bool available() { return false; }

std::unique_ptr<GlRayCaster> makeRayCaster(std::shared_ptr<const map::SurfelMap>,
                                           const lidar::RendererConfig&, const GlOptions&) {
  refuse();
}

}  // namespace marsim::lidar_gl
