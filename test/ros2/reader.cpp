// SPDX-License-Identifier: BSD-3-Clause
// reader DOMAIN reliable|best_effort COUNT: a program of Fast DDS with its default settings that
// ends well when it has heard so many messages of /points, and badly if they do not come.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "ros2/participant.hpp"

int main(int /*argc*/, char** argv) {
  marsim::ros2::Environment environment;
  environment.domain = std::atoi(argv[1]);
  const int count = std::atoi(argv[3]);
  std::atomic<int> heard{0};
  marsim::ros2::Participant participant(environment, {0, true});
  participant.subscribe("/points", marsim::dataset::ros2_types::kPointCloud2,
                        argv[2] == std::string("reliable"),
                        [&heard](const std::string& /*cdr*/) { ++heard; });
  for (int i = 0; i < 200 && heard < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return heard == count ? 0 : 1;
}
