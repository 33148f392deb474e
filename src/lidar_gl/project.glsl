// Surfels into a dense image, by the lists of its tiles (tile_lists.hpp): which surfels a tile of
// SIDE x SIDE cells may see, nearest first. No invocation writes another's cells: the image does
// not depend on who is first.
//
// Nearest surfel: an invocation owns a tile and walks its list until nothing nearer than what its
// cells hold can come; a later pass goes on with what they hold. Sums of blended surfaces, in a
// second run: an invocation owns a cell and adds up what lies within the depth behind the nearest.
// Where single precision cannot tell what belongs to the surface, it leaves the cell to a third one.
//
// Everything is in single precision relative to the sensor, in the tree's frame, as in
// src/lidar/image_walk.hpp; single texels of four words are fetched, which software does quickest.
// Neighbouring invocations read their lists in step, four surfels at a time.
//
// project_program.cpp puts before this: the version, leafTexel() for EXACT, and
//   COMPACT  how surfels are stored      SUMS   the second run      SIDE  cells of a tile's side
//   GOES_ON  a later pass                EXACT  the second run once more, of cells left unsure

layout(local_size_x = 64) in;

layout(binding = 0) uniform usamplerBuffer u_surfels;  // Leaves::placedWords(): one texel, or two
layout(binding = 1) uniform usamplerBuffer u_lists;    // surfels' numbers, four a texel; filled up
                                                       // with ones that nothing meets
layout(binding = 2) uniform usamplerBuffer u_begins;   // a tile's first texel; the next one's
layout(binding = 3) uniform samplerBuffer u_shares;    // ImageDirections::Share: rows, then columns
layout(binding = 4) uniform usamplerBuffer u_order;    // tiles of this dispatch; EXACT: cells
layout(location = 0) uniform mat3 u_rotation;          // R_WS
layout(location = 1) uniform ivec2 u_size;             // cells: columns, rows
layout(location = 2) uniform ivec2 u_tile_rows;        // of this dispatch: first, end
layout(location = 3) uniform bool u_pinhole;
layout(location = 4) uniform float u_range_max;  // [m]
layout(location = 5) uniform float u_radius;     // [m]
layout(location = 6) uniform float u_disorder;   // [m] that a surfel may be nearer than one before
layout(location = 7) uniform uint u_surfels_before;  // of the passes before this one
layout(location = 8) uniform int u_count;            // of u_order
layout(std430, binding = 0) buffer Cells {
  uint cells[];  // range [m]; the surfel's number, with kUnsure where it is
};

const uint kNothing = 0xffffffffu;
const uint kUnsure = 0x80000000u;
const int kNormalScale = 4095;

float radius2;  // [m^2]

// ---------------------------------------------------------------- surfels

struct Surfel {
  vec3 v;  // [m] from the sensor
  vec3 n;  // of any length
  bool planar;
};

Surfel surfelOf(uint number) {
  Surfel surfel;
#if COMPACT
  uvec4 words = texelFetch(u_surfels, int(number));
  uint code = words.w;
  int a = int((code >> 12) & 0x1ffeu) - kNormalScale;
  int b = int(((code >> 18) & 0x1f80u) | ((code << 1) & 0x7eu)) - kNormalScale;
  surfel.n = vec3(ivec3(a + b, a - b, 2 * kNormalScale - abs(a + b) - abs(a - b)));
  surfel.planar = (code >> 31) != 0u;
#else
  uvec4 words = texelFetch(u_surfels, int(2u * number));
  uvec2 more = texelFetch(u_surfels, int(2u * number + 1u)).xy;
  surfel.n = uintBitsToFloat(uvec3(words.w, more));
  surfel.planar = (more.y & 1u) != 0u;
#endif
  surfel.v = uintBitsToFloat(words.xyz);
  return surfel;
}

