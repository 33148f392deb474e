// SPDX-License-Identifier: BSD-3-Clause
#include "suite/markup.hpp"

#include <cstddef>
#include <cstdint>

namespace marsim::suite {
namespace {

bool isControl(unsigned char byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f;
}

/// Bytes of the UTF-8 character that begins at `at`; 0 if it is invalid. Surrogates, overlong forms
/// and the two non-characters that XML forbids are invalid.
std::size_t sizeAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + size > text.size()) return 0;
  std::uint32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return 0;
    code = code << 6U | (byte(at + i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool none =
      code < kLeast[size] || surrogate || code > 0x10ffff || (code & 0xfffe) == 0xfffe;
  return none ? 0 : size;
}

}  // namespace

std::string cleaned(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = sizeAt(text, i);
    if (size == 0 || isControl(static_cast<unsigned char>(text[i]))) {
      result += '?';
      ++i;
      continue;
    }
    result.append(text.substr(i, size));
    i += size;
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : cleaned(text)) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

}  // namespace marsim::suite
