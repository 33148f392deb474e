#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_ASSIMP
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#endif

namespace marsim::map_tools {
#ifdef MARSIM_HAS_ASSIMP

namespace {

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

// assimp says nothing of a file of materials that is missing.
void noteMaterials(const std::filesystem::path& path, Mesh& mesh) {
  std::smatch found;
  const std::string head = headOf(path);
  static const std::regex named(R"((?:^|\n)mtllib[ \t]+([^\r\n]*[^\s]))");
  if (!std::regex_search(head, found, named)) return;
  std::filesystem::path usual = path;  // that assimp takes in its place
  if (std::filesystem::exists(path.parent_path() / found[1].str()) ||
      std::filesystem::exists(usual.replace_extension(".mtl"))) {
    return;
  }
  mesh.notes.push_back(
      fmt::format("warning: the file of materials '{}' is not there: without their colours and "
                  "textures",
                  clipped(found[1].str())));
}

/// Adds the parts of a scene to a mesh.
class MeshReader {
 public:
  MeshReader(const aiScene& scene, const std::filesystem::path& path, Mesh& mesh)
      : scene_(scene), path_(path), mesh_(mesh), textures_(scene.mNumMaterials) {
    float most = 0.0F;
    for (unsigned i = 0; i < scene.mNumMeshes; ++i) {
      const aiMesh& part = *scene.mMeshes[i];
      coloured_ = coloured_ || part.HasVertexColors(0) || hasColour(part);
      for (unsigned k = 0; part.HasVertexColors(0) && k < part.mNumVertices; ++k) {
        const aiColor4D& c = part.mColors[0][k];
        most = std::max({most, c.r, c.g, c.b});
      }
    }
    depth_ = map::depthOf(static_cast<double>(most), true);
  }

  void addNode(const aiNode& node, const aiMatrix4x4& parent) {
    const aiMatrix4x4 pose = parent * node.mTransformation;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      addMesh(*scene_.mMeshes[node.mMeshes[i]], pose);
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) addNode(*node.mChildren[i], pose);
  }

 private:
  const aiMaterial& materialOf(const aiMesh& part) const {
    return *scene_.mMaterials[part.mMaterialIndex];
  }
  bool hasColour(const aiMesh& part) const {
    if (part.mMaterialIndex >= scene_.mNumMaterials) return false;
    aiString name;
    aiColor3D diffuse;
    const aiMaterial& material = materialOf(part);
    if (material.GetTextureCount(aiTextureType_DIFFUSE) > 0) return true;
    // What assimp makes up for files without materials says nothing.
    const bool made_up = material.Get(AI_MATKEY_NAME, name) == AI_SUCCESS &&
                         name == aiString(AI_DEFAULT_MATERIAL_NAME);
    return !made_up && material.Get(AI_MATKEY_COLOR_DIFFUSE, diffuse) == AI_SUCCESS;
  }

