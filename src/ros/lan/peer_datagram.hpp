// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "marsim/Peers.h"

/// Datagrams between bridges. A payload holds states, or one body, or one impact, or a greeting:
/// four bytes for the kind, then messages serialised by ROS. DatagramSession authenticates it.
namespace marsim::ros_nodes {

/// States in a datagram that is not fragmented on its way (Ethernet, 1500 bytes).
constexpr std::size_t kStatesInDatagram = 16;

/// Settings that must be equal on all machines of a world, each as a digest; 0: not known yet.
struct WorldDigest {
  static constexpr std::array<const char*, 9> kNames{"map",      "resolution", "surface",
                                                     "epoch",    "obstacles",  "vegetation",
                                                     "surfaces", "weather",    "lan"};
  std::array<std::uint32_t, kNames.size()> values{};

  /// The digest of a text, never 0.
  static std::uint32_t of(const std::string& text);
  /// Names of settings that both know and that differ.
  std::vector<std::string> differences(const WorldDigest& other) const;
};

/// The message that machines send each other every second.
struct Greeting {
  std::uint64_t known_run = 0;  ///< the receiver's newest run as the sender knows it, 0: none
  WorldDigest world;
};

/// Leaves out the body's cloud, a file of this machine.
std::vector<std::uint8_t> toDatagram(const std::vector<marsim::Peer>& states);
std::vector<std::uint8_t> toDatagram(const marsim::PeerBody& body);
std::vector<std::uint8_t> toDatagram(const marsim::Impact& impact);
std::vector<std::uint8_t> toDatagram(const Greeting& greeting);
/// Appends a payload's contents; false if it is invalid, whatever its bytes are.
bool fromDatagram(const std::vector<std::uint8_t>& payload, marsim::Peers& message);
bool fromDatagram(const std::vector<std::uint8_t>& payload, Greeting& greeting);

/// Counts of what was removed from a message.
struct Removed {
  std::set<int> numbers;    ///< of UAVs that are not the sender's
  std::size_t foreign = 0;  ///< states, bodies and impacts of such UAVs
  std::size_t bodies = 0;   ///< with a file name, or a name of more than 64 characters
};
/// Removes messages that are not allowed for a machine whose UAVs have these numbers.
Removed removeForeign(const std::set<int>& numbers, marsim::Peers& message);

}  // namespace marsim::ros_nodes
