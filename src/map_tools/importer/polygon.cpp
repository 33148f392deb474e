// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/importer/importer.hpp"

// Ear clipping (Meisters, "Polygons have ears", 1975).
namespace marsim::map_tools {
namespace {

using Vertices = std::vector<Eigen::Vector3d>;
using Corners = std::vector<std::uint32_t>;

/// Twice the area of a triangle, as seen against `normal`.
double areaOf(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
              const Eigen::Vector3d& normal) {
  return (b - a).cross(c - a).dot(normal);
}

/// Whether the polygon's corner i can be cut off: it is convex and no other corner lies in it.
bool isEar(const Vertices& vertices, const Corners& corners, std::size_t i,
           const Eigen::Vector3d& normal) {
  const std::size_t count = corners.size(), before = (i + count - 1) % count;
  const Eigen::Vector3d& a = vertices[corners[before]];
  const Eigen::Vector3d& b = vertices[corners[i]];
  const Eigen::Vector3d& c = vertices[corners[(i + 1) % count]];
  if (!(areaOf(a, b, c, normal) > 0.0)) return false;
  for (std::size_t k = 2; k + 1 < count; ++k) {
    const Eigen::Vector3d& p = vertices[corners[(before + k + 1) % count]];
    if (p != a && p != b && p != c && areaOf(a, b, p, normal) >= 0.0 &&
        areaOf(b, c, p, normal) >= 0.0 && areaOf(c, a, p, normal) >= 0.0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::array<std::uint32_t, 3>> trianglesOf(const Vertices& vertices, Corners corners) {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const Eigen::Vector3d& a = vertices[corners[0]];
    normal += (vertices[corners[i - 1]] - a).cross(vertices[corners[i]] - a);
  }
  while (corners.size() >= 3) {
    std::size_t ear = 1;
    while (corners.size() > 3 && ear < corners.size() && !isEar(vertices, corners, ear, normal)) {
      ++ear;
    }
    if (ear == corners.size()) ear = 1;  // it crosses itself or has no area
    triangles.push_back({corners[ear - 1], corners[ear], corners[(ear + 1) % corners.size()]});
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  return triangles;
}

}  // namespace marsim::map_tools
