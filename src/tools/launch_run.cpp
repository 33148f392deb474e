#include "tools/launch_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "tools/child_process.hpp"

namespace marsim::tools {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestReason = 500;  // letters
constexpr std::size_t kLongestLine = 2000;   // letters of a line that are looked at

constexpr int kInterrupted = 130;  // exit code, as shells have it
constexpr int kWrongCommandLine = 2;
const char* const kWhat = "marsim run";

// A file's path from here, since nodes run in another folder. Names of sensors, numbers and topics
// stay as they are.
std::string absoluteFile(const std::string& value) {
  static const std::regex file_name(".*\\.[A-Za-z][A-Za-z0-9]{0,4}");
  if (value.empty() || value[0] == '/' || value[0] == '~') return value;
  const bool bare = value.find_first_of("./") == std::string::npos;
  std::error_code error;
  const bool is_file = !bare && fs::is_regular_file(value, error);
  return is_file || std::regex_match(value, file_name) ? fs::absolute(value).string() : value;
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
  std::string all;
  const ChildResult result = runChild(command, [&](const std::string& line) {
    last = line;
    all += line + "\n";
  });
  nlohmann::json answer = nlohmann::json::parse(last, nullptr, false);
  if (result.exit_code != 0 || !answer.is_object()) {
    throw Error(
        fmt::format("{} ended with code {}: {}", command.arguments[0], result.exit_code, all));
  }
  return answer;
}

void refuseUnknown(const LaunchWords& words, const LaunchDescription& launch, bool incomplete) {
  std::vector<std::string> known;
  for (const LaunchArgument& argument : launch.arguments) known.push_back(argument.name);
  for (const auto& [name, value] : words.arguments) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    // A file that could not be read to its end may know more.
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

// roslaunch gives the number of the signal that ended a process with a minus.
std::string endedWith(const std::string& node, const std::string& code) {
  return code[0] == '-' ? fmt::format("{} was ended by signal {}", node, code.substr(1))
                        : fmt::format("{} ended with exit code {}", node, code);
}

// "uav0/lidar-4" is the fourth process that roslaunch started, the node uav0/lidar.
std::string nodeOf(const std::string& process) { return process.substr(0, process.rfind('-')); }

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
  return launch;
}

void RunJournal::add(const std::string& whole) {
  // std::regex needs stack for every character.
  const std::string line = whole.substr(0, kLongestLine);
  static const std::regex required("REQUIRED process \\[(.*)\\] has died!");
  static const std::regex code("exit code (-?[0-9]+)");
  static const std::regex other("^\\[(.*)\\] process has died.*exit code (-?[0-9]+)");
  static const std::regex fatal("\\[FATAL\\](?: \\[[^\\]]*\\])?:? ?(.*)");
  static const std::regex error(
      "(\\[FATAL\\]|\\[ERROR\\]|RLException:|roslaunch: error:) *(\\[[^\\]]*\\]:?)? *(.*)");
  static const std::regex not_launched("^ERROR: cannot launch node of type \\[(.*?)\\]: *(.*)");
  std::smatch match;
  if (error_goes_on_) {
    error_ = clipped(error_ + " " + line, kLongestReason);
    error_goes_on_ = line.back() == ':';
    return;
  }
  if (error_.empty() && std::regex_search(line, match, error)) {
    error_ = clipped(match[3].str(), kLongestReason);
    // "while processing x.launch:", and the next line says what is wrong with it.
    error_goes_on_ = !error_.empty() && line.back() == ':' && line.find("RLException") == 0;
  } else if (error_.empty() && line.find("Resource not found: ") == 0) {
    error_ = clipped(line, kLongestReason);
  }
  if (other_.empty() && std::regex_search(line, match, not_launched)) {
    other_ = fmt::format("{} cannot be started: {}", match[1].str(),
                         clipped(match[2].str(), kLongestReason));
  }
  if (!awaited_.empty()) {
    if (std::regex_search(line, match, code)) {
      required_ = endedWith(awaited_, match[1]);
    } else if (line.find("finished cleanly") == std::string::npos) {
      required_ = awaited_ + " ended";
    }
    awaited_.clear();
  } else if (std::regex_search(line, match, required)) {
    if (required_.empty()) awaited_ = nodeOf(match[1]);
    ending_ = true;
  } else if (std::regex_search(line, match, other)) {
    if (other_.empty() && !ending_) {
      other_ = endedWith(nodeOf(match[1]), match[2]);
    }
  } else if (std::regex_search(line, match, fatal)) {
    if (fatal_.empty()) fatal_ = match[1];
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

// fmt::print would throw where nobody reads.
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
              SIG_IGN);  // beyond runChild(): the exit code counts, also where nobody reads
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
