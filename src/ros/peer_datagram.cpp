#include "marsim/ros/peer_datagram.hpp"

#include <cstring>

#include <ros/serialization.h>

namespace marsim::ros_nodes {
namespace {

namespace serialization = ros::serialization;

constexpr std::uint32_t kStates = 0x3153504d;  // "MPS1"
constexpr std::uint32_t kBody = 0x3242504d;    // "MPB2"
constexpr std::uint32_t kStrike = 0x3153504b;  // "KPS1"
constexpr std::size_t kMarkSize = 4;
constexpr std::size_t kVectorSize = 24;  // of a geometry_msgs/Vector3

const std::size_t kStateSize = serialization::serializationLength(marsim::Peer());

const std::size_t kStrikeSize = serialization::serializationLength(marsim::Strike());

std::vector<std::uint8_t> marked(std::uint32_t mark, std::size_t size) {
  std::vector<std::uint8_t> datagram(kMarkSize + size);
  std::memcpy(datagram.data(), &mark, kMarkSize);
  return datagram;
}

template <class Message>
std::vector<std::uint8_t> datagramOf(std::uint32_t mark, const Message& message) {
  std::vector<std::uint8_t> datagram = marked(mark, serialization::serializationLength(message));
  serialization::OStream stream(datagram.data() + kMarkSize,
                                static_cast<std::uint32_t>(datagram.size() - kMarkSize));
  serialization::serialize(stream, message);
  return datagram;
}

// The number of rotors decides how much memory reading takes: it must fit what is there.
bool rotorsFit(const std::vector<std::uint8_t>& datagram) {
  const auto numberAt = [&](std::size_t at, std::uint32_t& number) {
    if (at + sizeof(number) > datagram.size()) return false;
    std::memcpy(&number, datagram.data() + at, sizeof(number));
    return true;
  };
  std::uint32_t name = 0, rotors = 0;
  if (!numberAt(kMarkSize + 2, name)) return false;
  const std::size_t at = kMarkSize + 2 + 4 + std::size_t{name} + kVectorSize;
  return numberAt(at, rotors) && rotors <= (datagram.size() - at) / kVectorSize;
}

}  // namespace

std::vector<std::uint8_t> toDatagram(const std::vector<marsim::Peer>& states) {
  std::vector<std::uint8_t> datagram = marked(kStates, states.size() * kStateSize);
  serialization::OStream stream(datagram.data() + kMarkSize,
                                static_cast<std::uint32_t>(datagram.size() - kMarkSize));
  for (const marsim::Peer& state : states) serialization::serialize(stream, state);
  return datagram;
}

std::vector<std::uint8_t> toDatagram(const marsim::PeerBody& body) {
  return datagramOf(kBody, body);
}

std::vector<std::uint8_t> toDatagram(const marsim::Strike& strike) {
  return datagramOf(kStrike, strike);
}

bool fromDatagram(const std::vector<std::uint8_t>& datagram, marsim::Peers& message) {
  std::uint32_t mark = 0;
  if (datagram.size() <= kMarkSize) return false;
  std::memcpy(&mark, datagram.data(), kMarkSize);
  const std::size_t size = datagram.size() - kMarkSize;
  serialization::IStream stream(const_cast<std::uint8_t*>(datagram.data()) + kMarkSize,
                                static_cast<std::uint32_t>(size));
  try {
    if (mark == kStates && size % kStateSize == 0) {
      for (std::size_t i = 0; i < size / kStateSize; ++i) {
        serialization::deserialize(stream, message.peers.emplace_back());
      }
      return true;
    }
    if (mark == kStrike && size == kStrikeSize) {
      serialization::deserialize(stream, message.strikes.emplace_back());
      return true;
    }
    if (mark == kBody && rotorsFit(datagram)) {
      marsim::PeerBody body;
      serialization::deserialize(stream, body);
      message.bodies.push_back(body);
      return true;
    }
  } catch (const serialization::StreamOverrunException&) {
    // Cut off: as any other nonsense.
  }
  return false;
}

}  // namespace marsim::ros_nodes
