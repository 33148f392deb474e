// SPDX-License-Identifier: BSD-3-Clause
#include "scene/places/tunnel.hpp"

#include <algorithm>
#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim::scene {
namespace {

using Eigen::Vector3d;

class Tunnel {
 public:
  Tunnel(const TunnelShape& shape, SurfaceSampler& sampler) : shape_(shape), sampler_(sampler) {
    half_ = 0.5 * shape.width;
    wall_ = std::max(0.0, shape.height - half_);
    for (std::size_t i = 1; i < shape.path.size(); ++i)
      addSegment(shape.path[i - 1], shape.path[i]);
  }

  void sample() {
    for (std::size_t i = 0; i < segments_.size(); ++i) sampleSegment(i);
    for (std::size_t i = 0; i < corners_.size(); ++i) sampleCorner(i);
  }

 private:
  struct Segment {
    Vector3d from, to;
  };

  void addSegment(const Vector3d& from, const Vector3d& to) {
    const auto same = [](const Vector3d& a, const Vector3d& b) { return (a - b).norm() < 1e-6; };
    const bool known = std::any_of(segments_.begin(), segments_.end(), [&](const Segment& other) {
      return (same(other.from, from) && same(other.to, to)) ||
             (same(other.from, to) && same(other.to, from));
    });
    if (!known && !same(from, to)) segments_.push_back({from, to});
    for (const Vector3d& corner : {from, to}) {
      const bool there = std::any_of(corners_.begin(), corners_.end(),
                                     [&](const Vector3d& other) { return same(other, corner); });
      if (!there) corners_.push_back(corner);
    }
  }

