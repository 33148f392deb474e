// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/camera.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lidar/camera/exposure.hpp"
#include "lidar/camera/painter.hpp"
#include "lidar/camera/pinholes.hpp"
#include "lidar/camera/surface_shader.hpp"
#include "lidar/cast/workers.hpp"
#include "lidar/image/pool.hpp"
#include "lidar/measure/stereo_depth.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::lidar {
namespace {

std::vector<Eigen::Vector3f> directionsOf(const CameraModel& model) {
  std::vector<Eigen::Vector3f> directions;
  directions.reserve(static_cast<std::size_t>(model.width) *
                     static_cast<std::size_t>(model.height));
  for (int row = 0; row < model.height; ++row) {
    for (int column = 0; column < model.width; ++column) {
      directions.push_back(model.direction({column, row}).cast<float>());
    }
  }
  return directions;
}

// Luma; for colours their mean is close enough.
std::vector<std::uint8_t> greyOf(const CameraImage& image, const CameraConfig& config) {
  if (config.encoding == ImageEncoding::kMono8) return image.pixels;
  std::vector<std::uint8_t> grey(image.hits.size());
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const std::uint8_t* const bytes = &image.pixels[3 * i];
    grey[i] = static_cast<std::uint8_t>((bytes[0] + bytes[1] + bytes[2]) / 3);
  }
  return grey;
}

// Fills in the settings that an RGB-D camera's depth shares with its colour.
DepthCameraConfig completed(DepthCameraConfig depth, const CameraConfig& camera) {
  depth.name = camera.name.empty() ? "camera" : camera.name;
  depth.width = camera.model.width;
  depth.height = camera.model.height;
  depth.fx = camera.model.fx;
  depth.fy = camera.model.fy;
  depth.cx = camera.model.cx;
  depth.cy = camera.model.cy;
  depth.X_BC = camera.X_BC;
  return depth;
}

/// In the order of the enumeration.
const Settings::Words<ImageEncoding>& encodings() {
  static const Settings::Words<ImageEncoding> words = {{"mono8", ImageEncoding::kMono8},
                                                       {"bgr8", ImageEncoding::kBgr8},
                                                       {"rgb8", ImageEncoding::kRgb8}};
  return words;
}

}  // namespace

const char* nameOf(ImageEncoding encoding) {
  return encodings()[static_cast<std::size_t>(encoding)].first.c_str();
}

std::size_t bytesOf(ImageEncoding encoding) { return encoding == ImageEncoding::kMono8 ? 1 : 3; }

std::string CameraConfig::depthTopic() const {
  return "aligned_depth_to_" + (name.empty() ? "color" : name);
}

void CameraConfig::declareTaking(Settings& settings) {
  settings.optional("encoding", encoding, encodings());
  settings.optional("range_max", range_max, "m", kPositive);
  settings.optional("exposure", exposure, "s", kPositive);
  settings.optional("gain", gain, "", kPositive);
  settings.optional("noise", [&](Settings& noise) {
    noise.optional("full_well", full_well, "electrons", kNotNegative);
    noise.optional("read", read_noise, "electrons", kNotNegative);
  });
  settings.optional("antialiasing", antialiasing);
  settings.optional("shutter", [&](Settings& shutter) {
    shutter.optional("readout", readout, "s", kNotNegative);
    shutter.optional("subframes", subframes, "", {1.0, 64.0});
  });
  settings.optional("light", light, {{"sun", CameraLight::kSun}, {"flat", CameraLight::kFlat}});
  settings.optional("vignetting", vignetting, "", kShare);
  settings.optional("auto_exposure", auto_exposure);
  settings.optional("texture", [&](Settings& map) {
    map.optional("amplitude", texture.amplitude, "", kShare);
    map.optional("coarsest", texture.coarsest, "m");
    map.optional("finest", texture.finest, "m", {1e-3, 100.0});
  });
}

void CameraConfig::declare(Settings& settings) {
  model.declare(settings);
  declareTaking(settings);
  if (!aligned_depth && !settings.inFile("aligned_depth")) return;
  if (!aligned_depth) aligned_depth.emplace();
  settings.required("aligned_depth", [&](Settings& map) {
    aligned_depth->declareRange(map);
    aligned_depth->declareStereo(map, true);
  });
}

void CameraConfig::validate(const std::string& where) const {
  model.validate(where);
  checkSettings(where, *this);
  const Validator check(where);
  check.require(X_BC.p.allFinite() && X_BC.q.coeffs().allFinite(), "mounting", "not finite",
                "finite position and rotation");
  if (aligned_depth) {
    aligned_depth->validateDepth(where, "aligned_depth.", "aligned_depth.stereo.");
  }
  check.require(texture.coarsest >= texture.finest && texture.coarsest <= 1000.0,
                "texture.coarsest", fmt::format("{} m", texture.coarsest),
                fmt::format("texture.finest, {} m, to 1000 m", texture.finest));
}

