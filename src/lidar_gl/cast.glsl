// SPDX-License-Identifier: BSD-3-Clause
// Casts a ray an invocation through a tree of surfels (map/tree/leaf_storage.hpp): what
// lidar/cast/ray_walk.hpp does for groups, with the same bounds of rounding. Single precision
// relative to the ray's origin decides, double precision where that leaves doubt.
//
// cast_program.cpp puts before this: the version, how nodes and surfels are stored (NODE_, FIELD_),
// nodeWords(), leafWord(), lidar/cast/ray_meets_surfel.glsl, constants of rounding, and
//   BLENDED  map::Blending is on      IMAGE  cells of an image, not rays
//   STACK    children that may have to wait

layout(local_size_x = 64) in;

#if IMAGE
layout(std430, binding = 0) readonly buffer Shares {
  double shares[];  // ImageDirections::Share: sine, cosine, slope of the rows, then of the columns
};
layout(location = 0) uniform dmat3 u_rotation;  // R_WS
layout(location = 1) uniform ivec2 u_size;      // cells: columns, rows
layout(location = 2) uniform int u_first_row;   // of this dispatch
layout(location = 3) uniform int u_end_row;
layout(location = 4) uniform bool u_pinhole;
layout(location = 5) uniform float u_range_max;  // [m]
#else
layout(std430, binding = 0) readonly buffer Rays {
  uint rays[];  // lidar::Ray as it lies in memory
};
#endif
layout(location = 6) uniform uint u_count;     // of the hits
layout(location = 7) uniform dvec3 u_origin;   // [m] of the tree in W; images: of the rays in the tree
layout(location = 8) uniform float u_radius;   // [m] of surfels of the usual size
layout(location = 9) uniform vec3 u_blending;  // depth, least cosine, most offset
layout(std430, binding = 1) writeonly buffer Hits {
  uint hits[];  // lidar::Hit as it lies in memory
};

const uint kRayWords = 9u;
const uint kHitWords = 6u;
const uint kNothing = 0xffffffffu;
const uint kInfinity = 0x7f800000u;

// ---------------------------------------------------------------- the ray

vec3 origin, origin_rest;        // [m] relative to the tree's origin
vec3 direction, direction_rest;  // unit
vec3 inverse_of_direction;       // finite
bvec3 negative;
float range_min, range_max;  // [m]
float enter;                 // [m] leaves that end nearer are ignored
float cut;                   // [m] farther hits are ignored
uint best_surfel, best_leaf;

// ---------------------------------------------------------------- nodes

struct Node {
  uvec4 a, b, c, d, e;  // twenty words
};

Node nodeAt(uint number) {
  return Node(nodeWords(number, 0u), nodeWords(number, 1u), nodeWords(number, 2u),
              nodeWords(number, 3u), nodeWords(number, 4u));
}
uint bitsOf(uint word, int first, int bits) { return (word >> first) & ((1u << bits) - 1u); }
// 2^e of a float's exponent fields.
vec3 powersOfTwo(uvec3 fields) { return uintBitsToFloat(fields << 23); }
uvec3 exponentsOf(Node node) {
  uint shape = node.NODE_SHAPE;
  return uvec3(bitsOf(shape, EXPONENT_X), bitsOf(shape, EXPONENT_Y), bitsOf(shape, EXPONENT_Z));
}
vec3 stepsOf(Node node) { return powersOfTwo(exponentsOf(node)); }
uint byteOf(uvec2 words, uint slot) {
  return ((slot < 4u ? words.x : words.y) >> ((slot & 3u) * 8u)) & 255u;
}
vec4 bytesOf(uint word) {
  return vec4(float(word & 255u), float((word >> 8) & 255u), float((word >> 16) & 255u),
              float(word >> 24));
}

// ---------------------------------------------------------------- surfels

struct Leaf {
  uint first, count;
  float radius;      // [m]
  vec3 lower, step;  // [m]
};

