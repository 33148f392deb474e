// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/survey.hpp"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "common/nth_smallest.hpp"
#include "map/files/local_frame.hpp"
#include "map/make/noise_sample.hpp"
#include "map_tools/import.hpp"
#include "map_tools/neighbours.hpp"
#include "marsim/collision/clearance.hpp"
#include "marsim/collision/start.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/surfel_map.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

constexpr std::size_t kSample = 20000;  // points
constexpr std::size_t kNeighbours = 8;
constexpr double kFarthest = 100.0;  // [m] of a neighbour
constexpr double kLeastVoxel = 0.2;  // [m] of free space
constexpr double kTight = 4.0;       // spacings; walls of random points hardly have holes so wide
constexpr double kWorthCleaning = 1e-3;  // least share of isolated points that is worth cleaning
constexpr double kUpright = 0.95;        // cosine between a normal and the axis of its plane
constexpr double kFlat = 0.3;            // a plane's thickness is below this share of its width
constexpr double kTall = 2.0;            // ratio of vertical to level planes that is suspicious

struct Neighbourhood {
  double spacing;  // [m]
  std::optional<Eigen::Vector3d> normal;
};

// The neighbourhood of a point: itself and its eight nearest.
std::optional<Neighbourhood> neighbourhoodOf(const std::vector<Eigen::Vector3f>& found) {
  if (found.size() <= kNeighbours) return std::nullopt;
  const auto reach = static_cast<double>((found.back() - found.front()).norm());
  if (reach == 0.0) return std::nullopt;  // coincident points
  Neighbourhood result{reach * std::sqrt(kPi / static_cast<double>(kNeighbours)), {}};
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3f& p : found) mean += p.cast<double>();
  mean /= static_cast<double>(found.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const Eigen::Vector3f& p : found) {
    const Eigen::Vector3d d = p.cast<double>() - mean;
    covariance += d * d.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  const Eigen::Vector3d values = solver.eigenvalues().cwiseMax(0.0);
  if (std::sqrt(values[0]) < kFlat * std::sqrt(values[1]))
    result.normal = solver.eigenvectors().col(0);
  return result;
}

// Points of the sample, each with its nearest ones.
std::vector<std::vector<Eigen::Vector3f>> sampledNeighbours(const map::PointCloud& cloud) {
  RandomStream random(1, "survey");
  std::vector<std::size_t> sample(std::min(kSample, cloud.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = cloud.size() <= kSample ? i : random.index(cloud.size());
  }
  return nearestPoints(cloud.points, sample, kNeighbours + 1, kFarthest);
}

double isolatedShare(const std::vector<std::vector<Eigen::Vector3f>>& sample, double spacing) {
  std::size_t isolated = 0;
  for (const std::vector<Eigen::Vector3f>& found : sample) {
    const bool alone = found.size() < 2 || static_cast<double>((found[1] - found[0]).norm()) >
                                               Survey::kIsolated * spacing;
    isolated += alone ? 1U : 0U;
  }
  return static_cast<double>(isolated) / static_cast<double>(sample.size());
}

collision::ClearanceMap clearancesOf(const map::PointCloud& cloud,
                                     const std::shared_ptr<const map::SurfelMap>& map,
                                     double spacing) {
  if (map) return collision::ClearanceMap(map);
  const double resolution = std::max(0.1, 2.0 * spacing);
  return {map::downsample(cloud, resolution), resolution};
}

// Looks for a start over the ground, or anywhere if no ground was scanned.
void findStart(const collision::ClearanceMap& clearances, Survey& survey) {
  const Eigen::Vector3d middle = survey.box.center();
  for (const bool on_ground : {true, false}) {
    for (const double clearance : {1.0, 0.6, 0.4, 0.3}) {
      survey.start = on_ground
                         ? collision::placeOverGround(clearances, middle, clearance, survey.spacing)
                         : clearances.nearestFree(middle, clearance, survey.box.sizes().norm());
      if (!survey.start) continue;
      survey.start_clearance = clearances.at(*survey.start).distance;
      return;
    }
  }
}

void warn(Survey& survey) {
  const auto add = [&](const std::string& text) {
    if (!text.empty()) survey.warnings.push_back(text);
  };
  add(unitHint(survey.box));
  survey.metres = survey.warnings.empty();
  const std::string up = upHint(survey.box);
  add(up);
  survey.z_up = up.empty();
  for (int axis = 0; axis < 2 && up.empty(); ++axis) {
    const double share = survey.planes[static_cast<std::size_t>(axis)];
    if (share > 0.2 && share > kTall * survey.planes[2] &&
        survey.box.sizes()[axis] < survey.box.sizes().z()) {
      survey.z_up = false;
      add(fmt::format(
          "{:.0f} % of the surface lies across {} and {:.0f} % across z: is {} up (--up)?",
          100.0 * share, axis == 0 ? "x" : "y", 100.0 * survey.planes[2], axis == 0 ? "x" : "y"));
    }
  }
  if (survey.isolated > kWorthCleaning) {
    add(
        fmt::format("{:.2g} % of the points have no neighbour within {:g} spacings: 'marsim map "
                    "clean' removes such outliers",
                    100.0 * survey.isolated, Survey::kIsolated));
  }
  if (!survey.start) add("no place with 0.3 m of clearance is found to start from");
}

}  // namespace

