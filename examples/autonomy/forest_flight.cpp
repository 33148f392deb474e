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

const char* const kUsage =
    "usage: forest_flight [COURSE [DENSITY [SPEED [SEED ...]]]]\n"
    "COURSE is forest, 2d, 3d, one or two; DENSITY in posts a square metre; SPEED in m/s\n";

double number(const char* what, const std::string& text, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && value > 0.0 && value <= most) return value;
  throw marsim::Error(std::string(what) + " is '" + text + "', allowed: more than 0, at most " +
                      std::to_string(static_cast<long>(most)));
}

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
  const Eigen::Vector3d& p = flight.last;
  if (!flight.arrived) std::printf("  it stays at (%.1f, %.1f, %.1f)\n", p.x(), p.y(), p.z());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string name = argc > 1 ? argv[1] : "forest";
    if (name == "-h" || name == "--help") return std::fputs(kUsage, stdout), 0;
    if (kCourses.count(name) == 0)
      throw marsim::Error("unknown course '" + name + "', known: 2d, 3d, forest, one, two");
    Course course = kCourses.at(name);
    if (argc > 2) course.density = number("DENSITY", argv[2], 1.0);
    if (argc > 3) course.speed = number("SPEED", argv[3], 50.0);
    ForestConfig config;
    bool all_arrived = true;
    config.density = course.density;
    config.shortest = course.shortest;
    config.tallest = course.tallest;
    config.free = {course.start.head<2>(), course.goal.head<2>()};
    for (int i = 4; i < std::max(argc, 5); ++i) {
      if (i < argc) config.seed = static_cast<std::uint32_t>(number("SEED", argv[i], 1e6));
      const Forest forest = plantForest(config);
      const Flight flight = fly(course, mapOf(config, forest), config.seed);
      print(config, forest.too_near, flight);
      std::fflush(stdout);
      all_arrived = all_arrived && flight.arrived;
    }
    return all_arrived ? 0 : 1;
  } catch (const marsim::Error& error) {
    std::fprintf(stderr, "forest_flight: %s\n", error.what());
    return 1;
  }
}
