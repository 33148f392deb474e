// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The program `marsim`: finds the installed program of a subcommand and becomes it.
namespace marsim::tools {

struct Subcommand {
  std::string name;
  std::string summary;  ///< one line; empty for a program that is not in the list
};

/// Reads lines "name: summary".
std::vector<Subcommand> parseSubcommands(const std::string& text);

/// The known subcommands, then every other program marsim-<name> in `folder`, sorted.
std::vector<Subcommand> listSubcommands(const std::vector<Subcommand>& known,
                                        const std::filesystem::path& folder);

std::string helpText(const std::vector<Subcommand>& subcommands);

/// Replaces this process by `folder`/marsim-<argv[1]> with the following arguments. If there is no
/// such program, reports it and returns an exit code.
int launch(int argc, char** argv, const std::filesystem::path& folder);

}  // namespace marsim::tools
