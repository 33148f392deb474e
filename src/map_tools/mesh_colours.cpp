// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "map_tools/sources.hpp"

namespace marsim::map_tools {
namespace {

/// Weights of a triangle's corners at a place on it.
Eigen::Vector3d barycentric(const Mesh& mesh, const std::array<std::uint32_t, 3>& corners,
                            const Eigen::Vector3d& place) {
  const Eigen::Vector3d& a = mesh.vertices[corners[0]];
  const Eigen::Vector3d ab = mesh.vertices[corners[1]] - a, ac = mesh.vertices[corners[2]] - a;
  const Eigen::Vector3d normal = ab.cross(ac);
  const double area = normal.squaredNorm();
  const double b = std::clamp((place - a).cross(ac).dot(normal) / area, 0.0, 1.0);
  const double c = std::clamp(ab.cross(place - a).dot(normal) / area, 0.0, 1.0 - b);
  return {1.0 - b - c, b, c};
}

}  // namespace

map::Colour Texture::at(const Eigen::Vector2d& uv) const {
  const auto index = [](double share, int size) {
    if (!std::isfinite(share)) return 0;
    return std::clamp(static_cast<int>((share - std::floor(share)) * size), 0, size - 1);
  };
  const int column = index(uv.x(), width), row = height - 1 - index(uv.y(), height);
  return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(column)];
}

map::Colour colourAt(const Mesh& mesh, std::uint32_t triangle, const Eigen::Vector3d& place) {
  const std::array<std::uint32_t, 3>& corners = mesh.triangles[triangle];
  const Eigen::Vector3d weights = barycentric(mesh, corners, place);
  const std::uint16_t texture = mesh.texture_of.empty() ? 0 : mesh.texture_of[triangle];
  if (texture > 0) {
    Eigen::Vector2d uv = Eigen::Vector2d::Zero();
    for (int i = 0; i < 3; ++i) {
      uv += weights[i] * mesh.texture_at[corners[static_cast<std::size_t>(i)]].cast<double>();
    }
    return mesh.textures[texture - 1U].at(uv);
  }
  map::Colour colour{};
  for (std::size_t k = 0; k < 3; ++k) {
    double shade = 0.0;
    for (int i = 0; i < 3; ++i) {
      shade += weights[i] * mesh.colours[corners[static_cast<std::size_t>(i)]][k];
    }
    colour[k] = static_cast<std::uint8_t>(std::lround(shade));
  }
  return colour;
}

}  // namespace marsim::map_tools
