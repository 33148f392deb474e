// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(MARSIM_SIMD_PORTABLE)
#elif defined(__SSE4_1__)
#include <immintrin.h>
#endif

/// Eight floats or integers, in the instruction set that the including source is compiled for: one
/// register of AVX, or two of four lanes each. Everything is internal to that source.
namespace marsim::lidar {
namespace {

#if defined(__AVX2__) && !defined(MARSIM_SIMD_PORTABLE)
// Vectors of the compiler: arithmetic, comparisons and bit operations come with them.
typedef float Float8 __attribute__((vector_size(32)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));

inline Float8 all8(float value) {
  return Float8{value, value, value, value, value, value, value, value};
}
inline Int8 ints8(int a, int b, int c, int d, int e, int f, int g, int h) {
  return Int8{a, b, c, d, e, f, g, h};
}
inline Float8 toFloat(Int8 a) { return __builtin_convertvector(a, Float8); }
/// Rounds towards zero, for values in the range of integers.
inline Int8 truncated(Float8 a) { return __builtin_convertvector(a, Int8); }
inline Float8 asFloat(Int8 a) { return reinterpret_cast<Float8>(a); }
inline Int8 asInt(Float8 a) { return reinterpret_cast<Int8>(a); }

// A NaN in `a` gives `b`.
inline Float8 min8(Float8 a, Float8 b) { return _mm256_min_ps(a, b); }
inline Float8 max8(Float8 a, Float8 b) { return _mm256_max_ps(a, b); }
inline Float8 fromBytes(const std::uint8_t* bytes) {
  const __m128i raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(raw));
}
/// Bit i: sign of lane i.
inline unsigned signs(Int8 a) {
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(a)));
}
/// b where the sign of `mask` is set, else a.
inline Float8 blend8(Float8 a, Float8 b, Int8 mask) {
  return _mm256_blendv_ps(a, b, reinterpret_cast<__m256>(mask));
}
/// 1 / a within a relative 4e-4.
inline Float8 roughInverse(Float8 a) { return _mm256_rcp_ps(a); }
inline Float8 sqrt8(Float8 a) { return _mm256_sqrt_ps(a); }
inline float least(Float8 a) {
  __m128 m = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  m = _mm_min_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
inline float laneOf(Float8 a, unsigned lane) { return a[lane]; }

// Unsigned integers, modulo 2^32.
typedef std::uint32_t Bits8 __attribute__((vector_size(32)));
inline Bits8 bitsOf(Int8 a) { return reinterpret_cast<Bits8>(a); }
inline Int8 asInt(Bits8 a) { return reinterpret_cast<Int8>(a); }

/// Indices that move the lanes with set bits together.
struct PackingTable {
  alignas(64) std::uint8_t lanes[256][8];

  constexpr PackingTable() : lanes() {
    for (int bits = 0; bits < 256; ++bits) {
      int count = 0;
      for (int i = 0; i < 8; ++i) {
        if ((bits >> i & 1) != 0) lanes[bits][count++] = static_cast<std::uint8_t>(i);
      }
    }
  }
};
constexpr PackingTable kPacking;

/// Moves chosen lanes together.
class Packing {
 public:
  explicit Packing(unsigned lanes)
      : places_(_mm256_cvtepu8_epi32(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPacking.lanes[lanes])))) {}

  /// Writes those lanes one after another; the rest of the eight values is undefined.
  void store(Float8 values, void* to) const {
    const __m256 packed = _mm256_permutevar8x32_ps(values, places_);
    __builtin_memcpy(to, &packed, sizeof(packed));
  }

 private:
  __m256i places_;
};

#else
// Two vectors of four lanes, so that each stays in its register.
typedef float Float4 __attribute__((vector_size(16)));
typedef std::int32_t Int4 __attribute__((vector_size(16)));
typedef std::uint32_t Uint4 __attribute__((vector_size(16)));

struct Float8 {
  Float4 low, high;
};
struct Int8 {
  Int4 low, high;
};

inline Float8 all8(float a) { return {Float4{a, a, a, a}, Float4{a, a, a, a}}; }
inline Int8 all8(std::int32_t a) { return {Int4{a, a, a, a}, Int4{a, a, a, a}}; }
inline Int8 ints8(int a, int b, int c, int d, int e, int f, int g, int h) {
  return {Int4{a, b, c, d}, Int4{e, f, g, h}};
}

// Lane by lane, between two eights or an eight and one value for all.
#define MARSIM_LANEWISE(Result, Vector, Scalar, op)                                            \
  inline Result operator op(Vector a, Vector b) { return {a.low op b.low, a.high op b.high}; } \
  inline Result operator op(Vector a, Scalar b) { return a op all8(b); }                       \
  inline Result operator op(Scalar a, Vector b) { return all8(a) op b; }
