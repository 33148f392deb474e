// SPDX-License-Identifier: BSD-3-Clause
// OpenCV's view of the cameras' images: projections, corners, tracks, disparities, odometry.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "lidar/camera/srgb.hpp"
#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "lidar/stereo_odometry.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/scene/places.hpp"

namespace marsim::lidar {
namespace {

/// OpenCV's pixels of points in C.
std::vector<cv::Point2d> projected(const CameraModel& model,
                                   const std::vector<Eigen::Vector3d>& points_C) {
  std::vector<cv::Point3d> points;
  for (const Eigen::Vector3d& p : points_C) points.emplace_back(p.x(), p.y(), p.z());
  const cv::Matx33d K(model.fx, 0.0, model.cx, 0.0, model.fy, model.cy, 0.0, 0.0, 1.0);
  const auto& d = model.distortion;
  std::vector<cv::Point2d> pixels;
  if (model.projection == CameraModel::Projection::kFisheye) {
    const cv::Vec4d k(d[0], d[1], d[2], d[3]);
    cv::fisheye::projectPoints(points, pixels, cv::Vec3d(), cv::Vec3d(), K, k);
  } else {
    const cv::Vec<double, 5> k(d[0], d[1], d[2], d[3], d[4]);
    cv::projectPoints(points, cv::Vec3d(), cv::Vec3d(), K, k, pixels);
  }
  return pixels;
}

std::vector<CameraModel> models() { return {idealPinhole(), plumbBob(), fisheye()}; }

TEST(CameraVision, ModelsAreThoseOfOpenCv) {
  for (const CameraModel& model : models()) {
    std::vector<Eigen::Vector3d> directions;
    std::vector<cv::Point2d> expected;
    for (int row = 0; row < model.height; row += 13) {
      for (int column = 0; column < model.width; column += 13) {
        const Eigen::Vector3d direction = model.direction({column, row});
        if (direction.z() < 0.05) continue;  // OpenCV's fisheye divides by z
        directions.push_back(4.0 * direction);
        expected.emplace_back(column, row);
      }
    }
    const std::vector<cv::Point2d> pixels = projected(model, directions);
    ASSERT_GT(pixels.size(), 1000U);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      ASSERT_LT(cv::norm(pixels[i] - expected[i]), 1e-5);
    }
  }
}

/// A white wall and black discs before it, apart from each other, turned in all directions.
map::SurfelSet discsBeforeAWall() {
  map::SurfelSet set;
  set.planar_threshold = 0.02F;
  for (int row = -150; row <= 150; ++row) {
    for (int column = -150; column <= 150; ++column) {
      set.surfels.push_back({Eigen::Vector3d(6.0, 0.1 * column, 0.1 * row).cast<float>(),
                             Eigen::Vector3f::UnitX(), 0.0F});
      set.channels.colour.push_back({255, 255, 255});
    }
  }
  RandomStream random(5);
  for (int row = -2; row <= 2; ++row) {
    for (int column = -3; column <= 3; ++column) {
      const Eigen::Vector3d place(3.0, 0.6 * column, 0.6 * row);
      const Eigen::Vector3d normal =
          place.normalized() + 0.4 * Eigen::Vector3d(random.normal(), random.normal(), 0);
      set.surfels.push_back({place.cast<float>(), normal.normalized().cast<float>(), 0.0F});
      set.channels.colour.push_back({0, 0, 0});
    }
  }
  return set;
}

/// The middle of the area that a disc fills in the image, by OpenCV's projection of its rim.
cv::Point2d middleOf(const map::Surfel& disc, double radius, const CameraModel& model,
                     const Pose& X_WC) {
  const Eigen::Vector3d n = disc.normal.cast<double>(), u = n.unitOrthogonal(), v = n.cross(u);
  std::vector<Eigen::Vector3d> rim;
  for (int i = 0; i < 90; ++i) {
    const double angle = 2.0 * kPi * i / 90.0;
    rim.push_back(X_WC.inverse() *
                  Eigen::Vector3d(disc.position.cast<double>() +
                                  radius * (u * std::cos(angle) + v * std::sin(angle))));
  }
  std::vector<cv::Point2f> pixels;
  for (const cv::Point2d& pixel : projected(model, rim)) pixels.emplace_back(pixel);
  const cv::Moments moments = cv::moments(pixels);
  return {moments.m10 / moments.m00, moments.m01 / moments.m00};
}

/// The middle of what is darker than the wall about a pixel.
cv::Point2d middleOfDark(const CameraImage& image, const CameraModel& model,
                         const cv::Point2d& at) {
  const int reach = 24;
  double sum = 0.0, x = 0.0, y = 0.0;
  const auto light = [&](int column, int row) {
    return static_cast<double>(
        linearOfSrgb(image.pixels[static_cast<std::size_t>(row * model.width + column)]));
  };
  const int middle_x = static_cast<int>(std::lround(at.x)),
            middle_y = static_cast<int>(std::lround(at.y));
  const double white = light(middle_x - reach, middle_y - reach);
  for (int row = middle_y - reach; row <= middle_y + reach; ++row) {
    for (int column = middle_x - reach; column <= middle_x + reach; ++column) {
      const double dark = std::max(white - light(column, row), 0.0);
      if (dark < 0.05 * white) continue;
      sum += dark;
      x += dark * column;
      y += dark * row;
    }
  }
  return {x / sum, y / sum};
}

TEST(CameraVision, KnownSurfelsAppearWhereOpenCvProjectsThem) {
  const auto map = mapOf(discsBeforeAWall());
  const std::vector<map::Surfel> surfels = map->surfels();
  for (const CameraModel& model : models()) {
    CameraConfig config = cameraOf(model);
    config.encoding = ImageEncoding::kMono8;
    config.full_well = 0.0;
    config.texture.amplitude = 0.0;
    // A pixel's centre decides what it sees, so the middle of one disc in one image is some
    // hundredths of a pixel off, by chance: means over images from places beside each other.
    const Camera camera(config, renderersOf(map), 1);
    std::vector<cv::Point2d> sums(map->size());
    std::vector<int> counts(map->size());
    RandomStream random(6);
    for (int i = 0; i < 12; ++i) {
      const Pose X_WB{Eigen::Quaterniond::Identity(),
                      0.02 * Eigen::Vector3d(random.normal(), random.normal(), random.normal())};
      const CameraImage image = camera.image(0, X_WB);
      for (std::uint32_t k = 0; k < map->size(); ++k) {
        const map::Surfel& surfel = surfels[k];
        if (surfel.position.x() > 4.0F) continue;
        const cv::Point2d expected =
            middleOf(surfel, static_cast<double>(map->radius()), model, image.X_WC);
        if (expected.x < 30 || expected.y < 30 || expected.x > model.width - 31 ||
            expected.y > model.height - 31) {
          continue;
        }
        const cv::Point2d found = middleOfDark(image, model, expected);
        EXPECT_NEAR(found.x, expected.x, 0.5);
        EXPECT_NEAR(found.y, expected.y, 0.5);
        sums[k] += found - expected;
        ++counts[k];
      }
    }
    double squares = 0.0;
    int seen = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (counts[k] < 12) continue;
      squares += sums[k].dot(sums[k]) / (counts[k] * counts[k]);
      ++seen;
    }
    ASSERT_GE(seen, 15);
    EXPECT_LT(std::sqrt(squares / seen), 0.05) << "[px]";
  }
}

