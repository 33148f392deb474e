// SPDX-License-Identifier: BSD-3-Clause
// CustomMsg without Livox's packages: type names, md5 worked out from the definition by ROS's rule,
// and the bytes on the wire.
#include "ros/messages/livox_custom_message.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/uuid/detail/md5.hpp>

#include "layouts/example_scan.hpp"
#include "ros/messages/cloud_message.hpp"

namespace marsim::ros_nodes {
namespace {

std::string md5Of(const std::string& text) {
  boost::uuids::detail::md5 hash;
  hash.process_bytes(text.data(), text.size());
  boost::uuids::detail::md5::digest_type digest;
  hash.get_digest(digest);
  std::string hex;
  for (const unsigned int word : digest) hex += fmt::format("{:08x}", word);
  return hex;
}

/// Definitions by type name; the first, whose name a definition does not say, under "".
std::map<std::string, std::vector<std::string>> parse(const std::string& definition) {
  std::map<std::string, std::vector<std::string>> types;
  std::string type;
  std::istringstream lines(definition);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (line.rfind("MSG: ", 0) == 0) {
      type = line.substr(5);
    } else if (!line.empty() && line.front() != '=') {
      types[type].push_back(line);
    }
  }
  return types;
}

/// The sum of a message: fields line by line, the type of those that are messages replaced by its
/// own sum.
std::string md5Of(const std::map<std::string, std::vector<std::string>>& types,
                  const std::string& type) {
  std::string text;
  for (const std::string& field : types.at(type)) {
    std::string field_type = field.substr(0, field.find(' '));
    const std::string name = field.substr(field.rfind(' ') + 1);
    const std::string element = field_type.substr(0, field_type.find('['));
    for (const auto& known : types) {
      const std::string& full = known.first;
      if (full == element || full.substr(full.find('/') + 1) == element) {
        field_type = md5Of(types, full);
      }
    }
    text += (text.empty() ? "" : "\n") + field_type + " " + name;
  }
  return md5Of(text);
}

TEST(LivoxCustomMessage, DefinitionHasTheDriversMd5UnderBothNames) {
  for (const bool driver2 : {false, true}) {
    const auto types = parse(LivoxCustomMessage::definition(driver2));
    const std::string package = driver2 ? "livox_ros_driver2" : "livox_ros_driver";
    EXPECT_EQ(md5Of(types, "std_msgs/Header"), "2176decaecbce78abc3b96ef049fabed");
    EXPECT_EQ(md5Of(types, package + "/CustomPoint"), "109a3cc548bb1f96626be89a5008bd6d");
    EXPECT_EQ(md5Of(types, ""), "e4d6829bdfe657cb6c21a746c86b21a6");
    LivoxCustomMessage message;
    message.driver2 = driver2;
    EXPECT_EQ(ros::message_traits::datatype(message), package + "/CustomMsg");
    EXPECT_STREQ(ros::message_traits::md5sum(message), "e4d6829bdfe657cb6c21a746c86b21a6");
  }
}

std::string serialised(const LivoxCustomMessage& message) {
  const std::uint32_t size = ros::serialization::serializationLength(message);
  std::vector<std::uint8_t> buffer(size);
  ros::serialization::OStream stream(buffer.data(), size);
  ros::serialization::serialize(stream, message);
  EXPECT_EQ(stream.getLength(), 0U);
  std::string hex;
  for (const std::uint8_t byte : buffer) hex += fmt::format("{:02x}", byte);
  return hex;
}

TEST(LivoxCustomMessage, BytesOfAScan) {
  const LivoxCustomMessage message = toMessage(std::get<layouts::LivoxCloud>(
      layouts::encoderOf(lidar::CloudLayout::kLivoxCustom2).encode(layouts::exampleScan())));
  EXPECT_TRUE(message.driver2);
  EXPECT_EQ(message.point_num, message.points.size());
  std::string expected =
      "00000000 02000000 00000000"                     // seq, 2 s
      "05000000 6c69646172"                            // frame "lidar"
      "0094357700000000"                               // timebase 2,000,000,000 ns
      "05000000 00 000000"                             // point_num, lidar_id, rsvd
      "05000000"                                       // number of points
      "00000000 0000803f 00000040 00004040 64 10 01"   // (1, 2, 3), 100
      "00000000 00000000 00000000 00000000 00 00 02"   // nothing
      "50d6dc01 00000000 00000000 00000000 00 00 01"   // too near
      "50d6dc01 0000c0bf 00000000 0000803e ff 10 03"   // (-1.5, 0, 0.25), 255
      "a0acb903 00000041 00000000 00000000 08 10 01";  // (8, 0, 0) at 62,500,000 ns
  expected.erase(std::remove(expected.begin(), expected.end(), ' '), expected.end());
  EXPECT_EQ(serialised(message), expected);
}

}  // namespace
}  // namespace marsim::ros_nodes
