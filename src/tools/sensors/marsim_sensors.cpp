// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tools/process/command_line.hpp"
#include "tools/sensors/sensor_table.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  std::vector<std::string> names;
  bool json = false, markdown = false;
  CommandLine line(
      "Lists the sensors with field of view, range, rate, points a second, pattern and output,\n"
      "as their patterns fire.",
      "marsim sensors");
  line.option("sensor", names, kInput, "names or YAML files; all that come with the package");
  line.flag("--json", json, "as JSON");
  line.flag("--markdown", markdown, "as the rows of the table in docs/sensors.md");
  return line.run(argc, argv, [&] {
    const auto sensors = summariseSensors(names);
    const auto text = json       ? sensorJson(sensors)
                      : markdown ? sensorMarkdown(sensors)
                                 : sensorTable(sensors);
    fmt::print("{}", text);
    return 0;
  });
}
