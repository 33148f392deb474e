// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/launch_run.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "tools/process/child_process.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestReason = 500;  // letters

const char* const kWhat = "marsim run";

// Whether a name ends with a dot, a letter and up to four letters or digits.
bool hasSuffix(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view suffix = name.substr(dot + 1);
  const auto is_alnum = [](unsigned char c) { return std::isalnum(c) != 0; };
  return !suffix.empty() && suffix.size() <= 5 &&
         std::isalpha(static_cast<unsigned char>(suffix[0])) != 0 &&
         std::all_of(suffix.begin(), suffix.end(), is_alnum);
}

// The absolute path of a file, since nodes run in another folder. Names of sensors, numbers and
// topics are unchanged.
std::string absoluteFile(const std::string& value) {
  if (value.empty() || value[0] == '/' || value[0] == '~') return value;
  const bool bare = value.find_first_of("./") == std::string::npos;
  std::error_code error;
  const bool is_file = !bare && fs::is_regular_file(value, error);
  return is_file || hasSuffix(value) ? fs::absolute(value).string() : value;
}

[[noreturn]] void refuseWord(const std::string& word, bool after_argument) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos && equals > 0) {
    throw Error(fmt::format("'{}' is no argument: did you mean '{}:={}'?", word,
                            word.substr(0, equals), word.substr(equals + 1)));
  }
  throw Error(fmt::format("'{}' is no argument: {}", word,
                          after_argument
                              ? "NAME:=VALUE without blanks is allowed"
                              : "LAUNCH or PACKAGE LAUNCH comes first, then NAME:=VALUE"));
}

std::vector<std::string> rosArguments(const LaunchWords& words) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : words.arguments) arguments.push_back(name + ":=" + value);
  return arguments;
}

// The answer of the program launch_arguments, its last line.
nlohmann::json askLoader(const LaunchWords& words) {
  requireRoslaunch("marsim run starts ROS nodes");
  ChildCommand command;
  command.arguments = {
      (fs::read_symlink("/proc/self/exe").parent_path() / "launch_arguments").string()};
  command.arguments.insert(command.arguments.end(), words.file.begin(), words.file.end());
  for (const std::string& argument : rosArguments(words)) command.arguments.push_back(argument);
  std::string last;
  const ChildResult result = runChild(command, [&](const std::string& line) { last = line; });
  nlohmann::json answer = nlohmann::json::parse(last, nullptr, false);
  if (result.exit_code != 0 || !answer.is_object()) {
    throw Error(fmt::format("{} ended with code {}: {}", command.arguments[0], result.exit_code,
                            clipped(last, kLongestReason)));
  }
  return answer;
}

void refuseUnknown(const LaunchWords& words, const LaunchDescription& launch, bool incomplete) {
  std::vector<std::string> known;
  for (const LaunchArgument& argument : launch.arguments) known.push_back(argument.name);
  for (const auto& [name, value] : words.arguments) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    // An argument may be in the part of a file that could not be read.
    if (incomplete && nearestName(name, known).empty()) continue;
    throw UnknownNameError(fs::path(launch.file).filename().string(), "argument", name, known);
  }
}

void refuseMissing(const nlohmann::json& missing) {
  if (missing.empty()) return;
  std::vector<std::string> programs;
  std::set<std::string> packages;
  for (const nlohmann::json& program : missing) {
    programs.push_back(program.get<std::string>());
    packages.insert(split(programs.back(), '/').front());
  }
  throw Error(fmt::format("no such program: {}. Is the package {} installed?", join(programs),
                          join({packages.begin(), packages.end()})));
}

// The master would end running nodes of the same names.
void refuseRunning(const std::vector<std::string>& running) {
  if (running.empty()) return;
  const char* const master = std::getenv("ROS_MASTER_URI");
  throw Error(fmt::format(
      "{} {} run{} already on the master {}, allowed: other names (uav.launch uav:=NAME adds a "
      "UAV), or another ROS_MASTER_URI",
      running.size() == 1 ? "node" : "nodes", clipped(join(running), kLongestReason),
      running.size() == 1 ? "s" : "", master == nullptr ? "http://localhost:11311" : master));
}

