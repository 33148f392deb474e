// SPDX-License-Identifier: BSD-3-Clause
// reader DOMAIN reliable|best_effort COUNT [TOPIC PEER]: a program of Fast DDS with its default
// settings that ends well when it has heard so many clouds, and badly if they do not come. With
// PEER, an address, it uses the network.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "ros2/participant.hpp"

int main(int argc, char** argv) {
  marsim::ros2::Environment environment;
  environment.domain = std::atoi(argv[1]);
  const int count = std::atoi(argv[3]);
  if (argc > 5) {
    environment.is_local = false;
    environment.peers = {argv[5]};
  }
  std::atomic<int> heard{0};
  marsim::ros2::Participant participant(environment, {0, argc <= 5});
  participant.subscribe(argc > 4 ? argv[4] : "/points", marsim::dataset::ros2_types::kPointCloud2,
                        argv[2] == std::string("reliable"),
                        [&heard](const std::string& /*cdr*/) { ++heard; });
  for (int i = 0; i < 1200 && heard < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return heard >= count ? 0 : 1;
}
