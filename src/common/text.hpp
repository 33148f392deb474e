// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marsim {

/// The candidate nearest to `name` by edit distance (case ignored), or "" if none is near enough
/// for a typing error (more than a third of the letters differ, or more than 100 letters).
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

/// Joins items as in "a, b, c".
std::string join(const std::vector<std::string>& items, std::string_view separator = ", ");

/// Splits at every separator; "a,,b" gives three parts, "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// The text without white space at either end.
std::string_view trimmed(std::string_view text);

/// A text for a message of one line: at most `most` characters, the end of a longer one replaced by
/// "...", control characters by '?'.
std::string clipped(std::string_view text, std::size_t most = 60);

/// A whole number from 0 to 2^64 - 1 in decimal digits only; none for any other text.
std::optional<std::uint64_t> parseWhole(std::string_view text);

/// Order of two names in which numbers count by value, so that a2 precedes a10: negative, 0 (for a1
/// and a01) or positive. With `decimals` the digits after a number's point are decimals, so that
/// 1.25 precedes 1.3.
int naturalOrder(std::string_view a, std::string_view b, bool decimals = false);

/// 1234567 -> "1,234,567".
std::string withThousands(std::uint64_t value);

}  // namespace marsim
