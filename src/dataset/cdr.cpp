// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/cdr.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::dataset {

CdrReader::CdrReader(std::string_view bytes) : bytes_(bytes) {
  const bool is_plain = bytes.size() >= Cdr::kHead && bytes[0] == 0 && (bytes[1] & ~1) == 0;
  if (!is_plain) {
    throw Error(
        fmt::format("the encoding of {} bytes is unknown, allowed: plain CDR", bytes.size()));
  }
  swaps_ = bytes[1] == 0;
}

void CdrReader::take(std::size_t size, std::size_t align, char* to) {
  at_ += (align - (at_ - Cdr::kHead) % align) % align;
  if (at_ + size > bytes_.size()) {
    throw Error(fmt::format("the message ends after {} bytes, within a field", bytes_.size()));
  }
  std::memcpy(to, bytes_.data() + at_, size);
  if (swaps_) std::reverse(to, to + size);
  at_ += size;
}

void CdrReader::check(double value) {
  ++number_;
  if (!std::isfinite(value) || std::abs(value) <= kLargestNumber) return;
  throw Error(fmt::format("number {} of the message is {:g}, allowed: {:g} to {:g}", number_, value,
                          -kLargestNumber, kLargestNumber));
}

std::string CdrReader::text() {
  const auto length = read<std::uint32_t>();  // with the zero at its end
  if (length > kLongestText + 1) {
    throw Error(
        fmt::format("a text has {} characters, allowed: up to {}", length - 1, kLongestText));
  }
  std::string text(length, '\0');
  for (char& letter : text) take(1, 1, &letter);
  if (!text.empty()) text.pop_back();
  return text;
}

std::size_t CdrReader::count() {
  const auto count = read<std::uint32_t>();
  if (count <= kMostEntries) return count;
  throw Error(fmt::format("an array has {} entries, allowed: up to {}", count, kMostEntries));
}

Eigen::Vector3d CdrReader::vector() {
  Eigen::Vector3d v;
  for (double& number : v) number = read<double>();
  return v;
}

Eigen::Quaterniond CdrReader::quaternion() {
  Eigen::Quaterniond q;
  for (double& number : q.coeffs()) number = read<double>();  // x y z w
  return q;
}

TimeNs CdrReader::time() {
  const auto seconds = read<std::int32_t>();
  return seconds * kNsPerSecond + read<std::uint32_t>();
}

void CdrReader::finish() const {
  constexpr std::size_t kPadding = 3;  // writers may fill the last four bytes
  if (at_ + kPadding >= bytes_.size()) return;
  throw Error(fmt::format("the message has {} bytes, allowed: {}", bytes_.size(), at_));
}

}  // namespace marsim::dataset