struct Surfel {
  vec3 v;  // [m] from the ray's origin
  vec3 n;  // of any length
  bool planar;
};

struct ExactSurfel {
  dvec3 p;  // [m] relative to the tree's origin
  dvec3 n;
  bool planar;
};

// The leaf of a code: its parent's number and its slot.
Leaf leafOf(uint code) {
  uint slot = bitsOf(code, 0, kSlotBits);
  Node node = nodeAt((code & ~kLeafBit) >> kSlotBits);
  uint own = byteOf(node.NODE_LEAVES, slot);
  // Byte i: the surfels in the leaves of slots 0 to i.
  uvec2 ends = (node.NODE_LEAVES & 0x01010101u * ((1u << kLeafCountBits) - 1u)) * 0x01010101u;
  ends.y += (ends.x >> 24) * 0x01010101u;
  Leaf leaf;
  leaf.count = bitsOf(own, 0, kLeafCountBits);
  leaf.first = node.NODE_LEAF_BASE + byteOf(ends, slot) - leaf.count;
  leaf.radius = u_radius * kSizeFactors[own >> kLeafCountBits];
  uvec3 low = uvec3(byteOf(node.NODE_LOWER_X, slot), byteOf(node.NODE_LOWER_Y, slot),
                    byteOf(node.NODE_LOWER_Z, slot));
  uvec3 high = uvec3(byteOf(node.NODE_UPPER_X, slot), byteOf(node.NODE_UPPER_Y, slot),
                     byteOf(node.NODE_UPPER_Z, slot));
  precise vec3 lower = uintBitsToFloat(node.NODE_ORIGIN) + vec3(low) * stepsOf(node);
  leaf.lower = lower;
  ivec3 bits = findMSB(ivec3(high - low) | 1) + 1;
  leaf.step = powersOfTwo(uvec3(ivec3(exponentsOf(node)) + bits - kPositionBits));
  return leaf;
}

// The words of number i.
uvec2 wordsOf(Leaf leaf, uint i) {
  uint at = kSurfelWords * leaf.first + i;
  return uvec2(leafWord(at), leafWord(at + leaf.count));
}
uint fieldOf(uvec2 words, int word, int first, int bits) {
  return bitsOf(word == 0 ? words.x : words.y, first, bits);
}
ivec3 codedNormal(uvec2 words) {
  uint v = fieldOf(words, FIELD_V_HIGH) << kVLowBits | fieldOf(words, FIELD_V_LOW);
  int a = 2 * int(fieldOf(words, FIELD_U)) - kNormalScale, b = 2 * int(v) - kNormalScale;
  return ivec3(a + b, a - b, 2 * kNormalScale - abs(a + b) - abs(a - b));
}
uvec3 codedPosition(uvec2 words) {
  return uvec3(fieldOf(words, FIELD_X), fieldOf(words, FIELD_Y), fieldOf(words, FIELD_Z));
}
bool isPlanar(uvec2 words) { return fieldOf(words, FIELD_PLANAR) != 0u; }

// Number i of a leaf.
Surfel surfelOf(Leaf leaf, uint i) {
  Surfel surfel;
  uvec2 words = wordsOf(leaf, i);
  precise vec3 base = (leaf.lower - origin) - origin_rest;
  precise vec3 v = vec3(codedPosition(words)) * leaf.step + base;
  surfel.v = v;
  surfel.n = vec3(codedNormal(words));
  surfel.planar = isPlanar(words);
  return surfel;
}

ExactSurfel exactSurfelOf(Leaf leaf, uint i) {
  ExactSurfel surfel;
  uvec2 words = wordsOf(leaf, i);
  surfel.p = dvec3(leaf.lower) + dvec3(codedPosition(words)) * dvec3(leaf.step);
  surfel.n = dvec3(codedNormal(words));
  surfel.planar = isPlanar(words);
  return surfel;
}

