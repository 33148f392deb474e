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
  std::string vehicle = config::defaultOf("vehicle"),
              controller = config::controllerName("auto", false);
  std::string axis = "x", step, picture;
  CLI::App app(
      "Flies a step of position, yaw, roll or pitch in empty space, fits a second-order system to\n"
      "the response and holds it against the controller's specification.",
      "marsim response");
  app.option_defaults()->always_capture_default();
  app.add_option("--vehicle", vehicle, "name in config/vehicle or YAML file")
      ->type_name(tools::kInput);
  app.add_option("--controller", controller, "name in config/control or YAML file")
      ->type_name(tools::kInput);
  app.add_option("--axis", axis, "x, y, z, yaw, or roll or pitch of the inner loops alone")
      ->type_name(tools::kWord);
  app.add_option("--step", step, "0.2m, 10deg; by default 0.2 m or 3 degrees")
      ->type_name("NUMBERS:step");
  app.add_option("--out", picture, "SVG file to draw it to")->type_name(tools::kOutput);
  return marsim::tools::runCommand(app, argc, argv, [&] {
    const tools::StepAxis stepped = tools::stepAxis(axis);
    const bool angle = tools::isAngle(stepped);
    double size = angle ? radians(3.0) : 0.2;
    if (!step.empty()) {
      size = angle ? tools::parseOption("--step", step, Quantity::kAngle, kAngles)
                   : tools::parseOption("--step", step, Quantity::kLength, kPlaces);
    }
    if (!picture.empty()) {
      requireExtension(picture, {".svg"});
      requireWritable(picture);
    }
    const tools::StepFlight flight = tools::flyStep(
        config::loadMultirotor(vehicle), config::loadController(controller), stepped, size);
    fmt::print("{}", tools::stepTable(flight));
    if (!picture.empty()) {
      writeFile(picture, tools::stepPicture(flight, vehicle + ", " + controller + ", " + axis));
      fmt::print("{}\n", picture);
    }
    return 0;
  });
}
