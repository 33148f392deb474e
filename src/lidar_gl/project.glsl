// Surfels into a dense image, by the lists of its tiles (tile_lists.hpp): which leaves a tile of
// SIDE x SIDE cells may see, nearest first, and which of their surfels. No invocation writes
// another's cells: the image does not depend on who is first.
//
// Nearest surfel: an invocation owns a tile and walks its list until nothing nearer than what its
// cells hold can come; a later pass goes on with what they hold. Sums of blended surfaces, in a second run: an invocation owns a cell and adds
// up what lies within the depth behind the nearest.
//
// Everything is in single precision relative to the sensor, in the tree's frame, as in
// src/lidar/image_walk.hpp; single texels of four words are fetched, which software does quickest.
//
// project_program.cpp puts before this: the version, leafTexel(), and
//   COMPACT  how surfels are stored      SUMS   the second run      SIDE  cells of a tile's side
//   GOES_ON  a later pass                STEPS  of the range, that distances are told in

layout(local_size_x = 64) in;

layout(binding = 0) uniform usamplerBuffer u_leaves;   // LeafRecord, two texels each
layout(binding = 1) uniform usamplerBuffer u_entries;  // TileEntry, two a texel
layout(binding = 2) uniform usamplerBuffer u_begins;   // a tile's first entry; the next one's
layout(binding = 3) uniform samplerBuffer u_shares;    // ImageDirections::Share: rows, then columns
layout(binding = 4) uniform usamplerBuffer u_order;    // tiles of this dispatch
layout(location = 0) uniform mat3 u_rotation;          // R_WS
layout(location = 1) uniform ivec2 u_size;             // cells: columns, rows
layout(location = 2) uniform ivec2 u_tile_rows;        // of this dispatch: first, end
layout(location = 3) uniform bool u_pinhole;
layout(location = 4) uniform float u_range_max;  // [m]
layout(location = 5) uniform vec3 u_eye;         // [m] sensor, relative to the tree's origin
layout(location = 6) uniform vec3 u_eye_rest;    // what rounding left of it
layout(location = 7) uniform float u_radius;     // [m]
layout(location = 8) uniform float u_disorder;   // [m] that an entry may be nearer than one before
layout(location = 9) uniform vec3 u_blending;    // depth, least cosine, most offset
layout(location = 10) uniform uint u_leaves_before;  // of the passes before this one
layout(location = 11) uniform int u_passes;          // whose lists are there, one after another
layout(location = 12) uniform int u_tile_count;      // of this dispatch
layout(std430, binding = 0) buffer Cells {
  uint cells[];  // range [m]; leaf's record times 16, and its surfel's number there
};

const uint kNothing = 0xffffffffu;
const int kNormalScale = 4095;

// Read once: in software every use of a uniform costs as much as a line of arithmetic.
vec3 eye, eye_rest;
float radius2;      // [m^2]
float step_length;  // [m] of distances
uint leaves_before;

void readUniforms() {
  eye = u_eye;
  eye_rest = u_eye_rest;
  radius2 = u_radius * u_radius;
  step_length = u_range_max / float(STEPS);
  leaves_before = u_leaves_before;
}

// ---------------------------------------------------------------- leaves and surfels

struct Leaf {
  vec3 lower, step;  // [m]
  uint first, count;
};

struct Surfel {
  vec3 v;  // [m] from the sensor
  vec3 n;  // of any length
  bool planar;
};

struct Entry {
  uint leaf, surfels;
  float distance;  // [m]
};

float powerOfTwo(uint field) { return uintBitsToFloat(field << 23); }

uint leafWord(uint number) {
  uvec4 four = leafTexel(number >> 2);
  uint k = number & 3u;
  return k < 2u ? (k == 0u ? four.x : four.y) : (k == 2u ? four.z : four.w);
}

Leaf leafOf(uint number) {
  uvec4 head = texelFetch(u_leaves, int(2u * number));
  uint shape = texelFetch(u_leaves, int(2u * number + 1u)).x;
  return Leaf(uintBitsToFloat(head.xyz),
              vec3(powerOfTwo(shape & 255u), powerOfTwo((shape >> 8) & 255u),
                   powerOfTwo((shape >> 16) & 255u)),
              head.w, shape >> 24);
}

Entry entryOf(uvec2 words) {
  return Entry(words.x, words.y & 0xffffu, float(words.y >> 16) * step_length);
}

