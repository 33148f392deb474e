// SPDX-License-Identifier: BSD-3-Clause
#include "odometry.hpp"

#include <algorithm>
#include <cmath>

#include <opencv2/calib3d.hpp>

namespace vision {

using Eigen::Isometry3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

constexpr int kNear = 60;                     // bits between descriptors of one place
constexpr double kInlier = 2.5;               // [px]
constexpr double kExact = 1.5;                // [px] inliers that decide the pose
constexpr std::size_t kFewest = 25;           // inliers of a pose
constexpr int kObservations = 10;             // of a point's depth
constexpr int kMostPredicted = 5;             // images in a row placed by the gyroscope
constexpr double kAnywhere = 1e9;             // [px] as radius: whatever the pose
constexpr float kLeast = 0.2F, kMost = 6.0F;  // [m] depths of map points

/// Features in cells, to find those near a place.
class Cells {
 public:
  Cells(const Pixels& pixels, const std::vector<bool>& use) {
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (use[i]) cells_[cellOf(pixels[i].x)][cellOf(pixels[i].y)].push_back(i);
    }
  }

  template <class Visit>
  void near(const Vector2d& place, double radius, const Visit& visit) const {
    for (std::size_t x = cellOf(place.x() - radius); x <= cellOf(place.x() + radius); ++x) {
      for (std::size_t y = cellOf(place.y() - radius); y <= cellOf(place.y() + radius); ++y) {
        for (const std::size_t i : cells_[x][y]) visit(i);
      }
    }
  }

 private:
  static std::size_t cellOf(double pixel) {
    return static_cast<std::size_t>(std::clamp(pixel / 32.0, 0.0, 63.0));
  }
  std::vector<std::vector<std::vector<std::size_t>>> cells_{
      64, std::vector<std::vector<std::size_t>>(64)};
};

Isometry3d toPose(const cv::Mat& rotation, const cv::Mat& shift) {
  const Vector3d axis(rotation.at<double>(0), rotation.at<double>(1), rotation.at<double>(2));
  Isometry3d X = Isometry3d::Identity();
  X.translate(Vector3d(shift.at<double>(0), shift.at<double>(1), shift.at<double>(2)));
  if (axis.norm() > 0.0) X.rotate(Eigen::AngleAxisd(axis.norm(), axis.normalized()));
  return X;
}

}  // namespace

std::optional<Isometry3d> Odometry::add(const Features& features, const std::vector<bool>& use,
                                        const std::optional<Eigen::Quaterniond>& turn) {
  std::vector<Match> inliers;
  if (key_frames_ > 0) {
    const Isometry3d last = X_FC_;
    if (turn) motion_.linear() = turn->toRotationMatrix();
    X_FC_ = last * motion_;
    inliers = match(features, use, 25.0);
    auto solved = solve(features, inliers);
    if (!solved && !turn) X_FC_ = last;
    for (const double radius : {60.0, 300.0, kAnywhere}) {
      if (solved) break;
      inliers = match(features, use, radius);
      solved = solve(features, inliers);
    }
    if (!solved) {
      const Vector3d shift = motion_.translation();
      motion_.setIdentity();
      if (!turn || ++predicted_ > kMostPredicted) return std::nullopt;
      motion_.translation() = turn->inverse() * shift;
      addKeyFrame(features, use, {});
      return X_FC_;
    }
    predicted_ = 0;
    motion_ = last.inverse() * *solved;
    X_FC_ = *solved;
    refine(features, inliers);
    forget();
  }
  const auto used = static_cast<std::size_t>(std::count(use.begin(), use.end(), true));
  if (key_frames_ == 0 || 3 * inliers.size() < used) addKeyFrame(features, use, inliers);
  return X_FC_;
}

