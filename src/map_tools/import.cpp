// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/import.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map/files/local_frame.hpp"
#include "map/files/ply_header.hpp"
#include "map_tools/mesh_sampling.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::map_tools {
namespace {

enum class FileKind { kCloud, kTable, kLas, kOctoMap, kMesh, kRecording };

/// Whether a PLY file is a mesh.
bool hasFaces(const std::filesystem::path& path) {
  std::size_t size = 0;
  map::InputFile file{path.string(), openInput(path, size), size};
  if (size == 0) return false;  // the reader of points reports it
  for (const map::PlyElement& element : map::readPlyHeader(file).elements) {
    if (element.count > 0 && (element.name == "face" || element.name == "tristrips")) return true;
  }
  return false;
}

/// Throws FileError for formats that need a conversion by another program.
void refuseForeign(const std::filesystem::path& path) {
  struct Foreign {
    const char *extension, *message;
  };
  constexpr std::array<Foreign, 3> kForeign{
      {{".laz", "is LAZ (compressed LAS), allowed: LAS; unpack it with 'laszip' or 'las2las'"},
       {".e57",
        "is E57, allowed: LAS, PCD, PLY and others; convert it with CloudCompare or 'pdal "
        "translate scan.e57 scan.las'"},
       {".ptx",
        "is PTX, allowed: LAS, PCD, PLY and others; convert it with CloudCompare or 'pdal "
        "translate scan.ptx scan.las'"}}};
  for (const Foreign& foreign : kForeign) {
    if (lowerExtension(path) == foreign.extension) throw FileError(path.string(), foreign.message);
  }
}

FileKind kindOf(const std::filesystem::path& path) {
  refuseForeign(path);
  if (isRecording(path)) return FileKind::kRecording;
  const std::string extension = requireExtension(path, importFormats());
  if (!std::filesystem::exists(path)) throw FileError(path.string(), "does not exist");
  if (extension == ".pcd") return FileKind::kCloud;
  if (extension == ".ply") return hasFaces(path) ? FileKind::kMesh : FileKind::kCloud;
  if (extension == ".las") return FileKind::kLas;
  if (extension == ".bt" || extension == ".ot") return FileKind::kOctoMap;
  for (const char* table : {".xyz", ".txt", ".csv", ".pts", ".asc"}) {
    if (extension == table) return FileKind::kTable;
  }
  return FileKind::kMesh;
}

// Rotation from a frame with axis `up` upwards to one with z upwards.
Eigen::Matrix3d toZUp(UpAxis up) {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  if (up == UpAxis::kY) turn << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  // Collada's X_UP: right is -y, towards the viewer z (COLLADA 1.4.1, <up_axis>).
  if (up == UpAxis::kX) turn << 0, -1, 0, 0, 0, -1, 1, 0, 0;
  return turn;
}

/// Reads files one after another into one cloud.
class Importer {
 public:
  Importer(const ImportConfig& config, Progress& progress) : config_(config), progress_(progress) {}

  /// Reads a file; returns whether it gave points unsampled.
  bool read(const std::filesystem::path& path) {
    ImportedFile file;
    file.path = path;
    const FileKind kind = kindOf(path);
    const bool sampled = kind == FileKind::kMesh && sample(file);
    if (kind != FileKind::kMesh) readPoints(kind, file);
    if (file.read == file.not_finite) {
      throw FileError(path.string(), fmt::format("none of its {} points has finite coordinates",
                                                 withThousands(file.read)));
    }
    if (file.colourless > 0) {
      file.notes.push_back(fmt::format("warning: {} points have no colour and count as black",
                                       withThousands(file.colourless)));
    }
    const std::string hint = upHint(file.box);
    if (!hint.empty()) file.notes.push_back("warning: " + hint);
    const std::string unit = unitHint(file.box);
    if (!unit.empty()) file.notes.push_back("warning: " + unit);
    files_.push_back(std::move(file));
    return !sampled;
  }
  Imported result() {
    Imported imported;
    imported.cloud = std::move(cloud_);
    map::dropSilentChannels(imported.cloud);
    imported.origin = frame_.origin();
    imported.files = std::move(files_);
    return imported;
  }

 private:
  // The first file decides the origin for the points of all files.
  void append(const map::PointBlock& block, const Eigen::Matrix3d& turn, ImportedFile& file) {
    map::PointBlock moved = block;
    for (Eigen::Vector3d& p : moved.points) p = turn * p;
    map::turnOffsets(turn, moved.to_sensor);
    // Channels that only some files have are 0 in the others.
    const auto pad = [&](const auto& in_block, auto& channel) {
      if (!in_block.empty() || !channel.empty()) channel.resize(cloud_.size());
    };
    map::forEachChannel(pad, block, cloud_);
    const std::size_t before = cloud_.size();
    frame_.append(moved, cloud_);
    map::forEachChannel(pad, block, cloud_);
    file.read += block.size();
    file.not_finite += block.size() - (cloud_.size() - before);
    for (std::size_t i = 0; block.is_luma && i < block.size(); ++i) {
      file.colourless += std::isnan(block.intensity[i]) && block.points[i].allFinite() ? 1 : 0;
    }
    for (std::size_t i = before; i < cloud_.size(); ++i) {
      file.box.extend(cloud_.points[i].cast<double>());
    }
  }

