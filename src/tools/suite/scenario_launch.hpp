// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenario/scenario.hpp"

/// The launch file of one run of a scenario.
namespace marsim::tools {

/// Launch files in place of packages' own, by package name.
using StandIns = std::map<std::string, std::filesystem::path>;

/// The value of an argument; a file beside the scenario's becomes an absolute path.
std::string fromScenario(const scenario::Scenario& scenario, const std::string& value);

/// Packages that a scenario needs beside this one, each once: those of its programs, those in
/// $(find ...), and a SLAM client that slam.launch starts.
std::vector<std::string> wantedPackages(const scenario::Scenario& scenario);

/// Throws UnknownNameError if the launch file lacks an argument of the scenario.
void requireKnownArguments(const scenario::Scenario& scenario);

/// The text of run.launch: the simulation, the user's programs and the node that flies the scenario
/// and writes run.json into `output`. Packages in `stand_ins` are replaced by those.
std::string scenarioLaunch(const scenario::Scenario& scenario, std::uint64_t seed,
                           const std::filesystem::path& output, const StandIns& stand_ins);

}  // namespace marsim::tools