#if COMPACT
uvec3 codedPosition(uint low, uint high) {
  return uvec3(low & 8191u, (low >> 13) & 8191u, high & 8191u);
}
ivec3 codedNormal(uint low, uint high) {
  int a = int((high >> 12) & 0x1ffeu) - kNormalScale;
  int b = int(((high >> 18) & 0x1f80u) | ((low >> 25) & 0x7eu)) - kNormalScale;
  return ivec3(a + b, a - b, 2 * kNormalScale - abs(a + b) - abs(a - b));
}
#endif

// Number i of a leaf.
Surfel surfelOf(Leaf leaf, uint i) {
  Surfel surfel;
#if COMPACT
  uint low = leafWord(2u * leaf.first + i), high = leafWord(2u * leaf.first + leaf.count + i);
  precise vec3 base = (leaf.lower - eye) - eye_rest;
  surfel.v = vec3(codedPosition(low, high)) * leaf.step + base;
  surfel.n = vec3(codedNormal(low, high));
  surfel.planar = (high >> 31) != 0u;
#else
  uint at = 6u * leaf.first + i, n = leaf.count;
  uint last = leafWord(at + 5u * n);
  vec3 p = uintBitsToFloat(uvec3(leafWord(at), leafWord(at + n), leafWord(at + 2u * n)));
  precise vec3 v = (p - eye) - eye_rest;
  surfel.v = v;
  surfel.n = uintBitsToFloat(uvec3(leafWord(at + 3u * n), leafWord(at + 4u * n), last));
  surfel.planar = (last & 1u) != 0u;
#endif
  return surfel;
}

// ---------------------------------------------------------------- rays

// A ray, of some length, is the sum of what its row and its column give, at right angles.
vec3 shareOfRow(int row) {
  vec4 share = texelFetch(u_shares, min(row, u_size.y - 1));
  return u_pinhole ? u_rotation * vec3(0.0, share.z, 1.0) : u_rotation[2] * (share.x / share.y);
}
vec3 shareOfColumn(int column) {
  vec4 share = texelFetch(u_shares, u_size.y + min(column, u_size.x - 1));
  return u_pinhole ? u_rotation[0] * share.z : u_rotation * vec3(share.y, share.x, 0.0);
}

uint placeOf(int row, int column) {
  return 2u * uint((row - u_tile_rows.x * SIDE) * u_size.x + column);
}

int tileColumns() { return (u_size.x + SIDE - 1) / SIDE; }

#if !SUMS
// ---------------------------------------------------------------- nearest surfels of a tile

int first_row, first_column;
vec3 row_share[SIDE], column_share[SIDE];
float row_length2[SIDE], column_length2[SIDE];
float depth[SIDE * SIDE];  // in lengths of the rays
uint code[SIDE * SIDE];
float longest;  // of the rays

void beginTile() {
  longest = 0.0;
  for (int k = 0; k < SIDE; ++k) {
    row_share[k] = shareOfRow(first_row + k);
    row_length2[k] = dot(row_share[k], row_share[k]);
    column_share[k] = shareOfColumn(first_column + k);
    column_length2[k] = dot(column_share[k], column_share[k]);
  }
  for (int r = 0; r < SIDE; ++r) {
    for (int c = 0; c < SIDE; ++c) {
      float length_of_ray = sqrt(row_length2[r] + column_length2[c]);
      longest = max(longest, length_of_ray);
      bool inside = first_row + r < u_size.y && first_column + c < u_size.x;
      // Above the maximum, which counts, by more than rounding; write() looks closely.
#if GOES_ON
      uint at = placeOf(min(first_row + r, u_size.y - 1), min(first_column + c, u_size.x - 1));
      depth[r * SIDE + c] = inside ? uintBitsToFloat(cells[at]) / length_of_ray : -1.0;
      code[r * SIDE + c] = cells[at + 1u];
#else
      depth[r * SIDE + c] = inside ? u_range_max * 1.000001 / length_of_ray : -1.0;
      code[r * SIDE + c] = kNothing;
#endif
    }
  }
}