std::size_t CameraRigConfig::imageFrameOf(std::size_t camera) const {
  constexpr double kTolerance = 1e-6;  // [m], [rad]
  const CameraModel &a = cameras.front().model, &b = cameras[camera].model;
  const Pose X_FC = cameras.front().X_BC.inverse() * cameras[camera].X_BC;
  const bool is_beside = X_FC.q.angularDistance(Eigen::Quaterniond::Identity()) < kTolerance &&
                         std::abs(X_FC.p.y()) < kTolerance && std::abs(X_FC.p.z()) < kTolerance;
  const bool has_same_rows =
      a.projection == b.projection && a.fx == b.fx && a.fy == b.fy && a.cy == b.cy;
  return is_beside && has_same_rows ? 0 : camera;
}

double CameraRigConfig::shiftOf(std::size_t camera) const {
  if (imageFrameOf(camera) == camera) return 0.0;
  const Pose X_FC = cameras.front().X_BC.inverse() * cameras[camera].X_BC;
  return -cameras[camera].model.fx * X_FC.p.x();
}

bool CameraRigConfig::isDepthTopic(const std::string& word) const {
  return std::any_of(cameras.begin(), cameras.end(), [&word](const CameraConfig& camera) {
    return camera.aligned_depth && word == camera.depthTopic();
  });
}

void CameraRigConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.require(!name.empty(), "name", "empty", "a name");
  check.within("rate", rate, 0.1, 1000.0, "Hz");
  clock.validate(where, rate);
  check.require(!cameras.empty() && cameras.size() <= 16, "cameras",
                fmt::format("a list of {}", cameras.size()), "1 to 16 cameras");
  std::set<std::string> names;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const CameraConfig& camera = cameras[i];
    const std::string of = cameras.size() > 1 ? fmt::format("cameras[{}].", i) : "";
    camera.validate(where);
    check.require(camera.exposure < 1.0 / rate, of + "exposure",
                  fmt::format("{} s", camera.exposure),
                  fmt::format("less than the time between two images, {} s", 1.0 / rate));
    check.require(camera.readout < 1.0 / rate, of + "shutter.readout",
                  fmt::format("{} s", camera.readout),
                  fmt::format("less than the time between two images, {} s", 1.0 / rate));
    check.require(!isDepthTopic(camera.name), of + "name", fmt::format("'{}'", camera.name),
                  "a name that is not the topic of another camera's aligned depth");
    check.require(names.insert(camera.name).second, "cameras", fmt::format("'{}'", camera.name),
                  "names that differ, none empty where there are several");
  }
  check.require(cameras.size() == 1 || names.count("") == 0, "cameras", "''",
                "names that differ, none empty where there are several");
}

// Buffers of one image.
struct Scratch {
  SurfaceLooks looks;
  std::vector<Radiance> radiances;
};

/// Parts that all images share.
struct Camera::Parts {
  CameraRenderers renderers;
  std::uint64_t seed;
  std::vector<Eigen::Vector3f> directions;  // in C, one for each pixel
  SurfaceShader shader;
  Workers workers;
  mutable Pool<Scratch> scratch{};
};

Camera::Camera(CameraConfig config, CameraRenderers renderers, std::uint64_t seed)
    : config_(std::move(config)) {
  const std::string name = config_.name.empty() ? "camera" : config_.name;
  config_.validate(name);
  if (!renderers.map || !renderers.rays || !renderers.images) {
    throw Error(fmt::format("{}: a camera needs a map and renderers", name));
  }
  config_.X_BC.q.normalize();
  if (config_.aligned_depth) {
    config_.aligned_depth = completed(*config_.aligned_depth, config_);
    config_.aligned_depth->seed = seed;
  }
  const int threads = renderers.threads;
  SurfaceShader shader(renderers.map, renderers.rays->plantChannels(), config_.texture,
                       config_.light);
  parts_ = std::shared_ptr<const Parts>(new Parts{std::move(renderers), seed,
                                                  directionsOf(config_.model), std::move(shader),
                                                  Workers(threads)});
}

const RayRenderer& Camera::rays() const { return *parts_->renderers.rays; }

const std::vector<Eigen::Vector3f>& Camera::directions() const { return parts_->directions; }

double Camera::timeOf(int row) const {
  const int steps = config_.model.height - 1;
  return steps > 0 ? config_.readout * row / steps : 0.0;
}

Frame Camera::frameAt(TimeNs stamp, double offset, const BodyAt& bodyAt) const {
  Frame frame;
  frame.stamp = stamp;
  const int rows = config_.readout > 0.0 ? config_.model.height : 1;
  for (int row = 0; row < rows; ++row) {
    const double time = timeOf(row) + offset;
    frame.X_WC.push_back(bodyAt(time) * config_.X_BC);
    frame.times.push_back(static_cast<float>(time));
  }
  return frame;
}

