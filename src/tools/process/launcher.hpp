#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The program `marsim`: finds the installed program of a subcommand and becomes it.
namespace marsim::tools {

struct Subcommand {
  std::string name;
  std::string summary;  ///< one line; empty for a program that the list does not know
};

/// Reads lines "name: summary".
std::vector<Subcommand> parseSubcommands(const std::string& text);

/// The known subcommands, then every other program marsim-<name> in `folder`, sorted.
std::vector<Subcommand> listSubcommands(const std::vector<Subcommand>& known,
                                        const std::filesystem::path& folder);

std::string helpText(const std::vector<Subcommand>& subcommands);

/// Replaces this process by `folder`/marsim-<argv[1]> with the arguments that follow. Returns an
/// exit code where there is none, after saying so.
int launch(int argc, char** argv, const std::filesystem::path& folder);

}  // namespace marsim::tools
