// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/kd_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nanoflann.hpp>

namespace marsim {

struct KdTree::Impl {
  struct PointAdaptor {
    std::vector<Eigen::Vector3f> points;

    std::size_t kdtree_get_point_count() const { return points.size(); }
    float kdtree_get_pt(std::size_t index, std::size_t axis) const {
      return points[index][static_cast<Eigen::Index>(axis)];
    }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
      return false;
    }
  };

  using Index =
      nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, PointAdaptor>,
                                          PointAdaptor, 3, std::uint32_t>;

  explicit Impl(std::vector<Eigen::Vector3f> points)
      : adaptor{std::move(points)},
        index(3, adaptor, nanoflann::KDTreeSingleIndexAdaptorParams(16)) {
    if (!adaptor.points.empty()) index.buildIndex();
  }
  PointAdaptor adaptor;
  Index index;
};

KdTree::KdTree(std::vector<Eigen::Vector3f> points)
    : impl_(std::make_unique<Impl>(std::move(points))) {}
KdTree::~KdTree() = default;
KdTree::KdTree(KdTree&&) noexcept = default;
KdTree& KdTree::operator=(KdTree&&) noexcept = default;

KdTree::Neighbour KdTree::nearest(const Eigen::Vector3f& query) const {
  Neighbour neighbour{0, std::numeric_limits<float>::infinity()};
  if (impl_->adaptor.points.empty()) return neighbour;
  float squared = 0.0F;
  impl_->index.knnSearch(query.data(), 1, &neighbour.index, &squared);
  neighbour.distance = std::sqrt(squared);
  return neighbour;
}

std::vector<KdTree::Neighbour> KdTree::nearest(const Eigen::Vector3f& query,
                                               std::size_t count) const {
  count = std::min(count, impl_->adaptor.points.size());
  std::vector<std::uint32_t> indices(count);
  std::vector<float> squared(count);
  if (count > 0) impl_->index.knnSearch(query.data(), count, indices.data(), squared.data());
  std::vector<Neighbour> neighbours(count);
  for (std::size_t i = 0; i < count; ++i) neighbours[i] = {indices[i], std::sqrt(squared[i])};
  return neighbours;
}

std::vector<KdTree::Neighbour> KdTree::within(const Eigen::Vector3f& query, float radius) const {
  std::vector<Neighbour> neighbours;
  if (impl_->adaptor.points.empty()) return neighbours;
  std::vector<std::pair<std::uint32_t, float>> matches;
  impl_->index.radiusSearch(query.data(), radius * radius, matches, nanoflann::SearchParams());
  neighbours.reserve(matches.size());
  for (const auto& [index, squared] : matches) neighbours.push_back({index, std::sqrt(squared)});
  return neighbours;
}

const std::vector<Eigen::Vector3f>& KdTree::points() const { return impl_->adaptor.points; }

}  // namespace marsim
