// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "marsim/map/point_cloud.hpp"
#include "tools/process/command_line.hpp"

/// The subcommands of `marsim map`.
namespace marsim::tools {

/// A subcommand and its function, which returns the exit code.
struct MapCommand {
  CommandLine line;
  std::function<int()> run;
};

MapCommand addMapClean(CommandLine& line);
MapCommand addMapFidelity(CommandLine& line);
MapCommand addMapInfo(CommandLine& line);
MapCommand addMapImport(CommandLine& line);
MapCommand addMapView(CommandLine& line);
MapCommand addMapCompare(CommandLine& line);
MapCommand addMapExport(CommandLine& line);

/// Adds the required argument "map".
void addMapName(CommandLine& line, std::string& name);
/// Adds --resolution and --surface of a map that is made of points.
void addMapMaking(CommandLine& line, double& resolution, std::string& surface);

/// Prints a name and a value in two columns.
void printLine(const std::string& name, const std::string& value);

/// Calls `write`, which writes files. A request to end waits until they are complete. Returns the
/// exit code: 0, or 130 after such a request.
int writeWhole(const std::function<void()>& write);
/// Writes a cloud as PCD or PLY by writeWhole().
int saveWhole(const std::filesystem::path& path, const map::PointCloud& cloud);

}  // namespace marsim::tools
