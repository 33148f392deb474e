#include <memory>
#include <mutex>
#include <utility>

#include "marsim/common/error.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::MovingObject;
using lidar::Renderer;

std::unique_ptr<Renderer> makeOnCpu(Use use, std::shared_ptr<const map::SurfelMap> map,
                                    const lidar::RendererConfig& config) {
  return use == Use::kRays ? lidar::makeRayCaster(std::move(map), config)
                           : lidar::makeDepthImageRenderer(std::move(map), config);
}

std::unique_ptr<Renderer> makeOnGl(Use use, std::shared_ptr<const map::SurfelMap> map,
                                   const lidar::RendererConfig& config, const GlOptions& options) {
  return use == Use::kRays ? makeRayCaster(std::move(map), config, options)
                           : makeDepthImageRenderer(std::move(map), config, options);
}

// Renders by OpenGL until that fails, then by the processor.
class SafeRenderer final : public Renderer {
 public:
  SafeRenderer(std::shared_ptr<const Renderer> opengl,
               std::function<std::unique_ptr<Renderer>()> cpu, Log log)
      : now_(std::move(opengl)), make_cpu_(std::move(cpu)), log_(std::move(log)) {}

  std::string name() const override { return current()->name(); }
  bool castsRays() const override { return current()->castsRays(); }
  View<std::uint8_t> reflectivity() const override { return current()->reflectivity(); }

  void cast(const std::vector<lidar::Ray>& rays, View<MovingObject> objects,
            std::vector<Hit>& hits) const override {
    render([&](const Renderer& renderer) { renderer.cast(rays, objects, hits); });
  }
  void renderImage(const lidar::ImageGrid& grid, const Pose& X_WS, double range_max,
                   View<MovingObject> objects, std::vector<Hit>& hits) const override {
    render([&](const Renderer& renderer) {
      renderer.renderImage(grid, X_WS, range_max, objects, hits);
    });
  }

 private:
  std::shared_ptr<const Renderer> current() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }

  template <class Work>
  void render(const Work& work) const {
    const std::shared_ptr<const Renderer> renderer = current();
    try {
      work(*renderer);
    } catch (const GlError& error) {
      fallBack(*renderer, error);
      work(*current());
    }
  }

  // The first of several threads that fail changes the renderer and says so.
  void fallBack(const Renderer& failed, const GlError& error) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (now_.get() != &failed) return;
    now_ = make_cpu_();
    log_(std::string("the processor renders from now on: ") + error.what(), true);
  }

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Renderer> now_;
  const std::function<std::unique_ptr<Renderer>()> make_cpu_;
  const Log log_;
};

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

std::unique_ptr<Renderer> makeRenderer(RendererChoice choice, Use use,
                                       std::shared_ptr<const map::SurfelMap> map,
                                       const lidar::RendererConfig& config, const Log& log,
                                       GlOptions options) {
  config.validate("renderer");
  if (choice == RendererChoice::kCpu) return makeOnCpu(use, std::move(map), config);
  options.context.software = choice == RendererChoice::kOpenGl || options.auto_takes_software;
  try {
    std::shared_ptr<const Renderer> opengl = makeOnGl(use, map, config, options);
    log("rendering by OpenGL: " + deviceText(*opengl), false);
    return std::make_unique<SafeRenderer>(
        std::move(opengl), [=] { return makeOnCpu(use, map, config); }, log);
  } catch (const GlError& error) {
    if (choice == RendererChoice::kOpenGl) {
      throw GlError(std::string("renderer is opengl, and cannot be: ") + error.what());
    }
    log(std::string("renderer is auto, the processor renders: ") + error.what(), false);
    return makeOnCpu(use, std::move(map), config);
  }
}

}  // namespace marsim::lidar_gl