// Whether a surfel is met within the cut.
bool meets(Leaf leaf, uint i, Surfel surfel, out Meeting meeting) {
  meeting = meetSurfel(surfel.v, surfel.n, surfel.planar, direction, leaf.radius);
  if (!maybeMet(meeting, leaf.radius, range_min, cut)) return false;
  if (!surelyMet(meeting, leaf.radius, range_min, range_max)) {
    ExactSurfel exact = exactSurfelOf(leaf, i);
    dvec3 v = (exact.p - dvec3(origin)) - dvec3(origin_rest);
    dvec3 d = dvec3(direction) + dvec3(direction_rest);
    if (!meetExactly(v, exact.n, exact.planar, d, double(leaf.radius), range_min, range_max,
                     meeting)) {
      return false;
    }
  }
  return meeting.t <= cut;
}

void keepNearest(uint code) {
  Leaf leaf = leafOf(code);
  for (uint i = 0u; i < leaf.count; ++i) {
    Meeting meeting;
    if (!meets(leaf, i, surfelOf(leaf, i), meeting)) continue;
    uint surfel = leaf.first + i;
    if (meeting.t == cut && best_surfel <= surfel) continue;  // kNothing is the largest
    cut = meeting.t;
    best_surfel = surfel;
    best_leaf = code;
  }
}

// ---------------------------------------------------------------- blending

#if BLENDED
float first_t;           // [m]
vec3 first_v, first_n;   // [m] from the ray's origin; unit
bool first_planar;
float weight_sum, mean_sum, largest;
uint largest_surfel;
vec3 largest_normal;

float weightOf(Meeting meeting, float radius, float behind) {
  float share = (1.0 - meeting.off2 / (radius * radius)) * (1.0 - behind / u_blending.x);
  return max(share, 0.0) + kLeastWeight;
}

void beginSums() {
  Leaf leaf = leafOf(best_leaf);
  Surfel surfel = surfelOf(leaf, best_surfel - leaf.first);
  Meeting meeting = meetSurfel(surfel.v, surfel.n, surfel.planar, direction, leaf.radius);
  first_t = cut;
  first_v = surfel.v;
  first_n = normalize(surfel.n);
  first_planar = surfel.planar;
  weight_sum = weightOf(meeting, leaf.radius, 0.0);
  mean_sum = 0.0;
  largest = weight_sum;
  largest_surfel = best_surfel;
  largest_normal = surfel.planar ? surfel.n : direction;
  cut = min(cut + u_blending.x, range_max);
  enter = max(range_min, first_t - 2.0 * kSureSlack);
}

bool offsetAgreesExactly(Leaf leaf, uint i) {
  Leaf of_first = leafOf(best_leaf);
  ExactSurfel first = exactSurfelOf(of_first, best_surfel - of_first.first);
  double offset = dot(first.n, exactSurfelOf(leaf, i).p - first.p);
  double most = double(u_blending.z);
  return offset * offset <= most * most * dot(first.n, first.n);
}

bool agrees(Leaf leaf, uint i, Surfel surfel) {
  if (surfel.planar != first_planar) return false;
  if (!first_planar) return true;
  float cosine = dot(surfel.n, first_n);
  float least = u_blending.y * u_blending.y;
  if (!(cosine * cosine >= dot(surfel.n, surfel.n) * least)) return false;
  float offset = abs(dot(surfel.v - first_v, first_n));
  float error = kOffsetError * (first_t + u_blending.x + kSizeFactors[0] * u_radius);
  if (offset <= u_blending.z - error) return true;
  return offset <= u_blending.z + error && offsetAgreesExactly(leaf, i);
}

