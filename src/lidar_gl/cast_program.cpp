#include "lidar_gl/cast_program.hpp"

#include <fmt/format.h>

#include "cast_glsl.hpp"

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

}  // namespace

std::string castProgramText(const CastVariant& variant, const DeviceTree& tree) {
  const auto node_parts = static_cast<GLuint>(tree.nodes().buffers.size());
  return fmt::format(
             "#version 430 core\n#define BLENDED {:d}\n#define IMAGE {:d}\n"
             "#define STACK {}\n",
             variant.blended, variant.image, variant.stack) +
         partsText(tree.nodes(), CastVariant::kTree, "nodeWords", "uvec4",
                   "uint index, uint quarter", "5u * at + quarter") +
         partsText(tree.words(), CastVariant::kTree + node_parts, "leafWord", "uint", "uint index",
                   "at") +
         kCastGlsl;
}

void dispatch(std::size_t groups) {
  constexpr std::size_t kMostGroups = 65535;  // of a dimension, in any OpenGL 4.3
  const std::size_t rows = (groups + kMostGroups - 1) / kMostGroups;
  const std::size_t columns = (groups + rows - 1) / rows;
  glDispatchCompute(static_cast<GLuint>(columns), static_cast<GLuint>(rows), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT |
                  GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
}

}  // namespace marsim::lidar_gl
