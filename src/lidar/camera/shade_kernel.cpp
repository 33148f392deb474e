// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with MARSIM_SIMD_LEVEL its namespace. Must not include
// anything that defines inline functions or templates with external linkage.

#include "lidar/camera/shade_kernel.hpp"

#include "lidar/camera/dull_day.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "lidar/cast/vector8.hpp"

namespace marsim::lidar::MARSIM_SIMD_LEVEL {
namespace {

// e^x within a relative 2e-6 for -80 to 80: 2^f by its Taylor series about 0.
inline Float8 exp8(Float8 x) {
  const Float8 y = min8(max8(x, all8(-80.0F)), all8(80.0F)) * 1.44269504F;
  const Int8 whole = truncated(y + blend8(all8(0.5F), all8(-0.5F), y < 0.0F));
  const Float8 f = (y - toFloat(whole)) * 0.69314718F;
  const Float8 power =
      1.0F + f * (1.0F + f * (0.5F + f * (1.0F / 6.0F + f * (1.0F / 24.0F + f * (1.0F / 120.0F)))));
  return power * asFloat((whole + 127) << 23);
}

// -1 to 1, as SolidTexture::valueAt.
inline Float8 valueOf(Bits8 bits) {
  bits = (bits ^ (bits >> 16U)) * kTextureMix;
  return toFloat(asInt(bits >> 8U)) * 0x1p-23F - 1.0F;
}

// Places in waves: whole numbers, and the parts beyond them.
struct Waves8 {
  Bits8 whole[3];
  Float8 part[3];
};

// p [m] relative to the camera.
inline Waves8 wavesOf(const ShadeWaves& waves, const Float8* p) {
  Waves8 result;
  for (int axis = 0; axis < 3; ++axis) {
    const Float8 place = p[axis] * waves.inverse_length[axis] + waves.part[axis];
    Int8 whole = truncated(place);
    whole = whole + (toFloat(whole) > place);
    result.whole[axis] = bitsOf(whole) + waves.base[axis];
    result.part[axis] = place - toFloat(whole);
  }
  return result;
}

// SolidTexture::noise.
inline Float8 noise(const ShadeWaves& waves, std::uint32_t number, const Float8* p) {
  const Waves8 at = wavesOf(waves, p);
  Bits8 low[3], high[3];
  Float8 share[3];
  for (int axis = 0; axis < 3; ++axis) {
    const Float8 f = at.part[axis];
    share[axis] = f * f * (3.0F - 2.0F * f);
    low[axis] = at.whole[axis] * kTextureFactors[axis];
    high[axis] = low[axis] + kTextureFactors[axis];
  }
  low[2] = low[2] + number * kTextureOctave;
  high[2] = high[2] + number * kTextureOctave;
  const auto alongZ = [&](Bits8 xy) {
    const Float8 a = valueOf(xy + low[2]), b = valueOf(xy + high[2]);
    return a + share[2] * (b - a);
  };
  const Float8 a = alongZ(low[0] + low[1]), b = alongZ(high[0] + low[1]),
               c = alongZ(low[0] + high[1]), d = alongZ(high[0] + high[1]);
  const Float8 near_y = a + share[0] * (b - a), far_y = c + share[0] * (d - c);
  return near_y + share[1] * (far_y - near_y);
}

inline Float8 clamped(Float8 a) { return min8(max8(a, all8(0.0F)), all8(1.0F)); }

// SolidTexture::octave.
inline Float8 octaveAt(const ShadeOctave& octave, std::uint32_t number, const Float8* p,
                       const Float8* span, Float8 width) {
  const Float8 share = clamped(1.0F / (width * octave.shortest_inverse) - 2.0F);
  if (signs(share > 0.0F) == 0) return all8(0.0F);
  Float8 waves2 = all8(0.0F);
  for (int axis = 0; axis < 3; ++axis) {
    const Float8 waves = span[axis] * octave.waves.inverse_length[axis];
    waves2 += waves * waves;
  }
  const Float8 gaps =
      blend8(all8(0.0F), toFloat(truncated(2.0F * sqrt8(waves2) + 0.5F)), share > 0.0F);
  const Float8 step = 1.0F / max8(gaps, all8(1.0F));
  Float8 sum = all8(0.0F);
  const auto most_gaps = static_cast<int>(most(gaps));
  for (int i = 0; i <= most_gaps; ++i) {
    const auto at = static_cast<float>(i);
    const Float8 way = at * step - 0.5F * gaps * step;
    const Float8 place[3] = {p[0] + way * span[0], p[1] + way * span[1], p[2] + way * span[2]};
    sum += blend8(all8(0.0F), noise(octave.waves, number, place), gaps >= at);
  }
  return share * sum * (kTextureSpread * octave.spread) / (gaps + 1.0F);
}

// SolidTexture::joint.
inline Float8 jointAt(const ShadeJoints& joints, const Float8* p, const Float8* n,
                      const Float8* span, Float8 width, Float8& sum) {
  Waves8 at = wavesOf(joints.pieces, p);
  if (joints.is_bonded) {
    const Int8 shifts = (asInt(at.whole[2]) & 1) != 0;
    for (int axis = 0; axis < 2; ++axis) {
      const Float8 moved = at.part[axis] + 0.5F;
      const Int8 over = moved >= 1.0F;
      at.part[axis] = blend8(at.part[axis], blend8(moved, moved - 1.0F, over), shifts);
      at.whole[axis] = at.whole[axis] + bitsOf((over & shifts) & 1);
    }
  }
  Float8 line = all8(0.0F), share = all8(1.0F);
  Bits8 piece = bitsOf(ints8(0, 0, 0, 0, 0, 0, 0, 0)) + kTexturePieces * kTextureOctave;
  for (int axis = 0; axis < 3; ++axis) {
    if (joints.spacing[axis] <= 0.0F) continue;
    const Float8 side = width + abs8(span[axis]);
    const Float8 shows = clamped((kJointCosine - abs8(n[axis])) * 5.0F);
    const Float8 off = min8(at.part[axis], 1.0F - at.part[axis]) * joints.spacing[axis];
    const Float8 cover = clamped((0.5F * (side + joints.width) - off) / side) *
                         min8(all8(1.0F), joints.width / side);
    line = max8(line, cover * shows);
    share = min8(share, joints.spacing[axis] / side - 2.0F);
    piece = piece + bitsOf(asInt(at.whole[axis] * kTextureFactors[axis]) & (shows >= 0.5F));
  }
  sum += joints.shade * max8(share, all8(0.0F)) * valueOf(piece);
  return 1.0F - joints.darkness * line;
}

struct Texture8 {
  Float8 red, green, blue;
};

// SolidTexture::at.
inline Texture8 textureAt(const ShadeTexture& texture, const Float8* p, const Float8* n,
                          const Float8* span, Float8 width) {
  Float8 q[3] = {p[0], p[1], p[2]}, s[3] = {span[0], span[1], span[2]};
  for (int axis = 0; texture.is_turned && axis < 3; ++axis) {
    const float* const turn = kTextureTurn[axis];
    q[axis] = p[0] * turn[0] + p[1] * turn[1] + p[2] * turn[2];
    s[axis] = span[0] * turn[0] + span[1] * turn[1] + span[2] * turn[2];
  }
  Float8 sum = all8(0.0F), first = all8(0.0F);
  for (int i = 0; i < texture.octave_count; ++i) {
    const Float8 value = octaveAt(texture.octaves[i], static_cast<std::uint32_t>(i), q, s, width);
    sum += value;
    if (i == 0) first = value;
  }
  Float8 factor = all8(1.0F);
  if (texture.joints.is_used) factor = jointAt(texture.joints, p, n, span, width, sum);
  const Float8 green = factor * exp8(sum);
  const Float8 tint = exp8(first * texture.tint);
  return {green * tint, green, green / tint};
}

// Each lane with its own texture; most eights have one.
inline Texture8 textureAt(const ShadeSettings& settings, const std::uint8_t* numbers,
                          const Float8* p, const Float8* n, const Float8* span, Float8 width) {
  Texture8 result{all8(0.0F), all8(0.0F), all8(0.0F)};
  unsigned left = 0xff;
  while (left != 0) {
    const std::uint8_t number = numbers[__builtin_ctz(left)];
    unsigned lanes = 0;
    for (unsigned i = 0; i < 8; ++i) lanes |= (numbers[i] == number ? 1U : 0U) << i;
    const Texture8 own = textureAt(settings.textures[number], p, n, span, width);
    if (lanes == 0xff) return own;
    const Int8 mask = maskOf(lanes);
    result.red = blend8(result.red, own.red, mask);
    result.green = blend8(result.green, own.green, mask);
    result.blue = blend8(result.blue, own.blue, mask);
    left &= ~lanes;
  }
  return result;
}

inline void shadeEight(const ShadeSettings& settings, ShadedPixels& pixels, int first) {
  Float8 c[3], d[3], n[3];
  for (int axis = 0; axis < 3; ++axis) c[axis] = load8<Float8>(pixels.direction[axis] + first);
  for (int axis = 0; axis < 3; ++axis) {
    const float* const R = settings.R_WC[axis];
    d[axis] = c[0] * R[0] + c[1] * R[1] + c[2] * R[2];
    n[axis] = load8<Float8>(pixels.normal[axis] + first);
  }
  const Float8 length2 = dot8(n, n);
  const Int8 planar = length2 > 0.0F;
  const Float8 unit = 1.0F / sqrt8(max8(length2, all8(1e-30F)));
  Float8 cosine = -(dot8(n, d) * unit);
  const Float8 scale = blend8(unit, -unit, cosine < 0.0F);
  for (Float8& component : n) component = component * scale;
  cosine = blend8(all8(1.0F), abs8(cosine), planar);

  const Float8 range = load8<Float8>(pixels.range + first);
  const Float8 width = range * settings.pixel_angle;
  Float8 p[3], along[3];
  for (int axis = 0; axis < 3; ++axis) {
    p[axis] = d[axis] * range;
    along[axis] = d[axis] + n[axis] * cosine;
  }
  // A pixel is long on a surface that it grazes.
  const Float8 longer = width * (1.0F / max8(cosine, all8(kLeastIncidence)) - 1.0F);
  const Float8 scale_along =
      blend8(all8(0.0F), longer / sqrt8(max8(dot8(along, along), all8(1e-12F))), planar);
  const Float8 span[3] = {along[0] * scale_along, along[1] * scale_along, along[2] * scale_along};
  const Texture8 texture = textureAt(settings, pixels.texture + first, p, n, span, width);
  Float8 light = all8(1.0F);
  if (!settings.is_lit) {
    const Float8 sky = 0.5F + 0.5F * n[2];
    const Float8 sun = n[0] * kSunward[0] + n[1] * kSunward[1] + n[2] * kSunward[2];
    light = blend8(all8(kLightOnLeaves),
                   kFromSky * sky + kFromGround * (1.0F - sky) + kFromSun * max8(sun, all8(0.0F)),
                   planar);
  }
  store8(pixels.radiance[0] + first, light * texture.red * load8<Float8>(pixels.colour[0] + first));
  store8(pixels.radiance[1] + first,
         light * texture.green * load8<Float8>(pixels.colour[1] + first));
  store8(pixels.radiance[2] + first,
         light * texture.blue * load8<Float8>(pixels.colour[2] + first));
}

}  // namespace

void shadePixels(const ShadeSettings& settings, ShadedPixels& pixels) {
  for (int first = 0; first < pixels.count; first += 8) shadeEight(settings, pixels, first);
}

}  // namespace marsim::lidar::MARSIM_SIMD_LEVEL