// A ray u crosses a plane at t u, t = n.v / n.u. The way there from the surfel's position is
// w / n.u, where w = (n.v) u - (n.u) v is linear in u: of a ray it is the sum of its shares' ones.
// With n = v it tells by how far a ray passes by a surfel that is not planar.
void draw(Surfel surfel, uint own) {
  vec3 n = surfel.planar ? surfel.n : surfel.v;
  float nv = dot(n, surfel.v);
  float ball = radius2 * nv;
  float column_slope[SIDE];
  vec3 column_way[SIDE];
  for (int c = 0; c < SIDE; ++c) {
    column_slope[c] = dot(n, column_share[c]);
    column_way[c] = nv * column_share[c] - column_slope[c] * surfel.v;
  }
  for (int r = 0; r < SIDE; ++r) {
    float row_slope = dot(n, row_share[r]);
    vec3 row_way = nv * row_share[r] - row_slope * surfel.v;
    for (int c = 0; c < SIDE; ++c) {
      int k = r * SIDE + c;
      float slope = row_slope + column_slope[c];
      vec3 way = row_way + column_way[c];
      float length2 = row_length2[r] + column_length2[c];
      float most = surfel.planar ? radius2 * slope * slope : ball * length2;
      float t = (surfel.planar ? nv : slope) / (surfel.planar ? slope : length2);
      bool met = dot(way, way) <= most && t > 0.0 && t < depth[k];
      depth[k] = met ? t : depth[k];
      code[k] = met ? own : code[k];
    }
  }
}

// [m]
float farthest() {
  float far = -1.0;
  for (int k = 0; k < SIDE * SIDE; ++k) far = max(far, depth[k]);
  return far * longest;
}

// Four entries at a time, so that tiles with few surfels in one wait less for their neighbours.
void walkTile(uint at, uint end) {
  float far = u_range_max * 1.001;
  while (at < end) {
    uvec4 words[2] = uvec4[2](texelFetch(u_entries, int(at / 2u)), uvec4(kNothing));
    if (at + 2u < end) words[1] = texelFetch(u_entries, int(at / 2u + 1u));
    at += 4u;
    uvec4 leaves = uvec4(words[0].xz, words[1].xz);
    uvec2 masks = uvec2(0u);
    for (int k = 0; k < 4; ++k) {
      Entry entry = entryOf(k % 2 == 0 ? words[k / 2].xy : words[k / 2].zw);
      if (entry.leaf == kNothing) entry.surfels = 0u;
      else if (entry.distance > far + u_disorder) at = end;
      if (entry.distance <= far) masks[k / 2] |= entry.surfels << (16 * (k % 2));
    }
    while ((masks.x | masks.y) != 0u) {
      bool front = masks.x != 0u;
      uint mask = front ? masks.x : masks.y;
      uint bit = uint(findLSB(mask));
      mask &= mask - 1u;
      masks = front ? uvec2(mask, masks.y) : uvec2(0u, mask);
      uvec2 pair = front ? leaves.xy : leaves.zw;
      uint leaf = bit < 16u ? pair.x : pair.y;
      draw(surfelOf(leafOf(leaf), bit & 15u), (leaf + leaves_before) << 4 | (bit & 15u));
    }
    far = farthest();
  }
}

void write(int r, int c) {
  if (first_row + r >= u_size.y || first_column + c >= u_size.x) return;
  uint at = placeOf(first_row + r, first_column + c);
  float range = depth[r * SIDE + c] * sqrt(row_length2[r] + column_length2[c]);
  cells[at] = floatBitsToUint(range);
  cells[at + 1u] = range <= u_range_max ? code[r * SIDE + c] : kNothing;
}

void main() {
  readUniforms();
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  int number = int(64u * group + gl_LocalInvocationID.x);
  if (number >= u_tile_count) return;
  int tile = int(texelFetch(u_order, number).x);
  first_row = tile / tileColumns() * SIDE;
  first_column = tile % tileColumns() * SIDE;
  beginTile();
  walkTile(texelFetch(u_begins, tile).x, texelFetch(u_begins, tile + 1).x);
  for (int r = 0; r < SIDE; ++r) {
    for (int c = 0; c < SIDE; ++c) write(r, c);
  }
}

#else
// ---------------------------------------------------------------- sums of a cell

// As in cast.glsl.
const float kLeastWeight = 1e-6;
const float kOffsetError = 1e-6;

vec3 direction;      // unit
float first_t;       // [m]
uint first_code;
Surfel first;        // n: unit
float weight_sum, mean_sum, largest;
uint largest_code;

// t and the squared distance of the crossing from the surfel's position.
vec2 meet(Surfel surfel) {
  vec3 m = surfel.planar ? surfel.n : direction;
  float t = dot(m, surfel.v) / dot(m, direction);
  vec3 off = t * direction - surfel.v;
  return vec2(t, dot(off, off));
}

float weightOf(float off2, float behind) {
  float share = (1.0 - off2 / radius2) * (1.0 - behind / u_blending.x);
  return max(share, 0.0) + kLeastWeight;
}

