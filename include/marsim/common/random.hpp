// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace marsim {

/// A seeded stream of random numbers that is the same on every machine, compiler and thread count
/// (SplitMix64, Steele et al., OOPSLA 2014; normal deviates by Box and Muller, 1958). Streams of
/// one seed with different ids are independent; a consumer owns its stream and never shares it.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t stream_id = 0);
  /// A stream named for its consumer, e.g. RandomStream(seed, "imu").
  RandomStream(std::uint64_t seed, std::string_view stream_name);

  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  /// Uniform integer in [0, count).
  std::uint64_t index(std::uint64_t count);
  /// Standard normal deviate.
  double normal();

 private:
  std::uint64_t state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// SplitMix64's step, 2^64 by the golden ratio: spreads seeds, stamps and numbers for mixBits().
constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15ULL;

/// SplitMix64's finaliser: a bijection that scatters neighbouring integers.
inline std::uint64_t mixBits(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace marsim
