// SPDX-License-Identifier: BSD-3-Clause
#include "common/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

namespace marsim {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Levenshtein distance, a swap of neighbours counting as one (optimal string alignment).
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// The digits that begin at `from`, without zeros that do not change the value.
std::string_view digitsAt(std::string_view text, std::size_t from, bool is_decimal,
                          std::size_t& end) {
  end = std::min(text.find_first_not_of("0123456789", from), text.size());
  std::string_view digits = text.substr(from, end - from);
  if (is_decimal) return digits.substr(0, digits.find_last_not_of('0') + 1);
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

int naturalOrder(std::string_view a, std::string_view b, bool decimals) {
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (!isDigit(a[i]) || !isDigit(b[k])) {
      if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[k]);
      ++i;
      ++k;
      continue;
    }
    const bool is_decimal = decimals && i > 1 && a[i - 1] == '.' && isDigit(a[i - 2]);
    const std::string_view x = digitsAt(a, i, is_decimal, i), y = digitsAt(b, k, is_decimal, k);
    if (!is_decimal && x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (const int order = x.compare(y); order != 0) return order;
  }
  return static_cast<int>(i < a.size()) - static_cast<int>(k < b.size());
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 100;  // longer names are no typing errors
  std::string best;
  if (name.size() > kLongest) return best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(lowered(name), lowered(candidate));
    const std::size_t tolerated =
        std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    if (distance > tolerated) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const char* const white_space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::string clipped(std::string_view text, std::size_t most) {
  std::size_t length = text.size();
  if (length > most) {
    length = most - 3;
    // Do not cut within a character of UTF-8.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::string result(text.substr(0, length));
  for (char& c : result) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return length < text.size() ? result + "..." : result;
}

std::optional<std::uint64_t> parseWhole(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string withThousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace marsim
