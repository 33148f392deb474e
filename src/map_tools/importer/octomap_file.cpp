// SPDX-License-Identifier: BSD-3-Clause
#include <bitset>
#include <cmath>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/ColorOcTree.h>
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {

#ifdef MARSIM_HAS_OCTOMAP

namespace {

struct Header {
  std::string kind;
  std::uint64_t size = 0;  // nodes
};

/// Reads the header and leaves the stream at the first node.
Header readHeader(std::istream& stream, const std::string& path) {
  Header header;
  LineReader lines(stream, path);
  while (lines.next() && lines.line().rfind("data", 0) != 0 && lines.number() < 100) {
    const std::string_view line = lines.line();
    if (line.rfind("id ", 0) == 0) header.kind = trimmed(line.substr(3));
    if (line.rfind("size ", 0) == 0) header.size = parseWhole(trimmed(line.substr(5))).value_or(0);
  }
  return header;
}

/// Walks over a file's nodes and keeps none: OctoMap's own readers continue past the end of a file,
/// with the children of the last bytes, and follow nodes to any depth.
class NodeWalk {
 public:
  /// `bytes` of a node's value before its eight bits of children; 0: the nodes of a .bt, which have
  /// two bits a child; leaves have no bytes of their own.
  NodeWalk(std::istream& stream, int bytes, const std::string& path)
      : stream_(stream), bytes_(bytes), path_(path) {}

  void walk(int depth = 0) {
    if (depth > (bytes_ > 0 ? kDepth : kDepth - 1)) {
      throw FileError(path_, fmt::format("is no OctoMap: its nodes are more than {} deep", kDepth));
    }
    for (int children = childrenWithNodes(); children > 0; --children) walk(depth + 1);
  }

 private:
  static constexpr int kDepth = 16;

  int childrenWithNodes() {
    if (bytes_ > 0) {
      for (int i = 0; i < bytes_; ++i) next();
      return static_cast<int>(std::bitset<8>(next()).count());
    }
    const unsigned low = next();
    const unsigned pairs = low | next() << 8U;
    return static_cast<int>(std::bitset<16>(pairs & pairs >> 1U & 0x5555U).count());
  }
  unsigned next() {
    const int byte = stream_.get();
    if (byte >= 0) return static_cast<unsigned>(byte);
    throw FileError(path_, "is partly written: it ends within a node");
  }

  std::istream& stream_;
  const int bytes_;
  const std::string& path_;
};

/// Number of parts along a leaf's edge.
double partsOf(double side, double resolution) {
  return std::max(1.0, std::ceil(side / resolution - 1e-6));
}

/// Gathers points into blocks.
class PointBlocks {
 public:
  explicit PointBlocks(const TakePoints& take) : take_(take) {}
  void add(const Eigen::Vector3d& point) {
    block_.points.push_back(point);
    if (block_.size() == map::kBlockPoints) flush();
  }
  void flush() {
    if (block_.size() > 0) take_(block_);
    block_.points.clear();
  }

 private:
  const TakePoints& take_;
  map::PointBlock block_;
};

/// Adds the points of one leaf: the centres of the cubes into which it is divided.
void addLeaf(const octomap::point3d& centre, double side, double resolution, PointBlocks& blocks) {
  const int parts = static_cast<int>(partsOf(side, resolution));
  const double step = side / parts;
  const Eigen::Vector3d low =
      Eigen::Vector3d(centre.x(), centre.y(), centre.z()).array() - 0.5 * side;
  for (int x = 0; x < parts; ++x) {
    for (int y = 0; y < parts; ++y) {
      for (int z = 0; z < parts; ++z) {
        blocks.add(low + step * Eigen::Vector3d(x + 0.5, y + 0.5, z + 0.5));
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
  if (points <= kMostLeafPoints) return;
  throw FileError(path, fmt::format("gives {:.2g} points with leaves of {:g} units, allowed: 5e8; "
                                    "the smallest leaf is {:g} wide",
                                    points, resolution, tree.getResolution()));
}

template <class Tree>
std::size_t takeLeaves(Tree& tree, double resolution, const std::string& path,
                       const TakePoints& take) {
  requireSize(tree, resolution, path);
  PointBlocks blocks(take);
  std::size_t leaves = 0;
  for (auto leaf = tree.begin_leafs(), end = tree.end_leafs(); leaf != end; ++leaf) {
    if (!tree.isNodeOccupied(*leaf)) continue;
    ++leaves;
    addLeaf(leaf.getCoordinate(), leaf.getSize(), resolution, blocks);
  }
  blocks.flush();
  return leaves;
}

std::unique_ptr<octomap::AbstractOcTree> readTree(const std::filesystem::path& path) {
  constexpr int kLogOdds = 4, kColour = 3;
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  if (size == 0) throw FileError(path.string(), "is empty");
  const Header header = readHeader(stream, path.string());
  const bool binary = lowerExtension(path) == ".bt";
  if (header.kind.empty() || header.size == 0) {
    throw FileError(path.string(), "is no OctoMap file, or one without nodes");
  }
  const bool coloured = header.kind == "ColorOcTree" && !binary;
  if (!coloured && header.kind != "OcTree") {
    throw FileError(path.string(),
                    fmt::format("holds a tree of kind {}, allowed: {}", clipped(header.kind),
                                binary ? "OcTree" : "OcTree, ColorOcTree"));
  }
  NodeWalk(stream, binary ? 0 : kLogOdds + (coloured ? kColour : 0), path.string()).walk();
  stream.seekg(0);
  std::unique_ptr<octomap::AbstractOcTree> tree;
  if (binary) {
    auto plain = std::make_unique<octomap::OcTree>(0.1);
    if (plain->readBinary(stream)) tree = std::move(plain);
  } else {
    tree.reset(octomap::AbstractOcTree::read(stream));
  }
  if (!tree) throw FileError(path.string(), "is no OctoMap file");
  if (tree->size() != header.size) {
    throw FileError(path.string(),
                    fmt::format("holds {} nodes, and its header promises {}",
                                withThousands(tree->size()), withThousands(header.size)));
  }
  return tree;
}

}  // namespace

Notes readOctree(const std::filesystem::path& path, double resolution, const TakePoints& take) {
  const std::unique_ptr<octomap::AbstractOcTree> tree = readTree(path);
  const double side = resolution > 0.0 ? resolution : tree->getResolution();
  std::size_t leaves = 0;
  if (auto* plain = dynamic_cast<octomap::OcTree*>(tree.get())) {
    leaves = takeLeaves(*plain, side, path.string(), take);
  } else if (auto* coloured = dynamic_cast<octomap::ColorOcTree*>(tree.get())) {
    leaves = takeLeaves(*coloured, side, path.string(), take);
  }
  if (leaves == 0) throw FileError(path.string(), "has no occupied leaf");
  return {fmt::format("{} occupied leaves, the smallest {:g} wide", withThousands(leaves),
                      tree->getResolution())};
}

#else

Notes readOctree(const std::filesystem::path& path, double /*resolution*/,
                 const TakePoints& /*take*/) {
  throw FileError(path.string(),
                  "is an OctoMap, and the program was built without liboctomap (liboctomap-dev)");
}

#endif

}  // namespace marsim::map_tools
