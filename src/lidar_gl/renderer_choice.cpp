// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <mutex>
#include <utility>

#include "lidar_gl/fault.hpp"
#include "marsim/common/error.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::ImageRenderer;
using lidar::MovingObject;
using lidar::RayRenderer;

/// Renders with OpenGL until it fails, then on the processor.
template <class Interface>
class FallbackRenderer : public Interface {
 public:
  using Make = std::function<std::unique_ptr<Interface>()>;

  FallbackRenderer(std::shared_ptr<const Interface> opengl, Make make_on_cpu, Log log)
      : now_(std::move(opengl)), make_on_cpu_(std::move(make_on_cpu)), log_(std::move(log)) {}

  std::string name() const override { return current()->name(); }

 protected:
  std::shared_ptr<const Interface> current() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }

  template <class Work>
  void render(const Work& work) const {
    const std::shared_ptr<const Interface> renderer = current();
    try {
      work(*renderer);
    } catch (const GlError& error) {
      fallBack(*renderer, error);
      work(*current());
    }
  }

  /// The processor's renderer, made at its first use.
  const Interface& onCpu() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (on_cpu_ == nullptr) on_cpu_ = make_on_cpu_();
    return *on_cpu_;
  }

 private:
  // The first of several failing threads changes the renderer and reports it.
  void fallBack(const Interface& failed, const GlError& error) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (now_.get() != &failed) return;
    if (on_cpu_ == nullptr) on_cpu_ = make_on_cpu_();
    now_ = on_cpu_;
    log_(std::string("the processor renders from now on: ") + error.what(), true);
  }

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Interface> now_, on_cpu_;
  const Make make_on_cpu_;
  const Log log_;
};

class FallbackRayRenderer final : public FallbackRenderer<RayRenderer> {
 public:
  using FallbackRenderer::FallbackRenderer;
  map::SurfelChannelViews channels() const override { return current()->channels(); }
  void cast(const std::vector<lidar::Ray>& rays, View<MovingObject> objects,
            std::vector<Hit>& hits) const override {
    render([&](const RayRenderer& renderer) { renderer.cast(rays, objects, hits); });
  }
  void castBeams(TimeNs begin, const std::vector<lidar::Ray>& rays, std::size_t rays_a_beam,
                 View<MovingObject> objects, std::vector<Hit>& hits) const override {
    render([&](const RayRenderer& renderer) {
      renderer.castBeams(begin, rays, rays_a_beam, objects, hits);
    });
  }
  // Too few rays to be worth the way to a graphics card and back.
  void castFew(TimeNs begin, const std::vector<lidar::Ray>& rays, View<MovingObject> objects,
               std::vector<Hit>& hits) const override {
    onCpu().castBeams(begin, rays, 1, objects, hits);
  }
};

class FallbackImageRenderer final : public FallbackRenderer<ImageRenderer> {
 public:
  using FallbackRenderer::FallbackRenderer;
  void renderImage(const lidar::ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    render([&](const ImageRenderer& renderer) {
      renderer.renderImage(grid, X_WS, range_max, objects, hits);
    });
  }
  void renderImageAt(TimeNs stamp, const lidar::ImageGrid& grid, const Pose& X_WS, double range_max,
                     View<MovingObject> objects, std::vector<Hit>& hits) const override {
    render([&](const ImageRenderer& renderer) {
      renderer.renderImageAt(stamp, grid, X_WS, range_max, objects, hits);
    });
  }
};

template <class Fallback, class Interface>
std::unique_ptr<Interface> make(RendererChoice choice, std::shared_ptr<const map::SurfelMap> map,
                                const lidar::RendererConfig& config, const Log& log,
                                GlOptions options,
                                std::function<std::unique_ptr<Interface>()> make_on_cpu) {
  config.validate("renderer");
  if (choice == RendererChoice::kCpu) return make_on_cpu();
  options.context.software = choice == RendererChoice::kOpenGl || faults().auto_takes_software;
  try {
    std::unique_ptr<GlRayCaster> opengl = makeRayCaster(std::move(map), config, options);
    log("rendering by OpenGL: " + opengl->deviceText(), false);
    return std::make_unique<Fallback>(std::move(opengl), std::move(make_on_cpu), log);
  } catch (const GlError& error) {
    if (choice == RendererChoice::kOpenGl) {
      throw GlError(std::string("renderer is opengl, and cannot be: ") + error.what());
    }
    log(std::string("renderer is auto, the processor renders: ") + error.what(), false);
    return make_on_cpu();
  }
}

}  // namespace

const char* nameOf(RendererChoice choice) {
  switch (choice) {
    case RendererChoice::kOpenGl:
      return "opengl";
    case RendererChoice::kAuto:
      return "auto";
    case RendererChoice::kCpu:
      break;
  }
  return "cpu";
}

RendererChoice rendererChoiceOf(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const auto choice : {RendererChoice::kCpu, RendererChoice::kOpenGl, RendererChoice::kAuto}) {
    if (name == nameOf(choice)) return choice;
    known.emplace_back(nameOf(choice));
  }
  throw UnknownNameError(where, "renderer", name, known);
}

std::unique_ptr<RayRenderer> makeRayRenderer(RendererChoice choice,
                                             std::shared_ptr<const map::SurfelMap> map,
                                             const lidar::RendererConfig& config, const Log& log,
                                             const GlOptions& options) {
  return make<FallbackRayRenderer, RayRenderer>(choice, map, config, log, options,
                                                [=] { return lidar::makeRayCaster(map, config); });
}

std::unique_ptr<ImageRenderer> makeImageRenderer(RendererChoice choice,
                                                 std::shared_ptr<const map::SurfelMap> map,
                                                 const lidar::RendererConfig& config,
                                                 const Log& log, const GlOptions& options) {
  return make<FallbackImageRenderer, ImageRenderer>(choice, map, config, log, options, [=] {
    return lidar::makeDepthImageRenderer(map, config);
  });
}

}  // namespace marsim::lidar_gl
