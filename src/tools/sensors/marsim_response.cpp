// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "config/defaults.hpp"
#include "config/launch_words.hpp"
#include "config/load_multirotor.hpp"
#include "marsim/config/load.hpp"
#include "tools/process/command_line.hpp"
#include "tools/sensors/step_response.hpp"

int main(int argc, char** argv) {
  using namespace marsim;
  using namespace marsim::tools;
  std::string vehicle = config::defaultOf("vehicle"),
              controller = config::controllerName("auto", false);
  std::string axis = "x", step, picture;
  CommandLine line(
      "Flies a step of position, yaw, roll or pitch in empty space, fits a second-order system to\n"
      "the response and holds it against the controller's specification.",
      "marsim response");
  line.option("--vehicle", vehicle, kInput, "name in config/vehicle or YAML file");
  line.option("--controller", controller, kInput, "name in config/control or YAML file");
  line.option("--axis", axis, kWord, "x, y, z, yaw, or roll or pitch of the inner loops alone");
  line.option("--step", step, {"NUMBERS:step"}, "0.2m, 10deg; by default 0.2 m or 3 degrees");
  line.option("--out", picture, kOutput, "SVG file to draw it to");
  return line.run(argc, argv, [&] {
    const StepAxis stepped = stepAxis(axis);
    const bool angle = isAngle(stepped);
    double size = angle ? radians(3.0) : 0.2;
    if (!step.empty()) {
      size = angle ? parseOption("--step", step, Quantity::kAngle, kAngles)
                   : parseOption("--step", step, Quantity::kLength, kPlaces);
    }
    if (!picture.empty()) {
      requireExtension(picture, {".svg"});
      requireWritable(picture);
    }
    const StepFlight flight =
        flyStep(config::loadMultirotor(vehicle), config::loadController(controller), stepped, size);
    fmt::print("{}", stepTable(flight));
    if (!picture.empty()) {
      writeFile(picture, stepPicture(flight, vehicle + ", " + controller + ", " + axis));
      fmt::print("{}\n", picture);
    }
    return 0;
  });
}