void addToSums(uint code) {
  Leaf leaf = leafOf(code);
  for (uint i = 0u; i < leaf.count; ++i) {
    Surfel surfel = surfelOf(leaf, i);
    Meeting meeting;
    if (leaf.first + i == best_surfel || !meets(leaf, i, surfel, meeting)) continue;
    float behind = max(meeting.t - first_t, 0.0);
    if (behind > u_blending.x || !agrees(leaf, i, surfel)) continue;
    float weight = weightOf(meeting, leaf.radius, behind);
    weight_sum += weight;
    mean_sum += weight * behind;
    uint number = leaf.first + i;
    if (weight < largest || (weight == largest && number > largest_surfel)) continue;
    largest = weight;
    largest_surfel = number;
    largest_normal = surfel.planar ? surfel.n : direction;
  }
}
#endif

// ---------------------------------------------------------------- the walk

uint stack_child[STACK];
float stack_entry[STACK];  // [m] lower bound of hits in the child
int stack_size;

// Pushes the children that the ray meets, the nearest on top.
void descend(uint number) {
  Node node = nodeAt(number);
  vec3 scale = stepsOf(node) * inverse_of_direction;
  vec3 base = (uintBitsToFloat(node.NODE_ORIGIN) - origin) * inverse_of_direction;
  uvec2 near_x = negative.x ? node.NODE_UPPER_X : node.NODE_LOWER_X;
  uvec2 near_y = negative.y ? node.NODE_UPPER_Y : node.NODE_LOWER_Y;
  uvec2 near_z = negative.z ? node.NODE_UPPER_Z : node.NODE_LOWER_Z;
  uvec2 far_x = negative.x ? node.NODE_LOWER_X : node.NODE_UPPER_X;
  uvec2 far_y = negative.y ? node.NODE_LOWER_Y : node.NODE_UPPER_Y;
  uvec2 far_z = negative.z ? node.NODE_LOWER_Z : node.NODE_UPPER_Z;
  uint inner = bitsOf(node.NODE_SHAPE, INNER_COUNT), used = bitsOf(node.NODE_SHAPE, CHILD_COUNT);
  int bottom = stack_size;
  for (uint half_of = 0u; half_of < 2u; ++half_of) {
    vec4 entry = max(max(bytesOf(near_x[half_of]) * scale.x + base.x,
                         bytesOf(near_y[half_of]) * scale.y + base.y),
                     max(bytesOf(near_z[half_of]) * scale.z + base.z, vec4(enter)));
    vec4 leave = min(min(bytesOf(far_x[half_of]) * scale.x + base.x,
                         bytesOf(far_y[half_of]) * scale.y + base.y),
                     min(bytesOf(far_z[half_of]) * scale.z + base.z, vec4(cut)));
    for (uint k = 0u; k < 4u; ++k) {
      uint slot = 4u * half_of + k;
      if (slot >= used || !(entry[k] <= leave[k])) continue;
      int at = stack_size++;
      for (; at > bottom && stack_entry[at - 1] < entry[k]; --at) {
        stack_entry[at] = stack_entry[at - 1];
        stack_child[at] = stack_child[at - 1];
      }
      stack_entry[at] = entry[k];
      stack_child[at] =
          slot < inner ? node.NODE_CHILD_BASE + slot : kLeafBit | number << kSlotBits | slot;
    }
  }
}

void walk() {
  best_surfel = kNothing;
  best_leaf = 0u;
  enter = range_min;
  cut = range_max;
  bool summing = false;
  stack_child[0] = 0u;
  stack_entry[0] = 0.0;
  stack_size = 1;
  for (;;) {
    while (stack_size > 0) {
      --stack_size;
      if (stack_entry[stack_size] > cut) continue;
      uint child = stack_child[stack_size];
      if ((child & kLeafBit) == 0u) {
        descend(child);
#if BLENDED
      } else if (summing) {
        addToSums(child);
#endif
      } else {
        keepNearest(child);
      }
    }
#if BLENDED
    // A second walk, through the surfels within the depth behind the nearest.
    if (!summing && best_surfel != kNothing) {
      beginSums();
      summing = true;
      stack_child[0] = 0u;
      stack_entry[0] = 0.0;
      stack_size = 1;
      continue;
    }
#endif
    return;
  }
}

