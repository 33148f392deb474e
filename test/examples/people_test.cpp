// SPDX-License-Identifier: BSD-3-Clause
#include "people.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "detector.hpp"
#include "errors.hpp"

namespace vision {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

TEST(Detector, MissesDelaysAndBlursBoxes) {
  DetectorConfig config;
  config.miss = 0.2;
  config.delay = 0.1;
  config.noise = 4.0;
  config.margin = 5.0;
  Detector detector(config);
  EXPECT_TRUE(detector.detect(0.0, {{100, 100, 200, 300}}).empty());
  std::size_t count = 0;
  std::vector<double> widths;
  for (int i = 1; i <= 4000; ++i) {
    const double left = 100.0 + i;
    for (const Box& box : detector.detect(0.05 * i, {{left, 100, left + 100, 300}})) {
      ++count;
      EXPECT_NEAR(box.left, left - 2.0 - 5.0, 25.0) << "two images old";
      widths.push_back(box.right - box.left);
    }
  }
  EXPECT_NEAR(static_cast<double>(count), 0.8 * 4000, 100);
  const Statistics width = statisticsOf(widths);
  EXPECT_NEAR(width.mean, 110.0, 0.5);
  EXPECT_NEAR(width.deviation, 4.0 * std::sqrt(2.0), 0.3);
}

// A camera that looks along x of W from 1 m above the ground, and turns.
Isometry3d levelAt(double yaw) {
  Isometry3d X_WC = Isometry3d::Identity();
  X_WC.linear() << 0, 0, 1, -1, 0, 0, 0, -1, 0;  // x right, y down, z forward
  X_WC.prerotate(Eigen::AngleAxisd(yaw, Vector3d::UnitZ()));
  X_WC.translation().z() = 1.0;
  return X_WC;
}

TEST(People, AreFollowedInOldBoxesAndRememberedWithoutAny) {
  const Pinhole camera{600.0, 600.0, 319.5, 239.5};
  People people(camera, 0.03);
  const Eigen::Vector2d v(0.4, 1.0);
  std::vector<Box> before;  // boxes are one image old
  double time = 0.0;
  for (int i = 0; i < 60; ++i, time = i / 30.0) {
    const Isometry3d X_WC = levelAt(0.1 * std::sin(6.0 * time));
    const Eigen::Vector2d p = Eigen::Vector2d(4.0, -1.0) + time * v;
    const Vector3d p_C = X_WC.inverse() * Vector3d(p.x(), p.y(), 0.9);
    const Vector2d pixel = camera.pixel(p_C);
    const double scale = 600.0 / p_C.z();
    const cv::Rect there(static_cast<int>(pixel.x() - 0.25 * scale),
                         static_cast<int>(pixel.y() - 0.85 * scale), static_cast<int>(0.5 * scale),
                         static_cast<int>(1.7 * scale));
    cv::Mat depth(480, 640, CV_32FC1, cv::Scalar(8.0));
    depth(there & cv::Rect(0, 0, 640, 480)).setTo(p_C.z() - 0.15);
    const cv::Rect gap(there.x + there.width / 3, there.y + there.height / 2, there.width / 3,
                       there.height / 2);  // between the legs
    depth(gap & cv::Rect(0, 0, 640, 480)).setTo(8.0);
    people.add({time, depth, X_WC}, i % 7 == 3 ? std::vector<Box>() : before);  // some are missed
    before = {{1.0 * there.x, 1.0 * there.y, 1.0 * there.br().x, 1.0 * there.br().y}};
    if (i < 20) continue;
    const auto found = people.at(time);
    ASSERT_EQ(found.size(), 1U) << i;
    EXPECT_LT((found[0].p_W - p).norm(), 0.06) << i;
    EXPECT_LT((found[0].v_W - v).norm(), 0.15) << i;
  }
  const cv::Mat empty(480, 640, CV_32FC1, cv::Scalar(8.0));
  people.add({time + 1.3, empty, levelAt(0.0)}, {});
  const auto remembered = people.at(time + 1.3);
  ASSERT_EQ(remembered.size(), 1U);
  EXPECT_LT((remembered[0].p_W - Eigen::Vector2d(4.0, -1.0) - (time + 1.3) * v).norm(), 0.2);
  people.add({time + 1.5, empty, levelAt(0.0)}, {});
  EXPECT_TRUE(people.at(time + 1.5).empty());
}

// A trunk stands before a person who rests at 4 m, and the first box shows the trunk alone.
TEST(People, AreNotTakenForTrunksBeforeThem) {
  const Pinhole camera{600.0, 600.0, 319.5, 239.5};
  People people(camera, 0.0);
  const Box box{280.0, 140.0, 360.0, 400.0};
  for (int i = 0; i < 20; ++i) {
    cv::Mat depth(480, 640, CV_32FC1, cv::Scalar(8.0));
    if (i > 0) depth(cv::Rect(290, 140, 60, 260)).setTo(3.85);
    if (i == 0 || i > 2) depth(cv::Rect(i == 0 ? 280 : 324, 0, 60, 480)).setTo(2.5);
    people.add({i / 30.0, depth, levelAt(0.0)}, {box});
    if (i == 0) continue;
    const auto found = people.at(i / 30.0);
    ASSERT_EQ(found.size(), 1U) << i;
    EXPECT_NEAR(found[0].p_W.x(), 4.0, 0.01) << i;
    EXPECT_LT(found[0].v_W.norm(), 0.1) << i;
  }
}

// One stands at 6 m; another one at 3.5 m hides a part of the first and is seen in its box's rim.
TEST(People, OverlapInBoxes) {
  const Pinhole camera{600.0, 600.0, 319.5, 239.5};
  People people(camera, 0.0);
  cv::Mat depth(480, 640, CV_32FC1, cv::Scalar(8.0));
  depth(cv::Rect(280, 140, 80, 200)).setTo(5.85);
  depth(cv::Rect(332, 100, 60, 380)).setTo(3.35);
  const Box far{270.0, 140.0, 370.0, 340.0}, near{312.0, 100.0, 412.0, 480.0};
  for (int i = 0; i < 20; ++i) people.add({i / 30.0, depth, levelAt(0.0)}, {near, far});
  const auto found = people.at(19.0 / 30.0);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].p_W.x(), 3.5, 0.01);
  EXPECT_NEAR(found[1].p_W.x(), 6.0, 0.01);
  EXPECT_EQ(found[1].time, 19.0 / 30.0);
}

}  // namespace
}  // namespace vision
