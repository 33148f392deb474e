// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tools/process/command_line.hpp"
#include "tools/sensors/sensor_table.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> names;
  bool json = false, markdown = false;
  CLI::App app(
      "Lists the sensors with field of view, range, rate, points a second, pattern and output,\n"
      "as their patterns fire.",
      "marsim sensors");
  app.add_option("sensor", names, "names or YAML files; all that come with the package")
      ->type_name(marsim::tools::kInput);
  app.add_flag("--json", json, "as JSON");
  app.add_flag("--markdown", markdown, "as the rows of the table in docs/sensors.md");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    const auto sensors = marsim::tools::summariseSensors(names);
    const auto text = json       ? marsim::tools::sensorJson(sensors)
                      : markdown ? marsim::tools::sensorMarkdown(sensors)
                                 : marsim::tools::sensorTable(sensors);
    fmt::print("{}", text);
    return 0;
  });
}
