// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/viz/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include <cairo.h>
#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "viz/framing.hpp"

namespace marsim::viz {
namespace {

constexpr std::array<Viewpoint, 3> kViews = {Viewpoint::kTop, Viewpoint::kSide,
                                             Viewpoint::kOblique};
// The path's colour in the legend.
constexpr int kPathRed = 0xff;
constexpr int kPathGreen = 0x4f;
constexpr int kPathBlue = 0x6d;

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint32_t> pixels;

  explicit Image(const std::filesystem::path& path) {
    cairo_surface_t* surface = cairo_image_surface_create_from_png(path.c_str());
    EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    width = cairo_image_surface_get_width(surface);
    height = cairo_image_surface_get_height(surface);
    for (int y = 0; y < height; ++y) {
      const auto* row = reinterpret_cast<const std::uint32_t*>(
          cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface));
      pixels.insert(pixels.end(), row, row + width);
    }
    cairo_surface_destroy(surface);
  }
  std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)] &
           0xffffff;
  }
  bool isPath(int x, int y) const {
    if (x < 0 || y < 0 || x >= width || y >= height) return false;
    const std::uint32_t p = at(x, y);
    const auto channel = [&](int shift) { return static_cast<int>(p >> shift & 0xff); };
    return std::abs(channel(16) - kPathRed) < 12 && std::abs(channel(8) - kPathGreen) < 12 &&
           std::abs(channel(0) - kPathBlue) < 12;
  }
};

class Picture : public testing::Test {
 protected:
  Picture() {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("marsim_viz_test_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) +
         "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    // A floor of 12 x 8 m, a ceiling at 3 m and a wall along y = 0.
    RandomStream random(1);
    for (int i = 0; i < 40'000; ++i) {
      const double x = random.uniform(0.0, 12.0);
      const double y = random.uniform(0.0, 8.0);
      const double z = random.uniform(0.0, 3.0);
      const int kind = i % 3;
      map_.points.emplace_back(Eigen::Vector3d(x, kind == 2 ? 0.0 : y,
                                               kind == 0   ? 0.0
                                               : kind == 1 ? 3.0
                                                           : z)
                                   .cast<float>());
    }
    scene_.map = &map_;
    scene_.title = "Test flight";
    scene_.path = {{2.0, 2.0, 1.2}, {9.0, 3.0, 1.4}, {9.5, 6.0, 1.1}};
    scene_.goals = {{9.0, 3.0, 1.4}, {9.5, 6.0, 1.1}};
    scene_.scan_origin = {3.0, 5.0, 1.2};
    for (int i = 0; i < 400; ++i) scene_.scan.emplace_back(4.0F + 0.01F * i, 6.5F, 0.0F);
  }
  ~Picture() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path draw(Viewpoint view) {
    const std::filesystem::path file = folder_ / "picture.png";
    drawFlight(scene_, view, config_, file);
    return file;
  }

  std::filesystem::path folder_;
  map::PointCloud map_;
  FlightScene scene_;
  PictureConfig config_{800, 500, 0.7};
};

TEST_F(Picture, HasTheSizeAskedForAndIsNotBlank) {
  for (const Viewpoint view : kViews) {
    const Image image(draw(view));
    EXPECT_EQ(image.width, 800);
    EXPECT_EQ(image.height, 500);
    EXPECT_GT(std::set<std::uint32_t>(image.pixels.begin(), image.pixels.end()).size(), 100U);
  }
}

TEST_F(Picture, IsTheSameEveryTime) {
  const auto bytes = [](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string first = bytes(draw(Viewpoint::kOblique));
  EXPECT_EQ(bytes(draw(Viewpoint::kOblique)), first);
}

TEST_F(Picture, ShowsThePathWhereItProjects) {
  for (const Viewpoint view : kViews) {
    const Image image(draw(view));
    const Framing framing = frameFlight(scene_, view, config_);
    for (const double share : {0.2, 0.35, 0.65, 0.8}) {
      const Eigen::Vector3d p = scene_.path[0] + share * (scene_.path[1] - scene_.path[0]);
      const auto at = framing.camera.project(p);
      ASSERT_TRUE(at);
      bool found = false;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          found = found || image.isPath(static_cast<int>(std::floor(at->x)) + dx,
                                        static_cast<int>(std::floor(at->y)) + dy);
        }
      }
      EXPECT_TRUE(found) << "view " << static_cast<int>(view) << " share " << share;
    }
  }
}

