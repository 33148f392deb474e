// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/image_truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lidar/measure/surface_channels.hpp"

namespace marsim::lidar {
namespace {

constexpr float kNoNormal = std::numeric_limits<float>::quiet_NaN();
/// [s] between the poses that give velocities.
constexpr double kVelocityStep = 0.01;

bool isObject(const Hit& hit) {
  return hit.valid() && hit.identity != kMapIdentity && !scene::isPlant(hit.identity);
}

}  // namespace

ImageTruth::ImageTruth(const Camera& camera, const CameraImage& image, View<MovingObject> objects)
    : camera_(camera), image_(image), objects_(objects) {}

std::size_t ImageTruth::width() const {
  return static_cast<std::size_t>(camera_.config().model.width);
}

// Null if the object does not exist at that time.
const MovingObject* ImageTruth::objectAt(std::uint32_t identity, double time) const {
  const auto* const found =
      std::find_if(objects_.begin(), objects_.end(), [&](const MovingObject& object) {
        return object.identity == identity && object.isThere(time);
      });
  return found == objects_.end() ? nullptr : found;
}

// From the poses now, 10 and 20 ms ago: exact at constant acceleration. An object that did not
// exist then is extrapolated from its motion since.
Eigen::Vector3d ImageTruth::velocityOf(std::uint32_t identity, const MovingObject& now) const {
  constexpr double h = kVelocityStep;
  const Eigen::Vector3d p = now.at(0.0).p;
  const MovingObject *before = objectAt(identity, -h), *earlier = objectAt(identity, -2.0 * h);
  if (before != nullptr && earlier != nullptr) {
    return (3.0 * p - 4.0 * before->at(-h).p + earlier->at(-2.0 * h).p) / (2.0 * h);
  }
  const double since = std::min(h, -std::max(now.begin, now.from));
  return since > 0.0 ? Eigen::Vector3d((p - now.at(-since).p) / since) : Eigen::Vector3d::Zero();
}

std::vector<std::uint8_t> ImageTruth::classes() const {
  const SurfaceChannels channels(camera_.rays(), objects_);
  std::vector<std::uint8_t> classes;
  classes.reserve(image_.hits.size());
  for (const Hit& hit : image_.hits) {
    classes.push_back(hit.valid() ? channels.semanticClass(hit) : std::uint8_t{0});
  }
  return classes;
}

std::vector<std::uint32_t> ImageTruth::identities() const {
  const SurfaceChannels channels(camera_.rays(), objects_);
  std::vector<std::uint32_t> identities;
  identities.reserve(image_.hits.size());
  for (const Hit& hit : image_.hits) {
    const std::uint16_t thing = hit.valid() ? channels.instance(hit) : std::uint16_t{0};
    identities.push_back(thing > 0     ? scene::kFirstThingIdentity + thing
                         : hit.valid() ? hit.identity
                                       : kMapIdentity);
  }
  return identities;
}

std::vector<Eigen::Vector3f> ImageTruth::normals() const {
  std::vector<Eigen::Vector3f> normals(image_.hits.size(), Eigen::Vector3f::Constant(kNoNormal));
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Pose& X_WC = image_.poseOfRow(static_cast<int>(i / width()));
    if (image_.hits[i].valid())
      normals[i] = X_WC.q.conjugate().cast<float>() * image_.hits[i].normal;
  }
  return normals;
}

// `age` [s] of the previous image.
Eigen::Vector2f ImageTruth::flowOf(std::size_t pixel, const CameraImage& before, double age) const {
  const Hit& hit = image_.hits[pixel];
  const Eigen::Vector2f none(kNoNormal, kNoNormal);
  if (!hit.valid() || scene::isPlant(hit.identity)) return none;
  const int row = static_cast<int>(pixel / width());
  const Pose& X_WC = image_.poseOfRow(row);
  const Eigen::Vector3f ray = hit.range * camera_.directions()[pixel];
  const Eigen::Vector3d p_W = X_WC * Eigen::Vector3d(ray.cast<double>());
  const MovingObject* now = nullptr;
  if (isObject(hit)) {
    now = objectAt(hit.identity, camera_.timeOf(row));
    if (now == nullptr) return none;
  }
  // A rolling shutter saw it at the time of its row then: one iteration is accurate enough.
  Eigen::Vector2d place;
  int row_then = row;
  for (int step = 0; step < 2; ++step) {
    Eigen::Vector3d p_then = p_W;
    if (now != nullptr) {
      const double time = camera_.timeOf(row_then) - age;
      const MovingObject* then = objectAt(hit.identity, time);
      if (then == nullptr) return none;
      p_then = then->at(time) * (now->at(camera_.timeOf(row)).inverse() * p_W);
    }
    const CameraModel& model = camera_.config().model;
    place = model.project(before.poseOfRow(row_then).inverse() * p_then);
    if (!place.allFinite()) return none;
    row_then = static_cast<int>(std::lround(std::clamp(place.y(), 0.0, model.height - 1.0)));
  }
  return {static_cast<float>(static_cast<double>(pixel % width()) - place.x()),
          static_cast<float>(row - place.y())};
}

std::vector<Eigen::Vector2f> ImageTruth::flowSince(const CameraImage& before) const {
  const double age = toSeconds(image_.time - before.time);
  std::vector<Eigen::Vector2f> flow;
  flow.reserve(image_.hits.size());
  for (std::size_t i = 0; i < image_.hits.size(); ++i) flow.push_back(flowOf(i, before, age));
  return flow;
}

std::vector<SeenObject> ImageTruth::seenObjects() const {
  std::map<std::uint32_t, SeenObject> seen;
  const SurfaceChannels channels(camera_.rays(), objects_);
  for (std::size_t i = 0; i < image_.hits.size(); ++i) {
    const Hit& hit = image_.hits[i];
    if (!isObject(hit)) continue;
    const int column = static_cast<int>(i % width()), row = static_cast<int>(i / width());
    const auto [found, is_new] = seen.try_emplace(hit.identity);
    SeenObject& object = found->second;
    if (is_new) {
      object.identity = hit.identity;
      object.semantic_class = channels.semanticClass(hit);
      object.left = object.right = column;
      object.top = row;
      const MovingObject* thing = objectAt(hit.identity, 0.0);
      // With a rolling shutter it may exist for later rows only.
      if (thing == nullptr) thing = objectAt(hit.identity, camera_.timeOf(row));
      if (thing != nullptr) {
        object.X_WM = thing->at(0.0);
        object.v_WM = velocityOf(hit.identity, *thing);
      }
    }
    object.left = std::min(object.left, column);
    object.right = std::max(object.right, column);
    object.bottom = row;
    ++object.pixels;
  }
  std::vector<SeenObject> objects;
  for (const auto& [identity, object] : seen) objects.push_back(object);
  return objects;
}

}  // namespace marsim::lidar
