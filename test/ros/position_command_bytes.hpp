// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <Eigen/Core>

/// The messages called quadrotor_msgs/PositionCommand, serialised field by field as their
/// definitions list them (written by hand, apart from what reads them).
namespace marsim::test {

constexpr char kEgo[] = "4712f0609ca29a79af79a35ca3e3967a";    // EGO, EGO-swarm, Fast-Planner, FUEL
constexpr char kSuper[] = "d008e86de36e11deb1e4033ac2c394a9";  // SUPER, HKU's MARSIM
constexpr char kKumar[] = "835935bcd6f18632d9e26a3093237902";
constexpr char kKumarJerk[] = "340cea662b21ef26b7f141decc78581f";
constexpr char kKr[] = "0311a8eaed8b83c776def91b77632ae6";
constexpr char kEgoV2[] = "8daeaff9fa173d075e6123dd6bf2ebbc";
constexpr char kFastDrone[] = "2809eb0c779bbce5b8d66b95a05bd27b";

struct CommandFields {
  std::uint32_t seconds = 0, nanoseconds = 0;  // header.stamp
  std::string frame_id = "world";
  Eigen::Vector3d position{0, 0, 0}, velocity{0, 0, 0}, acceleration{0, 0, 0}, jerk{0, 0, 0};
  double yaw = 0.0, yaw_dot = 0.0;
  Eigen::Vector3d kx{0, 0, 0}, kv{0, 0, 0};
  std::uint32_t trajectory_id = 1;
  std::uint8_t trajectory_flag = 1;  // READY
};

class CommandBytes {
 public:
  std::vector<std::uint8_t> bytes;

  void number(double x) { append(&x, 8); }
  void word(std::uint32_t x) { append(&x, 4); }
  void byte(std::uint8_t x) { append(&x, 1); }
  void vector(const Eigen::Vector3d& v) {
    for (int i = 0; i < 3; ++i) number(v[i]);
  }
  void begin(const CommandFields& f) {
    word(7);  // header.seq
    word(f.seconds);
    word(f.nanoseconds);
    word(static_cast<std::uint32_t>(f.frame_id.size()));
    append(f.frame_id.data(), f.frame_id.size());
    vector(f.position);
    vector(f.velocity);
    vector(f.acceleration);
  }
  void yaw(const CommandFields& f) {
    number(f.yaw);
    number(f.yaw_dot);
  }
  void gains(const CommandFields& f) {
    vector(f.kx);
    vector(f.kv);
  }
  void ids(const CommandFields& f) {
    word(f.trajectory_id);
    byte(f.trajectory_flag);
  }

 private:
  void append(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};

inline std::vector<std::uint8_t> commandBytes(const std::string& md5, const CommandFields& f) {
  CommandBytes out;
  out.begin(f);
  if (md5 == kEgo) {
    out.yaw(f);
    out.gains(f);
    out.ids(f);
  } else if (md5 == kSuper) {
    out.vector(f.jerk);
    out.vector({11.0, 12.0, 13.0});  // angular_velocity
    out.vector({14.0, 15.0, 16.0});  // attitude
    out.vector({17.0, 18.0, 19.0});  // thrust
    out.yaw(f);
    out.number(f.velocity.norm());      // vel_norm
    out.number(f.acceleration.norm());  // acc_norm
    out.gains(f);
    out.ids(f);
  } else if (md5 == kKumar) {
    out.yaw(f);
    out.gains(f);
  } else if (md5 == kKumarJerk) {
    out.vector(f.jerk);
    out.yaw(f);
    out.gains(f);
  } else if (md5 == kKr) {
    out.vector(f.jerk);
    out.yaw(f);
    out.gains(f);
    out.byte(5);  // use_msg_gains_flags
  } else if (md5 == kEgoV2) {
    out.vector(f.jerk);
    out.yaw(f);
    out.ids(f);
  } else if (md5 == kFastDrone) {
    out.vector(f.jerk);
    out.yaw(f);
    out.gains(f);
    out.ids(f);
  }
  return out.bytes;
}

}  // namespace marsim::test
