#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marsim {

/// The candidate nearest to `name` by edit distance (case ignored), or "" where none is near enough
/// to be a slip of the keyboard (more than a third of the letters differ, or more than 100
/// letters).
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& items, std::string_view separator = ", ");

/// Splits at every separator; "a,,b" gives three parts, "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// Without white space at either end.
std::string_view trimmed(std::string_view text);

/// A text fit for a message of one line: at most `most` characters, the end of a longer one
/// replaced by "...", control characters by '?'.
std::string clipped(std::string_view text, std::size_t most = 60);

/// A whole number from 0 to 2^64 - 1 in decimal digits and nothing else; nothing where it is not.
std::optional<std::uint64_t> parseWhole(std::string_view text);

/// 1234567 -> "1,234,567".
std::string withThousands(std::uint64_t value);

}  // namespace marsim
