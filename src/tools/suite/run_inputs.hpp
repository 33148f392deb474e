// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Digests of the files that determine a flight.
namespace marsim::tools {

/// A digest of a file's text. Throws FileError.
std::string digestOf(const std::filesystem::path& file);

/// "vlp16.yaml 0123456789abcdef", name and digest, of each file that an argument of sim.launch
/// brings into a flight: the named file, and files named in it in turn (scan tables, species,
/// models of IMUs). None if it names no file; for maps the file itself. Throws the errors of
/// loaders.
std::vector<std::string> inputsOf(const std::string& argument, const std::string& value);

/// Lines as above for a scenario, a name of config/dataset or a file: of its own file, of its
/// trajectories and of its arguments.
std::vector<std::string> inputsOfScenario(const std::string& name_or_path);

}  // namespace marsim::tools
