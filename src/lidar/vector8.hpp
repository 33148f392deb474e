#pragma once

#include <cstdint>

#if defined(MARSIM_SIMD_PORTABLE)
#elif defined(__SSE4_1__)
#include <immintrin.h>
#endif

/// Eight floats or integers at a time (GCC vector extensions; arithmetic, comparison and ?: come
/// with them), in the instruction set that the including source is compiled for. Everything is
/// internal to that source.
namespace marsim::lidar {
namespace {

typedef float Float8 __attribute__((vector_size(32)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));
typedef std::uint32_t Uint8 __attribute__((vector_size(32)));

inline Float8 all8(float value) {
  return Float8{value, value, value, value, value, value, value, value};
}

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

inline Float8 toFloat(Int8 a) { return __builtin_convertvector(a, Float8); }
inline Float8 asFloat(Int8 a) { return reinterpret_cast<Float8>(a); }
inline Int8 asInt(Float8 a) { return reinterpret_cast<Int8>(a); }
inline Float8 abs8(Float8 a) { return asFloat(asInt(a) & 0x7fffffff); }

#if defined(__AVX2__) && !defined(MARSIM_SIMD_PORTABLE)
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
/// 1 / a within 4e-4 of itself.
inline Float8 roughInverse(Float8 a) { return _mm256_rcp_ps(a); }
inline float least(Float8 a) {
  __m128 m = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  m = _mm_min_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
#elif defined(__SSE4_1__) && !defined(MARSIM_SIMD_PORTABLE)
struct Halves {
  __m128 low, high;
};
inline Halves halves(Float8 a) {
  Halves result;
  __builtin_memcpy(&result, &a, sizeof(a));
  return result;
}
inline Float8 whole(__m128 low, __m128 high) {
  Float8 result;
  const Halves both{low, high};
  __builtin_memcpy(&result, &both, sizeof(result));
  return result;
}
inline Float8 min8(Float8 a, Float8 b) {
  const Halves x = halves(a), y = halves(b);
  return whole(_mm_min_ps(x.low, y.low), _mm_min_ps(x.high, y.high));
}
inline Float8 max8(Float8 a, Float8 b) {
  const Halves x = halves(a), y = halves(b);
  return whole(_mm_max_ps(x.low, y.low), _mm_max_ps(x.high, y.high));
}
inline Float8 fromBytes(const std::uint8_t* bytes) {
  const __m128i raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return whole(_mm_cvtepi32_ps(_mm_cvtepu8_epi32(raw)),
               _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_srli_si128(raw, 4))));
}
inline unsigned signs(Int8 a) {
  const Halves x = halves(asFloat(a));
  return static_cast<unsigned>(_mm_movemask_ps(x.low) | _mm_movemask_ps(x.high) << 4);
}
inline Float8 blend8(Float8 a, Float8 b, Int8 mask) {
  const Halves x = halves(a), y = halves(b), m = halves(asFloat(mask));
  return whole(_mm_blendv_ps(x.low, y.low, m.low), _mm_blendv_ps(x.high, y.high, m.high));
}
inline Float8 roughInverse(Float8 a) {
  const Halves x = halves(a);
  return whole(_mm_rcp_ps(x.low), _mm_rcp_ps(x.high));
}
inline float least(Float8 a) {
  const Halves x = halves(a);
  __m128 m = _mm_min_ps(x.low, x.high);
  m = _mm_min_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_min_ss(m, _mm_movehdup_ps(m)));
}
#else
inline Float8 min8(Float8 a, Float8 b) { return a < b ? a : b; }
inline Float8 max8(Float8 a, Float8 b) { return a > b ? a : b; }
inline Float8 fromBytes(const std::uint8_t* bytes) {
  Float8 result{};
  for (int i = 0; i < 8; ++i) result[i] = static_cast<float>(bytes[i]);
  return result;
}
inline unsigned signs(Int8 a) {
  unsigned bits = 0;
  for (int i = 0; i < 8; ++i) bits |= a[i] < 0 ? 1U << i : 0U;
  return bits;
}
inline Float8 blend8(Float8 a, Float8 b, Int8 mask) { return mask < 0 ? b : a; }
inline Float8 roughInverse(Float8 a) { return 1.0F / a; }
inline float least(Float8 a) {
  float result = a[0];
  for (int i = 1; i < 8; ++i) result = a[i] < result ? a[i] : result;
  return result;
}
#endif
inline float most(Float8 a) { return -least(-a); }

inline float sum(Float8 a) {
  float result = a[0];
  for (int i = 1; i < 8; ++i) result += a[i];
  return result;
}

/// All bits of lane i set where bit i is.
inline Int8 maskOf(unsigned bits) {
  const Int8 own = {1, 2, 4, 8, 16, 32, 64, 128};
  return (own & static_cast<std::int32_t>(bits)) != 0;
}

/// Moves chosen lanes together.
class Packing {
 public:
  explicit Packing(unsigned lanes) : lanes_(lanes) {}

  /// Writes those lanes one after another, then anything, eight values in all.
  void store(Float8 values, void* to) const {
    float all[8], packed[8] = {};
    store8(all, values);
    int count = 0;
    for (unsigned left = lanes_; left != 0; left &= left - 1) {
      packed[count++] = all[__builtin_ctz(left)];
    }
    __builtin_memcpy(to, packed, sizeof(packed));
  }

 private:
  unsigned lanes_;
};

/// Bit i: lane i of a is not above that of b (false for NaN).
inline unsigned notAbove(Float8 a, Float8 b) { return signs(a <= b); }

}  // namespace
}  // namespace marsim::lidar
