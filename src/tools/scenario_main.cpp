#include <vector>

#include "tools/command_line.hpp"
#include "tools/suite_run.hpp"

namespace {

// rostest gives every test "__name:=..." and "__log:=...", for nodes.
std::vector<char*> withoutRemappings(int argc, char** argv) {
  std::vector<char*> kept;
  for (int i = 0; i < argc; ++i) {
    if (std::string(argv[i]).find(":=") == std::string::npos) kept.push_back(argv[i]);
  }
  return kept;
}

}  // namespace

int main(int argc, char** argv) {
  marsim::tools::SuiteOptions options;
  options.fresh = true;
  std::string file, xml, output, timeout = "120";
  CLI::App app(
      "Flies one scenario over its seeds, for rostest:\n"
      "<test test-name=\"NAME\" pkg=\"marsim\" type=\"scenario\" args=\"FILE\" "
      "time-limit=\"600\"/>",
      "scenario");
  app.add_option("FILE", file, "scenario")->required();
  app.add_option("--gtest_output", xml, "xml:PATH, where the result goes; rostest gives it");
  app.add_option("--out", output,
                 "folder for logs and run.json; by default beside the result, or scenario_output");
  app.add_option("--stand-ins", options.stand_ins,
                 "folder with PACKAGE.launch, started in place of packages");
  app.add_option("--timeout", timeout, "wall time without simulated time that passes [s]")
      ->capture_default_str();
  app.add_flag("--verbose", options.verbose, "show all output of the nodes");
  std::vector<char*> words = withoutRemappings(argc, argv);
  return marsim::tools::runCommand(app, static_cast<int>(words.size()), words.data(), [&] {
    if (xml.compare(0, 4, "xml:") == 0) xml = xml.substr(4);
    options.paths = {file};
    options.output = !output.empty() ? output : xml.empty() ? "scenario_output" : xml + ".runs";
    options.timeout = marsim::tools::parseOption("--timeout", timeout, marsim::Quantity::kTime);
    return marsim::tools::runScenario(options, xml);
  });
}
