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

/// Splits the words of a command line. Throws Error where one is no NAME:=VALUE or a name comes
/// twice. Relative paths of files ("hall.pcd", "maps/hall") become absolute, since nodes run in
/// another folder; bare names stay names.
LaunchWords splitLaunchWords(const std::vector<std::string>& words);

struct LaunchArgument {
  std::string name;
  std::string default_value;
  std::string description;
  bool required = false;
};

/// A launch file and the arguments that it takes, included files' among them.
struct LaunchDescription {
  std::string file;  ///< path
  std::vector<LaunchArgument> arguments;
  std::vector<std::string> running;  ///< nodes of these names that the master has already
  std::string text() const;
};

/// Asks roslaunch's own loader (the program launch_arguments). Throws Error where there is no such
/// file, an argument is unknown, a node's program is missing, or roslaunch refuses the file.
LaunchDescription describeLaunch(const LaunchWords& words);

/// Reads what roslaunch prints and keeps why a run failed.
class RunJournal {
 public:
  /// A line without colours.
  void add(const std::string& line);
  /// The first error, as a line for the user; empty if there was none. `exit_code` is roslaunch's.
  std::string failure(int exit_code) const;
  /// A node that was not required and has died, with its exit code, or that roslaunch could not
  /// start, with the reason; empty: none.
  const std::string& lost() const { return other_; }
  /// The first error or fatal message of a node or of roslaunch, without its mark and time; empty
  /// where there was none.
  const std::string& firstError() const { return error_; }

 private:
  /// Notes how nodes end.
  void noteEnd(const std::string& line);

  std::string awaited_;   // a required node whose exit code comes with the next line
  std::string required_;  // a required node that failed, with its exit code
  std::string other_;     // another node that failed
  std::string fatal_;     // the first fatal message
  std::string error_;     // the first error or fatal message
  bool error_goes_on_ = false;
  bool ending_ = false;    // a required node has ended, the others are ended by roslaunch
  bool all_died_ = false;  // no node is left
};

/// Whether a line tells of a warning or an error, so that it is shown where others are not.
bool isTrouble(const std::string& line);

/// Runs it. Returns the exit code: 0, 1 where a required node or roslaunch failed or a message was
/// fatal, 2 for a wrong command line, 130 where the user ended it.
int runLaunch(const std::vector<std::string>& words);

/// Prints the arguments of a launch file.
int listArguments(const std::vector<std::string>& words);

}  // namespace marsim::tools
