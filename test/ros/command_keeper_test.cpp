// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/command_keeper.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim::ros_nodes {
namespace {

class ActiveCommandMessage : public testing::Test {
 protected:
  Eigen::Vector3d draw() { return {random_.normal(), random_.normal(), random_.normal()}; }
  control::Reference drawReference() {
    return {draw(), draw(), draw(), draw(), random_.normal(), random_.normal()};
  }
  control::ActiveCommand drawCommand() {
    control::ActiveCommand command;
    command.kind = control::ActiveCommand::Kind::kPose;
    command.stamp = 123'456'789'012;
    command.from = drawReference();
    command.yaw_acceleration = random_.normal();
    command.target_p_WB = draw();
    command.target_yaw = random_.normal();
    command.waiting.resize(2);
    for (auto& [at, point] : command.waiting) {
      at = 223'456'789'012;
      point.reference = drawReference();
    }
    command.waiting.back().point.moves = false;
    return command;
  }

  RandomStream random_{3};
};

void expectSame(const control::Reference& a, const control::Reference& b) {
  EXPECT_EQ(a.p_WB, b.p_WB);
  EXPECT_EQ(a.v_WB, b.v_WB);
  EXPECT_EQ(a.a_WB, b.a_WB);
  EXPECT_EQ(a.j_WB, b.j_WB);
  EXPECT_EQ(a.yaw, b.yaw);
  EXPECT_EQ(a.yaw_rate, b.yaw_rate);
}

TEST_F(ActiveCommandMessage, KeepsEveryBit) {
  const control::ActiveCommand command = drawCommand();
  marsim::ActiveCommand message;
  toMessage(command, message);
  const control::ActiveCommand read = fromMessage(message);
  EXPECT_EQ(read.kind, command.kind);
  EXPECT_EQ(read.stamp, command.stamp);
  expectSame(read.from, command.from);
  EXPECT_EQ(read.yaw_acceleration, command.yaw_acceleration);
  EXPECT_EQ(read.target_p_WB, command.target_p_WB);
  EXPECT_EQ(read.target_yaw, command.target_yaw);
  ASSERT_EQ(read.waiting.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.waiting[i].at, command.waiting[i].at);
    EXPECT_EQ(read.waiting[i].point.moves, i == 0);
    expectSame(read.waiting[i].point.reference, command.waiting[i].point.reference);
  }
}

TEST_F(ActiveCommandMessage, InvalidCommandsAreRefused) {
  marsim::ActiveCommand message;
  toMessage(drawCommand(), message);
  const auto expectRefused = [](const marsim::ActiveCommand& bad) {
    EXPECT_THROW(fromMessage(bad), Error);
  };
  marsim::ActiveCommand bad = message;
  bad.kind = 6;
  expectRefused(bad);
  bad = message;
  bad.target.y = std::numeric_limits<double>::infinity();
  expectRefused(bad);
  bad = message;
  bad.waiting.back().jerk.z = std::numeric_limits<double>::quiet_NaN();
  expectRefused(bad);
}

}  // namespace
}  // namespace marsim::ros_nodes
