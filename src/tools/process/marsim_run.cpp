// SPDX-License-Identifier: BSD-3-Clause
#include "config/defaults.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/launch_run.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> words;
  std::string defaults;
  for (const auto& entry : marsim::config::defaults()) {
    defaults += entry.first + ":=" + entry.second + "\n";
  }
  bool list = false;
  CLI::App app(
      "Runs a launch file as roslaunch does, on the master at ROS_MASTER_URI or one of its own.\n"
      "Unknown arguments are refused before anything starts. Nothing is left running.\n"
      "Exit code 1 where a required node failed or a message was fatal, 2 for a wrong command\n"
      "line, 130 after Ctrl-C. A file of this package needs no path; one of this folder is\n"
      "./FILE.",
      "marsim run");
  app.add_option("launch", words, "LAUNCH or PACKAGE LAUNCH, then NAME:=VALUE ...")
      ->type_name(marsim::tools::kInput)
      ->required()
      ->option_text(" ");
  app.add_flag("--args", list, "list the launch file's arguments, start nothing");
  app.set_version_flag("--defaults", defaults,
                       "print the launch arguments' defaults that programs have");
  return marsim::tools::runCommand(app, argc, argv, [&] {
    return list ? marsim::tools::listArguments(words) : marsim::tools::runLaunch(words);
  });
}
