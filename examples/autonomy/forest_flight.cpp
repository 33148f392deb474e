// SPDX-License-Identifier: BSD-3-Clause
// The planner in random forests, without ROS: forest_flight [COURSE [DENSITY [SPEED [SEED ...]]]],
// COURSE forest, 2d, 3d, one or two (balls that cross its way).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "flight.hpp"

using namespace autonomy;

namespace {

void print(const ForestConfig& forest, std::size_t too_near, Flight flight) {
  std::sort(flight.planning.begin(), flight.planning.end());
  std::printf(
      "%.2f/m2 seed %u: %s after %.1f s, %.1f m; %.2f m/s, at most %.2f m/s and %.2f m/s2; ",
      forest.density, forest.seed, flight.arrived ? "goal" : "NO GOAL", flight.time, flight.length,
      flight.length / flight.time, flight.fastest, flight.hardest);
  std::printf(
      "clearance %.2f m, %d contacts; %zu plans (%d failed), median %.1f ms, longest %.1f ms; ",
      flight.clearance, flight.contacts, flight.planning.size(), flight.failed_plans,
      1e3 * flight.planning[flight.planning.size() / 2], 1e3 * flight.planning.back());
  std::printf("%.1f times real time; %zu posts without the gap\n", flight.time / flight.effort,
              too_near);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string name = argc > 1 ? argv[1] : "forest";
    if (kCourses.count(name) == 0)
      throw marsim::Error("unknown course '" + name + "', known: 2d, 3d, forest, one, two");
    Course course = kCourses.at(name);
    if (argc > 2) course.density = std::atof(argv[2]);
    if (argc > 3) course.speed = std::atof(argv[3]);
    ForestConfig config;
    config.density = course.density;
    config.shortest = course.shortest;
    config.tallest = course.tallest;
    config.free = {course.start.head<2>(), course.goal.head<2>()};
    for (int i = 4; i < std::max(argc, 5); ++i) {
      if (i < argc) config.seed = static_cast<std::uint32_t>(std::atoi(argv[i]));
      const Forest forest = plantForest(config);
      print(config, forest.too_near, fly(course, mapOf(config, forest), config.seed));
      std::fflush(stdout);
    }
    return 0;
  } catch (const marsim::Error& error) {
    std::fprintf(stderr, "forest_flight: %s\n", error.what());
    return 1;
  }
}
