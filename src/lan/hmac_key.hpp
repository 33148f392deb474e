// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace marsim {

/// A secret shared by machines that authenticate each other's messages with HMAC-SHA-256 (RFC
/// 2104), truncated to its first 16 bytes. Without a secret the tags still detect damage, but
/// anybody can make them.
class HmacKey {
 public:
  using Tag = std::array<std::uint8_t, 16>;

  HmacKey() = default;
  explicit HmacKey(std::string secret) : secret_(std::move(secret)) {}
  /// Reads the secret from a text file, without white space at its ends. Throws FileError if it
  /// cannot be read or has fewer than 32 or more than 4096 characters.
  static HmacKey read(const std::filesystem::path& path);

  bool isSecret() const { return !secret_.empty(); }
  Tag tag(std::string_view message) const;
  /// Takes constant time, wherever the tags differ.
  bool verifies(std::string_view message, const Tag& tag) const;

 private:
  std::string secret_;
};

/// Whether users other than its owner may read a file.
bool isReadableByOthers(const std::filesystem::path& path);

}  // namespace marsim
