// SPDX-License-Identifier: BSD-3-Clause
#include "config/defaults.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/launch_run.hpp"

int main(int argc, char** argv) {
  using namespace marsim::tools;
  std::vector<std::string> words;
  std::string defaults;
  for (const auto& entry : marsim::config::defaults()) {
    defaults += entry.first + ":=" + entry.second + "\n";
  }
  bool list = false;
  CommandLine line(
      "Runs a launch file as roslaunch does, on the master at ROS_MASTER_URI or one of its own.\n"
      "Unknown arguments are refused before anything starts. Nothing is left running.\n"
      "Exit code 1 where a required node failed or a message was fatal, 2 for a wrong command\n"
      "line, 130 after Ctrl-C. A file of this package needs no path; one of this folder is\n"
      "./FILE.",
      "marsim run");
  line.option("launch", words, kInput, "LAUNCH or PACKAGE LAUNCH, then NAME:=VALUE ...")
      .required()
      .shownAs(" ");
  line.flag("--args", list, "list the launch file's arguments, start nothing");
  line.printingFlag("--defaults", defaults,
                    "print the launch arguments' defaults that programs have");
  return line.run(argc, argv, [&] { return list ? listArguments(words) : runLaunch(words); });
}
