// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "tools/process/command_line.hpp"
#include "tools/suite/flight_comparison.hpp"

int main(int argc, char** argv) {
  using namespace marsim;
  tools::FlightNames files;
  std::string picture;
  CLI::App app(
      "Compares two flights (TUM: stamp x y z qx qy qz qw; or CSV with column names): distance of\n"
      "each pose of A to the nearest point of B's path, and to B at the same time since the start.",
      "marsim compare-flights");
  app.add_option("a", files.a, "a trajectory file")
      ->type_name(tools::kInput)
      ->required()
      ->option_text("A");
  app.add_option("b", files.b, "the trajectory file that it is held against")
      ->type_name(tools::kInput)
      ->required()
      ->option_text("B");
  app.add_option("--out", picture, "SVG file: both paths from above, distances over time")
      ->type_name(tools::kOutput);
  return tools::runCommand(app, argc, argv, [&] {
    if (!picture.empty()) {
      requireExtension(picture, {".svg"});
      requireWritable(picture);
    }
    const std::vector<StampedPose> a = readPoseFile(files.a), b = readPoseFile(files.b);
    const tools::FlightComparison comparison = tools::compareFlights(a, b);
    fmt::print("{}", tools::comparisonTable(comparison, files));
    if (!picture.empty()) {
      writeFile(picture, suite::svgFile(tools::comparisonCharts(a, b, comparison)));
      fmt::print("{}\n", picture);
    }
    return 0;
  });
}
