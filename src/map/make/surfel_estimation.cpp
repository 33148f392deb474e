// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "map/make/cell_grid.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

constexpr std::size_t kCellsPerBlock = 65536;  // between two reports of progress
constexpr double kCellSlack = 1.0 + 1e-9;      // against rounding of cell numbers

Eigen::Vector3d lowestCorner(const std::vector<Eigen::Vector3f>& points) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3f& point : points) box.extend(point.cast<double>());
  return box.min();
}

/// Coordinates of the points around one cell [m], one array per axis, with scratch space for a
/// search among them.
struct Candidates {
  std::vector<double> x, y, z;
  std::vector<double> squared_distance;
  std::vector<std::uint32_t> near;

  std::size_t size() const { return x.size(); }
  void resize(std::size_t size) {
    for (std::vector<double>* values : {&x, &y, &z, &squared_distance}) values->resize(size);
    near.resize(size);
  }
};

/// Count, mean and covariance (divided by the count) of a point's neighbours, itself included, all
/// relative to the point [m, m^2].
struct Neighbourhood {
  std::size_t count = 0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
};

/// Puts indices of the candidates within reach into `near`; returns their number. Two loops without
/// branches: the first is vectorised, and whether a candidate is near cannot be predicted.
std::size_t findNear(Candidates& candidates, const Eigen::Vector3d& point, double squared_radius) {
  const std::size_t size = candidates.size();
  const double* const x = candidates.x.data();
  const double* const y = candidates.y.data();
  const double* const z = candidates.z.data();
  double* const squared_distance = candidates.squared_distance.data();
  const double px = point.x(), py = point.y(), pz = point.z();
  for (std::size_t i = 0; i < size; ++i) {
    const double dx = x[i] - px, dy = y[i] - py, dz = z[i] - pz;
    squared_distance[i] = dx * dx + dy * dy + dz * dz;
  }
  std::uint32_t* const near = candidates.near.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    near[count] = static_cast<std::uint32_t>(i);
    count += squared_distance[i] <= squared_radius ? 1 : 0;
  }
  return count;
}

Neighbourhood neighbourhood(Candidates& candidates, const Eigen::Vector3d& point,
                            double squared_radius) {
  Neighbourhood result;
  result.count = findNear(candidates, point, squared_radius);
  double sx = 0, sy = 0, sz = 0, sxx = 0, sxy = 0, sxz = 0, syy = 0, syz = 0, szz = 0;
  for (std::size_t k = 0; k < result.count; ++k) {
    const std::uint32_t i = candidates.near[k];
    const double x = candidates.x[i] - point.x();
    const double y = candidates.y[i] - point.y();
    const double z = candidates.z[i] - point.z();
    sx += x;
    sy += y;
    sz += z;
    sxx += x * x;
    sxy += x * y;
    sxz += x * z;
    syy += y * y;
    syz += y * z;
    szz += z * z;
  }
  const double n = static_cast<double>(result.count);
  result.mean = Eigen::Vector3d(sx, sy, sz) / n;
  result.covariance << sxx, sxy, sxz, sxy, syy, syz, sxz, syz, szz;
  result.covariance = result.covariance / n - result.mean * result.mean.transpose();
  return result;
}

/// The direction of least variance if the neighbours form a plate; false if they do not, or hardly.
/// Newton's method on the characteristic polynomial rises from zero to its least root, and the
/// adjugate of A - lambda_0 I is (lambda_1 - lambda_0) (lambda_2 - lambda_0) n n^T.
bool plateNormal(const Eigen::Matrix3d& covariance, double least_variance,
                 Eigen::Vector3d& normal) {
  constexpr double kPlate = 1e-3;  // of the squared trace: loses no more than three digits
  const double trace = covariance.trace();
  if (!(kPlate * trace > least_variance)) return false;
  const Eigen::Matrix3d a = covariance / trace;
  const double minors = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1) + a(0, 0) * a(2, 2) -
                        a(0, 2) * a(0, 2) + a(1, 1) * a(2, 2) - a(1, 2) * a(1, 2);
  const double determinant = a.determinant();
  double root = 0.0, change = 1.0;
  for (int i = 0; i < 8 && std::abs(change) > 1e-12; ++i) {
    const double slope = (3.0 * root - 2.0) * root + minors;
    if (!(slope > kPlate)) return false;  // (lambda_1 - lambda_0) (lambda_2 - lambda_0) at the root
    change = (((root - 1.0) * root + minors) * root - determinant) / slope;
    root -= change;
  }
  if (std::abs(change) > 1e-12) return false;
  const Eigen::Matrix3d b = a - root * Eigen::Matrix3d::Identity();
  normal = b.col(0).cross(b.col(1));
  for (const Eigen::Vector3d& other :
       {Eigen::Vector3d(b.col(0).cross(b.col(2))), Eigen::Vector3d(b.col(1).cross(b.col(2)))}) {
    if (other.squaredNorm() > normal.squaredNorm()) normal = other;
  }
  normal.normalize();
  return true;
}

