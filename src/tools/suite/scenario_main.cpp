// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "tools/process/command_line.hpp"
#include "tools/suite/suite_run.hpp"

using marsim::tools::SuiteOptions;

int main(int argc, char** argv) {
  SuiteOptions options;
  options.fresh = true;
  std::string file, xml, output;
  CLI::App app(
      "Flies one scenario over its seeds, for rostest:\n"
      "<test test-name=\"NAME\" pkg=\"marsim\" type=\"scenario\" args=\"FILE\" "
      "time-limit=\"600\"/>",
      "scenario");
  app.add_option("FILE", file, "scenario")->type_name(marsim::tools::kInput)->required();
  app.add_option("--gtest_output", xml, "xml:PATH, where the result goes; rostest gives it")
      ->type_name("OUTPUT:xml:PATH");
  app.add_option("--out", output,
                 "folder for logs and run.json; by default beside the result, or scenario_output")
      ->type_name(marsim::tools::kFolder);
  marsim::tools::addFlightOptions(app, options);
  // rostest gives every test the node arguments "__name:=..." and "__log:=...".
  std::vector<char*> words = marsim::tools::withoutRemappings(argc, argv);
  return marsim::tools::runCommand(app, static_cast<int>(words.size()), words.data(), [&] {
    if (xml.compare(0, 4, "xml:") == 0) xml = xml.substr(4);
    options.paths = {file};
    options.output = !output.empty() ? output : xml.empty() ? "scenario_output" : xml + ".runs";
    return marsim::tools::runScenario(options, xml);
  });
}