// Returns whether `looks` is set to those of the map's surfaces.
bool Camera::castCentres(const Frame& frame, View<MovingObject> objects, std::vector<Hit>& hits,
                         SurfaceLooks& looks) const {
  const CameraRenderers& renderers = parts_->renderers;
  if (config_.model.isIdeal() && frame.isOfOneInstant()) {
    const auto time = static_cast<double>(frame.times[0]);
    const std::vector<MovingObject> present =
        scene::countedFrom(time, {objects.begin(), objects.end()});
    return renderers.images->renderLooksAt(frame.stamp + toNs(time), config_.model.grid(),
                                           frame.X_WC[0], config_.range_max, present,
                                           parts_->shader.colours(), hits, looks);
  }
  const auto range_max = static_cast<float>(config_.range_max);
  std::vector<Ray> rays;
  rays.reserve(parts_->directions.size());
  const auto width = static_cast<std::size_t>(config_.model.width);
  for (int row = 0; row < config_.model.height; ++row) {
    const std::size_t number = frame.numberOf(row);
    const Pose& X_WC = frame.X_WC[number];
    const Eigen::Matrix3f R_WC = X_WC.q.toRotationMatrix().cast<float>();
    const Eigen::Vector3f origin = X_WC.p.cast<float>();
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t i = static_cast<std::size_t>(row) * width + column;
      rays.push_back({origin, range_max, R_WC * parts_->directions[i], frame.times[number]});
    }
  }
  renderers.rays->castBeams(frame.stamp, rays, 1, objects, hits);
  return false;
}

void Camera::setWeather(const Weather& weather) {
  weather.validate(config_.name.empty() ? "camera" : config_.name);
  extinction_ = static_cast<float>(weather.extinction());
}

DepthImage Camera::alignedDepth(const CameraImage& image) const {
  std::vector<float> cosines;
  cosines.reserve(parts_->directions.size());
  for (const Eigen::Vector3f& direction : parts_->directions) cosines.push_back(direction.z());
  const DepthCameraConfig& depth = *config_.aligned_depth;
  DepthImage measured =
      measureDepth(depth, image.time, image.X_WC, image.hits, cosines, extinction_);
  measured.stamp = image.stamp;
  if (depth.least_contrast > 0.0) dropWithoutTexture(depth, greyOf(image, config_), measured.depth);
  return measured;
}

CameraImage Camera::image(TimeNs stamp, const Pose& X_WB, View<MovingObject> objects) const {
  return imageOf(
      stamp, [&](double) { return X_WB; }, objects);
}

CameraImage Camera::imageAlong(TimeNs stamp, const StateHistory& motion,
                               View<MovingObject> objects) const {
  return imageOf(
      stamp, [&](double time) { return motion.poseAt(stamp + toNs(time)); }, objects);
}

CameraImage Camera::empty(TimeNs stamp, const StateHistory& motion) const {
  return emptyOf(stamp, [&](double time) { return motion.poseAt(stamp + toNs(time)); });
}

CameraImage Camera::emptyOf(TimeNs stamp, const BodyAt& bodyAt) const {
  CameraImage image;
  image.stamp = image.time = stamp;
  Frame frame = frameAt(stamp, 0.0, bodyAt);
  image.X_WC = frame.X_WC.front();
  if (!frame.isOfOneInstant()) image.X_WC_of_rows = std::move(frame.X_WC);
  return image;
}

CameraImage Camera::imageOf(TimeNs stamp, const BodyAt& bodyAt, View<MovingObject> objects) const {
  CameraImage image = emptyOf(stamp, bodyAt);
  const Frame middle = frameAt(stamp, 0.0, bodyAt);
  const Painter painter(config_, parts_->directions, parts_->shader, parts_->workers, extinction_);
  std::unique_ptr<Scratch> scratch = parts_->scratch.take(
      [](const Scratch&) { return true; }, [] { return std::make_unique<Scratch>(); });
  std::vector<Radiance>& radiances = scratch->radiances;
  // Returns the looks of the map's surfaces, or null where they are unknown.
  const auto see = [&](const Frame& frame, std::vector<Hit>& hits) {
    SurfaceLooks* const looks =
        castCentres(frame, objects, hits, scratch->looks) ? &scratch->looks : nullptr;
    PinholeCloser(frame, parts_->directions, config_.model, parts_->renderers.map->resolution())
        .close(hits, looks);
    return looks;
  };
  const auto paint = [&](const Frame& frame, std::vector<Hit>& hits, std::vector<Radiance>& light) {
    const SurfaceLooks* const looks = see(frame, hits);
    painter.paint(frame, objects, hits, looks, light);
  };
  if (config_.subframes == 1) {
    paint(middle, image.hits, radiances);
  } else {
    see(middle, image.hits);
    radiances.assign(image.hits.size(), Radiance::Zero());
    const auto share = 1.0F / static_cast<float>(config_.subframes);
    std::vector<Hit> hits;
    std::vector<Radiance> of_frame;
    for (int i = 0; i < config_.subframes; ++i) {
      const double part = (i + 0.5) / config_.subframes - 0.5;
      paint(frameAt(stamp, part * config_.exposure, bodyAt), hits, of_frame);
      for (std::size_t k = 0; k < radiances.size(); ++k) radiances[k] += share * of_frame[k];
    }
  }
  const std::uint64_t key =
      mixBits(parts_->seed + static_cast<std::uint64_t>(stamp) * kGoldenGamma);
  image.pixels = expose(radiances, config_, mixBits(key), parts_->workers);
  parts_->scratch.giveBack(std::move(scratch));
  return image;
}

}  // namespace marsim::lidar
