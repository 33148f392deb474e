// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "map/test_files.hpp"
#include "map_tools/import.hpp"
#include "map_tools/sources.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/ColorOcTree.h>
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {
namespace {

std::vector<Eigen::Vector3d> leavesOf(const std::filesystem::path& path, double resolution) {
  std::vector<Eigen::Vector3d> points;
  readOctoMap(path, resolution, Progress::none(), [&](const map::PointBlock& block) {
    points.insert(points.end(), block.points.begin(), block.points.end());
  });
  return points;
}

#ifdef MARSIM_HAS_OCTOMAP

/// A tree with a cube of 4 x 4 x 4 occupied leaves, which prunes to one, a single leaf and a free
/// one.
template <class Tree>
void fill(Tree& tree) {
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 4; ++z) {
        tree.updateNode(octomap::point3d(0.05F + 0.1F * static_cast<float>(x),
                                         0.05F + 0.1F * static_cast<float>(y),
                                         0.05F + 0.1F * static_cast<float>(z)),
                        true);
      }
    }
  }
  tree.updateNode(octomap::point3d(-1.05F, 2.05F, 0.55F), true);
  tree.updateNode(octomap::point3d(3.05F, 2.05F, 0.55F), false);
  tree.prune();
}

void expectLeaves(const std::filesystem::path& path) {
  const auto fine = leavesOf(path, 0.0);
  ASSERT_EQ(fine.size(), 65U);
  double nearest = 1.0;
  Eigen::AlignedBox3d cube;
  for (const Eigen::Vector3d& p : fine) {
    nearest = std::min(nearest, (p - Eigen::Vector3d(-1.05, 2.05, 0.55)).norm());
    if (p.x() > 0.0) cube.extend(p);
  }
  EXPECT_LT(nearest, 1e-6);
  EXPECT_TRUE(cube.min().isApprox(Eigen::Vector3d::Constant(0.05), 1e-6));
  EXPECT_TRUE(cube.max().isApprox(Eigen::Vector3d::Constant(0.35), 1e-6));
  EXPECT_EQ(leavesOf(path, 0.2).size(), 8U + 1U);
  EXPECT_EQ(leavesOf(path, 0.15).size(), 27U + 1U);
  EXPECT_EQ(leavesOf(path, 5.0).size(), 2U);
}

TEST(OctoMapFile, OccupiedLeavesAreDivided) {
  const map::TestFolder folder;
  octomap::OcTree tree(0.1);
  fill(tree);
  ASSERT_TRUE(tree.writeBinary((folder / "tree.bt").string()));
  ASSERT_TRUE(tree.write((folder / "tree.ot").string()));
  expectLeaves(folder / "tree.bt");
  expectLeaves(folder / "tree.ot");
  std::filesystem::copy_file(folder / "tree.bt", folder / "UPPER.BT");
  expectLeaves(folder / "UPPER.BT");
  octomap::ColorOcTree coloured(0.1);
  fill(coloured);
  ASSERT_TRUE(coloured.write((folder / "coloured.ot").string()));
  expectLeaves(folder / "coloured.ot");
}

TEST(OctoMapFile, LeavesAreNotDividedBeyondMemory) {
  const map::TestFolder folder;
  octomap::OcTree tree(0.1);
  fill(tree);
  ASSERT_TRUE(tree.writeBinary((folder / "tree.bt").string()));
  try {
    leavesOf(folder / "tree.bt", 1e-4);
    FAIL();
  } catch (const FileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("gives 6.5e+10 points"), std::string::npos) << text;
    EXPECT_NE(text.find("allowed: 5e8; the smallest leaf is 0.1 wide"), std::string::npos) << text;
  }
}

TEST(OctoMapFile, BrokenFilesAreRefused) {
  const map::TestFolder folder;
  octomap::OcTree tree(0.1);
  fill(tree);
  std::stringstream bytes;
  ASSERT_TRUE(tree.writeBinary(bytes));
  const std::string whole = bytes.str();
  EXPECT_THROW(leavesOf(folder.write("empty.bt", ""), 0.0), FileError);
  EXPECT_THROW(leavesOf(folder.write("text.bt", "no tree\n"), 0.0), FileError);
  EXPECT_THROW(leavesOf(folder.write("text.ot", "no tree\n"), 0.0), FileError);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_THROW(leavesOf(folder.write("cut.bt", whole.substr(0, size)), 0.0), FileError) << size;
  }
  std::stringstream full;
  ASSERT_TRUE(tree.write(full));
  for (std::size_t size = 0; size < full.str().size(); size += 7) {
    const auto path = folder.write("cut.ot", full.str().substr(0, size));
    EXPECT_THROW(leavesOf(path, 0.0), FileError) << size;
  }
  const std::string head = whole.substr(0, whole.find("data\n") + 5);
  EXPECT_THROW(leavesOf(folder.write("deep.bt", head + std::string(1 << 20, '\xff')), 0.0),
               FileError);
  EXPECT_THROW(leavesOf(folder.write("deep.ot", head + std::string(1 << 20, '\xff')), 0.0),
               FileError);
  EXPECT_THROW(leavesOf(folder / "missing.bt", 0.0), FileError);
  octomap::OcTree free(0.1);
  free.updateNode(octomap::point3d(0, 0, 0), false);
  ASSERT_TRUE(free.writeBinary((folder / "free.bt").string()));
  EXPECT_THROW(leavesOf(folder / "free.bt", 0.0), FileError);
}

TEST(OctoMapFile, RealTreeAsOctoMapReadsIt) {
  if (map::realDataFolder().empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  const std::filesystem::path path = map::realDataFolder() / "geb079.bt";
  octomap::OcTree tree(path.string());
  tree.expand();
  std::vector<std::array<int, 3>> expected, found;
  const auto cell = [](double x, double y, double z) {
    return std::array<int, 3>{static_cast<int>(std::floor(x / 0.08)),
                              static_cast<int>(std::floor(y / 0.08)),
                              static_cast<int>(std::floor(z / 0.08))};
  };
  for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
    if (!tree.isNodeOccupied(*leaf)) continue;
    expected.push_back(cell(leaf.getX(), leaf.getY(), leaf.getZ()));
  }
  for (const Eigen::Vector3d& p : leavesOf(path, 0.0)) found.push_back(cell(p.x(), p.y(), p.z()));
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_GT(found.size(), 100000U);
  EXPECT_EQ(found, expected);
}

#else

TEST(OctoMapFile, MissingLibraryIsNamed) {
  const map::TestFolder folder;
  EXPECT_THROW(leavesOf(folder.write("tree.bt", "# Octomap OcTree binary file\n"), 0.0), FileError);
}

#endif

}  // namespace
}  // namespace marsim::map_tools
