// SPDX-License-Identifier: BSD-3-Clause
#include "ros/lan/peer_datagram.hpp"

#include <algorithm>
#include <cstring>

#include <ros/serialization.h>

#include "lan/hmac_key.hpp"

namespace marsim::ros_nodes {
namespace {

namespace serialization = ros::serialization;

constexpr std::uint32_t kStates = 0x3153504d;    // "MPS1"
constexpr std::uint32_t kBody = 0x3242504d;      // "MPB2"
constexpr std::uint32_t kImpact = 0x3153504b;    // "KPS1"
constexpr std::uint32_t kGreeting = 0x3447504d;  // "MPG4"
constexpr std::size_t kMarkSize = 4;
constexpr std::size_t kLongestName = 64;  // of a vehicle
constexpr std::size_t kVectorSize = 24;   // of a geometry_msgs/Vector3

const std::size_t kStateSize = serialization::serializationLength(marsim::Peer());

constexpr std::size_t kGreetingSize = sizeof(std::uint64_t) + sizeof(WorldDigest::values);
const std::size_t kImpactSize = serialization::serializationLength(marsim::Impact());

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

// The number of rotors decides how much memory reading takes: it must match the datagram's size.
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

std::uint32_t WorldDigest::of(const std::string& text) {
  const HmacKey::Tag tag = HmacKey().tag(text);  // without a secret: any hash would do
  std::uint32_t digest = 0;
  std::memcpy(&digest, tag.data(), sizeof(digest));
  return std::max<std::uint32_t>(1, digest);
}

std::vector<std::string> WorldDigest::differences(const WorldDigest& other) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool both_known = values[i] != 0 && other.values[i] != 0;
    if (both_known && values[i] != other.values[i]) names.emplace_back(kNames[i]);
  }
  return names;
}

std::vector<std::uint8_t> toDatagram(const std::vector<marsim::Peer>& states) {
  std::vector<std::uint8_t> datagram = marked(kStates, states.size() * kStateSize);
  serialization::OStream stream(datagram.data() + kMarkSize,
                                static_cast<std::uint32_t>(datagram.size() - kMarkSize));
  for (const marsim::Peer& state : states) serialization::serialize(stream, state);
  return datagram;
}

std::vector<std::uint8_t> toDatagram(const marsim::PeerBody& body) {
  marsim::PeerBody told = body;
  told.cloud.clear();
  return datagramOf(kBody, told);
}

std::vector<std::uint8_t> toDatagram(const marsim::Impact& impact) {
  return datagramOf(kImpact, impact);
}

std::vector<std::uint8_t> toDatagram(const Greeting& greeting) {
  std::vector<std::uint8_t> datagram = marked(kGreeting, kGreetingSize);
  std::uint8_t* at = datagram.data() + kMarkSize;
  std::memcpy(at, &greeting.known_run, sizeof(greeting.known_run));
  std::memcpy(at + sizeof(greeting.known_run), greeting.world.values.data(),
              sizeof(greeting.world.values));
  return datagram;
}

bool fromDatagram(const std::vector<std::uint8_t>& datagram, Greeting& greeting) {
  std::uint32_t mark = 0;
  if (datagram.size() != kMarkSize + kGreetingSize) return false;
  std::memcpy(&mark, datagram.data(), kMarkSize);
  if (mark != kGreeting) return false;
  const std::uint8_t* at = datagram.data() + kMarkSize;
  std::memcpy(&greeting.known_run, at, sizeof(greeting.known_run));
  std::memcpy(greeting.world.values.data(), at + sizeof(greeting.known_run),
              sizeof(greeting.world.values));
  return true;
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
    if (mark == kImpact && size == kImpactSize) {
      serialization::deserialize(stream, message.impacts.emplace_back());
      return true;
    }
    if (mark == kBody && rotorsFit(datagram)) {
      marsim::PeerBody body;
      serialization::deserialize(stream, body);
      message.bodies.push_back(body);
      return true;
    }
  } catch (const serialization::StreamOverrunException&) {
    // A truncated datagram is invalid like any other.
  }
  return false;
}

Removed removeForeign(const std::set<int>& numbers, marsim::Peers& message) {
  Removed removed;
  const auto removeFrom = [&](auto& told, auto numberOf) {
    const auto is_foreign = [&](const auto& entry) {
      const int number = numberOf(entry);
      if (numbers.count(number) != 0) return false;
      removed.numbers.insert(number);
      ++removed.foreign;
      return true;
    };
    told.erase(std::remove_if(told.begin(), told.end(), is_foreign), told.end());
  };
  removeFrom(message.peers, [](const marsim::Peer& state) { return state.id; });
  removeFrom(message.bodies, [](const marsim::PeerBody& body) { return body.id; });
  removeFrom(message.impacts, [](const marsim::Impact& impact) { return impact.by; });
  const auto unfit = std::remove_if(
      message.bodies.begin(), message.bodies.end(), [](const marsim::PeerBody& body) {
        return !body.cloud.empty() || body.vehicle.size() > kLongestName;
      });
  removed.bodies = static_cast<std::size_t>(message.bodies.end() - unfit);
  message.bodies.erase(unfit, message.bodies.end());
  return removed;
}

}  // namespace marsim::ros_nodes
