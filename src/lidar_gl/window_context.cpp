// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "lidar_gl/native_context.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {
namespace {

// GLFW calls must not run at the same time. GLFW asks for the main thread, but with X11, where this
// is used, any thread works.
std::mutex& glfwMutex() {
  static std::mutex mutex;
  return mutex;
}

[[noreturn]] void refuseWindow(const char* doing) {
  const char* why = nullptr;
  glfwGetError(&why);
  throw GlError(fmt::format("{}: {}", doing, why == nullptr ? "no reason is given" : why));
}

class WindowContext final : public NativeContext {
 public:
  WindowContext() {
    const std::lock_guard<std::mutex> lock(glfwMutex());
    // Never terminated, since that would close the windows of other contexts.
    if (glfwInit() == GLFW_FALSE) refuseWindow("the display cannot be opened");
    window_ = create(true);
    // Any context at all, so that its version can be reported.
    if (window_ == nullptr) window_ = create(false);
    if (window_ == nullptr) refuseWindow("no window of OpenGL 4.3 core, nor of any other");
    glfwMakeContextCurrent(window_);
  }

  ~WindowContext() override {
    const std::lock_guard<std::mutex> lock(glfwMutex());
    glfwMakeContextCurrent(nullptr);
    glfwDestroyWindow(window_);
  }

 private:
  static GLFWwindow* create(bool core) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    if (core) {
      glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, kMajor);
      glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, kMinor);
      glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
      glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    }
    return glfwCreateWindow(16, 16, "marsim", nullptr, nullptr);
  }

  GLFWwindow* window_ = nullptr;
};

bool isSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::vector<Candidate> windowCandidates() {
  if (!isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY")) return {};
  return {{" window", [] { return std::make_unique<WindowContext>(); }}};
}

}  // namespace marsim::lidar_gl
