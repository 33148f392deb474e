#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "marsim/common/units.hpp"

/// Helpers that the programs' mains share.
namespace marsim::tools {

/// Parses the command line and runs `body`, whose result is the exit code. Errors become one line
/// on standard error, "marsim demo: <text>", and exit code 1 (2 for a wrong command line).
int runCommand(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// Reads a quantity with its unit. Throws ConfigError naming the option.
double parseOption(const std::string& option, const std::string& text, Quantity quantity);

/// The option --seed, a whole number from 0 to 2^64 - 1; another one is a wrong command line.
void addSeed(CLI::App& app, std::uint64_t& seed, const std::string& description);

/// Shows a line that replaces the one shown before on a terminal; elsewhere one is printed every
/// five seconds.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  void show(const std::string& text);
  /// A line that stays, above the live one.
  void print(const std::string& text);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace marsim::tools
