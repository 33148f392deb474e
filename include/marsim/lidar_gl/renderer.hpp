// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar_gl/context.hpp"

/// Renderers on the graphics card, behind lidar's interface.
namespace marsim::lidar_gl {

/// Whether this build has OpenGL: GLEW, GLFW and EGL were found. Without it everything below that
/// needs OpenGL throws GlError.
bool available();

struct GlOptions {
  ContextOptions context;
  /// Largest buffer that is used, in bytes; 0: as large as the device takes. A larger map lies in
  /// several buffers.
  std::size_t block_bytes = 0;
};

/// The ray caster on OpenGL.
class GlRayCaster : public lidar::RayCaster {
 public:
  /// The device and the map's memory there, for messages.
  virtual std::string deviceText() const = 0;
};

/// Casts rays by a compute shader through the map's tree, which lies on the device as in the file.
/// Moving objects are met on the processor, as the ray caster of lidar meets them. Throws
/// GlError where there is no OpenGL 4.3, no room or no compiler.
std::unique_ptr<GlRayCaster> makeRayCaster(std::shared_ptr<const map::SurfelMap> map,
                                           const lidar::RendererConfig& config,
                                           const GlOptions& options = {});

/// Which renderer to use.
enum class RendererChoice {
  kCpu,     ///< "cpu": the processor
  kOpenGl,  ///< "opengl": OpenGL, in software as well; an error where there is none
  kAuto,    ///< "auto": OpenGL on a graphics card where there is one, else the processor
};
const char* nameOf(RendererChoice choice);
/// Throws UnknownNameError.
RendererChoice rendererChoiceOf(const std::string& name, const std::string& where);

/// Takes a line for the user; `warning`: something went wrong.
using Log = std::function<void(const std::string& line, bool warning)>;

/// The renderer of a choice. `log` gets one line: the rendering device, or why the processor
/// renders. If OpenGL fails later, the processor takes over, and `log` gets the reason; it must be
/// callable from any thread that renders. Throws ConfigError, and GlError for kOpenGl where it
/// cannot be.
std::unique_ptr<lidar::RayRenderer> makeRayRenderer(RendererChoice choice,
                                                    std::shared_ptr<const map::SurfelMap> map,
                                                    const lidar::RendererConfig& config,
                                                    const Log& log, const GlOptions& options = {});
/// The image renderer of a choice; log and errors as above.
std::unique_ptr<lidar::ImageRenderer> makeImageRenderer(RendererChoice choice,
                                                        std::shared_ptr<const map::SurfelMap> map,
                                                        const lidar::RendererConfig& config,
                                                        const Log& log,
                                                        const GlOptions& options = {});

}  // namespace marsim::lidar_gl
