#include "marsim/map/surfel_tree.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

constexpr double kResolution = 0.1;

// A rough sheet about a centre, half of its surfels planar.
SurfelMap sheet(int side, const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
  RandomStream random(3, "sheet");
  std::vector<Surfel> surfels;
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) {
      const Eigen::Vector3d p(kResolution * x, kResolution * y, 0.5 * std::sin(0.05 * x));
      const Eigen::Vector3d jitter(0.03 * random.normal(), 0.03 * random.normal(), 0.0);
      const Eigen::Vector3d n(random.normal(), random.normal(), random.normal());
      surfels.push_back({(centre + p + jitter).cast<float>(), n.normalized().cast<float>(),
                         random.uniform() < 0.5 ? 0.01F : 0.05F});
    }
  }
  SurfelMapConfig config;
  config.resolution = kResolution;
  return SurfelMap(std::move(surfels), config);
}

double angleBetween(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
  const Eigen::Vector3d x = a.cast<double>().normalized(), y = b.cast<double>().normalized();
  return std::atan2(x.cross(y).norm(), std::abs(x.dot(y)));
}

Eigen::Vector3d originOf(const SurfelTreeView& view) {
  return {view.header.origin[0], view.header.origin[1], view.header.origin[2]};
}

TEST(SurfelTree, FloatStorageLosesNothing) {
  for (const Eigen::Vector3d& centre :
       {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(5e5, -4e5, 300.0)}) {
    const SurfelMap map = sheet(60, centre);
    const SurfelTree tree(map, SurfelStorage::kFloat);
    const std::vector<Surfel> stored = decodeSurfels(tree.view());
    ASSERT_EQ(stored.size(), map.size());
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const Surfel& source = map.surfels()[i];
      EXPECT_EQ(stored[i].position.cast<double>() + originOf(tree.view()),
                source.position.cast<double>());
      EXPECT_LT(angleBetween(stored[i].normal, source.normal), 1e-6);
      EXPECT_EQ(map.isPlanar(stored[i]), map.isPlanar(source));
    }
  }
}

TEST(SurfelTree, CompactStorageIsCloseAndSmall) {
  const SurfelMap map = sheet(300);
  const SurfelTree tree(map, SurfelStorage::kCompact);
  const std::vector<Surfel> stored = decodeSurfels(tree.view());
  ASSERT_EQ(stored.size(), map.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const Surfel& source = map.surfels()[i];
    ASSERT_LT((stored[i].position - source.position).norm(), 0.004 * kResolution);
    ASSERT_LT(angleBetween(stored[i].normal, source.normal), 1e-3);
    ASSERT_EQ(map.isPlanar(stored[i]), map.isPlanar(source));
  }
  EXPECT_LT(static_cast<double>(tree.bytes()) / static_cast<double>(map.size()), 12.0);
}

TEST(SurfelTree, LoneSurfelsKeepTheirPrecision) {
  RandomStream random(5);
  std::vector<Surfel> surfels;
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d p(random.uniform(-900, 900), random.uniform(-900, 900), 0.0);
    surfels.push_back({p.cast<float>(), Eigen::Vector3f::UnitX(), 0.0F});
  }
  SurfelMapConfig config;
  config.resolution = kResolution;
  const SurfelMap map(surfels, config);
  const std::vector<Surfel> stored = decodeSurfels(SurfelTree(map, SurfelStorage::kCompact).view());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    EXPECT_LT((stored[i].position - surfels[i].position).norm(), 0.005 * kResolution) << i;
  }
}

TEST(SurfelTree, EveryMapGivesAValidTree) {
  std::vector<Surfel> same(3000, {{1.0F, 2.0F, 3.0F}, {0.0F, 0.0F, 1.0F}, 0.0F});
  std::vector<Surfel> line;
  for (int i = 0; i < 1000; ++i) {
    line.push_back({{0.01F * static_cast<float>(i * i), 0.0F, 0.0F}, {0.0F, 1.0F, 0.0F}, 1.0F});
  }
  SurfelMapConfig config;
  config.resolution = kResolution;
  for (const std::vector<Surfel>& surfels :
       {same, line, std::vector<Surfel>(1, same[0]), std::vector<Surfel>{}}) {
    const SurfelMap map(surfels, config);
    const SurfelTree tree(map, SurfelStorage::kCompact);
    EXPECT_NO_THROW(validateTree(tree.view()));
    std::vector<std::uint32_t> order(tree.view().order, tree.view().order + map.size());
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
  }
}

TEST(SurfelTree, RefusesWhatIsNoSurfel) {
  SurfelMapConfig config;
  const float nan = std::nanf("");
  const SurfelMap bad({{{nan, 0.0F, 0.0F}, {0.0F, 0.0F, 1.0F}, 0.0F}}, config);
  EXPECT_THROW(SurfelTree(bad, SurfelStorage::kFloat), Error);
  const SurfelMap flat({{{0.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 0.0F}, 0.0F}}, config);
  EXPECT_THROW(SurfelTree(flat, SurfelStorage::kFloat), Error);
}

// Any byte of the nodes may be wrong: the check throws or the tree stays inside its arrays.
TEST(SurfelTree, ChecksForeignNodes) {
  const SurfelMap map = sheet(40);
  const SurfelTree tree(map, SurfelStorage::kCompact);
  SurfelTreeView view = tree.view();
  std::vector<TreeNode> nodes(view.nodes, view.nodes + view.header.node_count);
  view.nodes = nodes.data();
  nodes[0].child_base = 0;  // its own child
  EXPECT_THROW(validateTree(view), Error);
  nodes[0] = tree.view().nodes[0];
  nodes.back().leaf_base = 0x7fffffffU;
  EXPECT_THROW(validateTree(view), Error);
  nodes.back() = tree.view().nodes[nodes.size() - 1];
  nodes[1].counts = 0xff;
  EXPECT_THROW(validateTree(view), Error);
}

}  // namespace
}  // namespace marsim::map
