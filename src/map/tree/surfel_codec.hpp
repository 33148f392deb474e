// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "map/tree/leaf_storage.hpp"

/// One surfel into its words and back, in double precision.
namespace marsim::map {

/// One surfel relative to the tree's origin.
struct StoredSurfel {
  Eigen::Vector3d position;
  Eigen::Vector3d normal;  ///< of any length when read
  bool planar;
};

/// The two codes of a unit normal: the best of the four pairs around it.
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
    const Eigen::Vector3d read(a + b, a - b, normalZ<int>(std::abs(a + b), std::abs(a - b)));
    const double cosine = read.dot(n) / read.norm();
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best = code;
    }
  }
  return best;
}

/// Writes surfel number i of a leaf with n surfels whose words begin at `words`.
inline void writeSurfel(const LeafFrame<double>& frame, const StoredSurfel& surfel, std::size_t i,
                        std::size_t n, std::uint32_t* words) {
  std::array<std::uint32_t, 3> q{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double place = std::round(
        (surfel.position[static_cast<Eigen::Index>(axis)] - frame.lower[axis]) / frame.step[axis]);
    q[axis] =
        static_cast<std::uint32_t>(std::min(std::max(place, 0.0), static_cast<double>(maskOf(kX))));
  }
  const auto [u, v] = encodeNormal(surfel.normal);
  const auto v_bits = static_cast<std::uint32_t>(v);
  std::uint32_t stored[kSurfelWords] = {};
  putField(q[0], kX, stored);
  putField(q[1], kY, stored);
  putField(q[2], kZ, stored);
  putField(static_cast<std::uint32_t>(u), kU, stored);
  putField(v_bits, kVLow, stored);
  putField(v_bits >> kVLow.bits, kVHigh, stored);
  putField(surfel.planar ? 1U : 0U, kPlanar, stored);
  for (std::size_t k = 0; k < kSurfelWords; ++k) words[k * n + i] = stored[k];
}

inline StoredSurfel readSurfel(const LeafFrame<double>& frame, const std::uint32_t* words,
                               std::size_t i, std::size_t n) {
  const SurfelCodes<std::int32_t> codes(static_cast<std::int32_t>(words[i]),
                                        static_cast<std::int32_t>(words[n + i]));
  const int x = codes.normal[0], y = codes.normal[1];
  StoredSurfel surfel;
  for (int axis = 0; axis < 3; ++axis) {
    surfel.position[axis] = frame.lower[axis] + frame.step[axis] * codes.position[axis];
  }
  surfel.normal = Eigen::Vector3d(x, y, normalZ<int>(std::abs(x), std::abs(y)));
  surfel.planar = codes.planar < 0;
  return surfel;
}

}  // namespace marsim::map
