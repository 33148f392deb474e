#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <Eigen/Core>

#include "marsim/map/surfel_tree_layout.hpp"

/// Boxes and surfels as TreeNode and its leaves hold them.
namespace marsim::map {

/// 2^exponent as std::ldexp(1.0, exponent) gives it, for -1022 to 1023: leaves are read so often
/// that a call would be felt.
inline double powerOfTwo(int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52U;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The box of a leaf child and the steps of the positions in it, per axis [m].
struct LeafFrame {
  Eigen::Vector3d lower, step;

  LeafFrame(const TreeNode& node, int slot) {
    for (int axis = 0; axis < 3; ++axis) {
      const int exponent = node.exponent[axis] - 127;
      const int low = node.lower[axis][slot];
      lower[axis] = static_cast<double>(node.origin[axis]) + low * powerOfTwo(exponent);
      int bits = 0;
      for (int extent = (node.upper[axis][slot] - low) | 1; extent > 0; extent >>= 1) ++bits;
      step[axis] = powerOfTwo(exponent + bits - kPositionBits);
    }
  }
};

/// One surfel relative to the tree's origin.
struct StoredSurfel {
  Eigen::Vector3d position;
  Eigen::Vector3d normal;  ///< of any length when read
  bool planar;
};

/// The two codes of a unit normal: of the four about its place the pair of least error.
inline std::array<int, 2> encodeNormal(Eigen::Vector3d n) {
  if (n.z() < 0.0) n = -n;
  const Eigen::Vector3d scaled = n / n.lpNorm<1>();
  const std::array<double, 2> place{scaled.x() + scaled.y(), scaled.x() - scaled.y()};
  std::array<int, 2> low{}, best{};
  for (std::size_t i = 0; i < 2; ++i) {
    low[i] = static_cast<int>(std::floor(0.5 * (place[i] + 1.0) * kNormalScale));
  }
  double best_cosine = -1.0;
  for (int corner = 0; corner < 4; ++corner) {
    const std::array<int, 2> code{std::min(low[0] + (corner & 1), kNormalScale),
                                  std::min(low[1] + (corner >> 1), kNormalScale)};
    const int a = 2 * code[0] - kNormalScale, b = 2 * code[1] - kNormalScale;
    const Eigen::Vector3d read(a + b, a - b, 2 * kNormalScale - std::abs(a + b) - std::abs(a - b));
    const double cosine = read.dot(n) / read.norm();
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best = code;
    }
  }
  return best;
}

/// Writes surfel number i of the n of a leaf whose words begin at `words`.
inline void writeSurfel(const LeafFrame& frame, const StoredSurfel& surfel, std::size_t i,
                        std::size_t n, std::uint32_t* words) {
  std::array<std::uint32_t, 3> q{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    const double place = std::round((surfel.position[a] - frame.lower[a]) / frame.step[a]);
    q[axis] = static_cast<std::uint32_t>(std::min(std::max(place, 0.0), 8191.0));
  }
  const auto [u, v] = encodeNormal(surfel.normal);
  const auto v_low = static_cast<std::uint32_t>(v & 63),
             v_high = static_cast<std::uint32_t>(v >> 6);
  words[i] = q[0] | q[1] << 13 | v_low << 26;
  words[n + i] = q[2] | static_cast<std::uint32_t>(u) << 13 | v_high << 25 |
                 (surfel.planar ? 0x80000000U : 0U);
}

inline StoredSurfel readSurfel(const LeafFrame& frame, const std::uint32_t* words, std::size_t i,
                               std::size_t n) {
  StoredSurfel surfel;
  const std::uint32_t low = words[i], high = words[n + i];
  surfel.position = frame.lower + frame.step.cwiseProduct(Eigen::Vector3d(
                                      low & 8191U, (low >> 13) & 8191U, high & 8191U));
  const int u = static_cast<int>((high >> 13) & 4095U);
  const int v = static_cast<int>(((high >> 25) & 63U) << 6 | low >> 26);
  const int a = 2 * u - kNormalScale, b = 2 * v - kNormalScale;
  surfel.normal =
      Eigen::Vector3d(a + b, a - b, 2 * kNormalScale - std::abs(a + b) - std::abs(a - b));
  surfel.planar = (high >> 31) != 0;
  return surfel;
}

}  // namespace marsim::map
