#include "dataset/png.hpp"

#include <cmath>
#include <cstdint>

#include <zlib.h>

#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

void appendBigEndian(std::uint32_t value, std::string& bytes) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
}

/// A chunk (PNG specification, section 5): length, type, content, checksum of the last two.
void appendChunk(const std::string& typed_content, std::string& bytes) {
  appendBigEndian(static_cast<std::uint32_t>(typed_content.size() - 4), bytes);
  bytes += typed_content;
  const auto* data = reinterpret_cast<const Bytef*>(typed_content.data());
  const uLong sum = crc32(0, data, static_cast<uInt>(typed_content.size()));
  appendBigEndian(static_cast<std::uint32_t>(sum), bytes);
}

std::string compressed(const std::string& bytes) {
  constexpr int kQuick = 1;
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), kQuick);
  if (result != Z_OK) throw Error("zlib cannot pack an image: no memory");
  packed.resize(size);
  return packed;
}

std::uint16_t stepsOf(float depth, double steps_a_metre) {
  const double steps = std::round(static_cast<double>(depth) * steps_a_metre);
  return steps >= 1.0 && steps <= 65535.0 ? static_cast<std::uint16_t>(steps) : 0;
}

/// For rows filtered by kSub: differences from the pixel to the left.
std::string pngOf(const std::string& rows, int width, std::size_t height, char bits, char colour) {
  std::string header = "IHDR";
  appendBigEndian(static_cast<std::uint32_t>(width), header);
  appendBigEndian(static_cast<std::uint32_t>(height), header);
  header += {bits, colour, '\0', '\0', '\0'};  // the only methods; not interlaced
  std::string bytes = "\x89PNG\r\n\x1a\n";
  appendChunk(header, bytes);
  appendChunk("IDAT" + compressed(rows), bytes);
  appendChunk("IEND", bytes);
  return bytes;
}

constexpr char kSub = 1;
constexpr char kGrey = 0, kColours = 2;

}  // namespace

std::string depthPng(const std::vector<float>& depth, int width, double steps_a_metre) {
  std::vector<std::uint16_t> steps;
  steps.reserve(depth.size());
  for (const float z : depth) steps.push_back(stepsOf(z, steps_a_metre));
  return greyPng(steps, width);
}

std::string greyPng(const std::vector<std::uint16_t>& pixels, int width) {
  const auto columns = static_cast<std::size_t>(width);
  std::string rows;
  rows.reserve(2 * pixels.size() + pixels.size() / columns);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t column = i % columns;
    if (column == 0) rows.push_back(kSub);
    const std::uint16_t here = pixels[i], left = column == 0 ? std::uint16_t{0} : pixels[i - 1];
    rows.push_back(static_cast<char>((here >> 8U) - (left >> 8U)));
    rows.push_back(static_cast<char>((here & 0xffU) - (left & 0xffU)));
  }
  return pngOf(rows, width, pixels.size() / columns, 16, kGrey);
}

std::string imagePng(const std::vector<std::uint8_t>& pixels, int width,
                     lidar::ImageEncoding encoding) {
  const std::size_t size = lidar::bytesOf(encoding);
  const std::size_t step = size * static_cast<std::size_t>(width);
  std::string rows;
  rows.reserve(pixels.size() + pixels.size() / step);
  for (std::size_t i = 0; i < pixels.size(); i += size) {
    if (i % step == 0) rows.push_back(kSub);
    for (std::size_t colour = 0; colour < size; ++colour) {
      const std::size_t at =
          i + (encoding == lidar::ImageEncoding::kBgr8 ? size - 1 - colour : colour);
      const int left = i % step == 0 ? 0 : pixels[at - size];
      rows.push_back(static_cast<char>(pixels[at] - left));
    }
  }
  return pngOf(rows, width, pixels.size() / step, 8, size == 1 ? kGrey : kColours);
}

}  // namespace marsim::dataset
