// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/camera/pinholes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marsim::lidar {
namespace {

constexpr int kRounds = 3;
constexpr float kSameCosine = 0.5F;  // of normals at both ends; grazing rays meet discs that lean
constexpr float kNear = 2.5F;        // [resolutions] between ends to which kNearCosine applies
constexpr float kNearCosine = 0.2F;  // least cosine there: neighbours on rock and soil lean apart
constexpr float kSlope = 0.25F;      // of a surface against the plane of one of its surfels
constexpr float kMostOffset = 0.1F;  // [m] by a slope
constexpr float kBallCosine = 0.9999F;  // normals of balls are against the ray

bool isBall(const Hit& hit, const Eigen::Vector3f& direction) {
  return hit.incidenceCosine(direction) > kBallCosine;
}

}  // namespace

PinholeCloser::PinholeCloser(const Frame& frame, const std::vector<Eigen::Vector3f>& directions,
                             const CameraModel& model, double resolution)
    : frame_(frame),
      directions_(directions),
      width_(model.width),
      height_(model.height),
      pixel_angle_(static_cast<float>(1.0 / std::sqrt(model.fx * model.fy))),
      resolution_(static_cast<float>(resolution)),
      widest_(static_cast<float>(std::max(kWidestPinhole * resolution, kWidestPinholeAtLeast))) {
  for (const Pose& X_WC : frame.X_WC) R_WC_.emplace_back(X_WC.q.toRotationMatrix().cast<float>());
}

void PinholeCloser::close(std::vector<Hit>& hits, SurfaceLooks* looks) const {
  const auto width = static_cast<std::size_t>(width_);
  std::vector<std::uint32_t> edges_in_rows = edges(1, hits), edges_in_columns = edges(width, hits);
  std::vector<Gap> gaps;
  std::vector<std::uint32_t> gap_in_row(hits.size());
  std::vector<Pinhole> pinholes;
  // Closed parts of a pinhole bound the rest of it.
  for (int round = 0; round < kRounds; ++round) {
    gaps.assign(1, Gap{});
    std::fill(gap_in_row.begin(), gap_in_row.end(), 0);
    pinholes.clear();
    forGaps(edges_in_rows, 1, hits, [&](const Gap& gap) {
      for (std::size_t i = gap.first + 1; i < gap.last; ++i) {
        gap_in_row[i] = static_cast<std::uint32_t>(gaps.size());
      }
      gaps.push_back(gap);
    });
    forGaps(edges_in_columns, width, hits, [&](const Gap& gap) {
      for (std::size_t i = gap.first + width; i < gap.last; i += width) {
        const Gap& in_row = gaps[gap_in_row[i]];
        if (gap_in_row[i] == 0 || !(gap.is_narrow || in_row.is_narrow)) continue;
        pinholes.push_back({static_cast<std::uint32_t>(i), in_row.is_narrow ? in_row : gap});
      }
    });
    if (pinholes.empty()) return;
    for (const Pinhole& pinhole : pinholes) {
      fill(pinhole.pixel, pinhole.gap, hits, looks);
      edges_in_rows.push_back(pinhole.pixel);
      edges_in_columns.push_back(pinhole.pixel);
    }
  }
}

