// SPDX-License-Identifier: BSD-3-Clause
#include "common/bounds.hpp"
#include "tools/demo/demo.hpp"
#include "tools/process/command_line.hpp"

using marsim::Quantity;

int main(int argc, char** argv) {
  marsim::tools::DemoOptions options;
  CLI::App app(
      "Flies a UAV with a LiDAR round a few goals in a map and keeps what it saw: cloud,\n"
      "trajectory, pictures and a summary. Exit code 0 only where every goal was reached and\n"
      "nothing was touched.",
      "marsim demo");
  app.option_defaults()->always_capture_default();
  marsim::tools::addWorld(app, options);
  app.add_option("--start", options.start,
                 "x,y,z [m]; by default 0,0,1.5 or, where that is not free, a free place in the "
                 "middle of the map")
      ->type_name("NUMBERS:x,y,z");
  app.add_option("--yaw", options.yaw, "heading at the start [rad], e.g. 90deg")
      ->transform(marsim::tools::number(Quantity::kAngle, marsim::kAngles, "--yaw"));
  app.add_option("--vehicle", options.vehicle, "name or YAML file")
      ->type_name(marsim::tools::kInput);
  app.add_option("--resolution", options.resolution, "voxel side of the map [m]")
      ->transform(marsim::tools::number(Quantity::kLength, marsim::kResolutions));
  app.add_option("--surface", options.surface,
                 "blended: smoothed surfels, averaged; sized: surfels of several sizes; paper: the "
                 "nearest surfel")
      ->type_name(marsim::tools::kWord);
  app.add_option("--goals", options.goals,
                 "\"x,y,z;x,y,z\" [m]; ways round obstacles are found. By default goals in a "
                 "straight line from one another are chosen")
      ->type_name("NUMBERS:x,y,z;x,y,z");
  app.add_option("--goal-count", options.goal_count, "how many goals are chosen")
      ->transform(marsim::tools::whole(marsim::tools::DemoOptions::kGoalCounts));
  marsim::tools::addSeed(app, options.seed, "of the choice of goals");
  app.add_option("--speed", options.speed, "[m/s] between goals")
      ->transform(marsim::tools::number(Quantity::kSpeed, marsim::tools::DemoOptions::kSpeeds));
  app.add_option("--out", options.output, "folder for the results")
      ->type_name(marsim::tools::kFolder);
  app.add_option("--renderer", options.renderer, "as in sim.launch")
      ->type_name(marsim::tools::kWord);
  app.add_flag("--nodelets", options.nodelets, "all nodes in one process");
  app.add_flag("--rviz", options.rviz, "show the flight in RViz");
  app.add_flag("--verbose", options.verbose, "show all output of the nodes");
  return marsim::tools::runCommand(app, argc, argv,
                                   [&] { return marsim::tools::runDemo(options); });
}
