// SPDX-License-Identifier: BSD-3-Clause
#include <sstream>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "map_tools/export.hpp"
#include "map_tools/quiet.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {

#ifdef MARSIM_HAS_OCTOMAP

namespace {

octomap::OcTree treeOf(const map::PointCloud& cloud, double resolution, Progress& progress) {
  octomap::OcTree tree(resolution);
  const float occupied = tree.getClampingThresMaxLog();
  progress.phase("filling the tree", cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector3d p = cloud.points[i].cast<double>();
    octomap::OcTreeKey key;
    // Coordinates in double precision, since octomap's own point has floats.
    if (!tree.coordToKeyChecked(p.x(), p.y(), p.z(), key)) {
      throw Error(
          fmt::format("an OctoMap of {} m reaches {:.6g} m from the origin, a point lies "
                      "at {}; allowed: a coarser --resolution",
                      resolution, 32768.0 * resolution, pointText(p)));
    }
    tree.setNodeValue(key, occupied, true);
    if (i % 65536 == 0) progress.update(i);
  }
  progress.phase("joining leaves");
  tree.updateInnerOccupancy();
  return tree;
}

}  // namespace

std::size_t writeOctoMap(const std::filesystem::path& path, const map::PointCloud& cloud,
                         double resolution, Progress& progress) {
  Validator("").positive("resolution", resolution, "m");
  const bool binary = requireExtension(path, {".bt", ".ot"}) == ".bt";
  octomap::OcTree tree = treeOf(cloud, resolution, progress);
  const std::size_t voxels = tree.getNumLeafNodes();
  tree.prune();
  progress.phase("writing");
  std::ostringstream bytes;
  const auto write = [&] {
    const QuietStandardError quiet;
    return binary ? tree.writeBinaryConst(bytes) : tree.write(bytes);
  };
  if (!write()) {
    throw FileError(path.string(), "cannot be written by liboctomap");
  }
  writeFile(path, bytes.str());
  return voxels;
}

#else

std::size_t writeOctoMap(const std::filesystem::path& path, const map::PointCloud& /*cloud*/,
                         double /*resolution*/, Progress& /*progress*/) {
  throw FileError(path.string(),
                  "is an OctoMap, and the program was built without liboctomap (liboctomap-dev)");
}

#endif

}  // namespace marsim::map_tools