// Parallel projections keep lengths; the map fits into the picture.
TEST_F(Picture, ProjectsToScale) {
  for (const Viewpoint view : {Viewpoint::kTop, Viewpoint::kSide}) {
    const PictureCamera camera = frameFlight(scene_, view, config_).camera;
    const auto origin = camera.project({0.0, 1.3, 0.0}).value();
    const auto x = camera.project({12.0, 1.3, 0.0}).value();
    const auto up = camera
                        .project(view == Viewpoint::kTop ? Eigen::Vector3d(0.0, 7.3, 0.0)
                                                         : Eigen::Vector3d(0.0, 1.3, 6.0))
                        .value();
    EXPECT_NEAR(x.y, origin.y, 1e-9);
    EXPECT_NEAR(up.x, origin.x, 1e-9);
    EXPECT_NEAR((x.x - origin.x) / 12.0, (origin.y - up.y) / 6.0, 1e-9);
    EXPECT_NEAR((x.x - origin.x) / 12.0, camera.scaleAt(origin.depth), 1e-9);
    EXPECT_GT(origin.x, 0.0);
    EXPECT_LT(x.x, 800.0);
  }
}

TEST_F(Picture, PerspectiveHoldsAllThatIsShown) {
  const Framing framing = frameFlight(scene_, Viewpoint::kOblique, config_);
  double left = 800.0;
  double right = 0.0;
  for (const Eigen::Vector3f& p : map_.points) {
    if (!framing.shown.contains(p.cast<double>())) continue;
    const auto at = framing.camera.project(p.cast<double>());
    ASSERT_TRUE(at);
    EXPECT_GE(at->x, 0.0);
    EXPECT_LE(at->x, 800.0);
    EXPECT_GE(at->y, 0.0);
    EXPECT_LE(at->y, 500.0);
    left = std::min(left, at->x);
    right = std::max(right, at->x);
  }
  EXPECT_GT(right - left, 300.0);
}

TEST_F(Picture, CutsRoofAndFrontAway) {
  EXPECT_NEAR(frameFlight(scene_, Viewpoint::kTop, config_).shown.max().z(), 1.4 + 0.7, 1e-9);
  EXPECT_TRUE(frameFlight(scene_, Viewpoint::kOblique, config_).roof_cut);
  const Framing side = frameFlight(scene_, Viewpoint::kSide, config_);
  EXPECT_NEAR(side.shown.min().y(), 2.0 - 0.7, 1e-9);
  EXPECT_GT(side.shown.max().z(), 2.9);
}

TEST_F(Picture, ShowsTheSurroundingsOfTheFlightOnAHugeMap) {
  RandomStream random(2);
  for (int i = 0; i < 20'000; ++i) {
    const double x = random.uniform(-400.0, 400.0);
    const double y = random.uniform(-400.0, 400.0);
    map_.points.emplace_back(Eigen::Vector3d(x, y, 0.0).cast<float>());
  }
  const Framing framing = frameFlight(scene_, Viewpoint::kTop, config_);
  EXPECT_LT(framing.shown.sizes().x(), 30.0);
  for (const Eigen::Vector3d& p : scene_.path) EXPECT_TRUE(framing.shown.contains(p));
  draw(Viewpoint::kTop);
}

TEST_F(Picture, WorksWithAnythingMissing) {
  const FlightScene whole = scene_;
  config_ = {320, 200, 0.7};
  for (int missing = 0; missing < 32; ++missing) {
    scene_ = whole;
    if (missing & 1) scene_.scan.clear();
    if (missing & 2) scene_.path.clear();
    if (missing & 4) scene_.goals.clear();
    if (missing & 8) scene_.map = nullptr;
    if (missing & 16) scene_.title.clear();
    const Image image(draw(kViews[static_cast<std::size_t>(missing) % 3]));
    EXPECT_EQ(image.width, 320) << missing;
  }
  scene_ = {};
  for (const Viewpoint view : kViews) EXPECT_EQ(Image(draw(view)).height, 200);
}

