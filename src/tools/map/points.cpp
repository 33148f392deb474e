// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/points.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::tools {
namespace {

constexpr const char* kPoint = "x,y,z in metres, e.g. 10,11,1.8";
constexpr const char* kPose =
    "x,y,z,yaw,pitch,roll in metres and radians, e.g. 10,11,1.8,90deg,0,0";

/// The comma-separated numbers of a text, `least` to `most` of them: first three lengths, then
/// angles.
std::vector<double> parseNumbers(std::string_view text, std::size_t least, std::size_t most,
                                 const std::string& option, const char* allowed) {
  std::vector<double> numbers;
  std::string hint;
  try {
    for (const std::string& part : split(text, ',')) {
      const Quantity quantity = numbers.size() < 3 ? Quantity::kLength : Quantity::kAngle;
      if (hint.empty()) hint = degreesHint(part, quantity);
      numbers.push_back(parseQuantity(trimmed(part), quantity));
    }
  } catch (const Error&) {
    numbers.clear();
  }
  if (numbers.size() < least || numbers.size() > most) {
    throw ConfigError("command line", option, fmt::format("'{}'", text), allowed);
  }
  requirePlace("command line", option, {numbers[0], numbers[1], numbers[2]});
  for (std::size_t i = 3; i < numbers.size(); ++i) {
    requireAngle("command line", option + ", angle", numbers[i]);
  }
  if (!hint.empty()) fmt::print(stderr, "warning: {}: {}\n", option, hint);
  return numbers;
}

}  // namespace

Eigen::Vector3d parsePoint(std::string_view text, const std::string& option) {
  const std::vector<double> numbers = parseNumbers(text, 3, 3, option, kPoint);
  return {numbers[0], numbers[1], numbers[2]};
}

Pose parsePose(std::string_view text, const std::string& option) {
  std::vector<double> numbers = parseNumbers(text, 3, 6, option, kPose);
  numbers.resize(6, 0.0);
  return {fromRollPitchYaw(numbers[5], numbers[4], numbers[3]),
          {numbers[0], numbers[1], numbers[2]}};
}

std::vector<Eigen::Vector3d> parsePoints(std::string_view text, const std::string& option) {
  std::string_view list = trimmed(text);
  if (!list.empty() && list.back() == ';') list.remove_suffix(1);
  std::vector<Eigen::Vector3d> points;
  int number = 0;
  for (const std::string& part : split(list, ';')) {
    points.push_back(parsePoint(trimmed(part), fmt::format("{}, point {}", option, ++number)));
  }
  return points;
}

nlohmann::json pointJson(const Eigen::Vector3d& p) { return {p.x(), p.y(), p.z()}; }

}  // namespace marsim::tools
