// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "marsim/map/point_cloud.hpp"

/// The subcommands of `marsim map`.
namespace marsim::tools {

/// A subcommand and its function, which returns the exit code.
struct MapCommand {
  CLI::App* app;
  std::function<int()> run;
};

MapCommand addMapClean(CLI::App& app);
MapCommand addMapFidelity(CLI::App& app);
MapCommand addMapInfo(CLI::App& app);
MapCommand addMapImport(CLI::App& app);
MapCommand addMapView(CLI::App& app);
MapCommand addMapCompare(CLI::App& app);
MapCommand addMapExport(CLI::App& app);

/// Adds the required argument "map".
void addMapName(CLI::App& app, std::string& name);
/// Adds --resolution and --surface of a map that is made of points.
void addMapMaking(CLI::App& app, double& resolution, std::string& surface);

/// Prints a name and a value in two columns.
void printLine(const std::string& name, const std::string& value);

/// Calls `write`, which writes files. A request to end waits until they are complete. Returns the
/// exit code: 0, or 130 after such a request.
int writeWhole(const std::function<void()>& write);
/// Writes a cloud as PCD or PLY by writeWhole().
int saveWhole(const std::filesystem::path& path, const map::PointCloud& cloud);

}  // namespace marsim::tools