  void readPoints(FileKind kind, ImportedFile& file) {
    // The reader of LAS files gives metres.
    const Eigen::Matrix3d turn =
        (kind == FileKind::kLas ? 1.0 : config_.metres()) * toZUp(config_.up);
    const TakePoints take = [&](const map::PointBlock& block) { append(block, turn, file); };
    if (kind == FileKind::kLas) {
      file.kind = "LAS";
      file.notes = readLas(file.path, config_.scale, progress_, take);
    } else if (kind == FileKind::kTable) {
      file.kind = "table";
      file.notes = readTable(file.path, config_.columns, progress_, take);
    } else if (kind == FileKind::kOctoMap) {
      file.kind = "OctoMap";
      file.notes = readOctoMap(file.path, config_.resolution / config_.metres(), progress_, take,
                               config_.limits);
    } else if (kind == FileKind::kRecording) {
      readScans(file, take);
    } else {
      file.kind = "points";
      readCloud(file, take);
    }
  }

  static void noteTypes(const map::RecordLayout& layout, ImportedFile& file) {
    const map::NumberType type = layout.xyz[0].type;
    if (type.kind == map::NumberType::Kind::kFloat) return;
    file.notes.push_back(
        fmt::format("warning: coordinates are whole numbers ({}): if one is a millimetre, say "
                    "--scale 0.001",
                    map::typeName(type)));
  }

  void readCloud(ImportedFile& file, const TakePoints& take) {
    std::optional<Pose> viewpoint;
    map::PointSink sink;
    sink.begin = [&](const map::RecordLayout& layout, std::uint64_t) {
      noteTypes(layout, file);
      viewpoint = layout.viewpoint;
    };
    sink.take = [&](const map::PointBlock& block) {
      if (!viewpoint || !config_.apply_viewpoint) return take(block);
      map::PointBlock moved = block;
      for (Eigen::Vector3d& p : moved.points) p = *viewpoint * p;
      map::turnOffsets(viewpoint->q.toRotationMatrix(), moved.to_sensor);
      take(moved);
    };
    map::readPoints(file.path, progress_, sink);
    if (!viewpoint) return;
    const bool is_applied = config_.apply_viewpoint;
    file.notes.push_back((is_applied ? "" : "warning: ") + viewpointNote(*viewpoint, is_applied));
  }

  void readScans(ImportedFile& file, const TakePoints& take) {
    RecordingConfig recording = config_.recording;
    recording.source = file.path;
    recording.limits = config_.limits;
    map::PointBlock block;
    const RecordingReport report =
        readRecording(recording, progress_, [&](const Keyframe& keyframe) {
          static_cast<map::PointChannels&>(block) = keyframe.cloud;
          block.points.clear();
          for (const Eigen::Vector3f& p : keyframe.cloud.points) {
            block.points.emplace_back(p.cast<double>());
          }
          take(block);
        });
    file.read += report.not_finite;
    file.not_finite += report.not_finite;
    file.kind = fmt::format("{} scans of {}", withThousands(report.scans), report.source);
    if (!report.odometry.empty()) file.kind += " along " + report.odometry;
    file.notes.insert(file.notes.end(), report.notes.begin(), report.notes.end());
  }

  /// Samples a mesh, or takes the vertices of one without triangles; returns whether it sampled.
  bool sample(ImportedFile& file) {
    Mesh mesh = readMesh(file.path, progress_, config_.limits);
    const UpAxis up = config_.up == UpAxis::kAuto ? mesh.up : config_.up;
    const Eigen::Matrix3d turn = mesh.unit * config_.metres() * toZUp(up);
    noteMesh(mesh, up, file);
    if (mesh.triangles.empty()) {
      map::PointBlock block;
      block.points = std::move(mesh.vertices);
      block.colour = std::move(mesh.colours);
      append(block, turn, file);
      file.kind = "points";
      return false;
    }
    if (config_.resolution == 0.0) {
      throw FileError(file.path.string(), "is a mesh: say at which --resolution to sample it");
    }
    for (Eigen::Vector3d& vertex : mesh.vertices) vertex = turn * vertex;
    sampleMesh(
        mesh, {config_.resolution, config_.seed}, progress_,
        [&](const map::PointBlock& block) { append(block, Eigen::Matrix3d::Identity(), file); });
    file.kind = fmt::format("mesh of {} triangles, {:.5g} m2", withThousands(mesh.triangles.size()),
                            areaOf(mesh));
    return true;
  }

