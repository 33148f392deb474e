#pragma once

#include <cstdint>
#include <vector>

#include "marsim/Peers.h"

/// What bridges send each other. A datagram holds states, or one body, or one strike: four bytes
/// that say which, then what ROS makes of the messages.
namespace marsim::ros_nodes {

/// States that one datagram holds without being cut into pieces on its way (Ethernet, 1500 bytes).
constexpr std::size_t kStatesInDatagram = 16;

std::vector<std::uint8_t> toDatagram(const std::vector<marsim::Peer>& states);
std::vector<std::uint8_t> toDatagram(const marsim::PeerBody& body);
std::vector<std::uint8_t> toDatagram(const marsim::Strike& strike);
/// Appends what a datagram holds; false where it is none, whatever its bytes are.
bool fromDatagram(const std::vector<std::uint8_t>& datagram, marsim::Peers& message);

}  // namespace marsim::ros_nodes
