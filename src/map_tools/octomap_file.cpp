#include <cmath>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/quiet.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/ColorOcTree.h>
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {

#ifdef MARSIM_HAS_OCTOMAP

namespace {

constexpr double kMostPoints = 5e8;

// The number of nodes that the file's header promises.
std::uint64_t promisedSize(std::ifstream& stream) {
  std::string line;
  for (int i = 0; i < 100 && std::getline(stream, line) && line.rfind("data", 0) != 0; ++i) {
    if (line.rfind("size ", 0) == 0) return parseWhole(trimmed(line.substr(5))).value_or(0);
  }
  return 0;
}

/// Parts of a leaf's edge.
double partsOf(double side, double resolution) {
  return std::max(1.0, std::ceil(side / resolution - 1e-6));
}

/// Points of one leaf: the centres of the cubes that it is divided into.
void addLeaf(const octomap::point3d& centre, double side, double resolution,
             map::PointBlock& block) {
  const int parts = static_cast<int>(partsOf(side, resolution));
  const double step = side / parts;
  const Eigen::Vector3d low =
      Eigen::Vector3d(centre.x(), centre.y(), centre.z()).array() - 0.5 * side;
  for (int x = 0; x < parts; ++x) {
    for (int y = 0; y < parts; ++y) {
      for (int z = 0; z < parts; ++z) {
        block.points.emplace_back(low + step * Eigen::Vector3d(x + 0.5, y + 0.5, z + 0.5));
      }
    }
  }
}

template <class Tree>
void requireSize(Tree& tree, double resolution, const std::string& path) {
  double points = 0.0;
  for (auto leaf = tree.begin_leafs(), end = tree.end_leafs(); leaf != end; ++leaf) {
    if (tree.isNodeOccupied(*leaf)) points += std::pow(partsOf(leaf.getSize(), resolution), 3);
  }
  if (points <= kMostPoints) return;
  throw FileError(path, fmt::format("gives {:.2g} points with leaves of {:g} units, allowed: 5e8; "
                                    "the smallest leaf is {:g} wide",
                                    points, resolution, tree.getResolution()));
}

template <class Tree>
std::size_t takeLeaves(Tree& tree, double resolution, const std::string& path,
                       const TakePoints& take) {
  requireSize(tree, resolution, path);
  map::PointBlock block;
  std::size_t leaves = 0;
  for (auto leaf = tree.begin_leafs(), end = tree.end_leafs(); leaf != end; ++leaf) {
    if (!tree.isNodeOccupied(*leaf)) continue;
    ++leaves;
    addLeaf(leaf.getCoordinate(), leaf.getSize(), resolution, block);
    if (block.size() < map::kBlockPoints) continue;
    take(block);
    block = {};
  }
  if (block.size() > 0) take(block);
  return leaves;
}

std::unique_ptr<octomap::AbstractOcTree> readTree(const std::filesystem::path& path) {
  const QuietStandardError quiet;
  std::ifstream stream(path, std::ios::binary);
  const std::uint64_t promised = promisedSize(stream);
  stream.clear();
  stream.seekg(0);
  std::unique_ptr<octomap::AbstractOcTree> tree;
  if (lowerExtension(path) == ".bt") {
    auto binary = std::make_unique<octomap::OcTree>(0.1);
    if (binary->readBinary(stream)) tree = std::move(binary);
  } else {
    tree.reset(octomap::AbstractOcTree::read(stream));
  }
  if (!tree) throw FileError(path.string(), "is no OctoMap file, or one of an unknown kind");
  // Leaves that were cut off count, too, and hold what the last one before them does.
  if (stream.fail()) throw FileError(path.string(), "is partly written: it ends within a node");
  if (tree->size() != promised || promised == 0) {
    throw FileError(path.string(),
                    fmt::format("is partly written: it holds {} of {} nodes",
                                withThousands(tree->size()), withThousands(promised)));
  }
  return tree;
}

}  // namespace

bool hasOctoMap() { return true; }

Notes readOctoMap(const std::filesystem::path& path, double resolution, Progress& progress,
                  const TakePoints& take) {
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
  if (size == 0) throw FileError(path.string(), "is empty");
  progress.phase("reading " + path.filename().string());
  const std::unique_ptr<octomap::AbstractOcTree> tree = readTree(path);
  const double side = resolution > 0.0 ? resolution : tree->getResolution();
  std::size_t leaves = 0;
  if (auto* plain = dynamic_cast<octomap::OcTree*>(tree.get())) {
    leaves = takeLeaves(*plain, side, path.string(), take);
  } else if (auto* coloured = dynamic_cast<octomap::ColorOcTree*>(tree.get())) {
    leaves = takeLeaves(*coloured, side, path.string(), take);
  } else {
    throw FileError(path.string(),
                    fmt::format("holds a tree of kind {}, allowed: OcTree, ColorOcTree",
                                clipped(tree->getTreeType())));
  }
  if (leaves == 0) throw FileError(path.string(), "has no occupied leaf");
  return {fmt::format("{} occupied leaves, the smallest {:g} wide", withThousands(leaves),
                      tree->getResolution())};
}

#else

bool hasOctoMap() { return false; }

Notes readOctoMap(const std::filesystem::path& path, double /*resolution*/, Progress& /*progress*/,
                  const TakePoints& /*take*/) {
  throw FileError(path.string(),
                  "is an OctoMap, and the program was built without liboctomap (liboctomap-dev)");
}

#endif

}  // namespace marsim::map_tools
