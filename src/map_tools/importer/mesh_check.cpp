// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "common/text.hpp"
#include "map_tools/importer/importer.hpp"
#include "marsim/common/error.hpp"

// assimp reads truncated files as shorter ones, or ends the program.
namespace marsim::map_tools {
namespace {

constexpr std::size_t kHead = 1U << 16U;  // [bytes] in which a file's header is looked for

// The last bytes of a file.
std::string endOf(const std::filesystem::path& path, std::size_t size, std::size_t bytes) {
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(-static_cast<std::streamoff>(std::min(size, bytes)), std::ios::end);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void requireWholeStl(const std::filesystem::path& path, std::size_t size) {
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
  if (endOf(path, size, 512).find("endsolid") == std::string::npos) {
    throw FileError(path.string(), "is partly written: it does not end with endsolid");
  }
}

/// Lines of an OFF file without comments and blank lines.
class OffLines {
 public:
  explicit OffLines(const std::filesystem::path& path) : stream_(path, std::ios::binary) {}

  /// Words of the next line, none at the end of the file; valid until the next call.
  std::vector<std::string_view> next() {
    while (std::getline(stream_, line_)) {
      std::vector<std::string_view> words =
          map::words(std::string_view(line_).substr(0, std::min(line_.find('#'), line_.size())));
      if (!words.empty()) return words;
    }
    return {};
  }

 private:
  std::ifstream stream_;
  std::string line_;
};

// A line a vertex and a line a face (Geomview's manual, "OFF Files").
void requireWholeOff(const std::filesystem::path& path) {
  OffLines lines(path);
  std::vector<std::string_view> counts = lines.next();
  if (!counts.empty() && !parseWhole(counts[0])) counts.erase(counts.begin());
  if (counts.empty()) counts = lines.next();
  const auto count = [&](std::size_t i) {
    return i < counts.size() ? parseWhole(counts[i]) : std::nullopt;
  };
  const std::optional<std::uint64_t> vertices = count(0), faces = count(1);
  if (!vertices || !faces) {
    throw FileError(path.string(), "is no OFF file: it does not say how many vertices and faces");
  }
  const auto requireLines = [&](std::uint64_t wanted, const char* what, const auto& isWhole) {
    for (std::uint64_t i = 0; i < wanted; ++i) {
      if (isWhole(lines.next())) continue;
      throw FileError(path.string(), fmt::format("is partly written: it holds {} of {} {}",
                                                 withThousands(i), withThousands(wanted), what));
    }
  };
  requireLines(*vertices, "vertices", [](const auto& words) { return words.size() >= 3; });
  requireLines(*faces, "faces", [](const auto& words) {
    const auto corners = words.empty() ? std::nullopt : parseWhole(words[0]);
    return corners && *corners < words.size();
  });
}

// OBJ does not tell its length: a last line that ends too early shows a truncation.
void requireWholeObj(const std::filesystem::path& path, std::size_t size) {
  const std::string end = endOf(path, size, 4096);
  const std::vector<std::string_view> words =
      map::words(std::string_view(end).substr(end.rfind('\n') + 1));
  if (words.empty() || words.size() >= 4 || (words[0] != "v" && words[0] != "f")) return;
  throw FileError(path.string(), fmt::format("is partly written: its last line is '{}'",
                                             map::excerpt(end.substr(end.rfind('\n') + 1))));
}

}  // namespace

std::string headOf(const std::filesystem::path& path) {
  std::string text(kHead, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

void requireWholeMesh(const std::filesystem::path& path, const std::string& extension,
                      std::size_t size) {
  if (extension == ".stl") requireWholeStl(path, size);
  if (extension == ".off") requireWholeOff(path);
  if (extension == ".obj") requireWholeObj(path, size);
}

}  // namespace marsim::map_tools