  // Height of the vault at a distance from the middle line.
  double vault(double off) const {
    const double rise = shape_.height - wall_;
    return wall_ + rise * std::sqrt(std::max(0.0, 1.0 - off * off / (half_ * half_)));
  }
  bool within(const Vector3d& p, const Vector3d& floor, double off) const {
    constexpr double kSkin = 0.01;
    const double above = p.z() - floor.z();
    return off < half_ - kSkin && above > -0.5 && above < vault(off) - kSkin;
  }
  bool inSegment(std::size_t i, const Vector3d& p) const {
    const Vector3d along = segments_[i].to - segments_[i].from;
    const double share =
        (p - segments_[i].from).head<2>().dot(along.head<2>()) / along.head<2>().squaredNorm();
    if (share < 0.0 || share > 1.0) return false;
    const Vector3d floor = segments_[i].from + share * along;
    return within(p, floor, (p - floor).head<2>().norm());
  }
  bool inCorner(std::size_t i, const Vector3d& p) const {
    return within(p, corners_[i], (p - corners_[i]).head<2>().norm());
  }
  // Hides walls where galleries meet. The floor stays there, in one of the galleries that share it.
  bool hidden(const Vector3d& p, bool floor, std::size_t segment, std::size_t corner) const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (i != segment && (!floor || i < segment) && inSegment(i, p)) return true;
    }
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      const bool earlier = segment == segments_.size() && i < corner;
      if (i != corner && (!floor || earlier) && inCorner(i, p)) return true;
    }
    return false;
  }

  double rough(const Vector3d& p) const {
    return 0.5 * shape_.roughness *
           (std::sin(2.1 * p.x() + 1.3 * p.z()) +
            std::sin(1.7 * p.y() - 2.3 * p.z() + 0.6 * p.x()) +
            0.5 * std::sin(5.3 * p.x() + 4.1 * p.y() + 3.7 * p.z()));
  }
  void put(const Vector3d& p, const Vector3d& normal, bool floor, std::size_t segment,
           std::size_t corner) {
    if (hidden(p, floor, segment, corner)) return;
    sampler_.point(p + (floor ? 0.3 : 1.0) * rough(p) * normal, normal);
  }

  // Half an outline by arc length: up the wall and over the vault to its top.
  struct Outline {
    double off, height;  // [m] from the middle, above the floor
    double out, up;      // normal
  };
  double outlineLength() const { return wall_ + 0.5 * kPi * half_; }
  Outline outlineAt(double s) const {
    if (s < wall_) return {half_, s, 1.0, 0.0};
    const double angle = (s - wall_) / half_;
    return {half_ * std::cos(angle), wall_ + (shape_.height - wall_) * std::sin(angle),
            std::cos(angle), std::sin(angle)};
  }

  void sampleSegment(std::size_t i) {
    const Vector3d from = segments_[i].from, along = segments_[i].to - from;
    const Vector3d across = Vector3d(-along.y(), along.x(), 0.0).normalized();
    const double length = along.norm();
    const auto steps = std::max(1L, std::lround(length / sampler_.spacing()));
    const auto around = std::max(2L, std::lround(outlineLength() / sampler_.spacing()));
    const auto floor = std::max(1L, std::lround(shape_.width / sampler_.spacing()));
    for (long step = 0; step < steps; ++step) {
      for (long k = 0; k < 2 * around + floor; ++k) {
        const double u = (static_cast<double>(step) + 0.5 + jitter()) / static_cast<double>(steps);
        const double shift = 0.5 + jitter();
        const Vector3d middle = from + u * along;
        if (k >= 2 * around) {
          const double v =
              (static_cast<double>(k - 2 * around) + shift) / static_cast<double>(floor);
          put(middle + (v - 0.5) * shape_.width * across, Vector3d::UnitZ(), true, i, kNone);
          continue;
        }
        const double side = k < around ? 1.0 : -1.0;
        const double s = (static_cast<double>(k % around) + shift) / static_cast<double>(around);
        const Outline at = outlineAt(s * outlineLength());
        put(middle + side * at.off * across + at.height * Vector3d::UnitZ(),
            side * at.out * across + at.up * Vector3d::UnitZ(), false, i, kNone);
      }
    }
  }

  void sampleCorner(std::size_t i) {
    const Vector3d& middle = corners_[i];
    const auto around = std::max(2L, std::lround(outlineLength() / sampler_.spacing()));
    const auto floor = std::max(1L, std::lround(half_ / sampler_.spacing()));
    for (long k = 0; k < around + floor; ++k) {
      const bool on_floor = k >= around;
      const double low = static_cast<double>(on_floor ? k - around : k);
      const double ring =
          on_floor ? half_ * (low + 0.5) / static_cast<double>(floor)
                   : outlineAt((low + 0.5) / static_cast<double>(around) * outlineLength()).off;
      const auto points = std::max(1L, std::lround(2.0 * kPi * ring / sampler_.spacing()));
      for (long j = 0; j < points; ++j) {
        const double angle =
            2.0 * kPi * (static_cast<double>(j) + jitter()) / static_cast<double>(points);
        const double shift = 0.5 + jitter();
        const Vector3d out(std::cos(angle), std::sin(angle), 0.0);
        if (on_floor) {
          put(middle + half_ * (low + shift) / static_cast<double>(floor) * out, Vector3d::UnitZ(),
              true, segments_.size(), i);
          continue;
        }
        const Outline at = outlineAt((low + shift) / static_cast<double>(around) * outlineLength());
        put(middle + at.off * out + at.height * Vector3d::UnitZ(),
            at.out * out + at.up * Vector3d::UnitZ(), false, segments_.size(), i);
      }
    }
  }

  double jitter() { return 0.7 * (sampler_.random().uniform() - 0.5); }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const TunnelShape& shape_;
  SurfaceSampler& sampler_;
  double half_ = 0.0, wall_ = 0.0;
  std::vector<Segment> segments_;
  std::vector<Vector3d> corners_;
};

}  // namespace

void sampleTunnel(const TunnelShape& shape, SurfaceSampler& sampler) {
  Tunnel(shape, sampler).sample();
}

}  // namespace marsim::scene
