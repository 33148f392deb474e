// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <ros/serialization.h>
#include <ros/time.h>
#include <boost/array.hpp>

namespace marsim::ros_nodes {

/// Whether a message's numbers may be NaN or infinite.
enum class Numbers { kAny, kFinite };

/// Walks through the fields of a message, like the streams of ros::serialization, and keeps the
/// first fault.
class FaultFinder {
 public:
  static constexpr double kLargestNumber = 1e9;      ///< of either sign; its powers stay finite
  static constexpr std::size_t kLongestText = 1000;  ///< characters
  static constexpr std::size_t kMostEntries = 1'000'000;  ///< of an array, bytes and integers aside

  explicit FaultFinder(Numbers numbers = Numbers::kAny) : numbers_(numbers) {}

  const std::string& fault() const { return fault_; }

  template <class Value>
  void next(const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      checkNumber(value);
    } else if constexpr (!isPlain<Value>()) {
      ros::serialization::Serializer<Value>::write(*this, value);
    }
  }
  void next(const std::string& text) { checkText(text.size()); }
  template <class Value, class Allocator>
  void next(const std::vector<Value, Allocator>& values) {
    if constexpr (isPlain<Value>()) return;
    checkEntries(values.size());
    each(values);
  }
  template <class Value, std::size_t size>
  void next(const boost::array<Value, size>& values) {
    each(values);
  }

 private:
  /// Whether any value is allowed.
  template <class Value>
  static constexpr bool isPlain() {
    return std::is_integral_v<Value> || std::is_same_v<Value, ros::Time> ||
           std::is_same_v<Value, ros::Duration>;
  }
  template <class Values>
  void each(const Values& values) {
    for (const auto& value : values) {
      if (!fault_.empty()) return;
      next(value);
    }
  }
  void checkNumber(double value);
  void checkText(std::size_t length);
  void checkEntries(std::size_t count);

  Numbers numbers_;
  std::size_t number_ = 0;  ///< of the last floating-point field, counted from 1
  std::string fault_;
};

/// The fault for which a message is refused whatever its purpose, on one line without its topic: a
/// number, text or array of absurd size. Empty if there is none.
template <class Message>
std::string faultOf(const Message& message, Numbers numbers = Numbers::kAny) {
  FaultFinder finder(numbers);
  finder.next(message);
  return finder.fault();
}

}  // namespace marsim::ros_nodes