/// A camera in a generated place.
class Place {
 public:
  explicit Place(const map::PointCloud& cloud, double resolution = 0.1) {
    map::SurfelMapConfig config;
    config.resolution = resolution;
    map_ = std::make_shared<const map::SurfelMap>(map::SurfelMap::build(cloud, config));
    renderers_ = renderersOf(map_, 2);
  }

  const map::SurfelMap& map() const { return *map_; }
  Camera camera(const CameraModel& model, const Eigen::Vector3d& p_BC = Eigen::Vector3d::Zero(),
                std::uint64_t seed = 1, CameraLight light = CameraLight::kSun) const {
    CameraConfig config = cameraOf(model);
    config.encoding = ImageEncoding::kMono8;
    config.X_BC.p = p_BC;
    config.light = light;
    return {config, renderers_, seed};
  }

  /// Places [m] that pixels of a camera at X_WC see; not finite where nothing is.
  std::vector<Eigen::Vector3d> placesOf(const CameraModel& model, const Pose& X_WC,
                                        const std::vector<cv::Point2f>& pixels) const {
    std::vector<Ray> rays;
    for (const cv::Point2f& pixel : pixels) {
      const Eigen::Vector3d direction = X_WC.q * model.direction({pixel.x, pixel.y});
      rays.push_back({X_WC.p.cast<float>(), 100.0F, direction.cast<float>(), 0.0F});
    }
    std::vector<Hit> hits;
    renderers_.rays->cast(rays, hits);
    std::vector<Eigen::Vector3d> places;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      places.emplace_back((rays[i].origin + hits[i].range * rays[i].direction).cast<double>());
    }
    return places;
  }

 private:
  std::shared_ptr<const map::SurfelMap> map_;
  CameraRenderers renderers_;
};

