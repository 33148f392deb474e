// SPDX-License-Identifier: BSD-3-Clause
// The parts of examples/vision against known mixtures, flows and motions.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>
#include <opencv2/imgproc.hpp>

#include "box_plot.hpp"
#include "errors.hpp"
#include "features.hpp"
#include "gyroscope.hpp"
#include "mixture.hpp"
#include "moving_points.hpp"
#include "odometry.hpp"

namespace vision {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

TEST(Mixture, RecoversTheGaussiansThatSamplesAreDrawnFrom) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Eigen::Matrix2d L;
  L << 0.5, 0.0, 0.3, 0.4;
  std::vector<Vector2d> samples;
  std::vector<double> guess;
  for (int i = 0; i < 3000; ++i) {
    const Vector2d unit(normal(random), normal(random));
    const bool is_first = i % 3 != 0;
    samples.push_back(is_first ? Vector2d(Vector2d(1.0, 0.2) + L * unit)
                               : Vector2d(Vector2d(5.0, -1.0) + 1.2 * unit));
    guess.push_back(random() % 10 < 3 ? 0.5 : (is_first ? 0.8 : 0.2));  // vague
  }
  const Mixture mixture = fitMixture(samples, guess);
  const auto& [first, second] = mixture.parts;
  EXPECT_NEAR(first.share, 2.0 / 3.0, 0.02);
  EXPECT_NEAR(second.share, 1.0 / 3.0, 0.02);
  EXPECT_LT((first.mean - Vector2d(1.0, 0.2)).norm(), 0.05);
  EXPECT_LT((second.mean - Vector2d(5.0, -1.0)).norm(), 0.1);
  EXPECT_LT((first.covariance - L * L.transpose()).norm(), 0.05);
  EXPECT_LT((second.covariance - 1.44 * Eigen::Matrix2d::Identity()).norm(), 0.2);
  EXPECT_LT(mixture.iterations, 20);
  int wrong = 0;
  double log_likelihood = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (mixture.classOf(samples[i]) != (i % 3 != 0 ? 0 : 1)) ++wrong;
    double density = 0.0;
    for (const Gaussian& part : mixture.parts) {
      const Vector2d d = samples[i] - part.mean;
      density += part.share / (2.0 * M_PI * std::sqrt(part.covariance.determinant())) *
                 std::exp(-0.5 * d.dot(part.covariance.ldlt().solve(d)));
    }
    log_likelihood += std::log(density);
  }
  EXPECT_LT(wrong, 60);
  EXPECT_NEAR(mixture.log_likelihood, log_likelihood, 1e-6 * std::abs(log_likelihood));
}

// An image of random blots.
cv::Mat texture(int seed, int width = 640, int height = 480) {
  cv::Mat image(height, width, CV_8UC1);
  cv::RNG random(static_cast<std::uint64_t>(seed));
  random.fill(image, cv::RNG::UNIFORM, 0, 255);
  cv::GaussianBlur(image, image, {}, 2.5);
  cv::normalize(image, image, 30, 220, cv::NORM_MINMAX);
  return image;
}

cv::Mat shifted(const cv::Mat& image, double right, double down) {
  cv::Mat result;
  const cv::Matx23d A(1.0, 0.0, right, 0.0, 1.0, down);
  cv::warpAffine(image, result, A, image.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
  return result;
}

TEST(Features, AreSpreadOverTheImageAndFlowAsItIsShifted) {
  const cv::Mat image = texture(1);
  const Features features = findFeatures(image);
  ASSERT_GT(features.size(), 400U);
  std::size_t left = 0;
  for (const cv::Point2f& pixel : features.pixels) left += pixel.x < 320.0F ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(left) / static_cast<double>(features.size()), 0.5, 0.1);
  Pixels found;
  const std::vector<bool> good = follow(image, shifted(image, 11.3, -6.6), features.pixels, found);
  EXPECT_GT(std::count(good.begin(), good.end(), true), 0.9 * static_cast<double>(good.size()));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const cv::Point2f& from = features.pixels[i];
    const bool inside = from.x > 40 && from.y > 40 && from.x < 600 && from.y < 440;
    if (!good[i] || !inside) continue;
    EXPECT_NEAR(found[i].x - from.x, 11.3, 0.15);
    EXPECT_NEAR(found[i].y - from.y, -6.6, 0.15);
  }
}