std::vector<std::uint32_t> PinholeCloser::edges(std::size_t step,
                                                const std::vector<Hit>& hits) const {
  std::vector<std::uint32_t> pixels;
  for (std::size_t i = 0; i + step < hits.size(); ++i) {
    const Hit& hit = hits[i];
    // The next pixel is behind the hit's plane only if it is this much farther.
    const float farther = hits[i + step].range - hit.range + hit.range * pixel_angle_;
    if (hit.valid() && hit.identity == kMapIdentity && farther >= resolution_) {
      pixels.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return pixels;
}

template <class Act>
void PinholeCloser::forGaps(const std::vector<std::uint32_t>& edges, std::size_t step,
                            const std::vector<Hit>& hits, const Act& act) const {
  for (const std::uint32_t pixel : edges) {
    const int row = static_cast<int>(pixel) / width_, column = static_cast<int>(pixel) % width_;
    const int left = step == 1 ? width_ - 1 - column : height_ - 1 - row;
    const int gap = gapAfter(pixel, step, left, hits);
    if (gap == 0) continue;
    const bool is_narrow = static_cast<float>(gap) <= pixelsOf(widest_, hits[pixel]);
    act(Gap{pixel, pixel + static_cast<std::size_t>(gap) * step, is_narrow});
  }
}

float PinholeCloser::pixelsOf(float width, const Hit& hit) const {
  return std::max(width / (hit.range * pixel_angle_), kLeastPixels) + 1.0F;
}

Eigen::Vector3f PinholeCloser::directionOf(std::size_t pixel) const {
  const int row = static_cast<int>(pixel) / width_;
  return R_WC_[frame_.numberOf(row)] * directions_[pixel];
}

float PinholeCloser::toleranceAt(float distance) const {
  return resolution_ + std::min(kSlope * distance, std::max(resolution_, kMostOffset));
}

// Whether a surface goes on from one pixel to another one, `pixels` apart; one of both may be a
// ball, which has no normal.
bool PinholeCloser::goesOn(const Hit& from, bool is_ball, const Hit& to,
                           const Eigen::Vector3f& to_direction, const Eigen::Vector3f& way,
                           int pixels) const {
  if (!to.valid() || to.identity != kMapIdentity) return false;
  const bool ends_at_ball = isBall(to, to_direction);
  if (is_ball && ends_at_ball) return false;
  const float first = std::abs(from.normal.dot(way)), last = std::abs(to.normal.dot(way));
  const float distance = way.norm(), tolerance = toleranceAt(distance);
  if (is_ball || ends_at_ball) return (is_ball ? last : first) <= tolerance;
  // At grazing incidence the discs of rough surfaces lean: the plane of either one will do. There
  // a pixel may span metres: for a gap of one pixel the offset by the slope has no limit, but both
  // planes must fit.
  const bool is_sloped = pixels <= 2 && std::max(first, last) <= resolution_ + kSlope * distance;
  if (std::min(first, last) > tolerance && !is_sloped) return false;
  const float cosine = distance <= kNear * resolution_ ? kNearCosine : kSameCosine;
  return std::abs(from.normal.dot(to.normal)) >= cosine;
}

int PinholeCloser::gapAfter(std::size_t pixel, std::size_t step, int left,
                            const std::vector<Hit>& hits) const {
  const Hit& from = hits[pixel];
  const Eigen::Vector3f from_direction = directionOf(pixel), p = from.range * from_direction;
  const bool is_ball = isBall(from, from_direction);
  const float pixels = pixelsOf(kLongestPinhole * widest_, from);
  const auto most = static_cast<int>(std::min({pixels, kMostPixels, static_cast<float>(left)}));
  for (int k = 1; k <= most; ++k) {
    const std::size_t other = pixel + static_cast<std::size_t>(k) * step;
    const Hit& hit = hits[other];
    if (!hit.valid()) continue;
    const Eigen::Vector3f direction = directionOf(other), way = hit.range * direction - p;
    if (goesOn(from, is_ball, hit, direction, way, k)) return k > 1 ? k : 0;
    if (from.normal.dot(way) >= -toleranceAt(way.norm())) return 0;
  }
  return 0;
}

void PinholeCloser::fill(std::size_t pixel, const Gap& gap, std::vector<Hit>& hits,
                         SurfaceLooks* looks) const {
  const Hit &first = hits[gap.first], &last = hits[gap.last];
  const bool is_nearer_first = pixel - gap.first <= gap.last - pixel;
  Hit hit = hits[is_nearer_first ? gap.first : gap.last];
  const float share =
      static_cast<float>(pixel - gap.first) / static_cast<float>(gap.last - gap.first);
  // On a plane the inverse of the range changes almost evenly along a row.
  hit.range = 1.0F / ((1.0F - share) / first.range + share / last.range);
  hits[pixel] = hit;
  if (looks == nullptr) return;
  for (int i = 0; i < 3; ++i) {
    for (std::vector<float>* values : {&looks->colour[i], &looks->normal[i]}) {
      const float low = (*values)[gap.first], high = (*values)[gap.last];
      (*values)[pixel] = low + share * (high - low);
    }
  }
}

}  // namespace marsim::lidar
