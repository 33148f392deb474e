// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "marsim/common/error.hpp"
#include "ros2/fly2.hpp"
#include "tools/process/command_line.hpp"

#ifndef MARSIM_HAS_FASTDDS
void marsim::ros2::fly2(const std::map<std::string, std::string>& /*arguments*/,
                        std::optional<TimeNs> /*duration*/) {
  throw Error("built without DDS: install the package libfastrtps-dev and build again");
}
#endif

int main(int argc, char** argv) {
  using marsim::Quantity;
  constexpr marsim::Bounds kDurations{0.0, 1e6, true};
  std::vector<std::string> words;
  std::optional<double> duration;  // [s]
  CLI::App app(
      "Flies UAVs and serves ROS 2's topics over DDS, without ROS. The arguments are those of\n"
      "sim.launch, n and swarm of swarm.launch, and transport:=shared_memory or udp (for\n"
      "containers); docs/ros2.md.",
      "marsim fly2");
  app.add_option("arguments", words, "of sim.launch: NAME:=VALUE ...")
      ->type_name("NAME:=VALUE")
      ->option_text(" ");
  app.add_option("--duration", duration, "[s] of simulated time (default: until interrupted)")
      ->transform(marsim::tools::number(Quantity::kTime, kDurations));
  return marsim::tools::runCommand(app, argc, argv, [&] {
    std::map<std::string, std::string> arguments;
    for (const std::string& word : words) {
      const auto [name, value] = marsim::tools::splitArgument(word);
      arguments[name] = value;
    }
    marsim::ros2::fly2(arguments, duration ? std::optional(marsim::toNs(*duration)) : std::nullopt);
    return 0;
  });
}
