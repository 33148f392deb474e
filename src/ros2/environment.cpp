// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fcntl.h>
#include <sys/file.h>

#include <fmt/format.h>

#include "common/file_descriptor.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::ros2 {
namespace {

constexpr char kWhere[] = "environment";
constexpr int kLastDomain = 232;  // its ports still exist
constexpr std::array<const char*, 8> kWideGids = {"ardent",   "bouncy", "crystal",  "dashing",
                                                  "eloquent", "foxy",   "galactic", "humble"};

}  // namespace

Environment Environment::read(const Get& get) {
  const auto text = [&get](const char* name) {
    const char* const value = get(name);
    return std::string(value == nullptr ? "" : value);
  };
  const Validator validator(kWhere);
  Environment environment;
  if (const std::string domain = text("ROS_DOMAIN_ID"); !domain.empty()) {
    const char* const end = domain.data() + domain.size();
    const auto [last, error] = std::from_chars(domain.data(), end, environment.domain);
    const bool is_whole = error == std::errc() && last == end;
    validator.require(is_whole && environment.domain >= 0 && environment.domain <= kLastDomain,
                      "ROS_DOMAIN_ID", fmt::format("'{}'", clipped(domain)),
                      fmt::format("0 to {}", kLastDomain));
  }
  std::string range = text("ROS_AUTOMATIC_DISCOVERY_RANGE");
  if (range.empty() || text("ROS_LOCALHOST_ONLY") == "1") range = "LOCALHOST";
  validator.require(range == "LOCALHOST" || range == "SUBNET" || range == "SYSTEM_DEFAULT",
                    "ROS_AUTOMATIC_DISCOVERY_RANGE", fmt::format("'{}'", clipped(range)),
                    "LOCALHOST, SUBNET or SYSTEM_DEFAULT");
  for (const std::string& peer : split(text("ROS_STATIC_PEERS"), ';')) {
    if (!peer.empty()) environment.peers.push_back(peer);
  }
  environment.is_local = range == "LOCALHOST" && environment.peers.empty();
  environment.has_wide_gids =
      std::find(kWideGids.begin(), kWideGids.end(), text("ROS_DISTRO")) != kWideGids.end();
  return environment;
}

int removeLeftovers(const std::filesystem::path& folder) {
  // fastrtps_0123456789abcdef is a segment, fastrtps_port7411 a port; each has a lock file NAME_el,
  // which its owner locks.
  constexpr char kBegin[] = "fastrtps_", kEnd[] = "_el";
  int removed = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_lock = name.rfind(kBegin, 0) == 0 && name.size() > sizeof(kEnd) &&
                         name.compare(name.size() - 3, 3, kEnd) == 0;
    if (!is_lock) continue;
    const FileDescriptor lock(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (lock.get() < 0 || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const std::string path = entry.path().string();
    for (const std::string& file : {path.substr(0, path.size() - 3), path}) {
      if (std::filesystem::remove(file, error)) ++removed;
    }
  }
  return removed;
}

}  // namespace marsim::ros2