#if COMPACT
dvec3 exactPosition(Leaf leaf, uint i) {
  uint low = leafWord(2u * leaf.first + i), high = leafWord(2u * leaf.first + leaf.count + i);
  return dvec3(leaf.lower) + dvec3(codedPosition(low, high)) * dvec3(leaf.step);
}
dvec3 exactNormal(Leaf leaf, uint i) { return dvec3(surfelOf(leaf, i).n); }
#else
dvec3 exactPosition(Leaf leaf, uint i) {
  uint at = 6u * leaf.first + i, n = leaf.count;
  return dvec3(uintBitsToFloat(uvec3(leafWord(at), leafWord(at + n), leafWord(at + 2u * n))));
}
dvec3 exactNormal(Leaf leaf, uint i) { return dvec3(surfelOf(leaf, i).n); }
#endif

bool offsetAgreesExactly(Leaf leaf, uint i) {
  Leaf of_first = leafOf(first_code >> 4);
  dvec3 n = exactNormal(of_first, first_code & 15u);
  double offset = dot(n, exactPosition(leaf, i) - exactPosition(of_first, first_code & 15u));
  double most = double(u_blending.z);
  return offset * offset <= most * most * dot(n, n);
}

bool agrees(Surfel surfel, Leaf leaf, uint i) {
  if (surfel.planar != first.planar) return false;
  if (!first.planar) return true;
  float cosine = dot(surfel.n, first.n);
  float least = u_blending.y * u_blending.y;
  if (!(cosine * cosine >= dot(surfel.n, surfel.n) * least)) return false;
  float offset = abs(dot(surfel.v - first.v, first.n));
  float error = kOffsetError * (first_t + u_blending.x + u_radius);
  if (offset <= u_blending.z - error) return true;
  return offset <= u_blending.z + error && offsetAgreesExactly(leaf, i);
}

void add(uint number, uint surfels) {
  Leaf leaf = leafOf(number);
  for (; surfels != 0u; surfels &= surfels - 1u) {
    uint i = uint(findLSB(surfels)), own = number << 4 | i;
    Surfel surfel = surfelOf(leaf, i);
    vec2 met = meet(surfel);
    float behind = max(met.x - first_t, 0.0);
    bool within = met.y <= radius2 && met.x > 0.0 && behind <= u_blending.x &&
                  met.x <= u_range_max && own != first_code;
    if (!within || !agrees(surfel, leaf, i)) continue;
    float weight = weightOf(met.y, behind);
    weight_sum += weight;
    mean_sum += weight * behind;
    if (weight > largest) {
      largest = weight;
      largest_code = own;
    }
  }
}

void main() {
  readUniforms();
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint number = 64u * group + gl_LocalInvocationID.x;
  // Tiles one after another.
  int tile = u_tile_rows.x * tileColumns() + int(number / uint(SIDE * SIDE));
  int cell = int(number % uint(SIDE * SIDE));
  int row = tile / tileColumns() * SIDE + cell / SIDE;
  int column = tile % tileColumns() * SIDE + cell % SIDE;
  if (tile >= u_tile_rows.y * tileColumns() || row >= u_size.y || column >= u_size.x) return;
  uint place = placeOf(row, column);
  first_code = cells[place + 1u];
  if (first_code == kNothing) return;
  first_t = uintBitsToFloat(cells[place]);
  direction = normalize(shareOfRow(row) + shareOfColumn(column));
  first = surfelOf(leafOf(first_code >> 4), first_code & 15u);
  weight_sum = weightOf(meet(first).y, 0.0);
  first.n = normalize(first.n);
  mean_sum = 0.0;
  largest = weight_sum;
  largest_code = first_code;
  float far = first_t + u_blending.x;
  int tiles = (u_size.y + SIDE - 1) / SIDE * tileColumns();
  for (int pass = 0; pass < u_passes; ++pass, tile += tiles) {
    uint end = texelFetch(u_begins, tile + 1).x;
    for (uint at = texelFetch(u_begins, tile).x; at < end; at += 2u) {
      uvec4 words = texelFetch(u_entries, int(at / 2u));
      Entry a = entryOf(words.xy), b = entryOf(words.zw);
      if (a.distance > far + u_disorder) break;
      if (a.distance <= far) add(a.leaf, a.surfels);
      if (b.leaf != kNothing && b.distance <= far) add(b.leaf, b.surfels);
    }
  }
  cells[place] = floatBitsToUint(first_t + mean_sum / weight_sum);
  cells[place + 1u] = largest_code;
}
#endif
