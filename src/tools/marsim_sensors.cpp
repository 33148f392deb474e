#include <fmt/format.h>

#include "tools/command_line.hpp"
#include "tools/sensor_table.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> names;
  CLI::App app(
      "Lists the sensors with field of view, range, rate, points a second, pattern and output,\n"
      "as their patterns fire.",
      "marsim sensors");
  app.add_option("sensor", names, "names or YAML files; all that come with the package")
      ->type_name(marsim::tools::kInput);
  const CLI::Option* json = app.add_flag("--json", "as JSON");
  const CLI::Option* markdown =
      app.add_flag("--markdown", "as the rows of the table in docs/sensors.md");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    const auto sensors = marsim::tools::summariseSensors(names);
    const auto text = json->count() > 0       ? marsim::tools::sensorJson(sensors)
                      : markdown->count() > 0 ? marsim::tools::sensorMarkdown(sensors)
                                              : marsim::tools::sensorTable(sensors);
    fmt::print("{}", text);
    return 0;
  });
}
