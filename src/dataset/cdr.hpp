// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <Eigen/Geometry>

#include "dataset/append_bytes.hpp"
#include "marsim/common/time.hpp"
#include "marsim/geometry/pose.hpp"

namespace marsim::dataset {

/// A serialised message of ROS 2: CDR (OMG DDSI-RTPS 10), little endian; each number at a multiple
/// of its size after the four header bytes.
class Cdr {
 public:
  static constexpr std::size_t kHead = 4;

  template <class Number>
  void add(Number value) {
    while ((bytes_.size() - kHead) % sizeof(Number) != 0) bytes_.push_back('\0');
    appendBytes(value, bytes_);
  }
  void add(const std::string& text) {
    add(static_cast<std::uint32_t>(text.size() + 1));
    bytes_.append(text.c_str(), text.size() + 1);
  }
  /// A sequence of bytes or numbers.
  template <class Numbers>
  void addSequence(const Numbers& numbers) {
    using Number = typename Numbers::value_type;
    add(static_cast<std::uint32_t>(numbers.size()));
    if (numbers.empty()) return;
    while ((bytes_.size() - kHead) % sizeof(Number) != 0) bytes_.push_back('\0');
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), sizeof(Number) * numbers.size());
  }
  void addTime(TimeNs stamp) {
    add(static_cast<std::int32_t>(stamp / kNsPerSecond));
    add(static_cast<std::uint32_t>(stamp % kNsPerSecond));
  }
  void addHeader(TimeNs stamp, const std::string& frame) {
    addTime(stamp);
    add(frame);
  }
  void add(const Eigen::Vector3d& v) {
    for (int axis = 0; axis < 3; ++axis) add(v[axis]);
  }
  void add(const Eigen::Quaterniond& q) {
    for (int i = 0; i < 4; ++i) add(q.coeffs()[i]);  // x y z w
  }
  void add(const Pose& X_AB) {
    add(X_AB.p);
    add(X_AB.q);
  }
  /// A square matrix with this diagonal.
  void addDiagonal(int side, double value) {
    for (int i = 0; i < side * side; ++i) add(i % (side + 1) == 0 ? value : 0.0);
  }
  /// Makes room at once for a message of about that size.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_ = std::string("\0\1\0\0", kHead);
};

/// Reads a serialised message of either byte order and refuses it, by Error, if it is not plain
/// CDR, is shorter or longer than its type, or has numbers, texts or sequences of absurd size.
class CdrReader {
 public:
  static constexpr double kLargestNumber = 1e9;        ///< of either sign; NaN is for the caller
  static constexpr std::size_t kLongestText = 1000;    ///< characters
  static constexpr std::size_t kMostEntries = 100000;  ///< of a sequence

  explicit CdrReader(std::string_view bytes);

  template <class Number>
  Number read() {
    char raw[sizeof(Number)];
    take(sizeof(Number), sizeof(Number), raw);
    Number value;
    std::memcpy(&value, raw, sizeof(Number));
    if constexpr (std::is_floating_point_v<Number>) check(static_cast<double>(value));
    return value;
  }
  std::string text();
  /// The length of a sequence.
  std::size_t count();
  Eigen::Vector3d vector();
  /// A quaternion as it was sent, not normalised.
  Eigen::Quaterniond quaternion();
  /// 0 for a time that is not set.
  TimeNs time();
  /// The number of bytes that are left.
  std::size_t left() const { return bytes_.size() - at_; }
  /// Throws if bytes are left.
  void finish() const;

 private:
  void take(std::size_t size, std::size_t align, char* to);
  void check(double value);

  std::string_view bytes_;
  std::size_t at_ = Cdr::kHead;
  std::size_t number_ = 0;  ///< of the last floating-point field, counted from 1
  bool swaps_ = false;      ///< big endian
};

}  // namespace marsim::dataset
