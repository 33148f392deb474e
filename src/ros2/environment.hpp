// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace marsim::ros2 {

/// The variables by which ROS 2 chooses its network.
struct Environment {
  int domain = 0;                  ///< ROS_DOMAIN_ID
  bool is_local = true;            ///< this machine's programs alone
  std::vector<std::string> peers;  ///< ROS_STATIC_PEERS: addresses of other machines
  bool has_wide_gids = false;      ///< ROS_DISTRO is humble or older: Gids have 24 bytes, not 16

  using Get = std::function<const char*(const char* name)>;
  /// Unlike in ROS 2, without ROS_AUTOMATIC_DISCOVERY_RANGE only this machine is reached. Throws
  /// ConfigError.
  static Environment read(const Get& get);
};

/// Removes the shared memory that Fast DDS' programs of this user left when they were killed, which
/// is the memory whose lock file nobody holds. Returns the number of files.
int removeLeftovers(const std::filesystem::path& folder = "/dev/shm");

}  // namespace marsim::ros2
