// SPDX-License-Identifier: BSD-3-Clause
#include "lidar_gl/cast_program.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cast_glsl.hpp"
#include "lidar/cast/blend_sums.hpp"
#include "lidar/cast/leaf_blocks.hpp"
#include "lidar/cast/ray_meets_surfel.hpp"
#include "map/tree/leaf_storage.hpp"

namespace marsim::lidar_gl {
namespace {

// Buffers and a function that reads an element of the array they hold together: blocks cannot be
// indexed by a number that differs between invocations.
std::string partsText(const SplitBuffer& parts, GLuint binding, const char* name, const char* type,
                      const char* arguments, const char* element) {
  std::string text, cases;
  for (std::size_t i = 0; i < parts.buffers.size(); ++i) {
    text +=
        fmt::format("layout(std430, binding = {}) readonly buffer {}Block{} {{ {} {}{}[]; }};\n",
                    binding + i, name, i, type, name, i);
    const bool last = i + 1 == parts.buffers.size();
    cases += fmt::format("  {}return {}{}[{}];\n", last ? "" : fmt::format("if (part == {}u) ", i),
                         name, i, element);
  }
  text += fmt::format("{} {}({}) {{\n  uint part = index >> {}, at = index & {}u;\n{}}}\n", type,
                      name, arguments, parts.shift, (std::size_t{1} << parts.shift) - 1, cases);
  return text;
}

// A node's words, which the shader reads as five vectors a to e of four words.
std::string nodePart(const char* name, std::size_t offset, std::size_t words) {
  return fmt::format("#define NODE_{} {}.{}\n", name, "abcde"[offset / 16],
                     std::string_view("xyzw").substr(offset % 16 / 4, words));
}

std::string fieldPart(const char* name, map::BitField field) {
  return fmt::format("#define FIELD_{} {}, {}, {}\n", name, field.word, field.first, field.bits);
}

// The layout of leaf_storage.hpp, for the shader.
std::string storageText() {
  using map::TreeNode;
  constexpr std::size_t kShape = offsetof(TreeNode, exponent), kBox = map::kTreeWidth;
  static_assert(kShape % 4 == 0 && offsetof(TreeNode, counts) == kShape + 3);
  static_assert(map::kTreeWidth == 8 && sizeof(TreeNode) == 80);
  std::string text = nodePart("ORIGIN", offsetof(TreeNode, origin), 3) +
                     nodePart("SHAPE", kShape, 1) +
                     nodePart("CHILD_BASE", offsetof(TreeNode, child_base), 1) +
                     nodePart("LEAF_BASE", offsetof(TreeNode, leaf_base), 1) +
                     nodePart("LEAVES", offsetof(TreeNode, leaf), 2);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char name = "XYZ"[axis];
    text += nodePart(fmt::format("LOWER_{}", name).c_str(), offsetof(TreeNode, lower) + axis * kBox,
                     2) +
            nodePart(fmt::format("UPPER_{}", name).c_str(), offsetof(TreeNode, upper) + axis * kBox,
                     2) +
            fmt::format("#define EXPONENT_{} {}, 8\n", name, 8 * axis);
  }
  return text +
         fmt::format("#define INNER_COUNT 24, {0}\n#define CHILD_COUNT {1}, {0}\n", map::kCountBits,
                     24 + map::kCountBits) +
         fieldPart("X", map::kX) + fieldPart("Y", map::kY) + fieldPart("Z", map::kZ) +
         fieldPart("U", map::kU) + fieldPart("V_LOW", map::kVLow) +
         fieldPart("V_HIGH", map::kVHigh) + fieldPart("PLANAR", map::kPlanar) +
         fmt::format(
             "const uint kLeafBit = {}u, kSurfelWords = {}u;\n"
             "const int kSlotBits = {}, kPositionBits = {}, kVLowBits = {};\n"
             "const int kNormalScale = {}, kLeafCountBits = {};\n"
             "const float kSizeFactors[] = float[]({:.10f});\n",
             map::kLeafBit, map::kSurfelWords, map::kSlotBits, map::kPositionBits, map::kVLow.bits,
             map::kNormalScale, map::kLeafCountBits, fmt::join(map::kSizeFactors, ", "));
}

// Constants of rounding and of weights.
std::string constantsText() {
  return fmt::format(
      "const float kRounding = {}, kSureSlack = {}, kNormalLength = {:.1f};\n"
      "const float kOffsetError = {}, kLeastWeight = {};\n",
      lidar::kRounding, lidar::kSureSlack, lidar::Leaves::kScale, lidar::BlendSums::kOffsetError,
      lidar::kLeastWeight);
}

}  // namespace

std::string castProgramText(const CastVariant& variant, const DeviceTree& tree) {
  const auto node_parts = static_cast<GLuint>(tree.nodes().buffers.size());
  return fmt::format(
             "#version 430 core\n#define BLENDED {:d}\n#define IMAGE {:d}\n"
             "#define STACK {}\n",
             variant.blended, variant.image, variant.stack) +
         storageText() +
         partsText(tree.nodes(), CastVariant::kTree, "nodeWords", "uvec4",
                   "uint index, uint quarter", "5u * at + quarter") +
         partsText(tree.words(), CastVariant::kTree + node_parts, "leafWord", "uint", "uint index",
                   "at") +
         constantsText() + kRayMeetsSurfelGlsl + kCastGlsl;
}

void dispatch(std::size_t groups) {
  constexpr std::size_t kMostGroups = 65535;  // per dimension, in any OpenGL 4.3
  const std::size_t rows = (groups + kMostGroups - 1) / kMostGroups;
  const std::size_t columns = (groups + rows - 1) / rows;
  glDispatchCompute(static_cast<GLuint>(columns), static_cast<GLuint>(rows), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT |
                  GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
}

}  // namespace marsim::lidar_gl