std::vector<Odometry::Match> Odometry::match(const Features& features, const std::vector<bool>& use,
                                             double radius) {
  const Cells cells(features.pixels, use);
  const Isometry3d X_CF = X_FC_.inverse();
  std::vector<Match> best(features.size(), {0, 0, 257});  // of each feature
  for (std::size_t k = 0; k < map_.size(); ++k) {
    Vector2d place = Vector2d::Zero();
    if (radius < kAnywhere) {
      const Vector3d p_C = X_CF * map_[k].p_F;
      if (p_C.z() < 0.1) continue;
      place = camera_.pixel(p_C);
      if (place.x() < 0.0 || place.y() < 0.0 || place.x() > 2.0 * camera_.cx ||
          place.y() > 2.0 * camera_.cy)
        continue;
      ++map_[k].visible;
    }
    Match first{k, 0, 257}, second{k, 0, 257};
    cells.near(place, radius, [&](std::size_t i) {
      const Vector2d pixel(features.pixels[i].x, features.pixels[i].y);
      if ((pixel - place).squaredNorm() > radius * radius) return;
      const Match found{k, i, distance(map_[k].descriptor, features.descriptors[i])};
      if (found.distance < first.distance) {
        second = first;
        first = found;
      } else if (found.distance < second.distance) {
        second = found;
      }
    });
    const bool clear = 10 * first.distance < 8 * second.distance;
    if (first.distance < kNear && clear && first.distance < best[first.feature].distance)
      best[first.feature] = first;
  }
  best.erase(
      std::remove_if(best.begin(), best.end(), [](const Match& m) { return m.distance > 256; }),
      best.end());
  return best;
}

// Leaves the inliers of the pose in `matches`.
std::optional<Isometry3d> Odometry::solve(const Features& features, std::vector<Match>& matches) {
  if (matches.size() < kFewest) return std::nullopt;
  std::vector<cv::Point3d> points;
  std::vector<cv::Point2d> pixels;
  const auto collect = [&](const std::vector<Match>& from) {
    points.clear();
    pixels.clear();
    for (const Match& match : from) {
      const Vector3d& p = map_[match.point].p_F;
      points.emplace_back(p.x(), p.y(), p.z());
      pixels.emplace_back(features.pixels[match.feature]);
    }
  };
  collect(matches);
  const cv::Matx33d K(camera_.fx, 0.0, camera_.cx, 0.0, camera_.fy, camera_.cy, 0.0, 0.0, 1.0);
  cv::Mat rotation, shift;
  std::vector<int> inliers;
  if (!cv::solvePnPRansac(points, pixels, K, cv::noArray(), rotation, shift, false, 200,
                          static_cast<float>(kInlier), 0.999, inliers, cv::SOLVEPNP_AP3P))
    return std::nullopt;
  for (int round = 0; round < 4; ++round) {
    // Least squares of the inliers, then the inliers of its pose.
    std::vector<Match> kept, exact;
    const Isometry3d X_CF = toPose(rotation, shift);
    for (const Match& match : matches) {
      const cv::Point2f& seen = features.pixels[match.feature];
      const Vector3d p_C = X_CF * map_[match.point].p_F;
      const double error = (camera_.pixel(p_C) - Vector2d(seen.x, seen.y)).norm();
      if (p_C.z() < 0.1 || error > kInlier) continue;
      kept.push_back(match);
      if (error < kExact) exact.push_back(match);
    }
    if (kept.size() < kFewest) return std::nullopt;
    if (round == 3) {
      matches = kept;
      break;
    }
    collect(exact.size() < kFewest ? kept : exact);
    cv::solvePnPRefineLM(points, pixels, K, cv::noArray(), rotation, shift);
  }
  return toPose(rotation, shift).inverse();
}

// Moves inliers towards their depths as seen now: the mean of up to ten observations.
void Odometry::refine(const Features& features, const std::vector<Match>& inliers) {
  for (const Match& match : inliers) {
    MapPoint& point = map_[match.point];
    ++point.used;
    const float depth = features.depths[match.feature];
    if (depth < kLeast || depth > kMost || point.observations >= kObservations) continue;
    const Vector3d seen = X_FC_ * camera_.point(features.pixels[match.feature], depth);
    if ((seen - point.p_F).norm() > 0.1 * static_cast<double>(depth)) continue;
    ++point.observations;
    point.p_F += (seen - point.p_F) / point.observations;
  }
}

// Adds the features that the map does not know.
void Odometry::addKeyFrame(const Features& features, const std::vector<bool>& use,
                           const std::vector<Match>& inliers) {
  ++key_frames_;
  std::vector<bool> fresh = use;
  for (const Match& match : inliers) fresh[match.feature] = false;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const float depth = features.depths[i];
    if (!fresh[i] || depth < kLeast || depth > kMost) continue;
    map_.push_back({X_FC_ * camera_.point(features.pixels[i], depth), features.descriptors[i]});
  }
}

// Removes points that were in view but hardly found, as ORB-SLAM does. Others stay: they may be
// hidden.
void Odometry::forget() {
  map_.erase(
      std::remove_if(map_.begin(), map_.end(),
                     [](const MapPoint& point) { return point.visible >= 10 && point.used < 3; }),
      map_.end());
}

}  // namespace vision