MARSIM_LANEWISE(Float8, Float8, float, +)
MARSIM_LANEWISE(Float8, Float8, float, -)
MARSIM_LANEWISE(Float8, Float8, float, *)
MARSIM_LANEWISE(Float8, Float8, float, /)
MARSIM_LANEWISE(Int8, Float8, float, <)
MARSIM_LANEWISE(Int8, Float8, float, <=)
MARSIM_LANEWISE(Int8, Float8, float, >)
MARSIM_LANEWISE(Int8, Float8, float, >=)
MARSIM_LANEWISE(Int8, Float8, float, ==)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, +)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, -)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, &)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, |)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, <)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, >)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, >=)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, ==)
MARSIM_LANEWISE(Int8, Int8, std::int32_t, !=)
#undef MARSIM_LANEWISE
inline Float8 operator-(Float8 a) { return {-a.low, -a.high}; }
inline Int8 operator~(Int8 a) { return {~a.low, ~a.high}; }
inline Int8 operator<<(Int8 a, int bits) { return {a.low << bits, a.high << bits}; }
inline Int8 operator>>(Int8 a, int bits) { return {a.low >> bits, a.high >> bits}; }
inline Float8& operator+=(Float8& a, Float8 b) { return a = a + b; }
inline Int8& operator-=(Int8& a, Int8 b) { return a = a - b; }
inline Int8& operator&=(Int8& a, Int8 b) { return a = a & b; }
inline Int8& operator|=(Int8& a, Int8 b) { return a = a | b; }

inline Float8 toFloat(Int8 a) {
  return {__builtin_convertvector(a.low, Float4), __builtin_convertvector(a.high, Float4)};
}
inline Int8 truncated(Float8 a) {
  return {__builtin_convertvector(a.low, Int4), __builtin_convertvector(a.high, Int4)};
}
inline Float8 asFloat(Int8 a) {
  return {reinterpret_cast<Float4>(a.low), reinterpret_cast<Float4>(a.high)};
}
inline Int8 asInt(Float8 a) {
  return {reinterpret_cast<Int4>(a.low), reinterpret_cast<Int4>(a.high)};
}
inline float laneOf(Float8 a, unsigned lane) { return lane < 4 ? a.low[lane] : a.high[lane - 4]; }

// Unsigned integers, modulo 2^32.
struct Bits8 {
  Uint4 low, high;
};
inline Bits8 operator+(Bits8 a, Bits8 b) { return {a.low + b.low, a.high + b.high}; }
inline Bits8 operator+(Bits8 a, std::uint32_t b) { return {a.low + b, a.high + b}; }
inline Bits8 operator*(Bits8 a, std::uint32_t b) { return {a.low * b, a.high * b}; }
inline Bits8 operator^(Bits8 a, Bits8 b) { return {a.low ^ b.low, a.high ^ b.high}; }
inline Bits8 operator>>(Bits8 a, unsigned bits) { return {a.low >> bits, a.high >> bits}; }
inline Bits8 bitsOf(Int8 a) {
  return {reinterpret_cast<Uint4>(a.low), reinterpret_cast<Uint4>(a.high)};
}
inline Int8 asInt(Bits8 a) {
  return {reinterpret_cast<Int4>(a.low), reinterpret_cast<Int4>(a.high)};
}

#if defined(__SSE4_1__) && !defined(MARSIM_SIMD_PORTABLE)
inline Float8 min8(Float8 a, Float8 b) {
  return {_mm_min_ps(a.low, b.low), _mm_min_ps(a.high, b.high)};
}
inline Float8 max8(Float8 a, Float8 b) {
  return {_mm_max_ps(a.low, b.low), _mm_max_ps(a.high, b.high)};
}
inline Float8 fromBytes(const std::uint8_t* bytes) {
  const __m128i raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return {_mm_cvtepi32_ps(_mm_cvtepu8_epi32(raw)),
          _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(raw, 4)))};
}
inline unsigned signs(Int8 a) {
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(a.low)) |
                               _mm_movemask_ps(reinterpret_cast<__m128>(a.high)) << 4);
}
inline Float8 blend8(Float8 a, Float8 b, Int8 mask) {
  return {_mm_blendv_ps(a.low, b.low, reinterpret_cast<__m128>(mask.low)),
          _mm_blendv_ps(a.high, b.high, reinterpret_cast<__m128>(mask.high))};
}
inline Float8 roughInverse(Float8 a) { return {_mm_rcp_ps(a.low), _mm_rcp_ps(a.high)}; }
inline Float8 sqrt8(Float8 a) { return {_mm_sqrt_ps(a.low), _mm_sqrt_ps(a.high)}; }
inline float least(Float8 a) {
  __m128 m = _mm_min_ps(a.low, a.high);
  m = _mm_min_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
#else
inline Float4 choose(Int4 mask, Float4 a, Float4 b) {
  return reinterpret_cast<Float4>((mask & reinterpret_cast<Int4>(a)) |
                                  (~mask & reinterpret_cast<Int4>(b)));
}
inline Float8 min8(Float8 a, Float8 b) {
  return {choose(a.low < b.low, a.low, b.low), choose(a.high < b.high, a.high, b.high)};
}
inline Float8 max8(Float8 a, Float8 b) {
  return {choose(a.low > b.low, a.low, b.low), choose(a.high > b.high, a.high, b.high)};
}
inline Float8 fromBytes(const std::uint8_t* bytes) {
  return toFloat(
      ints8(bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]));
}
inline unsigned signsOf(Int4 a) {
  const Uint4 bits = (reinterpret_cast<Uint4>(a) >> 31) << Uint4{0, 1, 2, 3};
  return (bits[0] | bits[1]) | (bits[2] | bits[3]);
}
inline unsigned signs(Int8 a) { return signsOf(a.low) | signsOf(a.high) << 4; }
inline Float8 blend8(Float8 a, Float8 b, Int8 mask) {
  return {choose(mask.low >> 31, b.low, a.low), choose(mask.high >> 31, b.high, a.high)};
}
inline Float8 roughInverse(Float8 a) { return 1.0F / a; }
inline Float4 sqrtOf(Float4 a) {
  return Float4{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]),
                __builtin_sqrtf(a[3])};
}
inline Float8 sqrt8(Float8 a) { return {sqrtOf(a.low), sqrtOf(a.high)}; }
inline float least(Float8 a) {
  const Float4 m = choose(a.low < a.high, a.low, a.high);
  const float x = m[0] < m[1] ? m[0] : m[1], y = m[2] < m[3] ? m[2] : m[3];
  return x < y ? x : y;
}
#endif

