// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/flight_comparison.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

using Eigen::Vector3d;

/// A flight along x at a speed [m/s] for a number of seconds, with a pose every 0.1 s.
std::vector<StampedPose> alongX(double speed, int seconds, double y = 0.0, TimeNs start = 0) {
  std::vector<StampedPose> flight;
  for (int i = 0; i <= 10 * seconds; ++i) {
    StampedPose pose;
    pose.stamp = start + i * kNsPerSecond / 10;
    pose.X_WB.p = Vector3d(speed * 0.1 * i, y, 1.0);
    flight.push_back(pose);
  }
  return flight;
}

void expectDistances(const FlightDistances& distances, double mean, double largest, double rmse) {
  EXPECT_NEAR(distances.mean, mean, 1e-9);
  EXPECT_NEAR(distances.largest, largest, 1e-9);
  EXPECT_NEAR(distances.rmse, rmse, 1e-9);
}

TEST(FlightComparison, ParallelLines) {
  const FlightComparison found =
      compareFlights(alongX(1.0, 10), alongX(1.0, 10, 0.1, 7 * kNsPerSecond));
  expectDistances(found.to_path, 0.1, 0.1, 0.1);
  expectDistances(found.to_time, 0.1, 0.1, 0.1);
  EXPECT_NEAR(found.a.length, 10.0, 1e-9);
  EXPECT_NEAR(found.b.duration, 10.0, 1e-9);
}

// At the time t the slower one is behind by t/2: over the 101 poses of 10 s on average by 2.5 m.
TEST(FlightComparison, SamePathAtHalfTheSpeed) {
  std::vector<StampedPose> slower;  // whose stamps are not those of the faster one
  const std::vector<StampedPose> dense = alongX(0.5, 21);
  for (std::size_t i = 0; i < dense.size(); i += 3) slower.push_back(dense[i]);
  const FlightComparison found = compareFlights(alongX(1.0, 10), slower);
  expectDistances(found.to_path, 0.0, 0.0, 0.0);
  const double rmse = 0.05 * std::sqrt(100.0 * 201.0 / 6.0);  // of 0, 1, ... 100
  expectDistances(found.to_time, 2.5, 5.0, rmse);
  EXPECT_NEAR(found.b.length, 10.5, 1e-9);
}

TEST(FlightComparison, TimesWithoutBAreLeftOut) {
  const FlightComparison found = compareFlights(alongX(1.0, 20), alongX(1.0, 10));
  expectDistances(found.to_time, 0.0, 0.0, 0.0);
  EXPECT_EQ(found.to_time.points.size(), 101U);
  EXPECT_NEAR(found.to_path.largest, 10.0, 1e-9);
  EXPECT_EQ(found.to_path.points.size(), 201U);
}

// Beside brute force over points that lie close together on B's path.
TEST(FlightComparison, FindsTheNearestPointOfAWindingPath) {
  std::vector<StampedPose> a, b;
  RandomStream random(1, "flights");
  for (int i = 0; i < 500; ++i) {
    const double t = 0.05 * i;
    StampedPose pose;
    pose.stamp = i * kNsPerSecond / 10;
    pose.X_WB.p = Vector3d(std::sin(t), std::cos(1.3 * t), 0.5 * std::sin(0.7 * t));
    b.push_back(pose);
    for (double& value : pose.X_WB.p) value = 3.0 * random.uniform() - 1.5;
    a.push_back(pose);
  }
  const FlightComparison found = compareFlights(a, b);
  constexpr int kParts = 50;
  for (std::size_t i = 0; i < a.size(); i += 7) {
    double least = 1e9;
    for (std::size_t k = 0; k + 1 < b.size(); ++k) {
      for (int part = 0; part <= kParts; ++part) {
        const double share = static_cast<double>(part) / kParts;
        const Vector3d p = (1.0 - share) * b[k].X_WB.p + share * b[k + 1].X_WB.p;
        least = std::min(least, (p - a[i].X_WB.p).norm());
      }
    }
    EXPECT_NEAR(found.to_path.points[i].y(), least, 1e-3) << i;
  }
}

/// `marsim compare-flights` on files in a folder of its own.
class CompareFlights : public testing::Test {
 protected:
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), std::string(MARSIM_PROGRAMS) + "/marsim-compare-flights");
    output_.clear();
    return runChild({words, {}, {}, 0.0}, [&](const std::string& line) { output_ += line + "\n"; })
        .exit_code;
  }

  std::string file(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

  const TemporaryFolder folder_;
  const std::string a_ = file("a.tum", "0 0 0 1 0 0 0 1\n2 2 0 1 0 0 0 1\n");
  const std::string b_ = file("b.tum", "5 0 0.1 1 0 0 0 1\n7 2 0.1 1 0 0 0 1\n");
  std::string output_;
};

TEST_F(CompareFlights, PrintsAndDraws) {
  const std::string picture = (folder_.path() / "flights.svg").string();
  ASSERT_EQ(run({a_, b_, "--out", picture}), 0) << output_;
  EXPECT_NE(output_.find("2.00 m in 2.00 s"), std::string::npos) << output_;
  EXPECT_NE(output_.find("to the path of B                0.1000      0.1000     0.1000       2"),
            std::string::npos)
      << output_;
  std::ifstream stream(picture);
  const std::string svg(std::istreambuf_iterator<char>(stream), {});
  for (const char* text : {"x [m]", "distance [m]", ">start<", "#plot0", "#plot1", "</svg>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST_F(CompareFlights, NamesWhatIsWrong) {
  const auto expect = [&](std::vector<std::string> words, const std::string& reason) {
    EXPECT_NE(run(std::move(words)), 0);
    EXPECT_NE(output_.find(reason), std::string::npos) << output_;
  };
  expect({a_, file("word.tum", "0 0 0 1 0 0 0 1\n1 0 left 1 0 0 0 1\n")},
         "word.tum: line 2: y is 'left', allowed: a finite number");
  expect({file("one.tum", "0 0 0 1 0 0 0 1\n"), b_}, "number of poses is 1, allowed: 2 or more");
  expect({a_, (folder_.path() / "none.tum").string()}, "none.tum");
  expect({a_, b_, "--out", "flights.png"}, "allowed: .svg");
}

}  // namespace
}  // namespace marsim::tools
