// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/header_stamp.hpp"

#include <algorithm>
#include <string_view>

#include <ros/serialization.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr std::size_t kStampEnd = 12;  // bytes: seq, sec, nsec

std::string_view firstField(std::string_view definition) {
  while (!definition.empty()) {
    const std::size_t end = std::min(definition.find('\n'), definition.size());
    const std::string_view line = trimmed(definition.substr(0, end));
    if (!line.empty() && line.front() != '#') return line;
    definition.remove_prefix(std::min(end + 1, definition.size()));
  }
  return {};
}

}  // namespace

std::vector<std::uint8_t> bytesOf(const topic_tools::ShapeShifter& message) {
  std::vector<std::uint8_t> bytes(message.size());
  ros::serialization::OStream stream(bytes.data(), message.size());
  message.write(stream);
  return bytes;
}

bool beginsWithHeader(const std::string& definition) {
  const std::string_view field = firstField(definition);
  const std::string_view type = field.substr(0, field.find_first_of(" \t"));
  return type == "Header" || type == "std_msgs/Header";
}

TimeNs headerStamp(const topic_tools::ShapeShifter& message) {
  if (!beginsWithHeader(message.getMessageDefinition()) || message.size() < kStampEnd) {
    throw Error(message.getDataType() + " does not begin with a std_msgs/Header");
  }
  std::vector<std::uint8_t> bytes = bytesOf(message);
  ros::serialization::IStream in(bytes.data(), message.size());
  std::uint32_t seq = 0;
  ros::Time stamp;
  in.next(seq);
  in.next(stamp);
  return fromRos(stamp);
}

}  // namespace marsim::ros_nodes
