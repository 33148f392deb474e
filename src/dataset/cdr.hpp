// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Geometry>

#include "dataset/append_bytes.hpp"
#include "marsim/common/time.hpp"

namespace marsim::dataset {

/// A serialised message of ROS 2: CDR (OMG DDSI-RTPS 10), little endian; each number at a multiple
/// of its size after the four header bytes.
class Cdr {
 public:
  template <class Number>
  void add(Number value) {
    while ((bytes_.size() - kHead) % sizeof(Number) != 0) bytes_.push_back('\0');
    appendBytes(value, bytes_);
  }
  void add(const std::string& text) {
    add(static_cast<std::uint32_t>(text.size() + 1));
    bytes_.append(text.c_str(), text.size() + 1);
  }
  /// A sequence of bytes.
  void addSequence(const std::string& bytes) {
    add(static_cast<std::uint32_t>(bytes.size()));
    bytes_ += bytes;
  }
  void addHeader(TimeNs stamp, const std::string& frame) {
    add(static_cast<std::int32_t>(stamp / kNsPerSecond));
    add(static_cast<std::uint32_t>(stamp % kNsPerSecond));
    add(frame);
  }
  void add(const Eigen::Vector3d& v) {
    for (int axis = 0; axis < 3; ++axis) add(v[axis]);
  }
  void add(const Eigen::Quaterniond& q) {
    for (int i = 0; i < 4; ++i) add(q.coeffs()[i]);  // x y z w
  }
  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kHead = 4;
  std::string bytes_ = std::string("\0\1\0\0", kHead);
};

}  // namespace marsim::dataset
