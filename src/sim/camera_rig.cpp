#include "marsim/sim/camera_rig.hpp"

#include <utility>

#include "marsim/common/random.hpp"

namespace marsim::sim {

CameraRig::CameraRig(lidar::CameraRigConfig config, const lidar::CameraRenderers& renderers)
    : config_(std::move(config)), clock_(config_.rate) {
  config_.validate(config_.name);
  for (const lidar::CameraConfig& camera : config_.cameras) {
    const std::uint64_t seed = RandomStream(config_.seed, "camera " + camera.name).next();
    cameras_.emplace_back(camera, renderers, seed);
  }
}

}  // namespace marsim::sim
