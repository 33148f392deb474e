#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Geometry>

#include "marsim/lidar/renderer.hpp"
#include "ray_order.hpp"
#include "swept_ball.hpp"

namespace marsim::lidar {

/// What the rays of a scan, those that can meet something, have in common.
struct RaySpan {
  Eigen::Vector3f origin;  ///< [m] middle of the rays' origins
  float spread;            ///< [m] none begins farther from it
  double first, last;      ///< [s] times
  float reach = 0.0F;      ///< [m] none goes farther, nor beyond its hit

  RaySpan(const std::vector<Ray>& rays, const RayOrder& order, const std::vector<Hit>& hits);
  /// Of any direction.
  RayBundle bundle() const;
};

/// Up to a thousand rays that follow one another in the order of their directions, field by field,
/// in bundles; each goes as far as its hit.
class RayCluster {
 public:
  static constexpr std::size_t kBundle = 32;  ///< rays that are tested together
  static constexpr std::size_t kBundles = 32;
  static constexpr std::size_t kRays = kBundle * kBundles;

  /// Of the rays order.index[first] and on, kRays or up to `end`.
  RayCluster(const std::vector<Ray>& rays, const RayOrder& order, const std::vector<Hit>& hits,
             const RaySpan& span, std::size_t first, std::size_t end);

  std::size_t bundleCount() const { return (count_ + kBundle - 1) / kBundle; }
  const RayBundle& whole() const { return whole_; }

  /// Which of the bundles may meet a ball, as RayBundle::mayMeet says: kBundles flags.
  void meet(const Ball& ball, bool* may) const;
  /// Which of a bundle's rays may meet a thing, given the box it is in: kBundle flags.
  void meet(std::size_t bundle, const StraightBox& box, bool* meets) const;

 private:
  RayBundle bundleOf(std::size_t number) const;
  void closeWhole(const RayBundle* bundles);

  std::size_t count_;
  RayBundle whole_;
  // The bundles field by field; they begin where the whole does.
  struct Cones {
    alignas(64) float axis[3][kBundles];
    alignas(64) float reach[kBundles];
    alignas(64) float cosine2[kBundles], sine[kBundles], extra[kBundles];
  } cones_;
  // [m] from the span's origin; direction; [s]; [m] reach, negative where there is no ray
  alignas(64) float origin_[3][kRays];
  alignas(64) float direction_[3][kRays];
  alignas(64) float time_[kRays];
  alignas(64) float reach_[kRays];
};

}  // namespace marsim::lidar
