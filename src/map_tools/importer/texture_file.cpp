// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_STB
#include <cstring>
#include <memory>

#include <unistd.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#endif

namespace marsim::map_tools {

std::filesystem::path nativePath(const std::filesystem::path& path) {
  std::error_code error;
  std::string name = path.string();
  if (name.find('\\') == std::string::npos || std::filesystem::exists(path, error)) return path;
  std::replace(name.begin(), name.end(), '\\', '/');
  return std::filesystem::exists(name, error) ? std::filesystem::path(name) : path;
}

#ifdef MARSIM_HAS_STB

namespace {

std::optional<Texture> textureOf(unsigned char* pixels, int width, int height) {
  const std::unique_ptr<unsigned char, void (*)(void*)> owned(pixels, stbi_image_free);
  if (!owned) {
    const char* const reason = stbi_failure_reason();
    if (reason != nullptr && std::strcmp(reason, "outofmem") == 0) _exit(kOutOfMemory);
    return std::nullopt;
  }
  Texture texture{width, height, {}};
  texture.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < texture.pixels.size(); ++i) {
    std::copy_n(pixels + 3 * i, 3, texture.pixels[i].begin());
  }
  return texture;
}

}  // namespace

std::string missingTexture(const std::string& name) {
  return fmt::format(
      "warning: texture '{}' is not there or cannot be read: its surface has the material's colour",
      clipped(name));
}

std::optional<Texture> readTexture(const std::filesystem::path& path, InputFiles& files) {
  const std::filesystem::path native = nativePath(path);
  try {
    files.admit(native);
  } catch (const FileError&) {
    return std::nullopt;
  }
  int width = 0, height = 0, channels = 0;
  unsigned char* const pixels = stbi_load(native.c_str(), &width, &height, &channels, 3);
  return textureOf(pixels, width, height);
}

std::optional<Texture> readTexture(const unsigned char* bytes, std::size_t size) {
  int width = 0, height = 0, channels = 0;
  unsigned char* const pixels =
      stbi_load_from_memory(bytes, static_cast<int>(size), &width, &height, &channels, 3);
  return textureOf(pixels, width, height);
}

#else

std::string missingTexture(const std::string& name) {
  return fmt::format(
      "warning: texture '{}' is left out, the program was built without libstb: its "
      "surface has the material's colour",
      clipped(name));
}

std::optional<Texture> readTexture(const std::filesystem::path& /*path*/, InputFiles& /*files*/) {
  return std::nullopt;
}
std::optional<Texture> readTexture(const unsigned char* /*bytes*/, std::size_t /*size*/) {
  return std::nullopt;
}

#endif

}  // namespace marsim::map_tools
