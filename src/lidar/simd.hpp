#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/// Four floats at a time (GCC vector extensions; arithmetic, comparison and ?: come with them).
namespace marsim::lidar {

typedef float Float4 __attribute__((vector_size(16)));
typedef std::int32_t Int4 __attribute__((vector_size(16)));

inline Float4 broadcast(float value) { return Float4{value, value, value, value}; }

inline Float4 load4(const float* values) {
  Float4 result;
  __builtin_memcpy(&result, values, sizeof(result));
  return result;
}

inline void store4(float* values, Float4 value) { __builtin_memcpy(values, &value, sizeof(value)); }

#ifdef __SSE2__
// A NaN in `a` gives `b`.
inline Float4 min4(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 max4(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
/// Bit i: lane i of a comparison's result.
inline int bitsOf(Int4 mask) { return _mm_movemask_ps(reinterpret_cast<__m128>(mask)); }
#else
inline Float4 min4(Float4 a, Float4 b) { return a < b ? a : b; }
inline Float4 max4(Float4 a, Float4 b) { return a > b ? a : b; }
inline int bitsOf(Int4 mask) {
  return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
}
#endif

inline Float4 abs4(Float4 a) { return max4(a, -a); }
inline Float4 square(Float4 a) { return a * a; }
inline float square(float a) { return a * a; }

/// Four vectors, one coordinate a register.
struct Vector4 {
  Float4 x, y, z;
};

inline Float4 dot(const Vector4& a, const Vector4& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

}  // namespace marsim::lidar