  static void noteMesh(const Mesh& mesh, UpAxis up, ImportedFile& file) {
    file.notes.insert(file.notes.end(), mesh.notes.begin(), mesh.notes.end());
    if (mesh.not_finite + mesh.degenerate > 0) {
      file.notes.push_back(
          fmt::format("warning: {} triangles dropped whose corners are not finite, {} without area",
                      withThousands(mesh.not_finite), withThousands(mesh.degenerate)));
    }
    if (up != UpAxis::kZ) {
      file.notes.push_back(
          fmt::format("{} is up in the file: turned so that z is", up == UpAxis::kX ? "x" : "y"));
    }
    if (mesh.unit != 1.0) {
      file.notes.push_back(fmt::format("the file's unit is {:g} m: scaled", mesh.unit));
    }
  }

  const ImportConfig& config_;
  Progress& progress_;
  map::LocalFrame frame_;
  map::PointCloud cloud_;
  std::vector<ImportedFile> files_;
};

}  // namespace

void ImportConfig::validate(const std::string& where) const {
  const Validator check(where);
  check.notNegative("resolution", resolution, "m");
  kScales.require(where, "scale", metres());
  ImportLimits::kMemories.require(where, "memory_limit", limits.memory, "GiB");
  ImportLimits::kTimes.require(where, "time_limit", limits.time, "s");
  for (const std::string& name : columns) {
    if (name == "-" || map::isKnownName(name)) continue;
    throw ConfigError(where, "columns", name,
                      "x, y, z, intensity, red, green, blue, label, or - for one not read");
  }
  if (!columns.empty() && !map::nameAPlace(columns)) {
    throw ConfigError(where, "columns", join(columns, ","), "x, y, z and others");
  }
}

UpAxis upAxisOf(const std::string& name) {
  if (name == "auto") return UpAxis::kAuto;
  if (name == "y") return UpAxis::kY;
  if (name == "z") return UpAxis::kZ;
  throw UnknownNameError("command line", "up axis", name, {"auto", "y", "z"});
}

const std::vector<std::string>& importFormats() {
  static const std::vector<std::string> formats{".pcd", ".ply",  ".xyz", ".txt", ".csv", ".pts",
                                                ".asc", ".las",  ".bt",  ".ot",  ".obj", ".stl",
                                                ".dae", ".gltf", ".glb", ".off", ".bag"};
  return formats;
}

Imported importFiles(const std::vector<std::filesystem::path>& paths, const ImportConfig& config,
                     Progress& progress) {
  config.validate("command line");
  Importer importer(config, progress);
  bool points = false;
  const auto is_table = [](const auto& path) { return kindOf(path) == FileKind::kTable; };
  if (!config.columns.empty() && std::none_of(paths.begin(), paths.end(), is_table)) {
    throw ConfigError("command line", "--columns", join(config.columns, ","),
                      "with a table (XYZ, TXT, CSV, PTS, ASC) among the files");
  }
  for (const std::filesystem::path& path : paths) points = importer.read(path) || points;
  Imported imported = importer.result();
  if (config.resolution > 0.0 && points) {
    imported.before_thinning = imported.cloud.size();
    progress.phase("thinning");
    imported.cloud = map::downsample(imported.cloud, config.resolution);
    imported.cloud.weight.clear();
  }
  return imported;
}

std::string viewpointNote(const Pose& viewpoint, bool is_applied) {
  const std::string place = pointText(viewpoint.p);
  const double turn = degrees(logMap(viewpoint.q).norm());
  return fmt::format(
      is_applied ? "moved from the frame of its VIEWPOINT at {}, turned by {:.1f} deg"
                 : "its VIEWPOINT at {}, turned by {:.1f} deg, is not applied: where points "
                   "lie in its frame, 'marsim map import --viewpoint' moves them",
      place, turn);
}

std::string upHint(const Eigen::AlignedBox3d& box) {
  const Eigen::Vector3d size = box.sizes();
  int least = 0;
  size.minCoeff(&least);
  if (least == 2 || 2.0 * size[least] >= size.z()) return "";
  if (size.maxCoeff() < 3.0) return "";  // a single object, not a place
  return fmt::format(
      "{:.4g} x {:.4g} x {:.4g} m is low along {} and high along z: is another axis up in the file "
      "(--up y or --up z)?",
      size.x(), size.y(), size.z(), least == 0 ? "x" : "y");
}

std::string unitHint(const Eigen::AlignedBox3d& box) {
  const double longest = box.sizes().maxCoeff();
  if (longest > 5000.0) {
    return fmt::format("{:.6g} m long: is the file in millimetres (--scale 0.001)?", longest);
  }
  if (longest > 1000.0 && box.sizes().minCoeff() > 250.0) {
    return fmt::format(
        "{:.6g} m long and {:.6g} m high: is the file in centimetres (--scale 0.01)?", longest,
        box.sizes().minCoeff());
  }
  if (longest > 0.0 && longest < 1.0) {
    return fmt::format("{:.3g} m long: is the unit of the file larger than a metre (--scale)?",
                       longest);
  }
  return "";
}

}  // namespace marsim::map_tools
