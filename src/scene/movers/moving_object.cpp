// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/scene/moving_object.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/scene/vegetation.hpp"

namespace marsim::scene {

std::string identityName(std::uint32_t identity) {
  if (identity == kMapIdentity) return "map";
  if (identity < kFirstObstacleIdentity) return fmt::format("uav {}", identity);
  if (isThing(identity)) return fmt::format("thing {}", identity - kFirstThingIdentity);
  if (isPlant(identity)) return fmt::format("plant {}", identity - kFirstPlantIdentity);
  return fmt::format("obstacle {}", identity - kFirstObstacleIdentity);
}

MovingObject movingObject(std::shared_ptr<const map::SurfelMap> shape, std::uint32_t identity,
                          TimeNs begin, TimeNs end, const std::function<Pose(TimeNs)>& poseAt) {
  constexpr TimeNs kLongestStep = kNsPerSecond / 100;
  MovingObject object;
  object.shape = std::move(shape);
  object.identity = identity;
  const TimeNs steps = (end - begin + kLongestStep - 1) / kLongestStep;
  for (TimeNs i = 0; i <= steps; ++i) {
    object.X_WM.push_back(poseAt(steps > 0 ? begin + (end - begin) * i / steps : begin));
  }
  if (steps > 0) object.step = toSeconds(end - begin) / static_cast<double>(steps);
  return object;
}

std::vector<MovingObject> countedFrom(double seconds, std::vector<MovingObject> objects) {
  for (MovingObject& object : objects) {
    object.begin -= seconds;
    object.from -= seconds;
    object.until -= seconds;
  }
  return objects;
}

Pose MovingObject::at(double time) const {
  if (X_WM.size() == 1 || !(time > begin)) return X_WM.front();
  const double steps = (time - begin) / step;
  const auto last = X_WM.size() - 1;
  if (steps >= static_cast<double>(last)) return X_WM.back();
  const auto i = static_cast<std::size_t>(steps);
  const double part = steps - static_cast<double>(i);
  return {X_WM[i].q.slerp(part, X_WM[i + 1].q), (1.0 - part) * X_WM[i].p + part * X_WM[i + 1].p};
}

void MovingObject::validate(const std::string& where) const {
  if (shape == nullptr) throw ConfigError(where, "shape", "none", "a set of surfels");
  if (identity == kMapIdentity || isPlant(identity) || isThing(identity)) {
    throw ConfigError(where, "identity", identityName(identity) + "'s", "any other");
  }
  if (X_WM.empty()) throw ConfigError(where, "X_WM", "no pose", "at least one");
  if (X_WM.size() > 1) Validator(where).positive("step", step, "s");
  if (std::isnan(from) || std::isnan(until)) {
    throw ConfigError(where, "from, until", "not a number", "times");
  }
  for (const Pose& pose : X_WM) {
    if (!pose.p.allFinite() || !pose.q.coeffs().allFinite()) {
      throw ConfigError(where, "X_WM", "not finite", "finite poses");
    }
    if (std::abs(pose.q.norm() - 1.0) > 1e-3) {
      throw ConfigError(where, "X_WM", "a rotation that is none", "unit quaternions");
    }
  }
}

}  // namespace marsim::scene
