// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/body_voxels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::collision {
namespace {

using Eigen::Array3i;
using Eigen::Vector3d;

constexpr double kMostCells = 1 << 27;
constexpr double kSamplesACell = 4.0;    // sampled surface points along a cell's side
constexpr double kFinestSpacing = 1e-3;  // [m] between them, at least

void requireCell(double cell) { Validator("collision").positive("cell", cell, "m"); }

map::PointCloud sampled(const scene::BodyConfig& body, double cell) {
  requireCell(cell);
  return scene::bodyCloud(body, std::max(cell / kSamplesACell, kFinestSpacing));
}

// Squared distance [m^2] from a point in B to a cylinder from `from` along `way`, 0 inside.
double squaredDistance(const Vector3d& p_B, const Vector3d& from, const Vector3d& way,
                       double radius) {
  const double length = way.norm();
  if (!(length > 0.0)) return std::numeric_limits<double>::infinity();
  const Vector3d off = p_B - from, axis = way / length;
  const double along = off.dot(axis);
  const double beyond = std::max({0.0, -along, along - length});
  const double aside = std::max(0.0, (off - along * axis).norm() - radius);
  return beyond * beyond + aside * aside;
}

// Squared distance [m^2] from a point in B to a body's shape, 0 inside.
double squaredDistance(const scene::BodyConfig& body, const Vector3d& p_B) {
  double least = (p_B.cwiseAbs() - body.hub_half).cwiseMax(0.0).squaredNorm();
  for (const Vector3d& rotor : body.rotors) {
    const Eigen::Array2d off((p_B - rotor).head<2>().norm() - body.propeller_radius,
                             std::abs(p_B.z() - rotor.z()) - body.propeller_half_height);
    least = std::min(least, off.max(0.0).matrix().squaredNorm());
    least = std::min(least, squaredDistance(p_B, Vector3d::Zero(), rotor, body.arm_radius));
  }
  return least;
}

}  // namespace

BodyVoxels::BodyVoxels(const scene::BodyConfig& body, double cell, bool exact)
    : BodyVoxels(sampled(body, cell), cell) {
  if (exact && body.cloud.empty()) shape_ = body;
}

BodyVoxels::BodyVoxels(const map::PointCloud& cloud_B, double cell) : cell_(cell) {
  requireCell(cell);
  if (cloud_B.empty()) throw ConfigError("collision", "body", "without points", "at least one");
  Eigen::AlignedBox3d points;
  for (const Eigen::Vector3f& p : cloud_B.points) {
    if (!p.allFinite()) throw ConfigError("collision", "body", "not finite", "finite points");
    points.extend(p.cast<double>());
  }
  const Vector3d sides = points.sizes() / cell + Vector3d::Constant(2.0);
  if (sides.prod() > kMostCells || points.min().cwiseAbs().maxCoeff() > 1e6 * cell) {
    throw ConfigError("collision", "cell", fmt::format("{} m", cell),
                      fmt::format("at least {:.2g} m for a body of this size",
                                  std::cbrt(points.sizes().prod() / kMostCells)));
  }
  low_ = cellOf(points.min());
  size_ = cellOf(points.max()).array() - low_ + 1;
  bits_.assign((static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) *
                    static_cast<std::size_t>(size_.z()) +
                63) /
                   64,
               0);
  for (const Eigen::Vector3f& p : cloud_B.points) set(cellOf(p.cast<double>()).array() - low_);
  fillEnclosed();
  joinIntoBoxes();
  for (const Eigen::AlignedBox3d& box : boxes_) {
    box_.extend(box);
    radius_ = std::max(radius_, box.min().cwiseAbs().cwiseMax(box.max().cwiseAbs()).norm());
    count_ += static_cast<std::size_t>(std::llround((box.sizes() / cell_).prod()));
  }
}

