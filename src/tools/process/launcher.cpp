// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/launcher.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

const std::string kPrefix = "marsim-";

}  // namespace

std::vector<Subcommand> parseSubcommands(const std::string& text) {
  std::vector<Subcommand> subcommands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    subcommands.push_back({line.substr(0, colon), std::string(trimmed(line.substr(colon + 1)))});
  }
  return subcommands;
}

std::vector<Subcommand> listSubcommands(const std::vector<Subcommand>& known,
                                        const fs::path& folder) {
  std::vector<Subcommand> others;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (file.compare(0, kPrefix.size(), kPrefix) != 0) continue;
    if (access(entry.path().c_str(), X_OK) != 0) continue;
    const std::string name = file.substr(kPrefix.size());
    const bool listed = std::any_of(known.begin(), known.end(),
                                    [&](const Subcommand& item) { return item.name == name; });
    if (!listed) others.push_back({name, ""});
  }
  std::sort(others.begin(), others.end(),
            [](const Subcommand& a, const Subcommand& b) { return a.name < b.name; });
  std::vector<Subcommand> all = known;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::string helpText(const std::vector<Subcommand>& subcommands) {
  std::string text = "usage: marsim COMMAND [OPTIONS]\n\ncommands:\n";
  for (const Subcommand& subcommand : subcommands) {
    text += fmt::format("  {:<17}{}\n", subcommand.name, subcommand.summary);
  }
  return text + "\nmarsim COMMAND --help describes one.\n";
}

int launch(int argc, char** argv, const fs::path& folder) {
  const std::vector<Subcommand> subcommands = listSubcommands(parseSubcommands(kCommands), folder);
  const std::string name = argc > 1 ? argv[1] : "";
  if (name.empty() || name == "help" || name == "-h" || name == "--help") {
    fmt::print("{}", helpText(subcommands));
    return 0;
  }
  if (name == "build" || name == "test") {
    fmt::print(stderr, "marsim: '{0}' works in the source tree: run ./marsim {0} there\n", name);
    return 2;
  }
  std::vector<std::string> names;
  for (const Subcommand& subcommand : subcommands) names.push_back(subcommand.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    fmt::print(stderr, "{}\n", UnknownNameError("marsim", "command", name, names).what());
    return 2;
  }
  const fs::path program = folder / (kPrefix + name);
  execv(program.c_str(), argv + 1);
  fmt::print(stderr, "marsim: '{}' is not built or not installed: {}: {}\n", name, program.string(),
             std::strerror(errno));
  return 1;
}

}  // namespace marsim::tools
