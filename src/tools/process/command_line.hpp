// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/defaults.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/units.hpp"

/// Helpers for the programs' main functions.
namespace marsim::tools {

/// Exit code for a command line that is wrong.
constexpr int kWrongCommandLine = 2;

/// Parses the command line and runs `body`, whose result is the exit code. Errors become one line
/// on standard error, "marsim demo: <text>", and exit code 1 (2 for a wrong command line). With
/// --options as the last word it prints a line for each option instead: subcommand, name, type,
/// "required"; test/tools/command_lines_test.py tries every option by its type.
int runCommand(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// The words without the remappings of ROS, NAME:=VALUE.
std::vector<char*> withoutRemappings(int argc, char** argv);

/// Types of options with texts, for CLI::Option::type_name(). A type "NUMBERS:x,y" shows the form
/// of the numbers.
constexpr const char* kInput = "INPUT";    ///< a name that comes with the package, file or folder
constexpr const char* kOutput = "OUTPUT";  ///< file to write
constexpr const char* kFolder = "FOLDER";  ///< folder to write into
constexpr const char* kWord = "WORD";      ///< one of a few
constexpr const char* kName = "NAME";      ///< any text

/// For CLI::Option::transform() of a numeric option: reads a quantity with its unit into SI, or
/// throws with the allowed values. A warning about an angle names the option.
CLI::Validator number(Quantity quantity, const Bounds& bounds, const std::string& option = "");

/// For CLI::Option::transform() of an option that is a whole number in decimal digits.
CLI::Validator whole(std::uint64_t low, std::uint64_t high);
CLI::Validator whole(const Bounds& bounds);

/// Reads a number like number() if the option's text alone does not tell its quantity. Throws
/// CLI::ValidationError.
double parseOption(const std::string& option, std::string text, Quantity quantity,
                   const Bounds& bounds);

/// The world that a LiDAR scans, and the LiDAR: names or files, each by default as in sim.launch.
struct ScannedWorld {
  std::string map = config::defaultOf("map"), lidar = config::defaultOf("lidar");
  std::string vegetation = config::defaultOf("vegetation");
  std::string surfaces = config::defaultOf("surfaces"), weather = config::defaultOf("weather");
};
/// The options --map, --lidar, --vegetation, --surfaces and --weather.
void addWorld(CLI::App& app, ScannedWorld& world);

/// Name and value of an argument NAME:=VALUE. Throws ConfigError.
std::pair<std::string, std::string> splitArgument(const std::string& word);

/// The option --seed, a whole number from 0 to 2^64 - 1.
void addSeed(CLI::App& app, std::uint64_t& seed, const std::string& description);

/// Shows a line that replaces the previous one on a terminal; elsewhere prints one every five
/// seconds.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  void show(const std::string& text);
  /// Prints a permanent line, above the live one.
  void print(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace marsim::tools