// Occupies the free cells that no path through free cells' faces joins with the outside.
void BodyVoxels::fillEnclosed() {
  const Array3i padded = size_ + 2;  // one free layer on all sides
  const auto number = [&](const Array3i& p) {
    return (static_cast<std::size_t>(p.z()) * static_cast<std::size_t>(padded.y()) +
            static_cast<std::size_t>(p.y())) *
               static_cast<std::size_t>(padded.x()) +
           static_cast<std::size_t>(p.x());
  };
  std::vector<bool> outside(number(padded - 1) + 1, false);
  std::vector<Array3i> open{Array3i::Zero()};
  outside[0] = true;
  while (!open.empty()) {
    const Array3i from = open.back();
    open.pop_back();
    for (int face = 0; face < 6; ++face) {
      Array3i to = from;
      to[face / 2] += face % 2 == 0 ? -1 : 1;
      if ((to < 0).any() || (to >= padded).any() || outside[number(to)] || at(to - 1)) continue;
      outside[number(to)] = true;
      open.push_back(to);
    }
  }
  for (int z = 0; z < size_.z(); ++z) {
    for (int y = 0; y < size_.y(); ++y) {
      for (int x = 0; x < size_.x(); ++x) {
        const Array3i place(x, y, z);
        if (!outside[number(place + 1)]) set(place);
      }
    }
  }
}

// Greedy: a run along x, grown along y and then z as long as whole faces are occupied and free of
// other boxes. Distances are then taken to a few boxes instead of every cell.
void BodyVoxels::joinIntoBoxes() {
  std::vector<bool> taken(bits_.size() * 64, false);
  const auto open = [&](const Array3i& place) { return at(place) && !taken[bitOf(place)]; };
  const auto all = [&](const Array3i& low, const Array3i& high) {
    for (int z = low.z(); z <= high.z(); ++z) {
      for (int y = low.y(); y <= high.y(); ++y) {
        for (int x = low.x(); x <= high.x(); ++x) {
          if (!open({x, y, z})) return false;
        }
      }
    }
    return true;
  };
  for (int z = 0; z < size_.z(); ++z) {
    for (int y = 0; y < size_.y(); ++y) {
      for (int x = 0; x < size_.x(); ++x) {
        const Array3i low(x, y, z);
        if (!open(low)) continue;
        Array3i high = low;
        for (int axis = 0; axis < 3; ++axis) {
          while (true) {
            Array3i face_low = low, face_high = high;
            face_low[axis] = ++face_high[axis];
            if (!all(face_low, face_high)) break;
            high = face_high;
          }
        }
        for (int k = low.z(); k <= high.z(); ++k) {
          for (int j = low.y(); j <= high.y(); ++j) {
            for (int i = low.x(); i <= high.x(); ++i) taken[bitOf({i, j, k})] = true;
          }
        }
        boxes_.emplace_back(cell_ * ((low + low_).cast<double>() - 0.5).matrix(),
                            cell_ * ((high + low_).cast<double>() + 0.5).matrix());
      }
    }
  }
}

double BodyVoxels::distance(const Vector3d& p_B, double limit) const {
  double least = limit * limit;
  if (box_.squaredExteriorDistance(p_B) >= least) return limit;
  if (shape_) return std::min(std::sqrt(squaredDistance(*shape_, p_B)), limit);
  for (const Eigen::AlignedBox3d& box : boxes_) {
    const Vector3d outside = (box.min() - p_B).cwiseMax(p_B - box.max()).cwiseMax(0.0);
    least = std::min(least, outside.squaredNorm());
  }
  return std::min(std::sqrt(least), limit);
}

std::vector<Eigen::Vector3i> BodyVoxels::cells() const {
  std::vector<Eigen::Vector3i> cells;
  for (int z = 0; z < size_.z(); ++z) {
    for (int y = 0; y < size_.y(); ++y) {
      for (int x = 0; x < size_.x(); ++x) {
        const Array3i place(x, y, z);
        if (at(place)) cells.emplace_back((place + low_).matrix());
      }
    }
  }
  return cells;
}

}  // namespace marsim::collision