  void addMesh(const aiMesh& part, const aiMatrix4x4& pose) {
    const std::size_t base = mesh_.vertices.size();
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const aiVector3D p = pose * part.mVertices[i];
      mesh_.vertices.emplace_back(p.x, p.y, p.z);
    }
    const std::uint16_t texture = coloured_ ? addColours(part) : 0;
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const aiFace& face = part.mFaces[i];
      if (face.mNumIndices != 3) continue;  // points and lines have no area
      addTriangle(face, base, part.mNumVertices, texture);
    }
  }

  void addTriangle(const aiFace& face, std::size_t base, unsigned vertices, std::uint16_t texture) {
    std::array<std::uint32_t, 3> corners{};
    bool finite = true, inside = true;
    for (unsigned k = 0; k < 3; ++k) {
      inside = inside && face.mIndices[k] < vertices;
      if (!inside) break;
      corners[k] = static_cast<std::uint32_t>(base + face.mIndices[k]);
      finite = finite && mesh_.vertices[corners[k]].allFinite();
    }
    if (!inside || !finite) {
      ++mesh_.not_finite;
      return;
    }
    const Eigen::Vector3d& a = mesh_.vertices[corners[0]];
    const Eigen::Vector3d normal =
        (mesh_.vertices[corners[1]] - a).cross(mesh_.vertices[corners[2]] - a);
    if (!(normal.norm() > 0.0)) {
      ++mesh_.degenerate;
      return;
    }
    mesh_.triangles.push_back(corners);
    if (coloured_) mesh_.texture_of.push_back(texture);
  }

  static map::Colour bytesOf(const aiColor4D& c, map::ColourDepth depth) {
    const auto shade = [depth](float raw) {
      return std::isfinite(raw) ? map::shadeOf(static_cast<double>(raw), depth) : 0.0;
    };
    return map::roundedColour({shade(c.r), shade(c.g), shade(c.b)});
  }

  /// Colours of a part's vertices; the number of its texture and one more, or 0.
  std::uint16_t addColours(const aiMesh& part) {
    aiColor3D diffuse(0.5F, 0.5F, 0.5F);
    std::uint16_t texture = 0;
    if (part.mMaterialIndex < scene_.mNumMaterials) {
      materialOf(part).Get(AI_MATKEY_COLOR_DIFFUSE, diffuse);
      if (part.HasTextureCoords(0)) texture = textureOf(part.mMaterialIndex);
    }
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const bool has = part.HasVertexColors(0);
      mesh_.colours.push_back(
          has ? bytesOf(part.mColors[0][i], depth_)
              : bytesOf({diffuse.r, diffuse.g, diffuse.b, 1.0F}, map::ColourDepth::kUnit));
      if (part.HasTextureCoords(0)) {
        mesh_.texture_at.emplace_back(part.mTextureCoords[0][i].x, part.mTextureCoords[0][i].y);
      } else {
        mesh_.texture_at.emplace_back(0.0F, 0.0F);
      }
    }
    return texture;
  }

  std::uint16_t textureOf(unsigned material) {
    std::optional<std::uint16_t>& known = textures_[material];
    if (known) return *known;
    known = 0;
    aiString name;
    if (scene_.mMaterials[material]->GetTexture(aiTextureType_DIFFUSE, 0, &name) != AI_SUCCESS) {
      return 0;
    }
    std::optional<Texture> texture = read(name);
    if (!texture) {
      mesh_.notes.push_back(fmt::format(
          "warning: texture '{}' {}: its surface has the material's colour", clipped(name.C_Str()),
          hasTextures() ? "is not there or cannot be read"
                        : "is left out, the program was built without "
                          "libstb"));
      return 0;
    }
    mesh_.textures.push_back(std::move(*texture));
    known = static_cast<std::uint16_t>(mesh_.textures.size());
    return *known;
  }

  std::optional<Texture> read(const aiString& name) const {
    if (const aiTexture* inside = scene_.GetEmbeddedTexture(name.C_Str())) {
      if (inside->mHeight > 0) return std::nullopt;  // raw pixels: no format that files have
      return readTexture(reinterpret_cast<const unsigned char*>(inside->pcData), inside->mWidth);
    }
    return readTexture(path_.parent_path() / name.C_Str());
  }

  const aiScene& scene_;
  const std::filesystem::path& path_;
  Mesh& mesh_;
  bool coloured_ = false;
  map::ColourDepth depth_ = map::ColourDepth::kUnit;    // of the vertices' colours
  std::vector<std::optional<std::uint16_t>> textures_;  // of materials
};

}  // namespace

bool hasAssimp() { return true; }

Mesh readMesh(const std::filesystem::path& path, Progress& progress) {
  std::size_t size = 0;
  { const FileDescriptor checked = openRegularFile(path, size); }
  if (size == 0) throw FileError(path.string(), "is empty");
  const std::string extension =
      requireExtension(path, {".obj", ".stl", ".ply", ".dae", ".gltf", ".glb", ".off"});
  requireWholeMesh(path, extension, size);
  progress.phase("reading " + path.filename().string());
  Mesh mesh;
  if (extension == ".dae") readColladaAsset(path, mesh);
  if (extension == ".obj") noteMaterials(path, mesh);
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
  MeshReader(*scene, path, mesh).addNode(*scene->mRootNode, aiMatrix4x4());
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
