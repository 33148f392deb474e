// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>

#include "common/text.hpp"
#include "geometry/pose_lines.hpp"

namespace marsim {
namespace {

constexpr std::size_t kRow = 4;  // numbers of a matrix's row

/// Reads 12 or 16 numbers a line, or four lines of 4.
class MatrixReader {
 public:
  explicit MatrixReader(PoseLines& lines) : lines_(lines), width_(lines.words().size()) {
    // Open3D's trajectories have a line of three numbers before each matrix.
    scans_.has_stamps = false;
    is_log_ = width_ == 3;
    if (is_log_) width_ = kRow;
  }

  ScanPoses read() {
    do {
      takeLine();
    } while (lines_.next());
    if (!values_.empty()) {
      lines_.refuse(fmt::format("a matrix ends after {} of 16 numbers", values_.size()));
    }
    scans_.format = fmt::format("{} x 4 matrices", width_ == 12 ? 3 : 4);
    useStamps();
    return std::move(scans_);
  }

 private:
  void takeLine() {
    const std::vector<std::string_view> words = lines_.words();
    if (is_log_ && values_.empty() && words.size() == 3) return;
    if (words.size() != width_) {
      lines_.refuse(
          fmt::format("{} numbers, allowed: {} as in the first line", words.size(), width_));
    }
    for (const std::string_view word : words) {
      const auto number = poseNumber(word);
      if (!number || !std::isfinite(*number)) {
        lines_.refuse(fmt::format("'{}', allowed: a finite number", clipped(word)));
      }
      values_.push_back(*number);
    }
    if (values_.size() < (width_ == 12 ? 12 : 16)) return;
    takePose();
    values_.clear();
  }

  void takePose() {
    Eigen::Matrix3d R;
    StampedPose pose;
    pose.stamp = static_cast<TimeNs>(scans_.poses.size());
    for (int row = 0; row < 3; ++row) {
      const double* numbers = values_.data() + kRow * static_cast<std::size_t>(row);
      R.row(row) = Eigen::RowVector3d(numbers[0], numbers[1], numbers[2]);
      pose.X_WB.p[row] = numbers[3];
    }
    if (!(R * R.transpose()).isIdentity(1e-3) || R.determinant() < 0.0) {
      lines_.refuse("no pose, allowed: a rotation matrix and finite numbers");
    }
    pose.X_WB.q = Eigen::Quaterniond(R).normalized();
    if (const std::string problem = problemOf(pose, nullptr); !problem.empty()) {
      lines_.refuse(problem);
    }
    if (values_.size() == 16) takeLastRow();
    scans_.poses.push_back(pose);
  }

  // BALM writes stamps [s] in place of the 1.
  void takeLastRow() {
    const auto corner = poseStamp(lines_.words().back(), 9);
    const bool has_zeros = values_[12] == 0.0 && values_[13] == 0.0 && values_[14] == 0.0;
    const bool is_one = corner == kNsPerSecond;
    if (!corner || !has_zeros || (!is_one && !corners_.empty() && *corner <= corners_.back())) {
      lines_.refuse(
          fmt::format("the last row is {:g} {:g} {:g} {}, allowed: 0 0 0 and 1 or a stamp "
                      "[s] after that of the matrix before",
                      values_[12], values_[13], values_[14], clipped(lines_.words().back())));
    }
    scans_.has_stamps = scans_.has_stamps || !is_one;
    corners_.push_back(*corner);
  }

  void useStamps() {
    if (!scans_.has_stamps) return;
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      if (i > 0 && corners_[i] <= corners_[i - 1]) {
        lines_.refuse("some matrices have a stamp and others 1, allowed: all of one kind", 1);
      }
      scans_.poses[i].stamp = corners_[i];
    }
  }

  PoseLines& lines_;
  std::size_t width_;
  bool is_log_;
  std::vector<double> values_;
  std::vector<TimeNs> corners_;  ///< last numbers of 4 x 4 matrices
  ScanPoses scans_;
};

}  // namespace

std::optional<ScanPoses> readMatrices(PoseLines& lines) {
  const std::vector<std::string_view> words = lines.words();
  const std::size_t count = words.size();
  const bool is_row = count == 3 || count == kRow || count == 12 || count == 16;
  if (!is_row || !std::all_of(words.begin(), words.end(), poseNumber)) return std::nullopt;
  return MatrixReader(lines).read();
}

}  // namespace marsim
