// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

namespace marsim::map_tools {

void ImportWriter::write(const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t written = ::write(kImportPipe, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

namespace {

void limit(decltype(RLIMIT_CORE) resource, double most) {
  rlimit bounds{};
  getrlimit(resource, &bounds);
  bounds.rlim_cur = std::min(bounds.rlim_max, static_cast<rlim_t>(std::min(most, 1e18)));
  setrlimit(resource, &bounds);
}

void closeInherited() {
  std::vector<int> open;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    open.push_back(std::atoi(entry.path().filename().c_str()));
  }
  for (const int file : open) {
    if (file > kImportPipe) close(file);
  }
}

/// Closes all inherited files but the pipe and limits this process; it ends with its parent.
void enclose(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  closeInherited();
  constexpr double kStack = 64U << 20U;  // [bytes]
  limit(RLIMIT_CORE, 0.0);
  limit(RLIMIT_STACK, kStack);
  std::set_new_handler([] { _exit(kOutOfMemory); });
}

Mesh readMeshFile(const std::filesystem::path& path, InputFiles& files) {
  const std::size_t size = files.admit(path);
  if (size == 0) throw FileError(path.string(), "is empty");
  const std::string extension =
      requireExtension(path, {".obj", ".stl", ".ply", ".dae", ".gltf", ".glb", ".off"});
  return extension == ".ply" ? readPlyMesh(path, files) : readAssimpMesh(path, extension, files);
}

/// `words`: the request, see ImportProcess.
void answer(const std::filesystem::path& path, const std::vector<std::string>& words,
            const ImportLimits& limits, ImportWriter& writer) {
  InputFiles files(writer, limits);
  const std::string& kind = words.at(0);
  if (kind == "mesh") {
    Mesh mesh = readMeshFile(path, files);
    writer.part(ImportPart::kMesh);
    carry(writer, mesh);
    return;
  }
  files.admit(path);
  if (kind == "bag") {
    const bool with_poses = words.size() > 2;
    return readBag(path, words.at(1), with_poses ? std::optional(words[2]) : std::nullopt, writer);
  }
  const double resolution = std::strtod(words.at(1).c_str(), nullptr);
  Notes notes = readOctree(path, resolution, [&](const map::PointBlock& block) {
    writer.part(ImportPart::kPoints);
    writer.array(block.points);
  });
  writer.part(ImportPart::kNotes);
  carry(writer, notes);
}

}  // namespace

InputFiles::InputFiles(ImportWriter& writer, const ImportLimits& limits)
    : writer_(writer), limits_(limits) {}

std::size_t InputFiles::admit(const std::filesystem::path& path) {
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
  if (!admitted_.insert(path).second) return size;
  opened_ += size;
  writer_.part(ImportPart::kFile);
  writer_.value<std::uint64_t>(size);
#ifndef __SANITIZE_ADDRESS__  // the address sanitizer maps terabytes
  limit(RLIMIT_DATA, memoryLimit(limits_, opened_));
#endif
  return size;
}

void requireTriangles(const std::filesystem::path& path, const Mesh& mesh) {
  if (!mesh.triangles.empty()) return;
  throw FileError(path.string(), fmt::format("has no triangle with an area ({} degenerate, {} not "
                                             "finite)",
                                             mesh.degenerate, mesh.not_finite));
}

bool addTriangle(Mesh& mesh, const std::array<std::uint32_t, 3>& corners) {
  const Eigen::Vector3d& a = mesh.vertices[corners[0]];
  const Eigen::Vector3d& b = mesh.vertices[corners[1]];
  const Eigen::Vector3d& c = mesh.vertices[corners[2]];
  if (!a.allFinite() || !b.allFinite() || !c.allFinite()) {
    ++mesh.not_finite;
    return false;
  }
  if (!((b - a).cross(c - a).norm() > 0.0)) {
    ++mesh.degenerate;
    return false;
  }
  mesh.triangles.push_back(corners);
  return true;
}

}  // namespace marsim::map_tools

int main(int argc, char** argv) {
  using namespace marsim::map_tools;
  if (argc < 5) {
    fmt::print(stderr, "map_importer reads files for 'marsim map import' and is started by it\n");
    return 2;
  }
  enclose(static_cast<pid_t>(std::atol(argv[3])));
  ImportWriter writer;
  ImportLimits limits;
  limits.memory = std::strtod(argv[2], nullptr);
  try {
    answer(argv[1], {argv + 4, argv + argc}, limits, writer);
  } catch (const std::exception& error) {
    writer.part(ImportPart::kError);
    writer.array(std::string(error.what()));
  }
  _exit(0);  // its memory need not be freed
}