// Whether all that follows a surfel in a list is behind `far`.
bool endsList(Surfel surfel, float far) {
  float least = far + u_radius * 1.01 + u_disorder;
  return dot(surfel.v, surfel.v) > least * least;
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

void walkTile(uint at, uint end) {
  for (; at < end; ++at) {
    uvec4 numbers = texelFetch(u_lists, int(at));
    Surfel surfel;
    for (int k = 0; k < 4; ++k) {
      surfel = surfelOf(numbers.x);
      draw(surfel, numbers.x + u_surfels_before);
      numbers = numbers.yzwx;
    }
    if (endsList(surfel, farthest())) at = end;
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
  radius2 = u_radius * u_radius;
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  int number = int(64u * group + gl_LocalInvocationID.x);
  if (number >= u_count) return;
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

layout(binding = 7) uniform usamplerBuffer u_cells;   // TileLists::cells, of four surfels a texel
layout(location = 9) uniform vec3 u_blending;  // depth, least cosine, most offset
layout(location = 10) uniform int u_passes;    // whose lists are there, one after another

// As in cast.glsl.
const float kLeastWeight = 1e-6;
const float kOffsetError = 1e-6;

vec3 direction;      // unit
float first_t;       // [m]
uint first_code;
Surfel first;        // n: unit
int row_in_tile, column_in_tile;
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

uint wordOf(uvec4 four, uint k) {
  return k < 2u ? (k == 0u ? four.x : four.y) : (k == 2u ? four.z : four.w);
}

#if EXACT
layout(binding = 5) uniform usamplerBuffer u_sources;  // a surfel's leaf times 16, number there
layout(binding = 6) uniform usamplerBuffer u_leaves;   // LeafRecord, two texels each

uint leafWord(uint number) { return wordOf(leafTexel(number >> 2), number & 3u); }

float powerOfTwo(uint field) { return uintBitsToFloat(field << 23); }

// Relative to the tree's origin [m].
dvec3 exactPosition(uint number) {
  uint place = texelFetch(u_sources, int(number)).x;
  uint leaf = place >> 4, i = place & 15u;
  uvec4 head = texelFetch(u_leaves, int(2u * leaf));
  uint shape = texelFetch(u_leaves, int(2u * leaf + 1u)).x;
  uint first = head.w, count = shape >> 24;
#if COMPACT
  vec3 step = vec3(powerOfTwo(shape & 255u), powerOfTwo((shape >> 8) & 255u),
                   powerOfTwo((shape >> 16) & 255u));
  uint low = leafWord(2u * first + i), high = leafWord(2u * first + count + i);
  uvec3 coded = uvec3(low & 8191u, (low >> 13) & 8191u, high & 8191u);
  return dvec3(uintBitsToFloat(head.xyz)) + dvec3(coded) * dvec3(step);
#else
  uint at = 6u * first + i;
  return dvec3(uintBitsToFloat(uvec3(leafWord(at), leafWord(at + count), leafWord(at + 2u * count))));
#endif
}

bool offsetAgreesExactly(uint number) {
  dvec3 n = dvec3(surfelOf(first_code).n);
  double offset = dot(n, exactPosition(number) - exactPosition(first_code));
  double most = double(u_blending.z);
  return offset * offset <= most * most * dot(n, n);
}
#endif

bool unsure;

bool agrees(Surfel surfel, uint number) {
  if (surfel.planar != first.planar) return false;
  if (!first.planar) return true;
  float cosine = dot(surfel.n, first.n);
  float least = u_blending.y * u_blending.y;
  if (!(cosine * cosine >= dot(surfel.n, surfel.n) * least)) return false;
  float offset = abs(dot(surfel.v - first.v, first.n));
  float error = kOffsetError * (first_t + u_blending.x + u_radius);
  if (offset > u_blending.z + error) return false;
#if EXACT
  if (offset > u_blending.z - error) return offsetAgreesExactly(number);
#else
  if (offset > u_blending.z - error) unsure = true;
#endif
  return true;
}

void add(Surfel surfel, uint number) {
  vec2 met = meet(surfel);
  float behind = max(met.x - first_t, 0.0);
  bool within = met.y <= radius2 && met.x > 0.0 && behind <= u_blending.x &&
                met.x <= u_range_max && number != first_code;
  if (!within || !agrees(surfel, number)) return;
  float weight = weightOf(met.y, behind);
  weight_sum += weight;
  mean_sum += weight * behind;
  if (weight > largest) {
    largest = weight;
    largest_code = number;
  }
}

const uint kBlock = 8u;  // texels of a list that are looked at together

// Bit b: whether the cell is one of those of surfel b / kBlock of texel b % kBlock, from `at` on.
uint surfelsOfCell(uint at, uint end) {
  uint surfels = 0u;
  for (uint i = 0u; i < kBlock; ++i) {
    uint masks = at + i < end ? texelFetch(u_cells, int(at + i)).x : 0u;
    uint in_cell = masks >> row_in_tile & masks >> (SIDE + column_in_tile) & 0x01010101u;
    surfels |= in_cell << i;
  }
  return surfels;
}

void addList(uint at, uint end, float far) {
  for (; at < end; at += kBlock) {
    for (uint left = surfelsOfCell(at, end); left != 0u; left &= left - 1u) {
      uint bit = uint(findLSB(left));
      uint number = wordOf(texelFetch(u_lists, int(at + bit % kBlock)), bit / kBlock);
      add(surfelOf(number), number);
    }
    uint last = texelFetch(u_lists, int(min(at + kBlock, end) - 1u)).x;
    if (endsList(surfelOf(last), far)) at = end;
  }
}

// Software gives each of its threads a share of groups that follow each other: from all of the image
// is fairer than a part of it.
uint dealt(uint group) {
  uint turns = 16u;
  uint of_a_turn = gl_NumWorkGroups.x * gl_NumWorkGroups.y / turns;
  return group < of_a_turn * turns ? group % of_a_turn * turns + group / of_a_turn : group;
}

void main() {
  radius2 = u_radius * u_radius;
  uint group = dealt(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
  uint number = 64u * group + gl_LocalInvocationID.x;
#if EXACT
  if (number >= uint(u_count)) return;
  int cell = int(texelFetch(u_order, int(number)).x);
  int row = u_tile_rows.x * SIDE + cell / u_size.x, column = cell % u_size.x;
  int tile = row / SIDE * tileColumns() + column / SIDE;
#else
  // Tiles one after another.
  int tile = u_tile_rows.x * tileColumns() + int(number / uint(SIDE * SIDE));
  int cell = int(number % uint(SIDE * SIDE));
  int row = tile / tileColumns() * SIDE + cell / SIDE;
  int column = tile % tileColumns() * SIDE + cell % SIDE;
  if (tile >= u_tile_rows.y * tileColumns() || row >= u_size.y || column >= u_size.x) return;
#endif
  row_in_tile = row % SIDE;
  column_in_tile = column % SIDE;
  uint place = placeOf(row, column);
  first_code = cells[place + 1u];
  if (first_code == kNothing) return;
  first_code &= ~kUnsure;
  first_t = uintBitsToFloat(cells[place]);
  direction = normalize(shareOfRow(row) + shareOfColumn(column));
  first = surfelOf(first_code);
  weight_sum = weightOf(meet(first).y, 0.0);
  first.n = normalize(first.n);
  mean_sum = 0.0;
  unsure = false;
  largest = weight_sum;
  largest_code = first_code;
  float far = first_t + u_blending.x;
  int tiles = (u_size.y + SIDE - 1) / SIDE * tileColumns();
  for (int pass = 0; pass < u_passes; ++pass, tile += tiles) {
    uint begin = texelFetch(u_begins, tile).x, end = texelFetch(u_begins, tile + 1).x;
    addList(begin, end, far);
  }
  if (unsure) {
    cells[place + 1u] = first_code | kUnsure;
    return;
  }
  cells[place] = floatBitsToUint(first_t + mean_sum / weight_sum);
  cells[place + 1u] = largest_code;
}
#endif
