#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "marsim/map/point_cloud.hpp"

/// The subcommands of `marsim map`.
namespace marsim::tools {

/// One subcommand and what it does, which returns the exit code.
struct MapCommand {
  CLI::App* app;
  std::function<int()> run;
};

MapCommand addMapInfo(CLI::App& app);
MapCommand addMapImport(CLI::App& app);
MapCommand addMapView(CLI::App& app);
MapCommand addMapCompare(CLI::App& app);

/// Prints a name and a value in two columns.
void printLine(const std::string& name, const std::string& value);

/// Writes a cloud as PCD or PLY. A request to end that comes meanwhile waits until the file is
/// whole. Returns the exit code: 0, or 130 after such a request.
int saveWhole(const std::filesystem::path& path, const map::PointCloud& cloud);

}  // namespace marsim::tools