// ---------------------------------------------------------------- in and out

bool isFinite(float value) { return (floatBitsToUint(value) & kInfinity) != kInfinity; }

#if IMAGE
// The hit's number, kNothing for none.
uint readRay() {
  uint tiles_x = uint(u_size.x + 7) / 8u;
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  int column = int(group % tiles_x * 8u + gl_LocalInvocationID.x % 8u);
  int row = u_first_row + int(group / tiles_x * 8u + gl_LocalInvocationID.x / 8u);
  if (column >= u_size.x || row >= u_end_row) return kNothing;
  uint r = 3u * uint(row), c = 3u * uint(u_size.y + column);
  dvec3 d_S = dvec3(shares[r + 1u] * shares[c + 1u], shares[r + 1u] * shares[c], shares[r]);
  if (u_pinhole) {
    d_S = dvec3(shares[c + 2u], shares[r + 2u], 1.0lf);
    d_S /= sqrt(dot(d_S, d_S));
  }
  dvec3 d = u_rotation * d_S;
  direction = vec3(d);
  direction_rest = vec3(d - dvec3(direction));
  origin = vec3(u_origin);
  origin_rest = vec3(u_origin - dvec3(origin));
  range_min = 0.0;
  range_max = u_range_max;
  return uint(row - u_first_row) * uint(u_size.x) + uint(column);
}
#else
uint readRay() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint number = 64u * group + gl_LocalInvocationID.x;
  if (number >= u_count) return kNothing;
  uint at = kRayWords * number;
  dvec3 o = dvec3(uintBitsToFloat(uvec3(rays[at], rays[at + 1u], rays[at + 2u]))) - u_origin;
  origin = vec3(o);
  origin_rest = vec3(o - dvec3(origin));
  range_max = uintBitsToFloat(rays[at + 3u]);
  direction = uintBitsToFloat(uvec3(rays[at + 4u], rays[at + 5u], rays[at + 6u]));
  direction_rest = vec3(0.0);
  range_min = max(uintBitsToFloat(rays[at + 8u]), 0.0);
  return number;
}
#endif

void write(uint number, float range, uint surfel, vec3 normal) {
  uint at = kHitWords * number;
  bool hit = surfel != kNothing;
  hits[at] = hit ? floatBitsToUint(range) : kInfinity;
  hits[at + 1u] = surfel;
  hits[at + 2u] = kNothing;  // the map's identity
  hits[at + 3u] = floatBitsToUint(normal.x);
  hits[at + 4u] = floatBitsToUint(normal.y);
  hits[at + 5u] = floatBitsToUint(normal.z);
}

// Unit normal, towards the origin.
vec3 facing(vec3 normal) {
  return normal * (inversesqrt(dot(normal, normal)) * (dot(normal, direction) > 0.0 ? -1.0 : 1.0));
}

void main() {
  uint number = readRay();
  if (number == kNothing) return;
  if (!isFinite(range_max)) range_max = kFarthest;
  negative = notEqual(floatBitsToUint(direction) >> 31, uvec3(0u));
  // Finite also for a component of zero: no NaN where a box's plane holds the origin.
  inverse_of_direction =
      mix(vec3(1.0), vec3(-1.0), negative) / max(abs(direction), vec3(1e-18));
  walk();
  if (best_surfel == kNothing) {
    write(number, 0.0, kNothing, vec3(0.0));
    return;
  }
#if BLENDED
  write(number, first_t + mean_sum / weight_sum, largest_surfel, facing(largest_normal));
#else
  Leaf leaf = leafOf(best_leaf);
  Surfel surfel = surfelOf(leaf, best_surfel - leaf.first);
  write(number, cut, best_surfel, facing(surfel.planar ? surfel.n : direction));
#endif
}
