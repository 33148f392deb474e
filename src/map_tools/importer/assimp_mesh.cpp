// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "common/line_reader.hpp"
#include "common/text.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_ASSIMP
#include <assimp/DefaultIOSystem.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/Importer.hpp>
#endif

namespace marsim::map_tools {
#ifdef MARSIM_HAS_ASSIMP

namespace {

/// The files that assimp opens itself: materials and buffers.
class AssimpFiles : public Assimp::DefaultIOSystem {
 public:
  /// `text`: read in place of the file `path`; empty: the file is read.
  AssimpFiles(InputFiles& files, std::filesystem::path path, std::string text)
      : files_(files), path_(std::move(path)), text_(std::move(text)) {}

  bool Exists(const char* name) const override {
    std::error_code error;
    return std::filesystem::is_regular_file(nativePath(name), error);
  }
  Assimp::IOStream* Open(const char* name, const char* /*mode*/) override {
    const std::filesystem::path path = nativePath(name);
    try {
      files_.admit(path);
    } catch (const FileError& error) {
      failures_.emplace_back(error.what());
      return nullptr;
    }
    if (path == path_ && !text_.empty()) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
      return new Assimp::MemoryIOStream(bytes, text_.size());
    }
    others_ = others_ || path != path_;
    return DefaultIOSystem::Open(path.c_str(), "rb");
  }

  /// Errors of files that could not be opened, in the order of the attempts.
  const std::vector<std::string>& failures() const { return failures_; }
  /// Whether a file was opened beside the mesh's own.
  bool hasOthers() const { return others_; }

 private:
  InputFiles& files_;
  const std::filesystem::path path_;
  const std::string text_;
  std::vector<std::string> failures_;
  bool others_ = false;
};

constexpr std::size_t kPlace = 4, kColour = 7;  // words of 'v x y z' and 'v x y z r g b'

/// Calls take(line, words) for the lines of an OBJ file, without blanks at their ends; words are a
/// vertex's, else none. Returns whether there were blanks before a line.
template <class Take>
bool forEachVertexLine(const std::filesystem::path& path, const Take& take) {
  std::size_t size = 0;
  std::ifstream stream = openInput(path, size);
  std::vector<std::string_view> words;
  bool is_indented = false;
  for (LineReader lines(stream, path.string()); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    is_indented = is_indented || (!line.empty() && line.data() != lines.line().data());
    words.clear();
    if (line.rfind('v', 0) == 0) map::splitWords(line, words);
    if (words.size() < kPlace || words[0] != "v") words.clear();
    take(line, words);
  }
  return is_indented;
}

/// The text of an OBJ file for assimp: without blanks before a line, which assimp refuses, and with
/// grey for vertices without a colour if others have one, since assimp assigns colours in order.
/// Empty if the file is like that itself.
std::string plainObj(const std::filesystem::path& path) {
  bool coloured = false, all = true;
  double most = 0.0;
  const auto look = [&](std::string_view, const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    all = all && words.size() == kColour;
    if (words.size() < kColour) return;
    coloured = true;
    for (std::size_t i = kPlace; i < kColour; ++i) {
      most = std::max(most, map::numberOf(words[i]).value_or(0.0));
    }
  };
  const bool is_indented = forEachVertexLine(path, look);
  if (!is_indented && (!coloured || all)) return "";
  const map::ColourDepth depth = map::depthOf(most, true);
  const char* const grey = depth == map::ColourDepth::kUnit   ? " 0.5 0.5 0.5"
                           : depth == map::ColourDepth::kByte ? " 128 128 128"
                                                              : " 32896 32896 32896";
  std::string text;
  forEachVertexLine(path, [&](std::string_view line, const std::vector<std::string_view>& words) {
    if (words.empty() || !coloured) {
      text.append(line) += '\n';
      return;
    }
    const bool has = words.size() >= kColour;
    const std::string_view last = words[has ? kColour - 1 : kPlace - 1];
    text.append(line.data(), last.data() + last.size()).append(has ? "" : grey) += '\n';
  });
  return text;
}

/// The text after `begin` up to `end`; empty if either is missing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t first = text.find(begin);
  if (first == std::string_view::npos) return {};
  text.remove_prefix(first + begin.size());
  const std::size_t last = text.find(end);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last);
}

/// The value of an attribute in the text of an XML tag; empty if it has none.
std::string_view attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::string_view rest = trimmed(tag.substr(at + name.size()));
    if (rest.empty() || rest[0] != '=') continue;  // "centimeter" is not "meter"
    const std::string_view value = trimmed(rest.substr(1));
    if (value.empty() || (value[0] != '"' && value[0] != '\'')) continue;
    return value.substr(1, value.find(value[0], 1) - 1);
  }
  return {};
}

