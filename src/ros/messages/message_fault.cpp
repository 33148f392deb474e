// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/message_fault.hpp"

#include <fmt/format.h>

namespace marsim::ros_nodes {

void FaultFinder::checkNumber(double value) {
  ++number_;
  const bool is_finite = std::isfinite(value);
  const bool is_right = is_finite ? std::abs(value) <= kLargestNumber : numbers_ == Numbers::kAny;
  if (is_right || !fault_.empty()) return;
  fault_ = fmt::format("number {} of the message is {:g}, allowed: {:g} to {:g}", number_, value,
                       -kLargestNumber, kLargestNumber);
}

void FaultFinder::checkText(std::size_t length) {
  if (length <= kLongestText || !fault_.empty()) return;
  fault_ = fmt::format("a text has {} characters, allowed: up to {}", length, kLongestText);
}

void FaultFinder::checkEntries(std::size_t count) {
  if (count <= kMostEntries || !fault_.empty()) return;
  fault_ = fmt::format("an array has {} entries, allowed: up to {}", count, kMostEntries);
}

}  // namespace marsim::ros_nodes
