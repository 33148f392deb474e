// SPDX-License-Identifier: BSD-3-Clause
#include "tools/dataset/dataset_preview.hpp"

#include <gtest/gtest.h>

#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

TEST(DatasetPreview, KeepsFewPointsOfALongPathAndItsEnd) {
  const TemporaryFolder folder;
  DatasetPreview preview(nullptr, {}, "long", folder.path());
  constexpr int kPoses = 300'001;  // 8 hours
  dataset::Truth truth;
  for (int i = 0; i < kPoses; ++i) {
    truth.state.stamp = i * (kNsPerSecond / 10);
    truth.state.X_WB.p.x() = i;
    preview.addTruth(truth);
  }
  const std::vector<Eigen::Vector3d> path = preview.path();
  ASSERT_LE(path.size(), 20'001U);
  ASSERT_GE(path.size(), 10'000U);
  EXPECT_EQ(path.back().x(), kPoses - 1.0);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    EXPECT_EQ(path[i].x(), static_cast<double>(i) * path[1].x());
  }
}

}  // namespace
}  // namespace marsim::tools
