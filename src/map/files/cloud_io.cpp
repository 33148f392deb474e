// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/cloud_io.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "common/input_file.hpp"
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
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
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

/// Keeps the points for which keep(index) holds. It is called once for each point in order, when
/// all kept points before it lie at the front. Returns the number dropped.
template <class Keep>
std::size_t filter(PointCloud& cloud, const Keep& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (!keep(i, kept)) continue;
    const auto move = [i, kept](auto& channel) {
      if (!channel.empty()) channel[kept] = channel[i];
    };
    move(cloud.points);
    forEachChannel(move, cloud);
    ++kept;
  }
  const std::size_t dropped = cloud.size() - kept;
  const auto cut = [kept](auto& channel) { channel.resize(std::min(kept, channel.size())); };
  cut(cloud.points);
  forEachChannel(cut, cloud);
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

/// Fields of a cloud's channels, as PCL names and packs them.
std::string pcdHeader(const PointCloud& cloud) {
  std::string fields, sizes, types, counts;
  const auto field = [&](bool there, const char* name, const char* type) {
    if (!there) return;
    fields += fmt::format(" {}", name);
    sizes += " 4";
    types += fmt::format(" {}", type);
    counts += " 1";
  };
  field(cloud.hasIntensity(), "intensity", "F");
  field(cloud.hasColour(), "rgb", "U");
  field(cloud.hasClasses() || cloud.hasInstances(), "label", "U");
  for (const char* name : {"vp_x", "vp_y", "vp_z"}) field(!cloud.to_sensor.empty(), name, "F");
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z{}\nSIZE 4 4 4{}\n"
      "TYPE F F F{}\nCOUNT 1 1 1{}\nWIDTH {}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\n"
      "DATA binary\n",
      fields, sizes, types, counts, cloud.size(), cloud.size());
}

std::string plyHeader(const PointCloud& cloud) {
  std::string properties;
  if (cloud.hasIntensity()) properties += "property float intensity\n";
  if (cloud.hasColour()) {
    properties += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  }
  if (cloud.hasInstances()) {
    properties += "property uint label\n";
  } else if (cloud.hasClasses()) {
    properties += "property uchar label\n";
  }
  if (!cloud.to_sensor.empty()) {
    properties += "property float vp_x\nproperty float vp_y\nproperty float vp_z\n";
  }
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\n"
      "property float y\nproperty float z\n{}end_header\n",
      cloud.size(), properties);
}

/// Appends a number's bytes.
template <class Number>
void put(Number number, std::vector<char>& bytes) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Number));
  std::memcpy(bytes.data() + at, &number, sizeof(Number));
}

/// Appends the record of a point, its channels in PCL's packing or as single bytes.
void putRecord(const PointCloud& cloud, std::size_t i, bool packed, std::vector<char>& bytes) {
  for (int axis = 0; axis < 3; ++axis) put(cloud.points[i][axis], bytes);
  if (cloud.hasIntensity()) put(cloud.intensity[i], bytes);
  if (cloud.hasColour()) {
    const auto [red, green, blue] = cloud.colour[i];
    if (packed) {
      put((std::uint32_t{red} << 16U) | (std::uint32_t{green} << 8U) | blue, bytes);
    } else {
      for (const std::uint8_t value : {red, green, blue}) put(value, bytes);
    }
  }
  if (cloud.hasInstances() || (cloud.hasClasses() && packed)) {
    put(cloud.labelOf(i), bytes);
  } else if (cloud.hasClasses()) {
    put(cloud.classes[i], bytes);
  }
  if (cloud.to_sensor.empty()) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put(cloud.points[i][static_cast<Eigen::Index>(axis)] + cloud.to_sensor[i][axis], bytes);
  }
}

void save(const fs::path& path, const PointCloud& cloud, bool is_ply) {
  forEachChannel(
      [&](const auto& channel) {
        if (channel.empty() || channel.size() == cloud.size()) return;
        throw Error(fmt::format("a cloud has a channel of {} values for {} points", channel.size(),
                                cloud.size()));
      },
      cloud);
  OutputFile file(path);
  file.write(is_ply ? plyHeader(cloud) : pcdHeader(cloud));
  std::vector<char> bytes;
  for (std::size_t begin = 0; begin < cloud.size(); begin += kBlockPoints) {
    bytes.clear();
    for (std::size_t i = begin; i < std::min(begin + kBlockPoints, cloud.size()); ++i) {
      putRecord(cloud, i, !is_ply, bytes);
    }
    file.write(bytes.data(), bytes.size());
  }
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
    reserveChannels(layout, count, cloud);
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
  const std::vector<std::uint16_t>& instances = cloud.instances;
  if (std::all_of(instances.begin(), instances.end(), [](auto number) { return number == 0; })) {
    cloud.instances = {};
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

void savePcd(const fs::path& path, const PointCloud& cloud) { save(path, cloud, false); }

const std::vector<std::string>& cloudFormats() {
  static const std::vector<std::string> formats{".pcd", ".ply"};
  return formats;
}

void saveCloud(const fs::path& path, const PointCloud& cloud) {
  save(path, cloud, requireExtension(path, cloudFormats()) == ".ply");
}

}  // namespace marsim::map
