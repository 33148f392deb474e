// SPDX-License-Identifier: BSD-3-Clause
#include "viz/framing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/nth_smallest.hpp"
#include "marsim/common/units.hpp"
#include "viz/layout.hpp"

namespace marsim::viz {
namespace {

constexpr double kWholeMap = 60.0;        // [m] maps up to this wide are shown whole
constexpr double kScanReach = 25.0;       // [m] of the scan that decides the framing
constexpr double kSurroundings = 3.0;     // [m] shown round flight and scan
constexpr double kElevation = 48.0;       // [deg] oblique: camera above the horizon
constexpr double kTwist = 24.0;           // [deg] oblique: off the region's shorter axis
constexpr double kInset = 0.95;           // share of the view that the places fill
constexpr double kHalfAngle = 15.0;       // [deg] oblique: half the vertical field of view
constexpr double kOutliers = 0.001;       // share of map points, outliers at each end
constexpr double kOutlierDistance = 0.2;  // of the extent: outliers are farther out than this
constexpr double kRim = 0.05;             // [m] so that the outermost points are shown

using Box = Eigen::AlignedBox3d;

// Extent of a cloud without its outliers, from every n-th point.
Box extentOf(const std::vector<Eigen::Vector3f>& points, const Box* within) {
  const std::size_t stride = std::max<std::size_t>(1, points.size() / 200'000);
  std::array<std::vector<float>, 3> values;
  for (std::size_t i = 0; i < points.size(); i += stride) {
    const Eigen::Vector3f& p = points[i];
    if (!p.allFinite()) continue;
    if (within != nullptr && !within->contains(p.cast<double>())) continue;
    for (int axis = 0; axis < 3; ++axis) values[static_cast<std::size_t>(axis)].push_back(p[axis]);
  }
  Box box;
  if (values[0].empty()) return box;
  Eigen::Vector3d low, high;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<float>& v = values[static_cast<std::size_t>(axis)];
    const auto cut = static_cast<std::size_t>(kOutliers * static_cast<double>(v.size()));
    low[axis] = nthSmallest(v, cut);
    high[axis] = nthSmallest(v, v.size() - 1 - cut);
    // Only far points are outliers.
    const auto [least, most] = std::minmax_element(v.begin(), v.end());
    const double near = kOutlierDistance * (high[axis] - low[axis]);
    low[axis] = std::max<double>(*least, low[axis] - near) - kRim;
    high[axis] = std::min<double>(*most, high[axis] + near) + kRim;
  }
  return {low, high};
}

Box flightBox(const FlightScene& scene) {
  Box box;
  for (const Eigen::Vector3d& p : scene.path) {
    if (p.allFinite()) box.extend(p);
  }
  for (const Eigen::Vector3d& p : scene.goals) {
    if (p.allFinite()) box.extend(p);
  }
  if (!scene.scan.empty()) box.extend(scene.scan_origin);
  return box;
}

// Height above which (or y before which) the view is cut, from the flown path if there is one.
Box cutBox(const FlightScene& scene) {
  Box box;
  for (const Eigen::Vector3d& p : scene.path) {
    if (p.allFinite()) box.extend(p);
  }
  return box.isEmpty() ? flightBox(scene) : box;
}

Box shownBox(const FlightScene& scene) {
  Box focus = flightBox(scene);
  for (const Eigen::Vector3f& p : scene.scan) {
    const Eigen::Vector3d place = p.cast<double>();
    if ((place - scene.scan_origin).norm() < kScanReach) focus.extend(place);
  }
  Box map;
  if (scene.map != nullptr) map = extentOf(scene.map->points, nullptr);
  if (map.isEmpty() && focus.isEmpty())
    return {Eigen::Vector3d(-5, -5, 0), Eigen::Vector3d(5, 5, 2)};
  if (map.isEmpty()) {
    const Eigen::Vector3d margin = Eigen::Vector3d::Constant(kSurroundings);
    return {focus.min() - margin, focus.max() + margin};
  }
  const double map_width = map.sizes().head<2>().maxCoeff();
  const double focus_width = focus.isEmpty() ? map_width : focus.sizes().head<2>().maxCoeff();
  if (focus.isEmpty() || map_width <= std::max(kWholeMap, 1.6 * focus_width)) {
    return map.merged(flightBox(scene));
  }
  const Eigen::Vector3d margin(kSurroundings, kSurroundings, 1e6);
  const Box column(focus.min() - margin, focus.max() + margin);
  Box region = extentOf(scene.map->points, &column);
  const Box flight = flightBox(scene);
  if (region.isEmpty()) region = focus;
  return flight.isEmpty() ? region : region.merged(flight);
}

PictureCamera::Axes obliqueAxes(const Box& shown) {
  // Looking along the shorter side puts the longer one across the picture.
  const Eigen::Vector3d size = shown.sizes();
  const double along = size.x() >= size.y() ? 90.0 : 0.0;
  const double azimuth = radians(along - kTwist);
  const double elevation = radians(kElevation);
  PictureCamera::Axes axes;
  axes.forward = {std::cos(azimuth) * std::cos(elevation), std::sin(azimuth) * std::cos(elevation),
                  -std::sin(elevation)};
  axes.right = axes.forward.cross(Eigen::Vector3d::UnitZ()).normalized();
  axes.up = axes.right.cross(axes.forward);
  return axes;
}

// Places that the picture must show: the flight and a sample of the map's shown part.
std::vector<Eigen::Vector3d> placesToHold(const FlightScene& scene, const Box& shown) {
  std::vector<Eigen::Vector3d> places = scene.path;
  places.insert(places.end(), scene.goals.begin(), scene.goals.end());
  if (!scene.scan.empty()) places.push_back(scene.scan_origin);
  places.erase(std::remove_if(places.begin(), places.end(),
                              [](const Eigen::Vector3d& p) { return !p.allFinite(); }),
               places.end());
  const std::size_t flight = places.size();
  if (scene.map != nullptr) {
    const std::vector<Eigen::Vector3f>& points = scene.map->points;
    const std::size_t stride = std::max<std::size_t>(1, points.size() / 50'000);
    for (std::size_t i = 0; i < points.size(); i += stride) {
      const Eigen::Vector3d p = points[i].cast<double>();
      if (shown.contains(p)) places.push_back(p);
    }
  }
  if (places.size() == flight) {
    for (int corner = 0; corner < 8; ++corner) {
      places.push_back(shown.corner(static_cast<Box::CornerType>(corner)));
    }
  }
  return places;
}

Eigen::Matrix3d toCamera(const PictureCamera::Axes& axes) {
  Eigen::Matrix3d rotation;
  rotation << axes.right.transpose(), axes.up.transpose(), axes.forward.transpose();
  return rotation;
}

// The nearest eye from which all places lie in a view with half size `tangent`: each place bounds
// eye.x -+ eye.z tangent from one side.
PictureCamera perspectiveOf(const PictureCamera::Axes& axes,
                            const std::vector<Eigen::Vector3d>& places, const Layout& layout) {
  const Eigen::Matrix3d to_camera = toCamera(axes);
  const double half_height = 0.5 * (layout.bottom - layout.top);
  const double half_width = 0.5 * layout.width;
  const double focal = half_height / std::tan(radians(kHalfAngle));
  const Eigen::Array2d tangent(kInset * half_width / focal, kInset * half_height / focal);
  Eigen::Array2d least = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Array2d most = -least;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& place : places) {
    const Eigen::Vector3d p = to_camera * place;
    least = least.min(p.head<2>().array() + p.z() * tangent);
    most = most.max(p.head<2>().array() - p.z() * tangent);
    nearest = std::min(nearest, p.z());
  }
  const Eigen::Array2d back = (least - most) / (2.0 * tangent);
  const Eigen::Array2d middle = 0.5 * (least + most);
  const double eye_z = std::min(back.minCoeff(), nearest - 1.0);
  const Eigen::Vector3d eye(middle.x(), middle.y(), eye_z);
  const Eigen::Vector2d pixel(half_width, 0.5 * (layout.top + layout.bottom));
  return PictureCamera::perspective(axes, to_camera.transpose() * eye, focal, pixel);
}

PictureCamera parallelOf(const PictureCamera::Axes& axes,
                         const std::vector<Eigen::Vector3d>& places, const Layout& layout) {
  const Eigen::Matrix3d to_camera = toCamera(axes);
  Box extent;
  for (const Eigen::Vector3d& place : places) extent.extend(to_camera * place);
  const Eigen::Vector3d size = extent.sizes().cwiseMax(0.5);
  const double scale =
      kInset * std::min(layout.width / size.x(), (layout.bottom - layout.top) / size.y());
  return PictureCamera::parallel(axes, to_camera.transpose() * extent.center(), scale,
                                 {0.5 * layout.width, 0.5 * (layout.top + layout.bottom)});
}

}  // namespace

Framing frameFlight(const FlightScene& scene, Viewpoint view, const PictureConfig& config) {
  config.validate("picture");
  const Layout layout(config);
  Framing framing;
  framing.shown = shownBox(scene);
  const Box cut = cutBox(scene);
  Eigen::Vector3d& low = framing.shown.min();
  Eigen::Vector3d& high = framing.shown.max();
  if (!cut.isEmpty() && (view == Viewpoint::kTop || view == Viewpoint::kOblique) &&
      high.z() > cut.max().z() + config.cut_margin) {
    high.z() = cut.max().z() + config.cut_margin;
    framing.roof_cut = true;
  }
  if (!cut.isEmpty() && view == Viewpoint::kSide && low.y() < cut.min().y() - config.cut_margin) {
    low.y() = cut.min().y() - config.cut_margin;
    framing.front_cut = true;
  }
  const std::vector<Eigen::Vector3d> places = placesToHold(scene, framing.shown);
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX();
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  switch (view) {
    case Viewpoint::kTop:
      framing.camera = parallelOf({x, y, -z}, places, layout);
      break;
    case Viewpoint::kSide:
      framing.camera = parallelOf({x, z, y}, places, layout);
      break;
    case Viewpoint::kFront:
      framing.camera = parallelOf({-y, z, x}, places, layout);
      break;
    case Viewpoint::kOblique:
      framing.camera = perspectiveOf(obliqueAxes(framing.shown), places, layout);
      break;
  }
  return framing;
}

}  // namespace marsim::viz