// roslaunch reports the signal that ended a process as a negative number.
std::string endedWith(const std::string& node, const std::string& code) {
  return code[0] == '-' ? fmt::format("{} was ended by signal {}", node, code.substr(1))
                        : fmt::format("{} ended with exit code {}", node, code);
}

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool endsWithColon(const std::string& line) { return !line.empty() && line.back() == ':'; }

// The text between the first `before` and the next `after`.
std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(0, end));
}

// The number after "exit code ".
std::optional<std::string> exitCode(std::string_view line) {
  constexpr std::string_view kBefore = "exit code ";
  const std::size_t at = line.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + kBefore.size());
  const std::string_view code = rest.substr(0, rest.find_first_not_of("-0123456789"));
  return code.empty() ? std::nullopt : std::optional<std::string>(code);
}

// The message after the first of the marks, without the time in brackets.
std::optional<std::string> messageAfter(std::string_view line,
                                        std::initializer_list<std::string_view> marks) {
  std::size_t begin = std::string_view::npos, end = begin;
  for (const std::string_view mark : marks) {
    const std::size_t at = line.find(mark);
    if (at >= begin) continue;
    begin = at;
    end = at + mark.size();
  }
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view message = trimmed(line.substr(end));
  const std::size_t bracket = message.find(']');
  if (startsWith(message, "[") && bracket != std::string_view::npos) {
    message = trimmed(message.substr(bracket + 1));
  }
  if (startsWith(message, ":")) message.remove_prefix(1);
  return clipped(trimmed(message), kLongestReason);
}

// "uav0/lidar-4" is the fourth process that roslaunch started, the node uav0/lidar.
std::string nodeOf(const std::string& process) {
  return clipped(process.substr(0, process.rfind('-')), kLongestReason);
}

}  // namespace

LaunchWords splitLaunchWords(const std::vector<std::string>& words) {
  LaunchWords result;
  std::set<std::string> names;
  for (const std::string& word : words) {
    const std::size_t sign = word.find(":=");
    if (sign == std::string::npos) {
      const bool has_equals = word.find('=') != std::string::npos;
      if (has_equals || !result.arguments.empty() || result.file.size() == 2) {
        refuseWord(word, !result.arguments.empty());
      }
      result.file.push_back(word);
      continue;
    }
    const std::string name = word.substr(0, sign);
    if (!names.insert(name).second) throw Error(fmt::format("{}:= is given twice", name));
    result.arguments.emplace_back(name, absoluteFile(word.substr(sign + 2)));
  }
  if (result.file.empty()) throw Error("no launch file: LAUNCH or PACKAGE LAUNCH comes first");
  return result;
}

std::string LaunchDescription::text() const {
  std::string text = file + "\n";
  for (const LaunchArgument& argument : arguments) {
    text += argument.required ? fmt::format("  {}:=    must be given\n", argument.name)
                              : fmt::format("  {}:={}\n", argument.name, argument.default_value);
    if (!argument.description.empty()) text += fmt::format("      {}\n", argument.description);
  }
  return text;
}

LaunchDescription describeLaunch(const LaunchWords& words) {
  const nlohmann::json answer = askLoader(words);
  if (answer.contains("launch_files")) {
    const auto known = answer["launch_files"].get<std::vector<std::string>>();
    // `sim.launch lidar`: a launch file of this package and a word that is no argument.
    if (words.file.size() == 2 &&
        std::find(known.begin(), known.end(), words.file[0]) != known.end()) {
      refuseWord(words.file[1], true);
    }
    throw UnknownNameError("package marsim", "launch file", join(words.file, " "), known);
  }
  LaunchDescription launch;
  launch.file = answer["file"];
  for (const auto& [name, about] : answer["arguments"].items()) {
    launch.arguments.push_back(
        {name, about["default"], about["description"], about["required"].get<bool>()});
  }
  refuseUnknown(words, launch, answer.contains("error"));
  if (answer.contains("error")) throw Error(answer["error"].get<std::string>());
  refuseMissing(answer["missing"]);
  answer["running"].get_to(launch.running);
  return launch;
}