#if defined(__SSE4_1__) && !defined(MARSIM_SIMD_PORTABLE)
/// Byte indices that move the lanes with set bits together.
struct PackingTable {
  alignas(16) std::uint8_t bytes[16][16];

  constexpr PackingTable() : bytes() {
    for (int bits = 0; bits < 16; ++bits) {
      int count = 0;
      for (int i = 0; i < 16; ++i) {
        if ((bits >> (i / 4) & 1) != 0) bytes[bits][count++] = static_cast<std::uint8_t>(i);
      }
    }
  }
};
constexpr PackingTable kPacking;

/// Moves chosen lanes together.
class Packing {
 public:
  explicit Packing(unsigned lanes)
      : low_(load(lanes & 15U)),
        high_(load(lanes >> 4)),
        low_bytes_(sizeof(float) * static_cast<unsigned>(__builtin_popcount(lanes & 15U))) {}

  /// Writes those lanes one after another, then anything, eight values at most.
  void store(Float8 values, void* to) const {
    const __m128i low = _mm_shuffle_epi8(reinterpret_cast<__m128i>(values.low), low_);
    const __m128i high = _mm_shuffle_epi8(reinterpret_cast<__m128i>(values.high), high_);
    __builtin_memcpy(to, &low, sizeof(low));
    __builtin_memcpy(static_cast<char*>(to) + low_bytes_, &high, sizeof(high));
  }

 private:
  static __m128i load(unsigned lanes) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(kPacking.bytes[lanes]));
  }

  __m128i low_, high_;
  std::size_t low_bytes_;
};
#else
/// Moves chosen lanes together.
class Packing {
 public:
  explicit Packing(unsigned lanes) : lanes_(lanes) {}

  /// Writes those lanes one after another, then anything, eight values at most.
  void store(Float8 values, void* to) const {
    float all[8];
    __builtin_memcpy(all, &values, sizeof(all));
    char* place = static_cast<char*>(to);
    for (unsigned left = lanes_; left != 0; left &= left - 1, place += sizeof(float)) {
      __builtin_memcpy(place, all + __builtin_ctz(left), sizeof(float));
    }
  }

 private:
  unsigned lanes_;
};
#endif
#endif

template <class Vector>
inline Vector load8(const void* values) {
  Vector result;
  __builtin_memcpy(&result, values, sizeof(result));
  return result;
}
template <class Vector>
inline void store8(void* values, Vector value) {
  __builtin_memcpy(values, &value, sizeof(value));
}

inline Float8 abs8(Float8 a) { return asFloat(asInt(a) & 0x7fffffff); }
inline Int8 iota8() { return ints8(0, 1, 2, 3, 4, 5, 6, 7); }
inline float most(Float8 a) { return -least(-a); }
inline float sum(Float8 a) {
  float lanes[8];
  store8(lanes, a);
  float result = lanes[0];
  for (int i = 1; i < 8; ++i) result += lanes[i];
  return result;
}

/// All bits of lane i set where bit i is.
inline Int8 maskOf(unsigned bits) {
  return (ints8(1, 2, 4, 8, 16, 32, 64, 128) & static_cast<std::int32_t>(bits)) != 0;
}

/// Bit i: lane i of a is not above that of b (false for NaN).
inline unsigned notAbove(Float8 a, Float8 b) { return signs(a <= b); }

}  // namespace
}  // namespace marsim::lidar
