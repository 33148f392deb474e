#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "marsim/Peers.h"

/// Datagrams that bridges send each other. A payload holds states, or one body, or one impact, or
/// a greeting: four bytes that say which, then what ROS makes of the messages. DatagramSession
/// authenticates it.
namespace marsim::ros_nodes {

/// States that one datagram holds without being cut into pieces on its way (Ethernet, 1500 bytes).
constexpr std::size_t kStatesInDatagram = 16;

/// Settings that must be the same on all machines of a world, each as a digest; 0: not known yet.
struct WorldDigest {
  static constexpr std::array<const char*, 8> kNames{
      "map", "resolution", "surface", "obstacles", "vegetation", "surfaces", "weather", "lan"};
  std::array<std::uint32_t, kNames.size()> values{};

  /// The digest of a text, never 0.
  static std::uint32_t of(const std::string& text);
  /// The names of settings that both know and that differ.
  std::vector<std::string> differences(const WorldDigest& other) const;
};

/// The message that machines send each other every second.
struct Greeting {
  std::uint64_t known_run = 0;  ///< the receiver's newest run as the sender knows it, 0: none
  WorldDigest world;
};

/// The body's cloud, a file of this machine, is left out.
std::vector<std::uint8_t> toDatagram(const std::vector<marsim::Peer>& states);
std::vector<std::uint8_t> toDatagram(const marsim::PeerBody& body);
std::vector<std::uint8_t> toDatagram(const marsim::Impact& impact);
std::vector<std::uint8_t> toDatagram(const Greeting& greeting);
/// Appends what a payload holds; false where it is none of these, whatever its bytes are.
bool fromDatagram(const std::vector<std::uint8_t>& payload, marsim::Peers& message);
bool fromDatagram(const std::vector<std::uint8_t>& payload, Greeting& greeting);

/// Counts of what was removed from a message.
struct Removed {
  std::set<int> numbers;    ///< of UAVs that are not the sender's
  std::size_t foreign = 0;  ///< states, bodies and impacts of those
  std::size_t bodies = 0;   ///< that name a file, or have a name of more than 64 characters
};
/// Removes what a machine may not tell, whose UAVs have these numbers.
Removed removeForeign(const std::set<int>& numbers, marsim::Peers& message);

}  // namespace marsim::ros_nodes
