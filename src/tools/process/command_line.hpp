// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/defaults.hpp"
#include "marsim/common/bounds.hpp"
#include "marsim/common/units.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// Helpers for the programs' main functions.
namespace marsim::tools {

/// Exit code for a command line that is wrong.
constexpr int kWrongCommandLine = 2;

/// The type of an option's values. "NUMBERS:x,y" shows the form of the numbers.
struct OptionType {
  const char* name;  ///< "": that of the variable, such as FLOAT
  /// Returns the error in a text, or "", and brings the text into the form that CLI11 reads.
  std::function<std::string(std::string&)> check = {};
  std::string allowed = {};  ///< values, shown after the name
};
inline const OptionType kInput{"INPUT"};    ///< a name that comes with the package, file or folder
inline const OptionType kOutput{"OUTPUT"};  ///< file to write
inline const OptionType kFolder{"FOLDER"};  ///< folder to write into
inline const OptionType kWord{"WORD"};      ///< one of a few
inline const OptionType kName{"NAME"};      ///< any text

/// A quantity with its unit, read into SI. A warning about an angle names the option.
OptionType number(Quantity quantity, const Bounds& bounds, const std::string& option = "");

/// A whole number in decimal digits.
OptionType whole(std::uint64_t low, std::uint64_t high);
OptionType whole(const Bounds& bounds);

/// One of these words.
OptionType oneOf(const std::vector<std::string>& words);

/// An option of a CommandLine, which owns it.
class Option {
 public:
  Option(CLI::Option* option) : option_(option) {}
  Option required() const;
  /// Requires the other option beside it.
  Option needs(Option other) const;
  /// Takes so many values.
  Option expected(int count) const;
  /// Takes one value each time that it is given.
  Option oneEachTime() const;
  /// Takes several values as one word.
  Option delimiter(char between) const;
  /// Replaces the type in --help.
  Option shownAs(const std::string& text) const;
  /// Keeps the variable's value out of --help.
  Option hideDefault() const;
  bool isGiven() const;

 private:
  CLI::Option* option_;
};

/// The options of a program or of one of its subcommands. Copies are the same command line.
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name);

  /// Adds an option, whose default is the variable's value; names without dashes: an argument.
  template <class T>
  Option option(const std::string& names, T& value, const OptionType& type,
                const std::string& description);
  void flag(const std::string& name, bool& value, const std::string& description);
  /// Adds a flag that prints a text and ends the program.
  void printingFlag(const std::string& name, const std::string& text,
                    const std::string& description);
  /// Adds a subcommand, which --help lists if it has a description.
  CommandLine subcommand(const std::string& name, const std::string& description);
  void requireSubcommand();
  /// Calls `body` during parsing, if this subcommand is given.
  void onGiven(const std::function<void()>& body);

  /// Parses the words and runs `body`, whose result is the exit code. Errors become one line on
  /// standard error, "marsim demo: <text>", and exit code 1 (2 for a wrong command line). With
  /// --options as the last word it prints a line for each option instead: subcommand, name, type,
  /// "required"; test/tools/command_lines_test.py tries every option by its type.
  int run(int argc, char** argv, const std::function<int()>& body);

  std::string name() const;
  bool isGiven() const;
  /// Names of the options that are given.
  std::vector<std::string> givenOptions() const;

 private:
  explicit CommandLine(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}
  std::shared_ptr<CLI::App> app_;
};

/// The words without the remappings of ROS, NAME:=VALUE.
std::vector<char*> withoutRemappings(int argc, char** argv);

/// Reads a number like number() if the option's text alone does not tell its quantity. Throws
/// the error of a wrong command line.
double parseOption(const std::string& option, std::string text, Quantity quantity,
                   const Bounds& bounds);

/// The world that a LiDAR scans, and the LiDAR: names or files, each by default as in sim.launch.
struct ScannedWorld {
  std::string map = config::defaultOf("map"), lidar = config::defaultOf("lidar");
  std::string vegetation = config::defaultOf("vegetation");
  std::string surfaces = config::defaultOf("surfaces"), weather = config::defaultOf("weather");
};
/// The options --map, --lidar, --vegetation, --surfaces and --weather.
void addWorld(CommandLine& line, ScannedWorld& world);

/// Name and value of an argument NAME:=VALUE. Throws ConfigError.
std::pair<std::string, std::string> splitArgument(const std::string& word);

/// The option --seed, a whole number from 0 to 2^64 - 1.
Option addSeed(CommandLine& line, std::uint64_t& seed, const std::string& description);

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
