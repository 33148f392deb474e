// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/position_command.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "ros/messages/message_fault.hpp"

namespace marsim::ros_nodes {
namespace {

constexpr char kType[] = "quadrotor_msgs/PositionCommand";
constexpr std::size_t kHeader = 16;  // seq, stamp (two words), length of frame_id
constexpr std::size_t kVector = 3 * sizeof(double);
constexpr double kLargest = FaultFinder::kLargestNumber;

// Fields after header, position, velocity and acceleration, with which all definitions begin.
enum class Field {
  kJerk,       // Vector3
  kYaw,        // float64 yaw, yaw_dot
  kAttitude,   // Vector3 angular_velocity, attitude, thrust: not used
  kNorms,      // float64 vel_norm, acc_norm: not used
  kGains,      // float64[3] kx, kv: not used, some planners send zeros
  kGainsFlag,  // uint8 use_msg_gains_flags: not used
  kIds,        // uint32 trajectory_id, uint8 trajectory_flag
};

struct Definition {
  const char* md5;
  const char* users;
  std::vector<Field> fields;
};

// An md5 covers names and constants too; these are the sums that rosmsg prints.
const std::vector<Definition>& definitions() {
  static const std::vector<Definition> all{
      {"4712f0609ca29a79af79a35ca3e3967a",
       "EGO-Planner, EGO-swarm, Fast-Planner, FUEL",
       {Field::kYaw, Field::kGains, Field::kIds}},
      {"d008e86de36e11deb1e4033ac2c394a9",
       "SUPER, HKU's MARSIM",
       {Field::kJerk, Field::kAttitude, Field::kYaw, Field::kNorms, Field::kGains, Field::kIds}},
      {"835935bcd6f18632d9e26a3093237902", "kumar (bare)", {Field::kYaw, Field::kGains}},
      {"340cea662b21ef26b7f141decc78581f",
       "kumar with jerk",
       {Field::kJerk, Field::kYaw, Field::kGains}},
      {"0311a8eaed8b83c776def91b77632ae6",
       "kr_mav_msgs",
       {Field::kJerk, Field::kYaw, Field::kGains, Field::kGainsFlag}},
      {"8daeaff9fa173d075e6123dd6bf2ebbc",
       "EGO-Planner-v2",
       {Field::kJerk, Field::kYaw, Field::kIds}},
      {"2809eb0c779bbce5b8d66b95a05bd27b",
       "Fast-Drone-250",
       {Field::kJerk, Field::kYaw, Field::kGains, Field::kIds}},
  };
  return all;
}

const Definition* find(const std::string& md5) {
  for (const Definition& definition : definitions()) {
    if (md5 == definition.md5) return &definition;
  }
  return nullptr;
}

std::size_t sizeOf(Field field) {
  switch (field) {
    case Field::kJerk:
      return kVector;
    case Field::kYaw:
    case Field::kNorms:
      return 2 * sizeof(double);
    case Field::kAttitude:
      return 3 * kVector;
    case Field::kGains:
      return 2 * kVector;
    case Field::kGainsFlag:
      return 1;
    case Field::kIds:
      return 5;
  }
  return 0;
}

// The size of a message with an empty frame_id.
std::size_t sizeOf(const Definition& definition) {
  std::size_t size = kHeader + 3 * kVector;
  for (const Field field : definition.fields) size += sizeOf(field);
  return size;
}

template <class Value>
Value read(const std::uint8_t* from) {
  Value value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

Eigen::Vector3d readVector(const std::uint8_t* from) {
  return {read<double>(from), read<double>(from + 8), read<double>(from + 16)};
}

void requireFinite(const std::string& md5, const char* field, const Eigen::Vector3d& value) {
  if (value.allFinite() && value.cwiseAbs().maxCoeff() <= kLargest) return;
  throw Error(fmt::format("{} (md5 {}): {} is ({}, {}, {}), allowed: finite numbers up to {:g}",
                          kType, md5, field, value.x(), value.y(), value.z(), kLargest));
}

void requireFinite(const std::string& md5, const char* field, double value) {
  if (std::abs(value) <= kLargest) return;
  throw Error(fmt::format("{} (md5 {}): {} is {}, allowed: a finite number up to {:g}", kType, md5,
                          field, value, kLargest));
}

// For fields that may be NaN or infinite, which counts as not given.
void requireSmall(const std::string& md5, const char* field, const Eigen::Vector3d& value) {
  for (const double number : value) {
    if (std::isfinite(number)) requireFinite(md5, field, number);
  }
}

}  // namespace

const char* positionCommandUsers(const std::string& md5) {
  const Definition* definition = find(md5);
  return definition == nullptr ? nullptr : definition->users;
}

std::string knownPositionCommands() {
  std::vector<std::string> known;
  for (const Definition& definition : definitions()) {
    known.push_back(fmt::format("{} ({})", definition.md5, definition.users));
  }
  return join(known, ", ");
}

PositionCommand decodePositionCommand(const std::string& md5,
                                      const std::vector<std::uint8_t>& bytes, TimeNs epoch) {
  const Definition* definition = find(md5);
  if (definition == nullptr) {
    throw Error(fmt::format("{} with md5 {} is none of the known definitions", kType, md5));
  }
  const std::size_t least = sizeOf(*definition);
  const std::size_t frame_length =
      bytes.size() < least ? 0 : read<std::uint32_t>(bytes.data() + kHeader - 4);
  if (bytes.size() != least + frame_length) {
    throw Error(fmt::format("{} (md5 {}) has {} bytes, allowed: {} and a frame_id of {}", kType,
                            md5, bytes.size(), least, frame_length));
  }

  PositionCommand command;
  const std::uint8_t* at = bytes.data() + kHeader;
  command.frame_id.assign(at, at + frame_length);
  const auto word = [&bytes](std::size_t number) {
    return read<std::uint32_t>(bytes.data() + 4 * number);
  };
  command.stamp = fromRos({word(1), word(2)}, epoch);
  at += frame_length;
  control::Reference& reference = command.reference;
  reference.p_WB = readVector(at);
  reference.v_WB = readVector(at + kVector);
  reference.a_WB = readVector(at + 2 * kVector);
  at += 3 * kVector;
  for (const Field field : definition->fields) {
    if (field == Field::kJerk) reference.j_WB = readVector(at);
    if (field == Field::kYaw) {
      reference.yaw = read<double>(at);
      reference.yaw_rate = read<double>(at + sizeof(double));
    }
    if (field == Field::kIds) command.trajectory_flag = at[4];
    at += sizeOf(field);
  }
  requireFinite(md5, "position", reference.p_WB);
  requireFinite(md5, "velocity", reference.v_WB);
  requireFinite(md5, "yaw", reference.yaw);
  requireSmall(md5, "acceleration", reference.a_WB);
  requireSmall(md5, "jerk", reference.j_WB);
  requireSmall(md5, "yaw_dot", {reference.yaw_rate, 0.0, 0.0});
  command.not_given = control::dropUnusable(reference, {"acceleration", "jerk", "yaw_dot"});
  return command;
}

bool isFollowed(std::uint8_t trajectory_flag) { return trajectory_flag <= 3; }

}  // namespace marsim::ros_nodes
