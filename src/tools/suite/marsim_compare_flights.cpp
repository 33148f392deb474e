// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/geometry/pose_file.hpp"
#include "tools/process/command_line.hpp"
#include "tools/suite/flight_comparison.hpp"

int main(int argc, char** argv) {
  using namespace marsim;
  using namespace marsim::tools;
  FlightNames files;
  std::string picture;
  CommandLine line(
      "Compares two flights (TUM: stamp x y z qx qy qz qw; or CSV with column names): distance of\n"
      "each pose of A to the nearest point of B's path, and to B at the same time since the start.",
      "marsim compare-flights");
  line.option("a", files.a, kInput, "a trajectory file").required().shownAs("A");
  line.option("b", files.b, kInput, "the trajectory file that it is held against")
      .required()
      .shownAs("B");
  line.option("--out", picture, kOutput, "SVG file: both paths from above, distances over time");
  return line.run(argc, argv, [&] {
    if (!picture.empty()) {
      requireExtension(picture, {".svg"});
      requireWritable(picture);
    }
    const std::vector<StampedPose> a = readPoseFile(files.a), b = readPoseFile(files.b);
    const FlightComparison comparison = compareFlights(a, b);
    fmt::print("{}", comparisonTable(comparison, files));
    if (!picture.empty()) {
      writeFile(picture, suite::svgFile(comparisonCharts(a, b, comparison)));
      fmt::print("{}\n", picture);
    }
    return 0;
  });
}
