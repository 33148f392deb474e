#include "lidar_gl/project_program.hpp"

#include <fmt/format.h>

#include "lidar_gl/tile_lists.hpp"
#include "project_glsl.hpp"

namespace marsim::lidar_gl {
namespace {

// A function that reads four words at once of the parts together.
std::string leafTexelText(const DeviceParts& words) {
  const int shift = words.shift - 2;
  std::string text, cases;
  for (std::size_t i = 0; i < words.buffers.size(); ++i) {
    text += fmt::format("layout(binding = {}) uniform usamplerBuffer u_words{};\n",
                        ProjectVariant::kWords + i, i);
    const bool last = i + 1 == words.buffers.size();
    cases += fmt::format("  {}return texelFetch(u_words{}, int(at));\n",
                         last ? "" : fmt::format("if (part == {}u) ", i), i);
  }
  return text + fmt::format(
                    "uvec4 leafTexel(uint index) {{\n  uint part = index >> {}, at = index & {}u;\n"
                    "{}}}\n",
                    shift, (std::size_t{1} << shift) - 1, cases);
}

}  // namespace

std::string projectProgramText(const ProjectVariant& variant, const DeviceTree* tree) {
  const bool exact = variant.run == ProjectVariant::kExact;
  return fmt::format(
             "#version 430 core\n#define COMPACT {:d}\n#define SUMS {:d}\n#define GOES_ON {:d}\n"
             "#define EXACT {:d}\n#define SIDE {}\n",
             variant.compact, exact || variant.run == ProjectVariant::kSums,
             variant.run == ProjectVariant::kGoesOn, exact, TileLists::kSide) +
         (exact ? leafTexelText(tree->words()) : "") + kProjectGlsl;
}

}  // namespace marsim::lidar_gl
