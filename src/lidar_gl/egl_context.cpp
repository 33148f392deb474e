// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <utility>

#include <fmt/format.h>

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "lidar_gl/native_context.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {
namespace {

bool has(const char* extensions, const char* name) {
  if (extensions == nullptr) return false;
  const std::size_t length = std::strlen(name);
  for (const char* at = std::strstr(extensions, name); at != nullptr;
       at = std::strstr(at + length, name)) {
    const bool begins = at == extensions || at[-1] == ' ';
    if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

template <class Function>
Function load(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

[[noreturn]] void refuse(const char* doing) {
  throw GlError(fmt::format("{} (EGL error 0x{:04x})", doing, eglGetError()));
}

class EglContext final : public NativeContext {
 public:
  /// Displays belong to the process and are never terminated: other contexts may use them.
  explicit EglContext(EGLDisplay display) : display_(display) {
    EGLint major = 0, minor = 0;
    if (display_ == EGL_NO_DISPLAY || eglInitialize(display_, &major, &minor) == EGL_FALSE) {
      refuse("no display of it");
    }
    if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) refuse("no OpenGL, only OpenGL ES");
    const char* extensions = eglQueryString(display_, EGL_EXTENSIONS);
    if (!has(extensions, "EGL_KHR_surfaceless_context")) refuse("no contexts without a surface");
    create(extensions);
    if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE) {
      eglDestroyContext(display_, context_);
      refuse("its context cannot be used");
    }
  }

  ~EglContext() override {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglReleaseThread();
  }

 private:
  void create(const char* extensions) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE,
                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (eglChooseConfig(display_, wanted, &config, 1, &count) == EGL_FALSE || count == 0) {
      refuse("no configuration for OpenGL");
    }
    std::vector<EGLint> attributes = {
        EGL_CONTEXT_MAJOR_VERSION,       kMajor,
        EGL_CONTEXT_MINOR_VERSION,       kMinor,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
    const std::size_t plain = attributes.size();
    if (has(extensions, "EGL_EXT_create_context_robustness")) {
      attributes.insert(attributes.end(), {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                                           EGL_LOSE_CONTEXT_ON_RESET_EXT});
    }
    attributes.push_back(EGL_NONE);
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, attributes.data());
    if (context_ == EGL_NO_CONTEXT) {  // some drivers list the extension for OpenGL ES only
      attributes.resize(plain);
      attributes.push_back(EGL_NONE);
      context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, attributes.data());
    }
    if (context_ != EGL_NO_CONTEXT) return;
    // Any context at all, so that its version can be reported.
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, nullptr);
    if (context_ == EGL_NO_CONTEXT) refuse("no context of OpenGL 4.3 core, nor of any other");
  }

  EGLDisplay display_;
  EGLContext context_ = EGL_NO_CONTEXT;
};

Candidate candidate(std::string name, EGLenum platform, void* native) {
  return {std::move(name), [platform, native] {
            const auto display = load<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
            return std::make_unique<EglContext>(display(platform, native, nullptr));
          }};
}

void addDevices(std::vector<Candidate>& candidates) {
  const auto query = load<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto text = load<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  EGLint count = 0;
  if (query == nullptr || query(0, nullptr, &count) == EGL_FALSE || count == 0) return;
  std::vector<EGLDeviceEXT> devices(static_cast<std::size_t>(count));
  if (query(count, devices.data(), &count) == EGL_FALSE) return;
  std::vector<Candidate> software;
  for (EGLint i = 0; i < count; ++i) {
    EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
    const char* extensions = text == nullptr ? nullptr : text(device, EGL_EXTENSIONS);
    const bool soft = has(extensions, "EGL_MESA_device_software");
    (soft ? software : candidates)
        .push_back(candidate(fmt::format(" device {}", i), EGL_PLATFORM_DEVICE_EXT, device));
  }
  candidates.insert(candidates.end(), software.begin(), software.end());
}

}  // namespace

std::vector<Candidate> eglCandidates() {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::vector<Candidate> candidates;
  if (!has(extensions, "EGL_EXT_platform_base")) return candidates;
  if (has(extensions, "EGL_EXT_platform_device")) addDevices(candidates);
  if (has(extensions, "EGL_MESA_platform_surfaceless")) {
    candidates.push_back(candidate(" surfaceless", EGL_PLATFORM_SURFACELESS_MESA, nullptr));
  }
  return candidates;
}

}  // namespace marsim::lidar_gl
