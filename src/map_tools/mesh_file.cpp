#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_ASSIMP
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#endif

namespace marsim::map_tools {
#ifdef MARSIM_HAS_ASSIMP

namespace {

constexpr std::size_t kHead = 1U << 16U;  // [bytes] of a file in which its header is looked for

std::string headOf(const std::filesystem::path& path) {
  std::string text(kHead, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

// Unit and up axis of a Collada file (COLLADA 1.4.1, <asset>): assimp's own handling of them
// differs between its versions, and is turned off.
void readColladaAsset(const std::filesystem::path& path, Mesh& mesh) {
  const std::string head = headOf(path);
  std::smatch found;
  static const std::regex up(R"(<up_axis>\s*([XYZ])_UP)");
  static const std::regex unit(R"re(<unit[^>]*meter\s*=\s*"([^"]*)")re");
  mesh.up = UpAxis::kY;  // Collada's default
  if (std::regex_search(head, found, up)) {
    mesh.up = found[1] == "X" ? UpAxis::kX : found[1] == "Y" ? UpAxis::kY : UpAxis::kZ;
  }
  if (!std::regex_search(head, found, unit)) return;
  const double meter = std::strtod(found[1].str().c_str(), nullptr);
  if (!(meter > 0.0) || !std::isfinite(meter)) {
    throw FileError(path.string(),
                    fmt::format("has a unit of {} m, allowed: > 0", clipped(found[1].str())));
  }
  mesh.unit = meter;
}

// assimp takes files that were cut for shorter ones.
void requireWhole(const std::filesystem::path& path, const std::string& extension,
                  std::size_t size) {
  if (extension == ".ply") requireWholePly(path);
  if (extension != ".stl") return;
  const std::string head = headOf(path);
  if (size >= 84) {
    std::uint32_t count = 0;
    std::memcpy(&count, head.data() + 80, sizeof(count));
    if (size == 84 + 50ULL * count) return;
    if (head.rfind("solid", 0) != 0 || head.find('\0') < kHead) {
      throw FileError(path.string(),
                      fmt::format("is partly written: it holds {} of {} triangles",
                                  withThousands((size - 84) / 50), withThousands(count)));
    }
  }
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(-static_cast<std::streamoff>(std::min<std::size_t>(size, 512)), std::ios::end);
  const std::string end((std::istreambuf_iterator<char>(stream)), {});
  if (end.find("endsolid") == std::string::npos) {
    throw FileError(path.string(), "is partly written: it does not end with endsolid");
  }
}

void addMesh(const aiMesh& part, const aiMatrix4x4& pose, Mesh& mesh) {
  const std::size_t base = mesh.vertices.size();
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D p = pose * part.mVertices[i];
    mesh.vertices.emplace_back(p.x, p.y, p.z);
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines have no area
    std::array<std::uint32_t, 3> corners{};
    bool finite = true, inside = true;
    for (unsigned k = 0; k < 3; ++k) {
      inside = inside && face.mIndices[k] < part.mNumVertices;
      if (!inside) break;
      corners[k] = static_cast<std::uint32_t>(base + face.mIndices[k]);
      finite = finite && mesh.vertices[corners[k]].allFinite();
    }
    if (!inside || !finite) {
      ++mesh.not_finite;
      continue;
    }
    const Eigen::Vector3d& a = mesh.vertices[corners[0]];
    const Eigen::Vector3d normal =
        (mesh.vertices[corners[1]] - a).cross(mesh.vertices[corners[2]] - a);
    if (!(normal.norm() > 0.0)) {
      ++mesh.degenerate;
      continue;
    }
    mesh.triangles.push_back(corners);
  }
}

void addNode(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, Mesh& mesh) {
  const aiMatrix4x4 pose = parent * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i)
    addMesh(*scene.mMeshes[node.mMeshes[i]], pose, mesh);
  for (unsigned i = 0; i < node.mNumChildren; ++i) addNode(scene, *node.mChildren[i], pose, mesh);
}

}  // namespace

bool hasAssimp() { return true; }

Mesh readMesh(const std::filesystem::path& path, Progress& progress) {
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
  if (size == 0) throw FileError(path.string(), "is empty");
  const std::string extension =
      requireExtension(path, {".obj", ".stl", ".ply", ".dae", ".gltf", ".glb", ".off"});
  requireWhole(path, extension, size);
  progress.phase("reading " + path.filename().string());
  Mesh mesh;
  if (extension == ".dae") readColladaAsset(path, mesh);
  if (extension == ".gltf" || extension == ".glb") mesh.up = UpAxis::kY;  // glTF 2.0, 3.4
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_Triangulate);
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw FileError(path.string(),
                    fmt::format("cannot be read: {}", clipped(importer.GetErrorString(), 120)));
  }
  // The root of a Collada file is its scene, whose pose is assimp's conversion of the unit.
  if (extension == ".dae") scene->mRootNode->mTransformation = aiMatrix4x4();
  addNode(*scene, *scene->mRootNode, aiMatrix4x4(), mesh);
  if (mesh.triangles.empty()) {
    throw FileError(path.string(),
                    fmt::format("has no triangle with an area ({} degenerate, {} not finite)",
                                mesh.degenerate, mesh.not_finite));
  }
  return mesh;
}

#else

bool hasAssimp() { return false; }

Mesh readMesh(const std::filesystem::path& path, Progress& /*progress*/) {
  throw FileError(path.string(),
                  "is a mesh, and the program was built without assimp (libassimp-dev)");
}

#endif

}  // namespace marsim::map_tools