// Reads unit and up axis of a Collada file (COLLADA 1.4.1, <asset>): assimp handles them
// differently from version to version, so its handling is turned off.
void readColladaAsset(const std::filesystem::path& path, Mesh& mesh) {
  const std::string head = headOf(path);
  const std::string_view up = trimmed(between(head, "<up_axis>", "</up_axis>"));
  mesh.up = up == "X_UP" ? UpAxis::kX : up == "Z_UP" ? UpAxis::kZ : UpAxis::kY;  // Y: the default
  const std::string_view value = attribute(between(head, "<unit", ">"), "meter");
  if (value.empty()) return;
  const std::string text(value);
  const double metres = std::strtod(text.c_str(), nullptr);
  if (!(metres > 0.0) || !std::isfinite(metres)) {
    throw FileError(path.string(), fmt::format("has a unit of {} m, allowed: > 0", clipped(text)));
  }
  mesh.unit = metres;
}

/// Adds the parts of a scene to a mesh.
class MeshReader {
 public:
  MeshReader(const aiScene& scene, const std::filesystem::path& path, InputFiles& files, Mesh& mesh)
      : scene_(scene), path_(path), files_(files), mesh_(mesh), textures_(scene.mNumMaterials) {
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
    // assimp invents a material for files without one.
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
      addFace(face, base, part.mNumVertices, texture);
    }
  }

  void addFace(const aiFace& face, std::size_t base, unsigned vertices, std::uint16_t texture) {
    std::array<std::uint32_t, 3> corners{};
    for (unsigned k = 0; k < 3; ++k) {
      if (face.mIndices[k] >= vertices) {
        ++mesh_.not_finite;
        return;
      }
      corners[k] = static_cast<std::uint32_t>(base + face.mIndices[k]);
    }
    if (addTriangle(mesh_, corners) && coloured_) mesh_.texture_of.push_back(texture);
  }

  static map::Colour bytesOf(const aiColor4D& c, map::ColourDepth depth) {
    const auto shade = [depth](float raw) {
      return std::isfinite(raw) ? map::shadeOf(static_cast<double>(raw), depth) : 0.0;
    };
    return map::roundedColour({shade(c.r), shade(c.g), shade(c.b)});
  }

  /// Adds colours of a part's vertices; returns the number of its texture plus 1, or 0.
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
      mesh_.notes.push_back(missingTexture(name.C_Str()));
      return 0;
    }
    mesh_.textures.push_back(std::move(*texture));
    known = static_cast<std::uint16_t>(mesh_.textures.size());
    return *known;
  }

  std::optional<Texture> read(const aiString& name) const {
    if (const aiTexture* inside = scene_.GetEmbeddedTexture(name.C_Str())) {
      if (inside->mHeight > 0) return std::nullopt;  // raw pixels: no file format has them
      return readTexture(reinterpret_cast<const unsigned char*>(inside->pcData), inside->mWidth);
    }
    return readTexture(path_.parent_path() / name.C_Str(), files_);
  }

  const aiScene& scene_;
  const std::filesystem::path& path_;
  InputFiles& files_;
  Mesh& mesh_;
  bool coloured_ = false;
  map::ColourDepth depth_ = map::ColourDepth::kUnit;    // for the vertices' colours
  std::vector<std::optional<std::uint16_t>> textures_;  // by material
};

}  // namespace

Mesh readAssimpMesh(const std::filesystem::path& path, const std::string& extension,
                    InputFiles& files) {
  requireWholeMesh(path, extension, files.admit(path));
  Mesh mesh;
  if (extension == ".dae") readColladaAsset(path, mesh);
  if (extension == ".gltf" || extension == ".glb") mesh.up = UpAxis::kY;  // glTF 2.0, 3.4
  Assimp::Importer importer;
  auto* const opened = new AssimpFiles(files, path, extension == ".obj" ? plainObj(path) : "");
  importer.SetIOHandler(opened);  // the importer owns it
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_Triangulate);
  const std::string missing = opened->failures().empty() ? "" : opened->failures().front();
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw FileError(path.string(),
                    fmt::format("cannot be read: {}{}{}", clipped(importer.GetErrorString(), 120),
                                missing.empty() ? "" : "; ", missing));
  }
  if (extension == ".obj" && !missing.empty() && !opened->hasOthers()) {
    mesh.notes.push_back("warning: materials are left out: " + missing);
  }
  // The root of a Collada file is its scene, whose pose is assimp's conversion of the unit.
  if (extension == ".dae") scene->mRootNode->mTransformation = aiMatrix4x4();
  MeshReader(*scene, path, files, mesh).addNode(*scene->mRootNode, aiMatrix4x4());
  const bool only_points =
      std::all_of(scene->mMeshes, scene->mMeshes + scene->mNumMeshes, [](const aiMesh* part) {
        return (part->mPrimitiveTypes & ~static_cast<unsigned>(aiPrimitiveType_POINT)) == 0;
      });
  if (mesh.vertices.empty() || !only_points) requireTriangles(path, mesh);
  return mesh;
}

#else

Mesh readAssimpMesh(const std::filesystem::path& path, const std::string& /*extension*/,
                    InputFiles& /*files*/) {
  throw FileError(path.string(),
                  "is a mesh, and the program was built without assimp (libassimp-dev)");
}

#endif

}  // namespace marsim::map_tools
