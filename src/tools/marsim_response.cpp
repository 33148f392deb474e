#include <fmt/format.h>

#include "common/output_file.hpp"
#include "marsim/config/load.hpp"
#include "tools/command_line.hpp"
#include "tools/step_response.hpp"

int main(int argc, char** argv) {
  std::string vehicle = "hummingbird", controller = "default", axis = "x", step, picture;
  CLI::App app(
      "Flies a step of position, yaw, roll or pitch in empty space, fits a second-order system to\n"
      "the response and holds it against the controller's specification.",
      "marsim response");
  app.option_defaults()->always_capture_default();
  app.add_option("--vehicle", vehicle, "name in config/vehicle or YAML file");
  app.add_option("--controller", controller, "name in config/control or YAML file");
  app.add_option("--axis", axis, "x, y, z, yaw, or roll or pitch of the inner loops alone");
  app.add_option("--step", step, "0.2m, 10deg; by default 0.2 m or 3 degrees");
  app.add_option("--out", picture, "SVG file to draw it to");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    using namespace marsim;
    const tools::StepAxis stepped = tools::stepAxis(axis);
    const bool angle = tools::isAngle(stepped);
    const Quantity quantity = angle ? Quantity::kAngle : Quantity::kLength;
    const double size =
        step.empty() ? (angle ? radians(3.0) : 0.2) : tools::parseOption("--step", step, quantity);
    if (!picture.empty()) {
      requireExtension(picture, {".svg"});
      requireWritable(picture);
    }
    const tools::StepFlight flight = tools::flyStep(
        config::loadVehicle(vehicle), config::loadController(controller), stepped, size);
    fmt::print("{}", tools::stepTable(flight));
    if (!picture.empty()) {
      writeFile(picture, tools::stepPicture(flight, vehicle + ", " + controller + ", " + axis));
      fmt::print("{}\n", picture);
    }
    return 0;
  });
}
