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
  using namespace marsim::tools;
  using marsim::Quantity;
  constexpr marsim::Bounds kDurations{0.0, 1e6, true};
  std::vector<std::string> words;
  std::optional<double> duration;  // [s]
  CommandLine line(
      "Flies UAVs and serves ROS 2's topics over DDS, without ROS. The arguments are those of\n"
      "sim.launch, n and swarm of swarm.launch, and transport:=shared_memory or udp (for\n"
      "containers); docs/ros2.md.",
      "marsim fly2");
  line.option("arguments", words, {"NAME:=VALUE"}, "of sim.launch: NAME:=VALUE ...").shownAs(" ");
  line.option("--duration", duration, number(Quantity::kTime, kDurations),
              "[s] of simulated time (default: until interrupted)");
  return line.run(argc, argv, [&] {
    std::map<std::string, std::string> arguments;
    for (const std::string& word : words) {
      const auto [name, value] = splitArgument(word);
      arguments[name] = value;
    }
    marsim::ros2::fly2(arguments, duration ? std::optional(marsim::toNs(*duration)) : std::nullopt);
    return 0;
  });
}
