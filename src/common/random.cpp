// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/random.hpp"

#include <cmath>

#include "marsim/common/units.hpp"

namespace marsim {
namespace {

// FNV-1a, 64 bits.
std::uint64_t hashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream_id)
    : state_(mixBits(mixBits(seed + kGoldenGamma) ^ (stream_id * kGoldenGamma))) {}

RandomStream::RandomStream(std::uint64_t seed, std::string_view stream_name)
    : RandomStream(seed, hashName(stream_name)) {}

std::uint64_t RandomStream::next() {
  state_ += kGoldenGamma;
  return mixBits(state_);
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t RandomStream::index(std::uint64_t count) {
  return static_cast<std::uint64_t>(uniform() * static_cast<double>(count));
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * kPi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace marsim
