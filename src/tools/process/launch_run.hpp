// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

/// `marsim run`: roslaunch with checked arguments, an exit code and no orphans.
namespace marsim::tools {

/// Words of the command line: the launch file (or a package and a file), then arguments.
struct LaunchWords {
  std::vector<std::string> file;                               ///< one or two words
  std::vector<std::pair<std::string, std::string>> arguments;  ///< name, value
};

/// Splits the words of a command line. Throws Error if one is not NAME:=VALUE or a name comes
/// twice. Relative paths of files ("hall.pcd", "maps/hall") become absolute, since nodes run in
/// another folder; bare names are unchanged.
LaunchWords splitLaunchWords(const std::vector<std::string>& words);

struct LaunchArgument {
  std::string name;
  std::string default_value;
  std::string description;
  bool required = false;
};

/// A launch file and its arguments, including those of included files.
struct LaunchDescription {
  std::string file;  ///< path
  std::vector<LaunchArgument> arguments;
  std::vector<std::string> running;  ///< names of its nodes that the master already has
  std::string text() const;
};

/// Asks roslaunch's own loader (the program launch_arguments). Throws Error if the file does not
/// exist, an argument is unknown, a node's program is missing, or roslaunch rejects the file.
LaunchDescription describeLaunch(const LaunchWords& words);

/// Reads roslaunch's output and finds the reason of a failure.
class RunJournal {
 public:
  /// Adds a line without colours.
  void add(const std::string& line);
  /// The first error, as a line for the user; empty if there was none. `exit_code` is roslaunch's.
  std::string failure(int exit_code) const;
  /// A node that was not required and died, with its exit code, or that roslaunch could not start,
  /// with the reason; empty: none.
  const std::string& lost() const { return other_; }
  /// The first error or fatal message of a node or of roslaunch, without its mark and time; empty
  /// if there was none.
  const std::string& firstError() const { return error_; }

 private:
  /// Notes how nodes end.
  void noteEnd(const std::string& line);

  std::string awaited_;   // a required node whose exit code is on the next line
  std::string required_;  // a required node that failed, with its exit code
  std::string other_;     // another node that failed
  std::string fatal_;     // the first fatal message
  std::string error_;     // the first error or fatal message
  bool error_goes_on_ = false;
  bool ending_ = false;    // a required node has ended; roslaunch ends the others
  bool all_died_ = false;  // no node is left
};

/// Whether a line is a warning or an error, which is shown even if other lines are not.
bool isTrouble(const std::string& line);

/// Runs a launch file. Returns the exit code: 0, 1 if a required node or roslaunch failed or a
/// message was fatal, 2 for a wrong command line, 130 if the user ended it.
int runLaunch(const std::vector<std::string>& words);

/// Prints the arguments of a launch file.
int listArguments(const std::vector<std::string>& words);

}  // namespace marsim::tools
