// SPDX-License-Identifier: BSD-3-Clause
// The tags of AprilGrids as libapriltag knows them, and OpenCV's calibration from images in which
// it found them.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "lidar/calibration_views.hpp"

namespace marsim::lidar {
namespace {

using Eigen::Vector2d;

constexpr std::size_t kImages = 20;
constexpr double kLeastSpace = 8.0;  // [px] between tags

/// Libapriltag's detector of the family tag36h11, with Kalibr's border: two cells, not one.
class TagFinder {
 public:
  TagFinder() {
    family_->width_at_border += 2;
    family_->total_width += 2;
    std::for_each(family_->bit_x, family_->bit_x + family_->nbits, [](auto& x) { ++x; });
    std::for_each(family_->bit_y, family_->bit_y + family_->nbits, [](auto& y) { ++y; });
    detector_->quad_decimate = 1.0F;
    apriltag_detector_add_family_bits(detector_, family_, 1);
  }
  ~TagFinder() {
    apriltag_detector_destroy(detector_);
    tag36h11_destroy(family_);
  }
  TagFinder(const TagFinder&) = delete;
  TagFinder& operator=(const TagFinder&) = delete;

  /// The corners in the order of AprilGrid::corners; none where a tag is missing.
  std::vector<cv::Point2f> find(const cv::Mat& image, const scene::AprilGrid& grid) const {
    image_u8_t pixels = {image.cols, image.rows, image.cols, image.data};
    zarray_t* const detections = apriltag_detector_detect(detector_, &pixels);
    const int tags = grid.tag_columns * grid.tag_rows;
    std::vector<cv::Point2f> corners(static_cast<std::size_t>(4 * tags));
    std::set<int> found;
    for (int i = 0; i < zarray_size(detections); ++i) {
      apriltag_detection_t* tag = nullptr;
      zarray_get(detections, i, &tag);
      EXPECT_LT(tag->id, tags);
      if (tag->id >= tags || !found.insert(tag->id).second) continue;
      const int row = tag->id / grid.tag_columns, column = tag->id % grid.tag_columns;
      for (int k = 0; k < 4; ++k) {  // from the bottom left by the bottom right
        const int right = k == 1 || k == 2 ? 1 : 0, up = k / 2;
        const int corner = (2 * row + up) * grid.cornerColumns() + 2 * column + right;
        // Pixel centres are at halves in libapriltag.
        corners[static_cast<std::size_t>(corner)] = {static_cast<float>(tag->p[k][0] - 0.5),
                                                     static_cast<float>(tag->p[k][1] - 0.5)};
      }
    }
    apriltag_detections_destroy(detections);
    if (static_cast<int>(found.size()) < tags) return {};
    constexpr int kReach = static_cast<int>(0.5 * kLeastSpace);
    cv::cornerSubPix(image, corners, {kReach, kReach}, {-1, -1},
                     {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-4});
    return corners;
  }

 private:
  apriltag_family_t* family_ = tag36h11_create();
  apriltag_detector_t* detector_ = apriltag_detector_create();
};

TEST(AprilGridVision, TagsAreLibapriltags) {
  scene::AprilGrid grid;
  grid.tag_columns = scene::AprilGrid::kMostTags;
  grid.tag_rows = 1;
  grid.tag_size = 1.0;
  const scene::Print print = grid.print();
  const std::vector<Eigen::Vector3d> corners = grid.corners();
  apriltag_family_t* const family = tag36h11_create();
  ASSERT_EQ(family->ncodes, static_cast<unsigned>(scene::AprilGrid::kMostTags));
  for (std::size_t tag = 0; tag < family->ncodes; ++tag) {
    const Vector2d bottom_left = corners[2 * tag].tail<2>();
    image_u8_t* const picture = apriltag_to_image(family, static_cast<int>(tag));
    for (int row = 0; row < 6; ++row) {
      for (int column = 0; column < 6; ++column) {
        // The picture has a light and a dark border, each one cell wide.
        const bool is_dark = picture->buf[(row + 2) * picture->stride + column + 2] == 0;
        const Vector2d cell = bottom_left + Vector2d(0.25 + 0.1 * column, 0.75 - 0.1 * row);
        ASSERT_NEAR(print.darkShare(cell, {0.049, 0.049}), is_dark ? 1.0 : 0.0, 1e-6)
            << "tag " << tag << ", row " << row << ", column " << column;
      }
    }
    image_u8_destroy(picture);
  }
  tag36h11_destroy(family);
}

TEST(AprilGridVision, OpenCvRecoversTheCamera) {
  const CameraModel model = distorted();
  scene::ObstacleGroup group = scene::usualGroup(scene::ObstacleKind::kFixed);
  group.shape = scene::ObstacleShape::kAprilGrid;
  CalibrationViews views(model, group);
  const TagFinder finder;
  std::vector<std::vector<cv::Point2f>> images;
  CornerErrors errors;
  int missed = 0;
  while (images.size() < kImages && missed <= 3) {
    CalibrationViews::View view = views.next(kLeastSpace);
    const cv::Mat grey(model.height, model.width, CV_8UC1, view.pixels.data());
    const std::vector<cv::Point2f> corners = finder.find(grey, group.aprilgrid);
    if (corners.empty()) {
      ++missed;
      continue;
    }
    errors.add(corners, view.corners);
    images.push_back(corners);
  }
  ASSERT_LE(missed, 3) << "images with missing tags";
  RecordProperty("missed", missed);
  RecordProperty("mean_px", std::to_string(errors.mean()));
  RecordProperty("worst_px", std::to_string(errors.worst));
  EXPECT_LT(errors.mean(), 0.06) << "[px]";
  EXPECT_LT(errors.worst, 0.4) << "[px]";
  EXPECT_LT(errors.bias(), 0.01) << "[px]";
  expectCalibration(model, group.aprilgrid, images);
}

}  // namespace
}  // namespace marsim::lidar
