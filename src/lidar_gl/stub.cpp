// In place of everything that needs OpenGL, where the build has none.

#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {

bool available() { return false; }

std::string deviceText(const lidar::Renderer&) { return "none"; }

std::unique_ptr<lidar::Renderer> makeRayCaster(std::shared_ptr<const map::SurfelMap>,
                                               const lidar::RendererConfig&, const GlOptions&) {
  throw GlError("this build has no OpenGL (GLEW, GLFW 3.3 and EGL were not all found)");
}

}  // namespace marsim::lidar_gl