TEST(Features, HaveTheDepthOfTheirDisparity) {
  const cv::Mat left = texture(2);
  const Pixels pixels = {{200, 100}, {320, 240}, {500, 400}};
  for (const float depth : depthsOf(pixels, left, shifted(left, -12.5, 0.0), 45.0)) {
    EXPECT_NEAR(depth, 45.0 / 12.5, 0.02);
  }
  for (const float depth : depthsOf(pixels, left, shifted(left, -12.5, 3.0), 45.0)) {
    EXPECT_EQ(depth, 0.0F) << "not on the same row";
  }
}

// Someone who turns on a chair moves by a fraction of a pixel between images.
TEST(MovingPoints, FindsSlowMotion) {
  const cv::Mat background = texture(3), patch = texture(4, 150, 200);
  const cv::Rect there(200, 150, 150, 200);
  MovingPoints moving({600.0, 600.0, 319.5, 239.5});
  cv::RNG random(1);
  int in_patch = 0, found = 0;
  for (int step = 0; step < 3; ++step) {
    cv::Mat image = background.clone(), moved;
    const cv::Mat shift = (cv::Mat_<double>(2, 3) << 1.0, 0.0, 0.4 * step, 0.0, 1.0, 0.0);
    cv::warpAffine(patch, moved, shift, patch.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
    moved.copyTo(image(there));
    cv::Mat noise(image.size(), CV_16S), noisy;
    random.fill(noise, cv::RNG::NORMAL, 0.0, 2.0);
    cv::add(image, noise, noisy, cv::noArray(), CV_8U);
    image = noisy;
    in_patch = found = 0;
    for (const PointFlow& point :
         moving.label(step / 15.0, image, findFeatures(image), {{170.0, 120.0, 380.0, 380.0}})) {
      if (!there.contains(point.now)) continue;
      ++in_patch;
      found += point.label == Label::kMoving ? 1 : 0;
    }
  }
  EXPECT_GT(in_patch, 40);
  EXPECT_GT(found, 0.5 * in_patch);
}

TEST(MovingPoints, LeavesOutWhatMovesInABoxAndKeepsTheRest) {
  const cv::Mat background = texture(3), patch = texture(4, 150, 200);
  const auto at = [&](int step) {  // the camera rolls, the patch moves
    cv::Mat image;
    cv::warpAffine(background, image, cv::getRotationMatrix2D({320, 240}, 2.0 * step, 1.0),
                   background.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
    patch.copyTo(image(cv::Rect(200 + 12 * step, 150 + 3 * step, 150, 200)));
    return image;
  };
  const Box box{170.0, 120.0, 400.0, 380.0};
  MovingPoints moving({600.0, 600.0, 319.5, 239.5});
  for (int step = 0; step < 2; ++step) {
    const cv::Mat image = at(step);
    moving.label(step / 15.0, image, findFeatures(image), {box});
  }
  const cv::Mat image = at(2);
  const std::vector<PointFlow>& points =
      moving.label(2.0 / 15.0, image, findFeatures(image), {box});
  int in_patch = 0, moving_in_patch = 0, beside = 0, kept = 0;
  for (const PointFlow& point : points) {
    if (!box.holds(point.now.x, point.now.y)) {
      EXPECT_EQ(point.label, Label::kStatic);
    }
    const cv::Rect there(224, 156, 150, 200);
    const cv::Rect inner(there.x + 10, there.y + 10, 130, 180),
        outer(there.x - 15, there.y - 15, 180, 230);  // the flow's window sees the patch
    if (inner.contains(point.now)) {
      ++in_patch;
      if (point.label == Label::kMoving) ++moving_in_patch;
    } else if (!outer.contains(point.now) && box.holds(point.now.x, point.now.y)) {
      ++beside;
      if (point.label == Label::kStatic) ++kept;
    }
  }
  EXPECT_GT(in_patch, 40);
  EXPECT_GT(moving_in_patch, 0.95 * in_patch);
  EXPECT_GT(beside, 15);
  EXPECT_GT(kept, 0.8 * beside);
  for (const bool is_missed_once : {true, false}) {
    const int step = is_missed_once ? 3 : 4;
    int found = 0;
    for (const PointFlow& point : moving.label(step / 15.0, at(step), findFeatures(at(step)), {}))
      found += point.label == Label::kMoving ? 1 : 0;
    EXPECT_EQ(found > 0.8 * moving_in_patch, is_missed_once);
  }
}

TEST(MovingPoints, KeepsStaticFeaturesOfATurningCameraWhereBoxesFillTheImage) {
  const cv::Mat background = texture(3), patch = texture(4, 150, 200);
  cv::Matx33d K(600.0, 0.0, 319.5, 0.0, 600.0, 239.5, 0.0, 0.0, 1.0);
  for (const bool has_gyroscope : {true, false}) {
    MovingPoints moving({600.0, 600.0, 319.5, 239.5});
    for (int step = 0; step < 4; ++step) {  // the camera turns to the right, the patch moves
      const double turn = 0.02, angle = turn * step;
      const cv::Matx33d R(std::cos(angle), 0.0, -std::sin(angle), 0.0, 1.0, 0.0, std::sin(angle),
                          0.0, std::cos(angle));
      cv::Mat image;
      cv::warpPerspective(background, image, K * R * K.inv(), background.size(), cv::INTER_CUBIC,
                          cv::BORDER_REFLECT);
      const cv::Rect there(240, 140 + 8 * step, 150, 200);
      patch.copyTo(image(there));
      const Box box = step < 3 ? Box{450.0, 0.0, 639.0, 479.0} : Box{0.0, 0.0, 639.0, 479.0};
      const Eigen::Quaterniond turn_C(Eigen::AngleAxisd(turn, Vector3d::UnitY()));
      const std::vector<PointFlow>& points =
          moving.label(step / 15.0, image, findFeatures(image), {box, {240, 100, 400, 400}},
                       has_gyroscope ? std::make_optional(turn_C) : std::nullopt);
      int in_box = 0, kept = 0, in_patch = 0, found = 0;
      for (const PointFlow& point : points) {
        if (cv::Rect(there.x + 15, there.y + 15, 120, 170).contains(point.now)) {
          ++in_patch;
          found += point.label == Label::kMoving ? 1 : 0;
        } else if (point.now.x > 450.0F && point.now.x < 590.0F) {  // seen in both images
          ++in_box;
          kept += point.label == Label::kStatic ? 1 : 0;
        }
      }
      if (step < 2) continue;
      EXPECT_GT(kept, 0.8 * in_box) << step;
      EXPECT_GT(found, 0.8 * in_patch) << step;
    }
  }
}

TEST(MovingPoints, KeepsThingsOfAnyDepthBesideAPersonWhoWalksWithTheCamera) {
  const cv::Mat wall = texture(3), shelf = texture(4, 150, 200), person = texture(5, 150, 200);
  MovingPoints moving({600.0, 600.0, 319.5, 239.5});
  for (int step = 0; step < 3; ++step) {  // the camera goes 0.03 m to the right
    cv::Mat image = shifted(wall, -4.5 * step, 0.0), depth(480, 640, CV_32FC1, cv::Scalar(4.0));
    const cv::Rect of_shelf(220 - 12 * step, 140, 150, 200), of_person(420, 140, 150, 200);
    shelf.copyTo(image(of_shelf));
    person.copyTo(image(of_person));
    depth(of_shelf).setTo(1.5);
    depth(of_person).setTo(1.5);
    Features features = findFeatures(image);
    features.depths = depthsOf(features.pixels, depth);
    const std::vector<PointFlow>& points =
        moving.label(step / 15.0, image, features, {{180.0, 120.0, 600.0, 360.0}},
                     Eigen::Quaterniond::Identity());
    if (step == 0) continue;
    int on_shelf = 0, kept = 0, on_person = 0, found = 0;
    for (const PointFlow& point : points) {
      if (cv::Rect(of_shelf.x + 15, 155, 120, 170).contains(point.now)) {
        ++on_shelf;
        kept += point.label == Label::kStatic ? 1 : 0;
      } else if (cv::Rect(of_person.x + 15, 155, 120, 170).contains(point.now)) {
        ++on_person;
        found += point.label == Label::kMoving ? 1 : 0;
      }
    }
    EXPECT_GT(kept, 0.8 * on_shelf) << step;
    EXPECT_GT(found, 0.8 * on_person) << step;
    EXPECT_GT(on_shelf, 20);
    EXPECT_GT(on_person, 20);
  }
}

TEST(MovingPoints, TellsTheVelocityOfAMover) {
  const cv::Mat background = texture(5), patch = texture(6, 150, 200);
  const Pinhole camera{600.0, 600.0, 319.5, 239.5};
  MovingPoints moving(camera);
  std::vector<SeenMover> movers;
  Isometry3d X_WC = Isometry3d::Identity();
  X_WC.rotate(Eigen::AngleAxisd(0.5 * M_PI, Vector3d::UnitZ()));
  for (int step = 0; step < 3; ++step) {  // 10 px each 0.1 s, and 0.05 m nearer
    cv::Mat image = background.clone(), depth(480, 640, CV_32FC1, cv::Scalar(4.0));
    const cv::Rect there(200 + 10 * step, 150, 150, 200);
    patch.copyTo(image(there));
    depth(there).setTo(2.0 - 0.05 * step);
    moving.label(0.1 * step, image, findFeatures(image), {{180.0, 130.0, 420.0, 370.0}});
    movers = moving.movers(depth, X_WC);
  }
  ASSERT_EQ(movers.size(), 1U);
  const double x = (295.0 - camera.cx) / 600.0 * 1.9;  // middle of the patch in C
  EXPECT_NEAR(movers[0].p_W.y(), x, 0.05);
  EXPECT_NEAR(movers[0].p_W.z(), 1.9, 1e-3);
  const double before = (285.0 - camera.cx) / 600.0 * 1.95;
  EXPECT_NEAR(movers[0].v_W.y(), (x - before) / 0.1, 0.03);
  EXPECT_NEAR(movers[0].v_W.z(), -0.5, 0.01);
  EXPECT_NEAR(movers[0].v_W.x(), 0.0, 0.03);
}

/// A cloud of points with random descriptors, seen by a camera.
class SyntheticView {
 public:
  explicit SyntheticView(std::uint64_t seed = 7) : bits_(seed) {
    for (int i = 0; i < 500; ++i) {
      points_.emplace_back(4.0 * uniform() - 2.0, 3.0 * uniform() - 1.5, 2.0 + 3.0 * uniform());
      for (std::uint64_t& word : descriptors_.emplace_back()) word = bits_();
    }
  }

  /// Features from a pose; `wrong`: the share whose pixels are somewhere near.
  Features from(const Isometry3d& X_FC, double wrong) {
    Features features;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vector3d p_C = X_FC.inverse() * points_[i];
      Vector2d pixel = camera.pixel(p_C);
      if (uniform() < wrong) pixel += 18.0 * Vector2d(uniform() - 0.5, uniform() - 0.5);
      if (pixel.x() < 0 || pixel.y() < 0 || pixel.x() > 639 || pixel.y() > 479) continue;
      features.pixels.emplace_back(pixel.cast<float>().x(), pixel.cast<float>().y());
      features.descriptors.push_back(descriptors_[i]);
      features.depths.push_back(static_cast<float>(p_C.z()));
    }
    return features;
  }

  const Pinhole camera{600.0, 600.0, 319.5, 239.5};

 private:
  double uniform() { return uniform_(bits_); }
  std::mt19937_64 bits_;
  std::uniform_real_distribution<double> uniform_;
  std::vector<Vector3d> points_;
  std::vector<Descriptor> descriptors_;
};

Isometry3d poseAt(int step) {
  const double angle = 0.3 * std::sin(0.1 * step);
  Isometry3d X = Isometry3d::Identity();
  X.translate(Vector3d(0.02 * step, 0.1 * std::sin(0.2 * step), 0.01 * step));
  X.rotate(Eigen::AngleAxisd(angle, Vector3d(0.3, 1.0, 0.2).normalized()));
  return X;
}

TEST(Odometry, FollowsAKnownMotionAmongWrongMatches) {
  SyntheticView view;
  Odometry odometry(view.camera);
  for (int step = 0; step < 40; ++step) {
    const Features features = view.from(poseAt(step), step == 0 ? 0.0 : 0.3);
    const auto X = odometry.add(features, std::vector<bool>(features.size(), true));
    ASSERT_TRUE(X) << step;
    EXPECT_LT((X->translation() - poseAt(step).translation()).norm(), 0.005) << step;
    EXPECT_LT(Eigen::AngleAxisd(X->linear().transpose() * poseAt(step).linear()).angle(), 0.002);
  }
}

TEST(Odometry, SaysThatItIsLostAndFindsItselfAgain) {
  SyntheticView view;
  Odometry odometry(view.camera);
  for (int step = 0; step < 10; ++step) {
    const Features features = view.from(poseAt(step), 0.0);
    std::vector<bool> use(features.size(), step < 5 || step > 6);
    const auto X = odometry.add(features, use);
    EXPECT_EQ(X.has_value(), step < 5 || step > 6) << step;
    if (X) {
      EXPECT_LT((X->translation() - poseAt(step).translation()).norm(), 0.005) << step;
    }
  }
}

TEST(Odometry, FindsItselfWhereverItLooksAfterItWasLost) {
  SyntheticView view;
  Odometry odometry(view.camera);
  const Features here = view.from(Isometry3d::Identity(), 0.0);
  const std::vector<bool> use(here.size(), true);
  ASSERT_TRUE(odometry.add(here, use));
  ASSERT_FALSE(odometry.add(here, std::vector<bool>(here.size(), false)));
  Isometry3d turned = Isometry3d::Identity();  // images apart by 380 px and more
  turned.translate(Vector3d(0.3, 0.1, 0.0));
  turned.rotate(Eigen::AngleAxisd(0.5, Vector3d::UnitY()));
  const Features there = view.from(turned, 0.3);
  const auto X = odometry.add(there, std::vector<bool>(there.size(), true));
  ASSERT_TRUE(X);
  EXPECT_LT((X->translation() - turned.translation()).norm(), 0.01);
  EXPECT_LT(Eigen::AngleAxisd(X->linear().transpose() * turned.linear()).angle(), 0.004);
}

TEST(Odometry, PlacesImagesOfUnknownThingsByTheGyroscope) {
  for (const bool has_gyroscope : {true, false}) {
    SyntheticView before, after(8);  // from step 10 on everything is replaced
    Odometry odometry(before.camera);
    for (int step = 0; step < 20; ++step) {
      const Features features = (step < 10 ? before : after).from(poseAt(step), 0.0);
      std::optional<Eigen::Quaterniond> turn;
      if (has_gyroscope && step > 0)
        turn = Eigen::Quaterniond(poseAt(step - 1).linear().transpose() * poseAt(step).linear());
      const auto X = odometry.add(features, std::vector<bool>(features.size(), true), turn);
      ASSERT_EQ(X.has_value(), step < 10 || has_gyroscope) << step;
      if (X) {
        EXPECT_LT((X->translation() - poseAt(step).translation()).norm(), 0.01) << step;
        EXPECT_LT(Eigen::AngleAxisd(X->linear().transpose() * poseAt(step).linear()).angle(), 1e-3);
      }
    }
    for (int step = 20; has_gyroscope && step < 26; ++step) {
      const auto X = odometry.add({}, {}, Eigen::Quaterniond::Identity());
      EXPECT_EQ(X.has_value(), step < 25) << "five in a row at most, step " << step;
    }
  }
}

TEST(Gyroscope, TellsAKnownTurn) {
  const auto at = [](double t) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(0.8 * std::sin(3.0 * t), Vector3d::UnitZ()) *
                              Eigen::AngleAxisd(0.5 * t, Vector3d(0.6, 0.8, 0.0)));
  };
  Gyroscope gyroscope;
  EXPECT_FALSE(gyroscope.turn(0.0, 0.1));
  for (double t = 0.0; t < 0.96; t += 0.005) {
    const Eigen::AngleAxisd turn(at(t - 1e-5).inverse() * at(t + 1e-5));
    gyroscope.add(t, turn.angle() / 2e-5 * turn.axis());
  }
  for (double t = 0.1; t < 0.9; t += 1.0 / 30.0) {  // between measurements, too
    const auto turn = gyroscope.turn(t, t + 1.0 / 30.0);
    ASSERT_TRUE(turn);
    EXPECT_LT(turn->angularDistance(at(t).inverse() * at(t + 1.0 / 30.0)), 5e-5) << t;
  }
  EXPECT_LT(gyroscope.turn(0.9, 0.965)->angularDistance(at(0.9).inverse() * at(0.965)), 1e-3);
  EXPECT_FALSE(gyroscope.turn(0.9, 1.0)) << "the last 45 ms were not measured";
  EXPECT_FALSE(gyroscope.turn(0.5, 0.6)) << "forgotten";
  gyroscope.add(1.0, Vector3d::Zero());
  EXPECT_FALSE(gyroscope.turn(0.94, 1.0)) << "40 ms before the last were not measured";
  gyroscope.add(0.2, Vector3d::UnitX());  // time was set back
  EXPECT_NEAR(gyroscope.turn(0.2, 0.21)->x(), 0.005, 1e-4);
}

