// SPDX-License-Identifier: BSD-3-Clause
#include "common/bounds.hpp"
#include "tools/demo/demo.hpp"
#include "tools/process/command_line.hpp"

using marsim::Quantity;

int main(int argc, char** argv) {
  using namespace marsim::tools;
  DemoOptions options;
  CommandLine line(
      "Flies a UAV with a LiDAR round a few goals in a map and keeps what it saw: cloud,\n"
      "trajectory, pictures and a summary. Exit code 0 only where every goal was reached and\n"
      "nothing was touched.",
      "marsim demo");
  addWorld(line, options);
  line.option("--start", options.start, {"NUMBERS:x,y,z"},
              "x,y,z [m]; by default 0,0,1.5 or, where that is not free, a free place in the "
              "middle of the map");
  line.option("--yaw", options.yaw, number(Quantity::kAngle, marsim::kAngles, "--yaw"),
              "heading at the start [rad], e.g. 90deg");
  line.option("--vehicle", options.vehicle, kInput, "name or YAML file");
  line.option("--resolution", options.resolution, number(Quantity::kLength, marsim::kResolutions),
              "voxel side of the map [m]");
  line.option("--surface", options.surface, kWord,
              "blended: smoothed surfels, averaged; sized: surfels of several sizes; paper: the "
              "nearest surfel");
  line.option("--goals", options.goals, {"NUMBERS:x,y,z;x,y,z"},
              "\"x,y,z;x,y,z\" [m]; ways round obstacles are found. By default goals in a "
              "straight line from one another are chosen");
  line.option("--goal-count", options.goal_count, whole(DemoOptions::kGoalCounts),
              "how many goals are chosen");
  addSeed(line, options.seed, "of the choice of goals");
  line.option("--speed", options.speed, number(Quantity::kSpeed, DemoOptions::kSpeeds),
              "[m/s] between goals");
  line.option("--out", options.output, kFolder, "folder for the results");
  line.option("--renderer", options.renderer, kWord, "as in sim.launch");
  line.flag("--nodelets", options.nodelets, "all nodes in one process");
  line.flag("--rviz", options.rviz, "show the flight in RViz");
  line.flag("--verbose", options.verbose, "show all output of the nodes");
  return line.run(argc, argv, [&] { return runDemo(options); });
}