void RunJournal::add(const std::string& line) {
  if (error_goes_on_) {
    error_ = clipped(error_ + " " + line, kLongestReason);
    error_goes_on_ = endsWithColon(line);
    return;
  }
  if (error_.empty()) {
    if (const auto message =
            messageAfter(line, {"[FATAL]", "[ERROR]", "RLException:", "roslaunch: error:"})) {
      error_ = *message;
      // "while processing x.launch:"; the next line has the error.
      error_goes_on_ = !error_.empty() && endsWithColon(line) && startsWith(line, "RLException");
    } else if (startsWith(line, "Resource not found: ")) {
      error_ = clipped(line, kLongestReason);
    }
  }
  noteEnd(line);
}

void RunJournal::noteEnd(const std::string& line) {
  if (!awaited_.empty()) {
    if (const auto code = exitCode(line)) {
      required_ = endedWith(awaited_, *code);
    } else if (line.find("finished cleanly") == std::string::npos) {
      required_ = awaited_ + " ended";
    }
    awaited_.clear();
  } else if (const auto required = between(line, "REQUIRED process [", "] has died!")) {
    if (required_.empty()) awaited_ = nodeOf(*required);
    ending_ = true;
  } else if (const auto type = between(line, "ERROR: cannot launch node of type [", "]:")) {
    std::string reason(trimmed(std::string_view(line).substr(line.find("]:") + 2)));
    if (reason == type->substr(0, type->find('/'))) {
      reason = "ROS does not find that package; source its workspace's setup.bash";
    }
    if (other_.empty()) {
      other_ =
          fmt::format("{} cannot be started: {}", clipped(*type), clipped(reason, kLongestReason));
    }
  } else if (const auto other = between(line, "[", "] process has died");
             other && exitCode(line) && startsWith(line, "[")) {
    if (other_.empty() && !ending_) other_ = endedWith(nodeOf(*other), *exitCode(line));
  } else if (const auto message = messageAfter(line, {"[FATAL]"})) {
    if (fatal_.empty()) fatal_ = *message;
  } else if (line.find("All processes on machine have died") != std::string::npos) {
    all_died_ = true;
  }
}

bool isTrouble(const std::string& line) {
  for (const char* mark : {"[ERROR]", "[FATAL]", "[ WARN]", "RLException", "process has died"}) {
    if (line.find(mark) != std::string::npos) return true;
  }
  return false;
}

std::string RunJournal::failure(int exit_code) const {
  std::string reason = required_;
  if (!fatal_.empty()) reason += (reason.empty() ? "" : ": ") + fatal_;
  if (reason.empty() && all_died_) reason = other_;
  if (reason.empty() && exit_code != 0) {
    reason = fmt::format("roslaunch ended with code {}", exit_code);
  }
  return reason;
}

namespace {

// fmt::print would throw if the output has no reader.
void say(const std::string& text) {
  std::fputs(fmt::format("{}: {}\n", kWhat, text).c_str(), stderr);
}

}  // namespace

int runLaunch(const std::vector<std::string>& given) {
  LaunchWords words;
  LaunchDescription launch;
  try {
    words = splitLaunchWords(given);
    launch = describeLaunch(words);
    refuseRunning(launch.running);
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", kWhat, error.what());
    return kWrongCommandLine;
  }
  ChildCommand command;
  command.arguments = {"roslaunch", launch.file};
  for (const std::string& argument : rosArguments(words)) command.arguments.push_back(argument);
  // Lines come as they are printed, through the pipe as well.
  command.environment = {{"PYTHONUNBUFFERED", "1"}, {"ROSCONSOLE_STDOUT_LINE_BUFFERED", "1"}};
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  std::signal(SIGPIPE,
              SIG_IGN);  // beyond runChild(): the exit code counts even if the output has no reader
  RunJournal journal;
  const ChildResult result = runChild(command, [&](const std::string& line) {
    const std::string plain = withoutColours(line);
    journal.add(plain);
    std::puts((terminal ? line : plain).c_str());
    std::fflush(stdout);
  });
  if (result.orphans > 0) {
    say(fmt::format("ended {} process{} that roslaunch left behind", result.orphans,
                    result.orphans == 1 ? "" : "es"));
  }
  const std::string failure = journal.failure(result.interrupted ? 0 : result.exit_code);
  if (!failure.empty()) {
    say(failure);
    return 1;
  }
  return result.interrupted ? kInterrupted : 0;
}

int listArguments(const std::vector<std::string>& words) {
  fmt::print("{}", describeLaunch(splitLaunchWords(words)).text());
  return 0;
}

}  // namespace marsim::tools