Place building() { return Place(scene::makeBuilding({})); }

Place smallForest(double resolution = 0.1) {
  scene::ForestConfig config;
  config.size_x = 30.0;
  config.size_y = 20.0;
  config.surroundings = 4.0;
  return Place(scene::makeForest(config), resolution);
}

/// Copies an image into a matrix.
cv::Mat matOf(const CameraImage& image, const CameraModel& model) {
  return cv::Mat(model.height, model.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()))
      .clone();
}

void expectCorners(const Place& place) {
  const Camera camera = place.camera(idealPinhole());
  for (const double yaw : {0.0, 2.0, 4.0}) {
    const CameraImage image = camera.image(0, {fromRollPitchYaw(0.0, 0.0, yaw), {0.0, 0.0, 1.5}});
    std::vector<cv::KeyPoint> corners;
    cv::FAST(matOf(image, camera.config().model), corners, 20, true);
    EXPECT_GE(corners.size(), 200U) << yaw;
  }
}

TEST(CameraVision, CornersInTheBuilding) { expectCorners(building()); }
TEST(CameraVision, CornersInTheForest) { expectCorners(smallForest()); }

/// Forwards, sideways and turning, at 20 Hz. What comes near quicker grows within KLT's windows, of
/// whose middle KLT then is wrong, whatever the camera.
Pose poseOfFrame(int frame) {
  const double t = 0.05 * frame;
  return {fromRollPitchYaw(0.05 * std::sin(3.0 * t), 0.1 * t, 0.3 + 0.3 * t),
          {-3.0 + 0.7 * t, -1.0 + 0.5 * t, 1.5 + 0.2 * t}};
}

/// Whether the surroundings of a pixel are one plane, so that nothing hides what it sees next.
bool liesOnAPlane(const Place& place, const CameraModel& model, const Pose& X_WC,
                  const cv::Point2f& pixel) {
  std::vector<cv::Point2f> around{pixel};
  for (int i = 0; i < 8; ++i) {
    around.emplace_back(pixel.x + 12.0F * static_cast<float>(std::cos(i * kPi / 4.0)),
                        pixel.y + 12.0F * static_cast<float>(std::sin(i * kPi / 4.0)));
  }
  const std::vector<Eigen::Vector3d> places = place.placesOf(model, X_WC, around);
  for (int i = 1; i <= 4; ++i) {  // opposite ones and the middle on a line
    const Eigen::Vector3d along =
        places[static_cast<std::size_t>(i + 4)] - places[static_cast<std::size_t>(i)];
    const Eigen::Vector3d off = places[0] - places[static_cast<std::size_t>(i)];
    if (!(off.cross(along).norm() < 0.02 * along.norm())) return false;
  }
  return true;
}

TEST(CameraVision, TracksOfKnownSurfelsStayOnThem) {
  const Place place = building();
  const CameraModel model = idealPinhole();
  const Camera camera = place.camera(model);
  CameraImage image = camera.image(0, poseOfFrame(0));
  cv::Mat last = matOf(image, model);
  std::vector<cv::Point2f> corners, pixels;
  cv::goodFeaturesToTrack(last, corners, 300, 0.01, 10.0);
  for (const cv::Point2f& corner : corners) {
    if (liesOnAPlane(place, model, image.X_WC, corner)) pixels.push_back(corner);
  }
  const std::vector<Eigen::Vector3d> places = place.placesOf(model, image.X_WC, pixels);
  std::vector<bool> is_tracked(pixels.size(), true);
  double squares = 0.0;
  int compared = 0;
  for (int frame = 1; frame <= 10; ++frame) {
    image = camera.image(frame * 50'000'000LL, poseOfFrame(frame));
    const cv::Mat now = matOf(image, model);
    std::vector<cv::Point2f> found, back;
    std::vector<unsigned char> there, here;
    std::vector<float> error;
    const cv::Size window(15, 15);
    cv::calcOpticalFlowPyrLK(last, now, pixels, found, there, error, window);
    cv::calcOpticalFlowPyrLK(now, last, found, back, here, error, window);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const bool is_inside =
          found[i].x > 12.0F && found[i].y > 12.0F && found[i].x < 740.0F && found[i].y < 468.0F;
      is_tracked[i] = is_tracked[i] && there[i] != 0 && here[i] != 0 && is_inside &&
                      cv::norm(back[i] - pixels[i]) < 0.5;
      if (!is_tracked[i]) continue;
      const Eigen::Vector2d expected = model.project(image.X_WC.inverse() * places[i]);
      squares += (Eigen::Vector2d(found[i].x, found[i].y) - expected).squaredNorm();
      ++compared;
    }
    pixels = found;
    last = now;
  }
  EXPECT_GE(compared, 1000);
  EXPECT_LT(std::sqrt(squares / compared), 0.3) << "[px]";
}

