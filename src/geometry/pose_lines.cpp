// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/pose_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::size_t kMostComments = 100;

/// Length of the mark that makes a line a comment, 0 where it is none.
std::size_t commentMark(std::string_view line) {
  if (line.empty()) return 0;
  if (line.front() == '#' || line.front() == '%') return 1;
  return line.substr(0, 2) == "//" ? 2 : 0;
}

// Digit by digit, since a double cannot hold nanoseconds since 1970; further digits are dropped.
std::optional<TimeNs> parseDecimalStamp(std::string_view text, int decimals) {
  const bool is_negative = !text.empty() && text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  TimeNs stamp = 0;
  int left = -1;  // decimals still to come; < 0: before the point
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.' && left < 0) {
      left = decimals;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    has_digit = true;
    if (left == 0) continue;
    if (stamp > kFarthestPoseStamp / 10) return std::nullopt;
    stamp = 10 * stamp + (c - '0');
    if (left > 0) --left;
  }
  for (int i = left < 0 ? decimals : left; i > 0; --i) {
    if (stamp > kFarthestPoseStamp / 10) return std::nullopt;
    stamp *= 10;
  }
  if (!has_digit) return std::nullopt;
  return is_negative ? -stamp : stamp;
}

std::ifstream openPoses(const std::filesystem::path& path) {
  std::size_t size = 0;
  return openInput(path, size);
}

}  // namespace

PoseLines::PoseLines(const std::filesystem::path& path)
    : path_(path.string()), stream_(openPoses(path)), lines_(stream_, path_) {}

bool PoseLines::next() {
  while (lines_.next()) {
    std::string_view line = lines_.line();
    if (lines_.number() == 1 && line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
    line = trimmed(line);
    if (line.empty()) continue;
    if (const std::size_t mark = commentMark(line); mark > 0) {
      if (comments_.size() < kMostComments) {
        comments_.push_back({std::string(trimmed(line.substr(mark))), lines_.number()});
      }
      continue;
    }
    text_ = line;
    return true;
  }
  return false;
}

std::vector<std::string_view> PoseLines::words() const { return poseWords(text_); }

void PoseLines::refuse(const std::string& reason, std::size_t number) const {
  throw FileError(path_, fmt::format("line {}: {}", number > 0 ? number : lines_.number(), reason));
}

std::vector<std::string_view> poseWords(std::string_view line) {
  std::vector<std::string_view> words;
  if (line.find(',') == std::string_view::npos) {
    while (!(line = trimmed(line)).empty()) {
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      words.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return words;
  }
  for (bool more = true; more;) {
    const std::size_t end = line.find(',');
    more = end != std::string_view::npos;
    words.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(more ? end + 1 : line.size());
  }
  if (words.back().empty()) words.pop_back();  // a comma after the last
  return words;
}

std::optional<double> poseNumber(std::string_view text) {
  double value = 0.0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<TimeNs> poseStamp(std::string_view text, int decimals) {
  if (const auto stamp = parseDecimalStamp(text, decimals)) return stamp;
  const auto number = poseNumber(text);  // 1.5e3
  double nanoseconds = number ? *number : NAN;
  for (int i = 0; i < decimals; ++i) nanoseconds *= 10.0;
  if (!(std::abs(nanoseconds) <= static_cast<double>(kFarthestPoseStamp))) return std::nullopt;
  return std::llround(nanoseconds);
}

}  // namespace marsim
