#include "map_tools/survey.hpp"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "common/nth_smallest.hpp"
#include "map_tools/import.hpp"
#include "marsim/collision/clearance.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kSample = 4000;  // points
constexpr std::size_t kNeighbours = 8;
constexpr double kMostPassing = 0.01;  // of the beams, at the resolution advised
constexpr double kUpright = 0.95;      // cosine between a normal and the axis of its plane
constexpr double kFlat = 0.3;          // a plane's thickness is below this share of its width
constexpr double kTall = 2.0;  // planes across another axis than z outweigh those across it so much

struct Neighbourhood {
  double spacing;  // [m]
  std::optional<Eigen::Vector3d> normal;
};

// The point itself and its eight nearest, or all within 100 m.
std::vector<KdTree::Neighbour> nearestOf(const KdTree& tree, const Eigen::Vector3f& p,
                                         float& radius) {
  std::vector<KdTree::Neighbour> found = tree.within(p, radius);
  while (found.size() <= kNeighbours && radius < 100.0F) {
    radius *= 1.5F;
    found = tree.within(p, radius);
  }
  if (found.size() > 4 * kNeighbours) radius *= 0.7F;
  if (found.size() > kNeighbours + 1) found.resize(kNeighbours + 1);
  return found;
}

std::optional<Neighbourhood> neighbourhoodOf(const KdTree& tree, const Eigen::Vector3f& p,
                                             float& radius) {
  const std::vector<KdTree::Neighbour> found = nearestOf(tree, p, radius);
  if (found.size() <= kNeighbours) return std::nullopt;
  const auto reach = static_cast<double>(found.back().distance);
  if (reach == 0.0) return std::nullopt;  // points upon one another
  Neighbourhood result{reach * std::sqrt(kPi / static_cast<double>(kNeighbours)), {}};
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const KdTree::Neighbour& n : found) mean += tree.points()[n.index].cast<double>();
  mean /= static_cast<double>(found.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const KdTree::Neighbour& n : found) {
    const Eigen::Vector3d d = tree.points()[n.index].cast<double>() - mean;
    covariance += d * d.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  const Eigen::Vector3d values = solver.eigenvalues().cwiseMax(0.0);
  if (std::sqrt(values[0]) < kFlat * std::sqrt(values[1]))
    result.normal = solver.eigenvectors().col(0);
  return result;
}

void findStart(const map::PointCloud& cloud, Survey& survey) {
  const double resolution = std::max(0.1, 2.0 * survey.spacing);
  const collision::ClearanceMap clearances(map::downsample(cloud, resolution), resolution);
  const Eigen::Vector3d middle = survey.box.center();
  const double height = std::min(survey.box.min().z() + 1.5, middle.z());
  for (const double clearance : {1.0, 0.6, 0.4, 0.3}) {
    survey.start = clearances.nearestFree({middle.x(), middle.y(), height}, clearance,
                                          survey.box.sizes().norm());
    if (!survey.start) continue;
    survey.start_clearance = clearances.at(*survey.start).distance;
    return;
  }
}

void warn(Survey& survey) {
  const auto add = [&](const std::string& text) {
    if (!text.empty()) survey.warnings.push_back(text);
  };
  add(unitHint(survey.box));
  const std::string up = upHint(survey.box);
  add(up);
  for (int axis = 0; axis < 2 && up.empty(); ++axis) {
    const double share = survey.planes[static_cast<std::size_t>(axis)];
    if (share > 0.2 && share > kTall * survey.planes[2] &&
        survey.box.sizes()[axis] < survey.box.sizes().z()) {
      add(fmt::format(
          "{:.0f} % of the surface lies across {} and {:.0f} % across z: is {} up (--up)?",
          100.0 * share, axis == 0 ? "x" : "y", 100.0 * survey.planes[2], axis == 0 ? "x" : "y"));
    }
  }
  if (!survey.start) add("no place with 0.3 m of clearance is found to start from");
}

}  // namespace

double Survey::passing(double at) const {
  const auto radius = static_cast<double>(map::discRadius(at));
  double open = 0.0;
  for (const double s : spacings) open += std::exp(-kPi * radius * radius / (s * s));
  return spacings.empty() ? 0.0 : open / static_cast<double>(spacings.size());
}

Survey surveyCloud(const map::PointCloud& cloud) {
  Survey survey;
  for (const Eigen::Vector3f& p : cloud.points) survey.box.extend(p.cast<double>());
  const KdTree tree(cloud.points);
  RandomStream random(1, "survey");
  float radius = 0.05F;
  double area = 0.0;
  for (std::size_t i = 0; i < std::min(kSample, cloud.size()); ++i) {
    const std::size_t index = cloud.size() <= kSample ? i : random.index(cloud.size());
    const auto found = neighbourhoodOf(tree, cloud.points[index], radius);
    if (!found) continue;
    survey.spacings.push_back(found->spacing);
    const double share = found->spacing * found->spacing;
    area += share;
    if (!found->normal) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::abs((*found->normal)[static_cast<int>(axis)]) > kUpright)
        survey.planes[axis] += share;
    }
  }
  if (!survey.spacings.empty()) {
    for (double& share : survey.planes) share /= area;
    std::vector<double> sorted = survey.spacings;
    survey.spacing = nthSmallest(sorted, sorted.size() / 2);
    for (double step = 0.01; survey.resolution == 0.0; step *= 10.0) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (survey.resolution == 0.0 && survey.passing(factor * step) <= kMostPassing) {
          survey.resolution = factor * step;
        }
      }
    }
  }
  findStart(cloud, survey);
  warn(survey);
  return survey;
}

}  // namespace marsim::map_tools