TEST_F(Picture, LeavesOutWhatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  map_.points.emplace_back(nan, 0.0F, 0.0F);
  scene_.scan.emplace_back(nan, nan, nan);
  scene_.path.emplace_back(nan, 0.0, 0.0);
  scene_.goals.emplace_back(nan, 0.0, 0.0);
  for (const Viewpoint view : kViews) EXPECT_EQ(Image(draw(view)).width, 800);
}

class ScanPicture : public Picture {
 protected:
  /// A picture of returns on a sphere round the sensor, 3 m away.
  Image drawSphere(double half_azimuth, double half_elevation) {
    scene_.path.clear();
    scene_.scan.clear();
    std::vector<Eigen::Vector3f> in_sensor;
    for (int i = -100; i <= 100; ++i) {
      for (int j = -20; j <= 20; ++j) {
        const double a = 0.01 * i * half_azimuth, e = 0.05 * j * half_elevation;
        in_sensor.push_back(3.0F * Eigen::Vector3d(std::cos(e) * std::cos(a),
                                                   std::cos(e) * std::sin(a), std::sin(e))
                                       .cast<float>());
        scene_.scan.emplace_back(scene_.scan_origin.cast<float>() + in_sensor.back());
      }
    }
    in_sensor.emplace_back(std::numeric_limits<float>::quiet_NaN(), 0.0F, 0.0F);
    drawScan(scene_, in_sensor, config_, folder_ / "scan.png");
    return Image(folder_ / "scan.png");
  }
  /// All of one colour in the part of the picture beyond the oblique view but the ground's.
  static std::size_t colouredPixels(const Image& image, int left, int top) {
    std::size_t coloured = 0;
    for (int y = top; y < image.height; ++y) {
      for (int x = left; x < image.width; ++x) {
        const std::uint32_t p = image.at(x, y);
        const int red = static_cast<int>(p >> 16), blue = static_cast<int>(p & 0xff);
        coloured += std::abs(red - blue) > 40 ? 1U : 0U;
      }
    }
    return coloured;
  }
};

TEST_F(ScanPicture, WideViewsGoBelow) {
  const Image image = drawSphere(3.1, 0.5);
  EXPECT_EQ(image.width, 800);
  EXPECT_GT(image.height, 580);
  EXPECT_GT(colouredPixels(image, 0, 500), 10'000U);
}

TEST_F(ScanPicture, NarrowViewsGoBeside) {
  const Image image = drawSphere(0.6, 0.6);
  EXPECT_EQ(image.height, 500);
  EXPECT_GT(image.width, 1000);
  EXPECT_GT(colouredPixels(image, 800, 0), 10'000U);
}

TEST_F(ScanPicture, WithoutReturnsIsTheObliqueView) {
  scene_.scan.clear();
  drawScan(scene_, {}, config_, folder_ / "scan.png");
  EXPECT_EQ(Image(folder_ / "scan.png").pixels, Image(draw(Viewpoint::kOblique)).pixels);
}

TEST_F(Picture, SensorViewsShareRowsAndLeaveNoneEmpty) {
  std::vector<SensorView> views;
  for (const float half_height : {0.05F, 1.0F, 0.05F}) {  // of a wide strip, a square, a strip
    SensorView& view = views.emplace_back();
    for (int i = -1000; i <= 1000; ++i) {
      const float a = 0.001F * static_cast<float>(i);
      view.in_sensor.emplace_back(std::cos(a), std::sin(a), half_height * std::sin(20.0F * a));
    }
  }
  views.emplace_back();  // sees nothing
  drawSensorViews(views, 2, {400, 300, 0.7}, folder_ / "views.png");
  const Image image(folder_ / "views.png");
  EXPECT_EQ(image.width, 800);
  EXPECT_GT(image.height, 300);
  EXPECT_LT(image.height, 600);
  EXPECT_GT(std::set<std::uint32_t>(image.pixels.begin(), image.pixels.end()).size(), 10U);
}

TEST_F(Picture, RefusesAMissingFolderAndAbsurdSizes) {
  const std::filesystem::path file = folder_ / "missing" / "picture.png";
  try {
    drawFlight(scene_, Viewpoint::kTop, config_, file);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              file.string() + ": cannot be written: its folder does not exist");
  }
  config_.width = 0;
  EXPECT_THROW(draw(Viewpoint::kTop), ConfigError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace marsim::viz