/// A rectified pair of half the size of config/camera/stereo.yaml, f B = 45 px m.
struct Pair {
  explicit Pair(const Place& place, int divisor)
      : model(modelOf(divisor)),
        baseline(0.12 * divisor),
        left(place.camera(model, {0.0, 0.5 * baseline, 0.0}, 1)),
        right(place.camera(model, {0.0, -0.5 * baseline, 0.0}, 2)) {}

  static CameraModel modelOf(int divisor) {
    CameraModel model = idealPinhole();
    model.width /= divisor;
    model.height /= divisor;
    model.fx = model.fy = 376.0 / divisor;
    model.cx = 0.5 * (model.width - 1);
    model.cy = 0.5 * (model.height - 1);
    return model;
  }

  CameraModel model;
  double baseline;  // [m]
  Camera left, right;
};

TEST(CameraVision, StereoDepthIsTheTruth) {
  const Place place = building();
  const Pair pair(place, 1);
  std::vector<double> errors;  // relative
  for (const double yaw : {0.0, 1.2, 3.0}) {
    const Pose X_WB{fromRollPitchYaw(0.0, 0.0, yaw), {-2.0, 0.5, 1.5}};
    const CameraImage left = pair.left.image(0, X_WB), right = pair.right.image(0, X_WB);
    cv::Mat disparity;
    const int window = 5;
    cv::StereoSGBM::create(0, 96, window, 8 * window * window, 32 * window * window, 1, 0, 10, 100,
                           2)
        ->compute(matOf(left, pair.model), matOf(right, pair.model), disparity);
    for (int row = 0; row < pair.model.height; ++row) {
      for (int column = 0; column < pair.model.width; ++column) {
        const double found = disparity.at<short>(row, column) / 16.0;
        const Hit& hit = left.hits[static_cast<std::size_t>(row * pair.model.width + column)];
        const double z = static_cast<double>(hit.range) * pair.model.direction({column, row}).z();
        if (found <= 0.0 || !(z >= 2.0 && z <= 8.0)) continue;
        errors.push_back(std::abs(pair.model.fx * pair.baseline / found - z) / z);
      }
    }
  }
  ASSERT_GT(errors.size(), 300'000U);
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2),
                   errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.02);
}

// Four times round the first room, at 2 m/s and 10 Hz.
TEST(CameraVision, StereoOdometryDriftsLessThanTwoPercent) {
  const Place place = building();
  const Pair pair(place, 2);
  StereoOdometry odometry(pair.model.fx, {pair.model.cx, pair.model.cy}, pair.baseline);
  constexpr double kRadius = 2.0, kStep = 0.2, kLength = 50.0;  // [m]
  Eigen::Isometry3d X_FC = Eigen::Isometry3d::Identity();
  Pose first, last;
  for (int frame = 0; frame * kStep <= kLength; ++frame) {
    const double angle = frame * kStep / kRadius;
    const Pose X_WB{
        fromRollPitchYaw(0.0, 0.0, angle + 0.5 * kPi),
        {kRadius * std::cos(angle), kRadius * std::sin(angle), 1.5 + 0.3 * std::sin(0.5 * angle)}};
    const CameraImage left = pair.left.image(frame, X_WB);
    X_FC = odometry.add(matOf(left, pair.model),
                        [&] { return matOf(pair.right.image(frame, X_WB), pair.model); });
    if (frame == 0) first = left.X_WC;
    last = left.X_WC;
  }
  const Pose X_FC_true = first.inverse() * last;
  const double drift = (X_FC.translation() - X_FC_true.p).norm();
  RecordProperty("drift_m", std::to_string(drift));
  EXPECT_LT(drift, 0.02 * kLength) << "[m]";
}

}  // namespace
}  // namespace marsim::lidar
