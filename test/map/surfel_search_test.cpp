// SPDX-License-Identifier: BSD-3-Clause
// Searches through the tree against a look at every surfel that it holds.
#include "marsim/map/surfel_search.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3d;

// Sheets, a line of points and scattered ones, about `centre`.
SurfelMap someMap(const Vector3d& centre, std::size_t count) {
  RandomStream random(7, "surfels");
  std::vector<Surfel> surfels;
  for (std::size_t i = 0; i < count; ++i) {
    Vector3d p(random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0));
    if (i % 3 == 0) p.z() = 1.0;
    if (i % 7 == 0) p.x() = p.y() = 2.0;
    const Vector3d n = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    surfels.push_back({(centre + p).cast<float>(), n.cast<float>(), i % 2 == 0 ? 0.0F : 1.0F});
  }
  return {surfels, SurfelMapConfig{}};
}

void compare(const SurfelMap& map, const Vector3d& centre) {
  const std::vector<Surfel> surfels = decodeSurfels(map.tree());
  RandomStream random(3, "places");
  for (int i = 0; i < 600; ++i) {
    const Vector3d p_O =
        centre - map.origin() + Vector3d(random.normal(), random.normal(), random.normal()) * 4.0;
    const double radius = i % 5 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    std::vector<std::uint32_t> expected, numbers;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < surfels.size(); ++k) {
      const double squared = (surfels[k].position.cast<double>() - p_O).squaredNorm();
      if (squared <= radius * radius) expected.push_back(k);
      least = std::min(least, std::sqrt(squared));
    }
    std::vector<FoundSurfel> found;
    surfelsWithin(map.tree(), p_O, radius, found);
    for (const FoundSurfel& surfel : found) {
      numbers.push_back(surfel.number);
      ASSERT_EQ(surfel.position, surfels[surfel.number].position);
      ASSERT_EQ(surfel.planar, map.isPlanar(surfels[surfel.number]));
      ASSERT_LT((surfel.normal.normalized() - surfels[surfel.number].normal).norm(), 1e-6F);
      const FoundSurfel same = surfelOf(map.tree(), surfel.number);
      ASSERT_EQ(same.number, surfel.number);
      ASSERT_EQ(same.position, surfel.position);
      ASSERT_EQ(same.normal, surfel.normal);
      ASSERT_EQ(same.planar, surfel.planar);
    }
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(numbers, expected);

    const Pose X_OB{expMap(p_O), p_O};
    const Eigen::AlignedBox3d box(Vector3d(-radius, -0.4, -0.7 * radius),
                                  Vector3d(0.5, 0.1, 1.5 * radius));
    expected.clear();
    for (std::uint32_t k = 0; k < surfels.size(); ++k) {
      const Vector3d p_B = X_OB.inverse() * Vector3d(surfels[k].position.cast<double>());
      if (box.contains(p_B)) expected.push_back(k);
    }
    found.clear();
    surfelsInBox(map.tree(), X_OB, box, found);
    numbers.clear();
    for (const FoundSurfel& surfel : found) numbers.push_back(surfel.number);
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(numbers, expected);

    FoundSurfel nearest;
    ASSERT_EQ(nearestSurfel(map.tree(), p_O, std::numeric_limits<double>::infinity(), nearest),
              least);
    ASSERT_EQ((nearest.position.cast<double>() - p_O).norm(), least);
    ASSERT_EQ(nearestSurfel(map.tree(), p_O, 0.5 * least, nearest), 0.5 * least);
  }
}

TEST(SurfelSearch, FindsWhatALookAtEverySurfelFinds) {
  compare(someMap(Vector3d::Zero(), 3000), Vector3d::Zero());
}

TEST(SurfelSearch, FindsItFarFromTheOrigin) {
  const Vector3d far(4000.0, -2500.0, 300.0);
  compare(someMap(far, 1000), far);
}

TEST(SurfelSearch, OneSurfelAndNone) {
  compare(someMap(Vector3d::Zero(), 1), Vector3d::Zero());
  const SurfelMap none = someMap(Vector3d::Zero(), 0);
  std::vector<FoundSurfel> found;
  surfelsWithin(none.tree(), Vector3d::Zero(), 10.0, found);
  EXPECT_TRUE(found.empty());
  FoundSurfel nearest;
  EXPECT_EQ(nearestSurfel(none.tree(), Vector3d::Zero(), 3.0, nearest), 3.0);
}

}  // namespace
}  // namespace marsim::map