double medianSpacing(const map::PointCloud& cloud) {
  std::vector<double> spacings;
  for (const std::vector<Eigen::Vector3f>& nearest : sampledNeighbours(cloud)) {
    if (const auto found = neighbourhoodOf(nearest)) spacings.push_back(found->spacing);
  }
  return spacings.empty() ? 0.0 : nthSmallest(spacings, spacings.size() / 2);
}

Survey surveyCloud(const map::PointCloud& cloud, const std::shared_ptr<const map::SurfelMap>& map) {
  Survey survey;
  for (const Eigen::Vector3f& p : cloud.points) survey.box.extend(p.cast<double>());
  const std::vector<std::vector<Eigen::Vector3f>> sample = sampledNeighbours(cloud);
  std::vector<double> spacings;
  double area = 0.0;
  for (const std::vector<Eigen::Vector3f>& nearest : sample) {
    const auto found = neighbourhoodOf(nearest);
    if (!found) continue;
    spacings.push_back(found->spacing);
    const double share = found->spacing * found->spacing;
    area += share;
    if (!found->normal) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::abs((*found->normal)[static_cast<int>(axis)]) > kUpright)
        survey.planes[axis] += share;
    }
  }
  if (!spacings.empty()) {
    for (double& share : survey.planes) share /= area;
    survey.spacing = nthSmallest(spacings, spacings.size() / 2);
    survey.isolated = isolatedShare(sample, survey.spacing);
  }
  map::NoiseSample noise;
  noise.add(cloud.points);
  survey.noise = noise.noise();
  findStart(clearancesOf(cloud, map, survey.spacing), survey);
  if (survey.start) {
    survey.free = freeVolume(cloud, *survey.start, std::max(kLeastVoxel, kTight * survey.spacing));
  }
  warn(survey);
  return survey;
}

Survey surveyFile(const std::filesystem::path& path,
                  const std::shared_ptr<const map::SurfelMap>& map, Progress& progress) {
  map::PointCloud cloud;
  map::LocalFrame frame;
  std::optional<Pose> viewpoint;
  map::PointSink sink;
  sink.begin = [&](const map::RecordLayout& layout, std::uint64_t count) {
    frame.begin(layout);
    viewpoint = layout.viewpoint;
    cloud.points.reserve(count);
  };
  sink.take = [&](const map::PointBlock& block) {
    frame.append(block, cloud);
    cloud.intensity.clear();
  };
  map::readPoints(path, progress, sink);
  Survey survey = surveyCloud(cloud, map);
  if (viewpoint) survey.warnings.push_back(viewpointNote(*viewpoint, false));
  return survey;
}

}  // namespace marsim::map_tools
