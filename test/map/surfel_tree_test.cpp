// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/surfel_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <Eigen/Geometry>

#include "map/tree/leaf_storage.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/surfel_search.hpp"

namespace marsim::map {
namespace {

constexpr double kResolution = 0.1;

constexpr float kRadius = 0.0866F, kThreshold = 0.025F;  // [m]

// A rough sheet about a centre, half of its surfels planar.
std::vector<Surfel> sheet(int side, const Eigen::Vector3d& centre = Eigen::Vector3d::Zero()) {
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
  return surfels;
}

SurfelTree treeOf(const std::vector<Surfel>& surfels) {
  return SurfelTree(surfels, kRadius, kThreshold);
}

double angleBetween(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
  const Eigen::Vector3d x = a.cast<double>().normalized(), y = b.cast<double>().normalized();
  return std::atan2(x.cross(y).norm(), std::abs(x.dot(y)));
}

// Expects one stored surfel for each of the sources, near it by `tolerance` [m] and [rad].
void expectStored(const std::vector<Surfel>& sources, const SurfelTreeView& view, double tolerance,
                  double angle) {
  const Eigen::Vector3d origin(view.header.origin);
  const std::vector<Surfel> stored = decodeSurfels(view);
  ASSERT_EQ(stored.size(), sources.size());
  std::vector<Eigen::Vector3f> positions;
  Eigen::AlignedBox3f box;
  std::size_t planar = 0;
  for (const Surfel& surfel : stored) {
    positions.push_back((surfel.position.cast<double>() + origin).cast<float>());
    box.extend(surfel.position);
    planar += surfel.thickness < kThreshold ? 1 : 0;
  }
  EXPECT_EQ(Eigen::Vector3f(view.header.lower), box.min());
  EXPECT_EQ(Eigen::Vector3f(view.header.upper), box.max());
  EXPECT_EQ(view.header.planar_count, planar);
  const KdTree tree(positions);
  std::vector<char> taken(stored.size(), 0);
  for (const Surfel& source : sources) {
    const KdTree::Neighbour found = tree.nearest(source.position);
    ASSERT_LE(static_cast<double>(found.distance), tolerance);
    ASSERT_EQ(taken[found.index]++, 0);
    ASSERT_LE(angleBetween(stored[found.index].normal, source.normal), angle);
    ASSERT_EQ(stored[found.index].thickness < kThreshold, source.thickness < kThreshold);
  }
}

TEST(SurfelTree, StoresSurfelsCloselyAndSmall) {
  const std::vector<Surfel> surfels = sheet(300);
  const SurfelTree tree = treeOf(surfels);
  expectStored(surfels, tree.view(), 0.004 * kResolution, 1e-3);
  EXPECT_LT(static_cast<double>(bytesOf(tree.view())) / static_cast<double>(surfels.size()), 12.0);
}

TEST(SurfelTree, LoneSurfelsKeepTheirPrecision) {
  RandomStream random(5);
  std::vector<Surfel> surfels;
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d p(random.uniform(-900, 900), random.uniform(-900, 900), 0.0);
    surfels.push_back({p.cast<float>(), Eigen::Vector3f::UnitX(), 0.0F});
  }
  expectStored(surfels, treeOf(surfels).view(), 0.005 * kResolution, 1e-3);
}

// Several pieces that are built apart, and the tree above them.
TEST(SurfelTree, LargeMapsHaveOneTree) {
  const std::vector<Surfel> surfels = sheet(420);
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> words;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const SurfelTree tree = treeOf(surfels);
    const SurfelTreeView view = tree.view();
    if (nodes.empty()) {
      EXPECT_NO_THROW(validateTree(view));
      expectStored(surfels, view, 0.004 * kResolution, 1e-3);
      nodes.assign(view.nodes, view.nodes + view.header.node_count);
      words.assign(view.words, view.words + view.wordCount());
    }
    ASSERT_EQ(view.header.node_count, nodes.size());
    EXPECT_EQ(std::memcmp(view.nodes, nodes.data(), nodes.size() * sizeof(TreeNode)), 0);
    EXPECT_EQ(std::memcmp(view.words, words.data(), 4 * words.size()), 0);
  }
}

TEST(SurfelTree, EveryMapGivesAValidTree) {
  const std::vector<Surfel> same(3000, {{1.0F, 2.0F, 3.0F}, {0.0F, 0.0F, 1.0F}, 0.0F});
  std::vector<Surfel> line;
  for (int i = 0; i < 1000; ++i) {
    line.push_back({{0.01F * static_cast<float>(i * i), 0.0F, 0.0F}, {0.0F, 1.0F, 0.0F}, 1.0F});
  }
  for (const std::vector<Surfel>& surfels :
       {same, line, std::vector<Surfel>(1, same[0]), std::vector<Surfel>{}}) {
    const SurfelTree tree = treeOf(surfels);
    EXPECT_NO_THROW(validateTree(tree.view()));
    EXPECT_EQ(decodeSurfels(tree.view()).size(), surfels.size());
  }
}

