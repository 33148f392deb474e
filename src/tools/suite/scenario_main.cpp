// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "tools/process/command_line.hpp"
#include "tools/suite/suite_run.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  SuiteOptions options;
  options.fresh = true;
  std::string file, xml, output;
  CommandLine line(
      "Flies one scenario over its seeds, for rostest:\n"
      "<test test-name=\"NAME\" pkg=\"marsim\" type=\"scenario\" args=\"FILE\" "
      "time-limit=\"600\"/>",
      "scenario");
  line.option("FILE", file, kInput, "scenario").required();
  line.option("--gtest_output", xml, {"OUTPUT:xml:PATH"},
              "xml:PATH, where the result goes; rostest gives it");
  line.option("--out", output, kFolder,
              "folder for logs and run.json; by default beside the result, or scenario_output");
  addFlightOptions(line, options);
  // rostest gives every test the node arguments "__name:=..." and "__log:=...".
  std::vector<char*> words = withoutRemappings(argc, argv);
  return line.run(static_cast<int>(words.size()), words.data(), [&] {
    if (xml.compare(0, 4, "xml:") == 0) xml = xml.substr(4);
    options.paths = {file};
    options.output = !output.empty() ? output : xml.empty() ? "scenario_output" : xml + ".runs";
    return runScenario(options, xml);
  });
}
