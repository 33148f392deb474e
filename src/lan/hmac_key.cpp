// SPDX-License-Identifier: BSD-3-Clause
#include "lan/hmac_key.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::size_t kFewest = 32, kMost = 4096;  // characters of a secret

}  // namespace

HmacKey HmacKey::read(const std::filesystem::path& path) {
  const std::string text = readFile(path, 2 * kMost);
  const std::string_view secret = trimmed(text);
  if (secret.size() < kFewest || secret.size() > kMost) {
    throw FileError(path.string(), fmt::format("a key of {} characters, allowed: {} to {}",
                                               secret.size(), kFewest, kMost));
  }
  return HmacKey(std::string(secret));
}

HmacKey::Tag HmacKey::tag(std::string_view message) const {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> whole{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
           reinterpret_cast<const std::uint8_t*>(message.data()), message.size(), whole.data(),
           &size) == nullptr ||
      size < std::tuple_size_v<Tag>) {
    throw Error("HMAC-SHA-256 is not available in this OpenSSL");
  }
  Tag tag{};
  std::copy_n(whole.begin(), tag.size(), tag.begin());
  return tag;
}

bool HmacKey::verifies(std::string_view message, const Tag& tag) const {
  const Tag expected = this->tag(message);
  return CRYPTO_memcmp(expected.data(), tag.data(), tag.size()) == 0;
}

bool isReadableByOthers(const std::filesystem::path& path) {
  using std::filesystem::perms;
  std::error_code none;
  const perms allowed = std::filesystem::status(path, none).permissions();
  return !none && (allowed & (perms::group_read | perms::others_read)) != perms::none;
}

}  // namespace marsim
