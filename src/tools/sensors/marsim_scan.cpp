// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "tools/map/points.hpp"
#include "tools/process/command_line.hpp"
#include "tools/sensors/scan_once.hpp"

namespace {

using marsim::Quantity;
using marsim::tools::ScanRequest;
using marsim::tools::ScanSummary;

void print(const ScanRequest& request, const ScanSummary& summary) {
  using marsim::withThousands;
  for (const std::string& line : summary.log) fmt::print(stderr, "marsim scan: {}\n", line);
  if (summary.spacing.is_bad) fmt::print(stderr, "warning: {}\n", summary.spacing.text);
  if (!summary.spacing.is_bad) fmt::print("{:<14}{}\n", "map", summary.spacing.text);
  fmt::print("{:<14}{}, {:g} s\n", "sensor", summary.sensor, summary.duration);
  fmt::print("{:<14}{}, {} returns, {} too near, {} too dark\n", "shots",
             withThousands(summary.shots), withThousands(summary.returns),
             withThousands(summary.too_near), withThousands(summary.too_dark));
  if (request.vegetation != "none") {
    fmt::print("{:<14}{}: {} returns\n", "vegetation", request.vegetation,
               withThousands(summary.of_plants));
  }
  if (request.weather != "none") {
    fmt::print("{:<14}{}: {} returns of particles\n", "weather", request.weather,
               withThousands(summary.of_particles));
  }
  if (summary.returns > 0) {
    fmt::print("{:<14}{:.2f} to {:.2f} m, median {:.2f} m\n", "ranges", summary.range_least,
               summary.range_most, summary.range_median);
  }
  if (!request.cloud.empty()) {
    fmt::print("{:<14}{} ({} frame)\n", "cloud", request.cloud.string(),
               request.sensor_frame ? "sensor" : "world");
  }
  if (!request.image.empty()) fmt::print("{:<14}{}\n", "picture", request.image.string());
  const std::string why = marsim::tools::whyEmpty(request, summary);
  if (!why.empty()) fmt::print(stderr, "marsim scan: {}\n", why);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  ScanRequest request;
  std::string pose = "0,0,1.5", frame = "world";
  std::string surface = marsim::map::nameOf(request.surfels.surface);
  std::string renderer = marsim::lidar_gl::nameOf(request.renderer);
  CommandLine line("Renders one scan of a sensor at rest, without ROS.", "marsim scan");
  addWorld(line, request);
  line.option("--pose", pose, {"NUMBERS:x,y,z,yaw,pitch,roll"},
              "of the sensor: x,y,z,yaw,pitch,roll [m, rad], e.g. 0,0,1.5,90deg,0,0; angles "
              "left out are 0");
  line.option("--rays", request.rays, kWord,
              "that stand for a beam: 1, 7, 9, 19 or 37; auto: as the sensor's file says");
  line.option("--returns", request.returns, kWord,
              "of a shot: strongest, first, last, dual, two_strongest or triple; auto: as the "
              "sensor's file says");
  line.option("--duration", request.duration, number(Quantity::kTime, ScanRequest::kDurations),
              "how long it looks [s]; 0: one scan");
  line.option("--out", request.cloud, kOutput, "PCD or PLY to write, with intensity");
  line.option("--png", request.image, kOutput, "picture to write, PNG");
  line.option("--frame", frame, oneOf({"world", "sensor"}), "of the points: world or sensor");
  line.option("--resolution", request.surfels.resolution,
              number(Quantity::kLength, marsim::kResolutions), "voxel side of the map [m]");
  line.option("--surface", surface, kWord, "of the map: blended, sized or paper");
  line.option("--renderer", renderer, kWord,
              "cpu, opengl or auto (OpenGL where there is a graphics card)");
  return line.run(argc, argv, [&] {
    request.X_WS = parsePose(pose, "--pose");
    request.surfels.surface = marsim::map::surfaceOf(surface);
    request.renderer = marsim::lidar_gl::rendererChoiceOf(renderer, "--renderer");
    request.sensor_frame = frame == "sensor";
    print(request, scanOnce(request));
    return 0;
  });
}
