// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "map_tools/clean.hpp"
#include "map_tools/survey.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

constexpr double kSteepest = 30.0;          // [deg]
constexpr int kTries = 2000;                // iterations of RANSAC
constexpr double kLarge = 0.4;              // least share of the largest plane's points
constexpr std::size_t kFewestVoxels = 100;  // least voxels of a ground

std::vector<Eigen::Vector3d> meansOf(const map::PointCloud& cloud, double side) {
  std::vector<Eigen::Vector3d> means;
  for (const Eigen::Vector3f& p : map::downsample({{}, cloud.points, {}}, side).points) {
    means.push_back(p.cast<double>());
  }
  return means;
}

std::vector<std::size_t> near(const std::vector<Eigen::Vector3d>& points, const GroundPlane& plane,
                              double reach) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::abs(points[i].dot(plane.normal) - plane.height) < reach) found.push_back(i);
  }
  return found;
}

/// Least squares through the points near a plane.
GroundPlane fitted(const std::vector<Eigen::Vector3d>& points, const GroundPlane& plane,
                   double reach) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  const std::vector<std::size_t> found = near(points, plane, reach);
  if (found.size() < 3) return plane;
  for (const std::size_t i : found) mean += points[i];
  mean /= static_cast<double>(found.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const std::size_t i : found) {
    covariance += (points[i] - mean) * (points[i] - mean).transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  Eigen::Vector3d normal = solver.eigenvectors().col(0);
  if (normal.z() < 0.0) normal = -normal;
  return {normal, normal.dot(mean), found.size()};
}

}  // namespace

GroundPlane findGround(const map::PointCloud& cloud, Progress& progress) {
  progress.phase("ground", kTries);
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  const double extent = static_cast<double>(box.sizes().maxCoeff());
  const double side = std::clamp(extent / 200.0, 0.05, 1.0);
  const std::vector<Eigen::Vector3d> means = meansOf(cloud, side);
  std::vector<GroundPlane> planes;
  RandomStream random(1, "ground");
  for (int i = 0; i < kTries && means.size() >= 3; ++i) {
    const Eigen::Vector3d& a = means[random.index(means.size())];
    const Eigen::Vector3d& b = means[random.index(means.size())];
    const Eigen::Vector3d& c = means[random.index(means.size())];
    Eigen::Vector3d normal = (b - a).cross(c - a);
    if (normal.norm() < side * side) continue;
    normal.normalize();
    if (normal.z() < 0.0) normal = -normal;
    if (normal.z() < std::cos(radians(kSteepest))) continue;
    GroundPlane plane{normal, normal.dot(a), 0};
    plane.points = near(means, plane, 0.5 * side).size();
    planes.push_back(plane);
    progress.update(static_cast<std::uint64_t>(i) + 1);
  }
  std::size_t most = 0;
  for (const GroundPlane& plane : planes) most = std::max(most, plane.points);
  if (most < kFewestVoxels)
    throw Error("no ground is found: no large plane is within 30 degrees of level");
  const Eigen::Vector3d middle = box.center().cast<double>();
  const auto heightAt = [&](const GroundPlane& plane) {
    return (plane.height - plane.normal.head<2>().dot(middle.head<2>())) / plane.normal.z();
  };
  const GroundPlane* lowest = nullptr;
  for (const GroundPlane& plane : planes) {
    if (static_cast<double>(plane.points) < kLarge * static_cast<double>(most)) continue;
    if (lowest == nullptr || heightAt(plane) < heightAt(*lowest)) lowest = &plane;
  }
  GroundPlane ground = *lowest;
  for (const double reach : {side, 0.5 * side, 0.5 * side, 0.25 * side, 0.25 * side}) {
    ground = fitted(means, ground, reach);
  }
  return ground;
}

map::PointCloud levelled(const map::PointCloud& cloud, const GroundPlane& ground) {
  const Eigen::Quaterniond turn =
      Eigen::Quaterniond::FromTwoVectors(ground.normal, Eigen::Vector3d::UnitZ());
  map::PointCloud level = cloud;
  for (Eigen::Vector3f& p : level.points) p = (turn * p.cast<double>()).cast<float>();
  map::turnOffsets(turn.toRotationMatrix(), level.to_sensor);
  return level;
}

}  // namespace marsim::map_tools