TEST(Errors, AreThoseOfTheDefinition) {
  const Statistics s = statisticsOf({1.0, 2.0, 3.0, 10.0, 4.0});
  EXPECT_DOUBLE_EQ(s.mean, 4.0);
  EXPECT_DOUBLE_EQ(s.median, 3.0);
  EXPECT_NEAR(s.rms, std::sqrt(130.0 / 5.0), 1e-12);
  EXPECT_NEAR(s.deviation, std::sqrt(10.0), 1e-12);
  std::vector<PosePair> poses;  // another frame, and a drift of 1 cm a second along x of C
  const Isometry3d X_EW = poseAt(17).inverse();
  for (int i = 0; i < 100; ++i) {
    Isometry3d drift = Isometry3d::Identity();
    drift.translate(Vector3d(0.001 * i, 0.0, 0.0));
    Isometry3d truth = Isometry3d::Identity();
    truth.translate(Vector3d(0.02 * i, std::sin(0.1 * i), std::cos(0.17 * i)));
    poses.push_back({0.1 * i, truth, X_EW * truth * drift});
  }
  for (const double error : relativeErrors(poses)) EXPECT_NEAR(error, 0.01, 1e-9);
  EXPECT_EQ(relativeErrors(poses).size(), 90U);
  EXPECT_LT(statisticsOf(absoluteErrors(poses)).rms, 0.03);
  for (PosePair& pair : poses) pair.estimate = X_EW * pair.truth;
  EXPECT_LT(statisticsOf(absoluteErrors(poses)).rms, 1e-9);
}

// The mean column of a colour's pixels.
double columnOf(const cv::Mat& picture, const cv::Scalar& colour) {
  cv::Mat mask;
  cv::inRange(picture, colour, colour, mask);
  return cv::moments(mask, true).m10 / cv::moments(mask, true).m00;
}

TEST(BoxPlot, ADecadeIsAQuarterOfTheAxis) {
  std::vector<double> small, large;
  for (int i = -10; i <= 10; ++i) {
    small.push_back(1e-3 + 1e-5 * i);
    large.push_back(10.0 * small.back());
  }
  const std::vector<Errors> rows = {{"one", large, small}};
  const cv::Mat boxes = boxPlots(rows, {})(cv::Rect(160, 50, 440, 44));  // without texts
  const cv::Scalar grey(170, 170, 170), green(90, 190, 110);
  EXPECT_NEAR(columnOf(boxes, grey) - columnOf(boxes, green), 105.0, 1.5);
  EXPECT_NO_THROW(boxPlots({{"lost", {}, {}}}, {}));
}

}  // namespace
}  // namespace vision
