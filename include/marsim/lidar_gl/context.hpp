// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "marsim/common/error.hpp"

namespace marsim::lidar_gl {

/// An error of OpenGL: something it cannot do, or no longer can.
class GlError : public Error {
 public:
  using Error::Error;
};

/// Where a context comes from.
enum class ContextSource {
  kAuto,    ///< "auto": GLFW where a display is named (DISPLAY, WAYLAND_DISPLAY), then EGL
  kWindow,  ///< "glfw": a hidden window on the display
  kEgl,     ///< "egl": no display; the devices that EGL lists, then the surfaceless platform
};
const char* nameOf(ContextSource source);

struct ContextOptions {
  ContextSource source = ContextSource::kAuto;
  bool software = true;  ///< whether a rasteriser that runs on the processor will do
};

struct ContextInfo {
  ContextSource source = ContextSource::kAuto;  ///< the one taken
  std::string vendor, renderer, version;
  bool software = false;        ///< llvmpipe, softpipe, swrast and their like
  std::size_t block_bytes = 0;  ///< largest buffer that a shader can read
  int blocks = 0;               ///< buffers that a compute shader can read
  bool persistent = false;      ///< buffers can stay mapped (OpenGL 4.4 or GL_ARB_buffer_storage)

  /// "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5 (...), through egl, in software".
  std::string text() const;
};

/// Numbers of casts by the renderers of a context.
struct CastCounts {
  std::size_t requests = 0;       ///< casts asked for, so far
  std::size_t batches = 0;        ///< dispatches that they took
  std::size_t most_together = 0;  ///< requests that one dispatch was for
  std::size_t waiting = 0;        ///< requests now
};

/// An OpenGL context of version 4.3 (core) or later and the one thread that it is current in. Any
/// thread may have jobs done there; they are done one after another, so that OpenGL sees a single
/// thread, no matter which thread calls a renderer.
class Context {
 public:
  /// Throws GlError with the errors of all sources tried.
  explicit Context(const ContextOptions& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Returns a suitable context of this process, or a new one: the renderers of a process share the
  /// thread and the compiled shaders.
  static std::shared_ptr<Context> shared(const ContextOptions& options);

  const ContextInfo& info() const;
  /// Has the job done in the context's thread and waits for its end; rethrows what it throws. Not
  /// to be called by a job. Throws GlError once the context is lost.
  void run(const std::function<void()>& job);
  bool lost() const;
  /// As run(), for jobs that free objects: also runs when the context is lost, ignores errors.
  void release(const std::function<void()>& job) noexcept;

  class Resources;
  /// Resources that renderers share; for jobs only.
  Resources& resources();
  /// Bytes of the device that maps fill.
  std::size_t mapBytes();
  /// Bytes of the buffers that rays and hits go through.
  std::size_t castBufferBytes();
  CastCounts castCounts() const;
  /// For jobs: throws GlError where the device was reset or forgot the context. From then on run()
  /// throws, too.
  void requireAlive();

 private:
  friend void loseOnPurpose(Context& context);
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace marsim::lidar_gl