TEST(SurfelTree, RefusesWhatIsNoSurfel) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  for (const Surfel& bad : {Surfel{{nan, 0.0F, 0.0F}, {0.0F, 0.0F, 1.0F}, 0.0F},
                            Surfel{{0.0F, -infinity, 0.0F}, {0.0F, 0.0F, 1.0F}, 0.0F},
                            Surfel{{0.0F, 0.0F, 2e8F}, {0.0F, 0.0F, 1.0F}, 0.0F},
                            Surfel{{0.0F, 0.0F, 0.0F}, {0.0F, nan, 1.0F}, 0.0F},
                            Surfel{{0.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 0.0F}, 0.0F}}) {
    EXPECT_THROW(treeOf({bad}), Error);
    EXPECT_THROW(treeOf(std::vector<Surfel>(100000, bad)), Error);
  }
}

// Each surfel keeps its size, and its box holds all of its disc.
TEST(SurfelTree, StoresSizes) {
  RandomStream random(5);
  const std::vector<Surfel> surfels = sheet(50);
  std::vector<std::uint8_t> sizes;
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    sizes.push_back(static_cast<std::uint8_t>(random.index(kSizeCount)));
  }
  const SurfelTree tree(surfels, kRadius, kThreshold, {}, sizes);
  validateTree(tree.view());
  const std::vector<Surfel> stored = decodeSurfels(tree.view());
  const std::vector<std::uint8_t> stored_sizes = decodeSizes(tree.view());
  std::array<std::size_t, kSizeCount> before{}, after{};
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    ++before[sizes[i]];
    ++after[stored_sizes[i]];
    const auto nearest =
        std::min_element(surfels.begin(), surfels.end(), [&](const Surfel& a, const Surfel& b) {
          return (a.position - stored[i].position).norm() <
                 (b.position - stored[i].position).norm();
        });
    EXPECT_EQ(stored_sizes[i], sizes[static_cast<std::size_t>(nearest - surfels.begin())]);
    EXPECT_EQ(surfelOf(tree.view(), static_cast<std::uint32_t>(i)).size, stored_sizes[i]);
  }
  EXPECT_EQ(after, before);
  EXPECT_THROW(SurfelTree(surfels, kRadius, kThreshold, {}, {1, 2}), Error);
  sizes[7] = kSizeCount;
  EXPECT_THROW(SurfelTree(surfels, kRadius, kThreshold, {}, sizes), Error);
}

// A tree whose nodes and words can be forged.
struct Forged {
  Forged() : tree(treeOf(sheet(40))), view(tree.view()) {
    nodes.assign(view.nodes, view.nodes + view.header.node_count);
    words.assign(view.words, view.words + view.wordCount());
    view.nodes = nodes.data();
    view.words = words.data();
  }

  SurfelTree tree;
  SurfelTreeView view;
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> words;
};

TEST(SurfelTree, ChecksForeignNodes) {
  const auto refused = [](const auto& forge) {
    Forged forged;
    EXPECT_NO_THROW(validateTree(forged.view));
    forge(forged);
    EXPECT_THROW(validateTree(forged.view), Error);
  };
  refused([](Forged& f) { f.nodes[0].child_base = 0; });  // its own child
  refused([](Forged& f) { f.nodes.back().leaf_base = 0x7fffffffU; });
  refused([](Forged& f) { f.nodes[1].counts = 0xff; });
  refused([](Forged& f) { f.nodes[1].counts = 0; });
  refused([](Forged& f) { f.nodes[2].origin[1] = std::nanf(""); });
  refused([](Forged& f) { f.nodes[2].exponent[0] = 255; });
  refused([](Forged& f) {
    f.nodes.back().leaf[7] = 255;
    f.nodes.back().counts = 0x80;
  });
  refused([](Forged& f) { ++f.view.header.surfel_count; });
  refused([](Forged& f) { --f.view.header.surfel_count; });
  refused([](Forged& f) { --f.view.header.node_count; });
  refused([](Forged& f) { f.view.header.node_count = 0; });
  refused([](Forged& f) { f.view.header.storage = 1; });
}

// Any byte of the nodes may be wrong: the check throws, or decoding stays inside the arrays.
TEST(SurfelTree, ChecksEveryByteOfTheNodes) {
  Forged forged;
  auto* bytes = reinterpret_cast<unsigned char*>(forged.nodes.data());
  RandomStream random(4);
  int refused = 0;
  for (std::size_t i = 0; i < forged.nodes.size() * sizeof(TreeNode); ++i) {
    const unsigned char good = bytes[i];
    bytes[i] = static_cast<unsigned char>(bytes[i] ^ (1U << random.index(8)));
    try {
      validateTree(forged.view);
      if (i % 16 == 0) decodeSurfels(forged.view);
    } catch (const Error&) {
      ++refused;
    }
    bytes[i] = good;
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace marsim::map