/// The direction of least variance for any shape; false if the neighbours are on a line.
bool generalNormal(const Eigen::Matrix3d& covariance, double least_variance,
                   Eigen::Vector3d& normal) {
  // The closed form is twice as fast as iteration and its normal as good.
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(covariance);
  const Eigen::Vector3d& variances = solver.eigenvalues();
  normal = solver.eigenvectors().col(0);
  return variances[1] > std::max(1e-6 * variances[2], least_variance);
}

/// Gives the surfel its normal and thickness, or leaves it as it is (not planar) if the neighbours
/// span no plane: fewer than three, or on a line (a middle extent below a thousandth of the
/// greatest, or within the rounding of the coordinates to float).
void fitPlane(const Neighbourhood& around, Surfel& surfel) {
  if (around.count < 3) return;
  const double rounding = static_cast<double>(std::numeric_limits<float>::epsilon()) *
                          static_cast<double>(surfel.position.cwiseAbs().maxCoeff());
  Eigen::Vector3d normal;
  if (!plateNormal(around.covariance, rounding * rounding, normal) &&
      !generalNormal(around.covariance, rounding * rounding, normal)) {
    return;
  }
  // The normal's own variance (its Rayleigh quotient) keeps the digits that a root loses.
  const double variance = normal.dot(around.covariance * normal);
  surfel.normal = normal.cast<float>().normalized();
  surfel.thickness = static_cast<float>(std::sqrt(std::max(0.0, variance)));
}

class Estimator {
 public:
  Estimator(const std::vector<Eigen::Vector3f>& points, double radius)
      : points_(points),
        radius_(radius),
        grid_(points, radius * kCellSlack, lowestCorner(points)),
        surfels_(points.size()) {}

  std::size_t cells() const { return grid_.cells(); }
  std::size_t pointsBefore(std::size_t cell) const { return grid_.begin(cell); }
  void estimate(std::size_t first_cell, std::size_t last_cell);
  std::vector<Surfel> take() { return std::move(surfels_); }

 private:
  void gather(std::size_t cell, CellGrid::Cursors& cursors, Candidates& candidates) const;

  const std::vector<Eigen::Vector3f>& points_;
  double radius_;
  CellGrid grid_;
  std::vector<Surfel> surfels_;
};

/// Collects the points of the 27 cells around a cell. `cursors` remember the positions of the
/// previous cell's columns of three cells.
void Estimator::gather(std::size_t cell, CellGrid::Cursors& cursors, Candidates& candidates) const {
  const CellGrid::Columns columns = grid_.columnsAround(grid_.key(cell), cursors);
  candidates.resize(columns.points);
  std::size_t next = 0;
  for (std::size_t column = 0; column < 9; ++column) {
    for (std::size_t i = columns.begin[column]; i < columns.end[column]; ++i, ++next) {
      const Eigen::Vector3f& point = points_[grid_.order()[i]];
      candidates.x[next] = static_cast<double>(point.x());
      candidates.y[next] = static_cast<double>(point.y());
      candidates.z[next] = static_cast<double>(point.z());
    }
  }
}

void Estimator::estimate(std::size_t first_cell, std::size_t last_cell) {
  CellGrid::Cursors cursors{};
  Candidates candidates;
  for (std::size_t cell = first_cell; cell < last_cell; ++cell) {
    gather(cell, cursors, candidates);
    for (std::size_t i = grid_.begin(cell); i < grid_.begin(cell + 1); ++i) {
      const Eigen::Vector3f& point = points_[grid_.order()[i]];
      Surfel& surfel = surfels_[grid_.order()[i]];
      surfel = {point, Eigen::Vector3f::UnitZ(), static_cast<float>(radius_)};
      fitPlane(neighbourhood(candidates, point.cast<double>(), radius_ * radius_), surfel);
    }
  }
}

}  // namespace

std::vector<Surfel> estimateSurfels(const PointCloud& cloud, double radius, Progress& progress) {
  Validator("").positive("radius", radius, "m");
  if (cloud.empty()) return {};
  progress.phase("normals", cloud.size());
  Estimator estimator(cloud.points, radius);
  for (std::size_t begin = 0; begin < estimator.cells(); begin += kCellsPerBlock) {
    const std::size_t end = std::min(begin + kCellsPerBlock, estimator.cells());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(begin, end, 256),
                      [&](const auto& range) { estimator.estimate(range.begin(), range.end()); });
    progress.update(estimator.pointsBefore(end));
  }
  return estimator.take();
}

}  // namespace marsim::map
