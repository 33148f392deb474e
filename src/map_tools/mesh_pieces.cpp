// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/mesh_pieces.hpp"

#include <cmath>
#include <tuple>

#include <tbb/parallel_sort.h>

namespace marsim::map_tools {
namespace {

constexpr std::uint64_t kMask = 0x1fffff;      // 21 bits an axis
constexpr std::uint32_t kDeepest = 1U << 30U;  // the longest path of halvings

/// The two halves of a triangle, divided at the middle of its longest edge.
std::array<Triangle, 2> halved(const Triangle& whole, int longest) {
  const auto at = [](int i) { return static_cast<std::size_t>(i % 3); };
  const std::size_t i = at(longest), j = at(longest + 1), k = at(longest + 2);
  const Eigen::Vector3d middle = 0.5 * (whole.corners[i] + whole.corners[j]);
  std::array<Triangle, 2> halves{whole, whole};
  halves[0].corners = {whole.corners[i], middle, whole.corners[k]};
  halves[0].rim = {whole.rim[i], false, whole.rim[k]};
  halves[1].corners = {middle, whole.corners[j], whole.corners[k]};
  halves[1].rim = {whole.rim[i], whole.rim[j], false};
  for (Triangle& half : halves) half.area = 0.5 * whole.area;
  return halves;
}

std::pair<int, double> longestEdge(const Triangle& triangle) {
  std::pair<int, double> longest{0, 0.0};
  for (std::size_t i = 0; i < 3; ++i) {
    const double length = (triangle.corners[(i + 1) % 3] - triangle.corners[i]).norm();
    if (length > longest.second) longest = {static_cast<int>(i), length};
  }
  return longest;
}

std::uint64_t keyOf(const Eigen::Vector3i& index) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    key = key << 21U | (static_cast<std::uint64_t>(index[axis]) & kMask);
  }
  return key;
}

Eigen::Vector3i indexOf(std::uint64_t key) {
  return {static_cast<int>(key >> 42U & kMask), static_cast<int>(key >> 21U & kMask),
          static_cast<int>(key & kMask)};
}

}  // namespace

Triangle::Triangle(const std::array<Eigen::Vector3d, 3>& places)
    : corners(places), normal((places[1] - places[0]).cross(places[2] - places[0])) {
  area = 0.5 * normal.norm();
  normal.normalize();
}

Eigen::Vector3d Triangle::place(double u, double v) const {
  const Eigen::Vector3d ab = corners[1] - corners[0], ac = corners[2] - corners[0];
  return u + v > 1.0 ? Eigen::Vector3d(corners[0] + (1.0 - u) * ab + (1.0 - v) * ac)
                     : Eigen::Vector3d(corners[0] + u * ab + v * ac);
}

bool Piece::operator<(const Piece& other) const {
  return std::tie(block, triangle, path) < std::tie(other.block, other.triangle, other.path);
}

MeshPieces::MeshPieces(const Mesh& mesh, const Eigen::Vector3d& origin, double side)
    : mesh_(mesh), origin_(origin), side_(side) {
  pieces_.reserve(mesh.triangles.size());
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) cut(i, triangleOf({0, i, 1}), 1);
  tbb::parallel_sort(pieces_.begin(), pieces_.end());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (blocks_.empty() || blocks_.back().key != pieces_[i].block) {
      blocks_.push_back({pieces_[i].block, i, i});
    }
    blocks_.back().end = i + 1;
  }
}

void MeshPieces::cut(std::uint32_t triangle, const Triangle& part, std::uint32_t path) {
  const auto [edge, length] = longestEdge(part);
  if (length > 0.5 * side_ && path < kDeepest) {
    const std::array<Triangle, 2> halves = halved(part, edge);
    cut(triangle, halves[0], 2 * path);
    cut(triangle, halves[1], 2 * path + 1);
    return;
  }
  const Eigen::Vector3d middle = (part.corners[0] + part.corners[1] + part.corners[2]) / 3.0;
  const Eigen::Vector3d index = ((middle - origin_) / side_).array().floor();
  // Blocks are counted from 1, so that every block has neighbours.
  pieces_.push_back({keyOf(index.cast<int>() + Eigen::Vector3i::Ones()), triangle, path});
}

Triangle MeshPieces::triangleOf(const Piece& piece) const {
  const std::array<std::uint32_t, 3>& corners = mesh_.triangles[piece.triangle];
  Triangle part(
      {mesh_.vertices[corners[0]], mesh_.vertices[corners[1]], mesh_.vertices[corners[2]]});
  int bit = 31;
  while ((piece.path >> static_cast<unsigned>(bit)) == 0) --bit;
  while (--bit >= 0) {
    part = halved(part, longestEdge(part).first)[piece.path >> static_cast<unsigned>(bit) & 1U];
  }
  return part;
}

std::size_t MeshPieces::neighbour(const Block& block, const Eigen::Vector3i& offset) const {
  const std::uint64_t key = keyOf(indexOf(block.key) + offset);
  const auto found =
      std::lower_bound(blocks_.begin(), blocks_.end(), key,
                       [](const Block& other, std::uint64_t wanted) { return other.key < wanted; });
  return found == blocks_.end() || found->key != key
             ? blocks_.size()
             : static_cast<std::size_t>(found - blocks_.begin());
}

int MeshPieces::groupOf(const Block& block) {
  const Eigen::Vector3i index = indexOf(block.key);
  return (index.x() & 1) | (index.y() & 1) << 1 | (index.z() & 1) << 2;
}

Eigen::Vector3d MeshPieces::cornerOf(const Block& block) const {
  return origin_ + side_ * (indexOf(block.key).cast<double>() - Eigen::Vector3d::Ones());
}

}  // namespace marsim::map_tools
