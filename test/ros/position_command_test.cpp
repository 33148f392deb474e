// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/position_command.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "ros/position_command_bytes.hpp"

namespace marsim::ros_nodes {
namespace {

using Eigen::Vector3d;

struct Variant {
  const char* md5;
  std::size_t size;  // with an empty frame_id, counted by hand
  bool has_jerk, has_flag;
};

// Header 16, three vectors 72, yaw 16; gains 48, IDs 5, jerk 24.
const Variant kVariants[] = {
    {test::kEgo, 16 + 72 + 16 + 48 + 5, false, true},
    {test::kSuper, 16 + 72 + 24 + 72 + 16 + 16 + 48 + 5, true, true},
    {test::kKumar, 16 + 72 + 16 + 48, false, false},
    {test::kKumarJerk, 16 + 72 + 24 + 16 + 48, true, false},
    {test::kKr, 16 + 72 + 24 + 16 + 48 + 1, true, false},
    {test::kEgoV2, 16 + 72 + 24 + 16 + 5, true, true},
    {test::kFastDrone, 16 + 72 + 24 + 16 + 48 + 5, true, true},
};

test::CommandFields example() {
  test::CommandFields fields;
  fields.position = {1.0, -2.0, 3.0};
  fields.velocity = {0.1, 0.2, -0.3};
  fields.acceleration = {4.0, 5.0, -6.0};
  fields.jerk = {0.7, -0.8, 0.9};
  fields.yaw = 1.25;
  fields.yaw_dot = -0.5;
  fields.kx = {5.7, 5.7, 6.2};
  fields.kv = {3.4, 3.4, 4.0};
  fields.trajectory_flag = 3;
  return fields;
}

std::string refusal(const std::string& md5, const std::vector<std::uint8_t>& bytes) {
  try {
    decodePositionCommand(md5, bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expectWords(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
  }
}

TEST(PositionCommand, EveryDefinitionIsRead) {
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.md5);
    ASSERT_NE(positionCommandUsers(variant.md5), nullptr);
    for (const std::string frame : {"", "world"}) {
      test::CommandFields fields = example();
      fields.frame_id = frame;
      const auto bytes = test::commandBytes(variant.md5, fields);
      EXPECT_EQ(bytes.size(), variant.size + frame.size());
      const PositionCommand command = decodePositionCommand(variant.md5, bytes);
      EXPECT_EQ(command.frame_id, frame);
      EXPECT_EQ(command.reference.p_WB, Vector3d(1.0, -2.0, 3.0));
      EXPECT_EQ(command.reference.v_WB, Vector3d(0.1, 0.2, -0.3));
      EXPECT_EQ(command.reference.a_WB, Vector3d(4.0, 5.0, -6.0));
      EXPECT_EQ(command.reference.j_WB,
                variant.has_jerk ? Vector3d(0.7, -0.8, 0.9) : Vector3d(Vector3d::Zero()));
      EXPECT_EQ(command.reference.yaw, 1.25);
      EXPECT_EQ(command.reference.yaw_rate, -0.5);
      EXPECT_EQ(command.trajectory_flag.has_value(), variant.has_flag);
      if (variant.has_flag) {
        EXPECT_EQ(*command.trajectory_flag, 3);
      }
    }
  }
}

TEST(PositionCommand, StampsCountFromTheEpoch) {
  test::CommandFields fields = example();
  fields.seconds = 1'700'000'001;
  fields.nanoseconds = 250'000'000;
  const auto stamp = [&fields] {
    return decodePositionCommand(test::kEgo, test::commandBytes(test::kEgo, fields),
                                 1'700'000'000 * kNsPerSecond)
        .stamp;
  };
  EXPECT_EQ(stamp(), 1'250'000'000);
  fields.seconds = fields.nanoseconds = 0;  // unset
  EXPECT_EQ(stamp(), 0);
}

TEST(PositionCommand, TheWrongSizeIsRefusedWithMd5AndSizes) {
  for (const Variant& variant : kVariants) {
    const auto whole = test::commandBytes(variant.md5, example());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string text = refusal(variant.md5, {whole.begin(), whole.begin() + size});
      expectWords(text, {variant.md5, " " + std::to_string(size) + " bytes",
                         "allowed: " + std::to_string(variant.size)});
    }
    auto longer = whole;
    longer.push_back(0);
    expectWords(refusal(variant.md5, longer), {std::to_string(longer.size()) + " bytes"});
    // A frame_id said to be longer than the message.
    auto lying = whole;
    lying[12] = lying[13] = lying[14] = lying[15] = 0xff;
    expectWords(refusal(variant.md5, lying), {"4294967295"});
  }
}

constexpr double kBad[] = {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()};

TEST(PositionCommand, PlacesVelocitiesAndYawsThatAreNotFiniteAreRefused) {
  for (const double value : kBad) {
    for (const Variant& variant : kVariants) {
      const auto with = [&](auto change) {
        test::CommandFields fields = example();
        change(fields);
        return refusal(variant.md5, test::commandBytes(variant.md5, fields));
      };
      expectWords(with([&](auto& f) { f.position.z() = value; }), {variant.md5, "position"});
      expectWords(with([&](auto& f) { f.velocity.x() = value; }), {"velocity"});
      expectWords(with([&](auto& f) { f.yaw = value; }), {"yaw is"});
      EXPECT_EQ(with([&](auto& f) { f.kx.x() = value; }), "") << "gains are not used";
    }
  }
}

// EGO-Planner's yaw_dot is 0/0 whenever its timer fires twice at one time of /clock.
TEST(PositionCommand, FieldsThatPlannersNeverReadCountAsNotGiven) {
  using Names = std::vector<std::string>;
  for (const double value : kBad) {
    for (const Variant& variant : kVariants) {
      const auto with = [&](auto change) {
        test::CommandFields fields = example();
        change(fields);
        return decodePositionCommand(variant.md5, test::commandBytes(variant.md5, fields));
      };
      const PositionCommand no_rate = with([&](auto& f) { f.yaw_dot = value; });
      EXPECT_EQ(no_rate.reference.yaw_rate, 0.0);
      EXPECT_EQ(no_rate.reference.a_WB, Vector3d(4.0, 5.0, -6.0)) << "the rest is taken";
      EXPECT_EQ(no_rate.not_given, Names{"yaw_dot"});
      const PositionCommand no_acceleration = with([&](auto& f) { f.acceleration.y() = value; });
      EXPECT_EQ(no_acceleration.reference.a_WB, Vector3d::Zero());
      EXPECT_EQ(no_acceleration.not_given, Names{"acceleration"});
      const PositionCommand no_jerk = with([&](auto& f) { f.jerk.x() = value; });
      EXPECT_EQ(no_jerk.reference.j_WB, Vector3d::Zero());
      EXPECT_EQ(no_jerk.not_given, variant.has_jerk ? Names{"jerk"} : Names{});
    }
  }
}

TEST(PositionCommand, UnknownDefinitions) {
  const std::string md5 = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(positionCommandUsers(md5), nullptr);
  expectWords(refusal(md5, test::commandBytes(test::kEgo, example())), {md5, "known"});
  expectWords(knownPositionCommands(), {test::kEgo, test::kSuper, test::kKumar, test::kKumarJerk,
                                        test::kKr, test::kEgoV2, test::kFastDrone, "FUEL"});
}

TEST(PositionCommand, ThePlannersPageListsThem) {
  std::ifstream file(std::string(std::getenv("MARSIM_TEST_SOURCE_DIR")) + "/docs/planners.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const Variant& variant : kVariants) {
    expectWords(page.str(), {std::string("| ") + variant.md5 + " | " +
                             positionCommandUsers(variant.md5) + " |"});
  }
}

TEST(PositionCommand, FlagsThatAreFollowed) {
  for (const int flag : {0, 1, 2, 3}) EXPECT_TRUE(isFollowed(static_cast<std::uint8_t>(flag)));
  for (const int flag : {4, 5, 6, 7, 8, 255}) {
    EXPECT_FALSE(isFollowed(static_cast<std::uint8_t>(flag)));
  }
}

}  // namespace
}  // namespace marsim::ros_nodes
