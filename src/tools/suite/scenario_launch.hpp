#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenario/scenario.hpp"

/// The launch file of one run of a scenario.
namespace marsim::tools {

/// Launch files that are started in place of packages' own, by the packages' names.
using StandIns = std::map<std::string, std::filesystem::path>;

/// The value of an argument; a file beside the scenario's becomes a full path.
std::string fromScenario(const scenario::Scenario& scenario, const std::string& value);

/// Packages that a scenario needs beside this one, each once: those of its programs, what stands in
/// $(find ...), and a SLAM client that slam.launch is to start.
std::vector<std::string> wantedPackages(const scenario::Scenario& scenario);

/// Throws UnknownNameError where an argument of the scenario is none of its launch file's.
void requireKnownArguments(const scenario::Scenario& scenario);

/// The text of run.launch: the simulation, the user's programs and the node that flies the scenario
/// and writes run.json into `output`. Programs of packages in `stand_ins` are those instead.
std::string scenarioLaunch(const scenario::Scenario& scenario, std::uint64_t seed,
                           const std::filesystem::path& output, const StandIns& stand_ins);

}  // namespace marsim::tools
