// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/text.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/process/command_line.hpp"

namespace {

using marsim::tools::MapCommand;

// Turns `marsim map FILE` into `marsim map info FILE`.
std::vector<char*> withCommand(int argc, char** argv, const std::vector<MapCommand>& commands) {
  static std::string info = "info";
  std::vector<char*> arguments(argv, argv + argc);
  const std::string first = argc > 1 ? argv[1] : "--help";
  const bool known = first == "-h" || first == "--help" ||
                     std::any_of(commands.begin(), commands.end(), [&](const MapCommand& command) {
                       return command.line.name() == first;
                     });
  if (!known) arguments.insert(arguments.begin() + 1, info.data());
  return arguments;
}

// A suggestion if the first argument, which is no file, looks like a misspelt command.
std::string misspelt(const std::string& first, const std::vector<MapCommand>& commands) {
  std::vector<std::string> names;
  for (const MapCommand& command : commands) names.push_back(command.line.name());
  std::error_code none;
  if (first.find_first_of("./") != std::string::npos || std::filesystem::exists(first, none)) {
    return "";
  }
  const std::string nearest = marsim::nearestName(first, names);
  return nearest == first ? "" : nearest;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace marsim::tools;
  std::signal(SIGXFSZ, SIG_IGN);  // reaching a limit of files' sizes is an error like a full disk
  CommandLine line(
      "Makes maps of scans, OctoMaps and meshes, and says what they are fit for.\n"
      "marsim map COMMAND --help lists a command's options; marsim map FILE is marsim map info "
      "FILE.",
      "marsim map");
  line.requireSubcommand();
  const std::vector<MapCommand> commands{
      addMapInfo(line),    addMapImport(line), addMapClean(line),   addMapView(line),
      addMapCompare(line), addMapExport(line), addMapFidelity(line)};
  const std::string first = argc > 1 ? argv[1] : "";
  if (const std::string meant = misspelt(first, commands); !meant.empty()) {
    fmt::print(stderr, "marsim map: unknown command '{}' (did you mean '{}'?)\n",
               marsim::clipped(first), meant);
    return 2;
  }
  std::vector<char*> arguments = withCommand(argc, argv, commands);
  return line.run(static_cast<int>(arguments.size()), arguments.data(), [&commands] {
    const auto parsed =
        std::find_if(commands.begin(), commands.end(),
                     [](const MapCommand& command) { return command.line.isGiven(); });
    return parsed->run();
  });
}
