#include "marsim/map/cloud_io.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "common/nth_smallest.hpp"
#include "common/output_file.hpp"
#include "map/files/local_frame.hpp"
#include "map/files/point_records.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

namespace fs = std::filesystem;

InputFile openFile(const fs::path& path) {
  InputFile file;
  file.path = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw FileError(file.path, "does not exist");
  if (fs::is_directory(status)) {
    throw FileError(file.path, "is a folder, allowed: a .pcd or .ply file");
  }
  if (!fs::is_regular_file(status)) throw FileError(file.path, "is no regular file");
  errno = 0;
  file.stream.open(path, std::ios::binary);
  if (!file.stream) {
    throw FileError(file.path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  file.size = fs::file_size(path, error);
  if (error) throw FileError(file.path, fmt::format("cannot be read: {}", error.message()));
  if (file.size == 0) throw FileError(file.path, "is empty");
  return file;
}

/// Keeps the points for which keep(index) holds, called once for each in order, when all kept
/// points before it lie at the front; returns the number dropped.
template <class Keep>
std::size_t filter(PointCloud& cloud, const Keep& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (!keep(i, kept)) continue;
    cloud.points[kept] = cloud.points[i];
    if (cloud.hasIntensity()) cloud.intensity[kept] = cloud.intensity[i];
    ++kept;
  }
  const std::size_t dropped = cloud.size() - kept;
  cloud.points.resize(kept);
  if (cloud.hasIntensity()) cloud.intensity.resize(kept);
  return dropped;
}

std::uint64_t hash(const Eigen::Vector3f& point) {
  std::uint64_t result = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const float value = point[axis] + 0.0F;  // -0 and 0 are the same coordinate
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    result = mixBits(result ^ bits);
  }
  return result;
}

std::size_t removeDuplicates(PointCloud& cloud, Progress& progress) {
  progress.phase("removing duplicates", cloud.size());
  // Open addressing with linear probing over the indices of the points kept, at most half full.
  constexpr std::uint32_t kFree = 0xFFFFFFFFU;
  std::size_t slots = 16;
  while (slots < 2 * cloud.size()) slots *= 2;
  std::vector<std::uint32_t> table(slots, kFree);
  return filter(cloud, [&](std::size_t index, std::size_t kept) {
    if (index % 65536 == 0) progress.update(index);
    const Eigen::Vector3f& point = cloud.points[index];
    std::size_t slot = hash(point) & (slots - 1);
    for (; table[slot] != kFree; slot = (slot + 1) & (slots - 1)) {
      if (cloud.points[table[slot]] == point) return false;
    }
    table[slot] = static_cast<std::uint32_t>(kept);
    return true;
  });
}

std::string pcdHeader(const PointCloud& cloud) {
  const bool intensity = cloud.hasIntensity();
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z{}\nSIZE 4 4 4{}\n"
      "TYPE F F F{}\nCOUNT 1 1 1{}\nWIDTH {}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\n"
      "DATA binary\n",
      intensity ? " intensity" : "", intensity ? " 4" : "", intensity ? " F" : "",
      intensity ? " 1" : "", cloud.size(), cloud.size());
}

std::string plyHeader(const PointCloud& cloud) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n"
      "property float y\nproperty float z\n{}end_header\n",
      cloud.size(), cloud.hasIntensity() ? "property float intensity\n" : "");
}

void writePoints(OutputFile& file, const PointCloud& cloud) {
  const bool intensity = cloud.hasIntensity();
  constexpr std::size_t kBlock = 65536;  // points
  std::vector<float> values;
  for (std::size_t begin = 0; begin < cloud.size(); begin += kBlock) {
    values.clear();
    for (std::size_t i = begin; i < std::min(begin + kBlock, cloud.size()); ++i) {
      const Eigen::Vector3f& point = cloud.points[i];
      values.insert(values.end(), point.data(), point.data() + 3);
      if (intensity) values.push_back(cloud.intensity[i]);
    }
    file.write(values.data(), values.size() * sizeof(float));
  }
}

void save(const fs::path& path, const PointCloud& cloud, const std::string& header) {
  if (cloud.hasIntensity() && cloud.intensity.size() != cloud.size()) {
    throw Error(fmt::format("a cloud has {} intensities for {} points", cloud.intensity.size(),
                            cloud.size()));
  }
  OutputFile file(path);
  file.write(header);
  writePoints(file, cloud);
  file.commit();
}

}  // namespace

void readPoints(const fs::path& path, Progress& progress, const PointSink& sink) {
  InputFile file = openFile(path);
  (requireExtension(path, cloudFormats()) == ".pcd" ? readPcd : readPly)(file, progress, sink);
}

LoadedCloud loadCloud(const std::filesystem::path& path, Progress& progress) {
  LoadedCloud loaded;
  PointCloud& cloud = loaded.cloud;
  LocalFrame frame;
  PointSink sink;
  sink.begin = [&](const RecordLayout& layout, std::uint64_t count) {
    frame.begin(layout);
    cloud.points.reserve(count);
    if (layout.hasIntensity()) cloud.intensity.reserve(count);
  };
  sink.take = [&](const PointBlock& block) { frame.append(block, cloud); };
  readPoints(path, progress, sink);
  loaded.read = frame.points();
  loaded.non_finite = frame.nonFinite();
  loaded.origin = frame.origin();
  if (cloud.empty()) {
    throw FileError(path.string(),
                    fmt::format("none of its {} points has finite coordinates", loaded.read));
  }
  loaded.duplicates = removeDuplicates(cloud, progress);
  return loaded;
}

PointCloud within(const PointCloud& cloud, double reach) {
  Validator("").positive("within", reach, "m");
  PointCloud kept = cloud;
  if (cloud.empty()) return kept;
  Eigen::Vector3d median;
  std::vector<float> values(cloud.size());
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < cloud.size(); ++i) values[i] = cloud.points[i][axis];
    median[axis] = static_cast<double>(nthSmallest(values, values.size() / 2));
  }
  filter(kept, [&](std::size_t index, std::size_t) {
    const Eigen::Vector3d offset = cloud.points[index].cast<double>() - median;
    return offset.cwiseAbs().maxCoeff() <= reach;
  });
  return kept;
}

void savePcd(const fs::path& path, const PointCloud& cloud) { save(path, cloud, pcdHeader(cloud)); }

const std::vector<std::string>& cloudFormats() {
  static const std::vector<std::string> formats{".pcd", ".ply"};
  return formats;
}

void saveCloud(const fs::path& path, const PointCloud& cloud) {
  const bool is_ply = requireExtension(path, cloudFormats()) == ".ply";
  save(path, cloud, is_ply ? plyHeader(cloud) : pcdHeader(cloud));
}

}  // namespace marsim::map
