#include "points.hpp"

#include <fmt/format.h>

#include "marsim/common/error.hpp"
#include "marsim/common/text.hpp"
#include "marsim/common/units.hpp"

namespace marsim::tools {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& option) {
  throw ConfigError("command line", option, fmt::format("'{}'", text),
                    "x,y,z in metres, e.g. 10,11,1.8");
}

}  // namespace

Eigen::Vector3d parsePoint(std::string_view text, const std::string& option) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 3) refuse(text, option);
  Eigen::Vector3d point;
  for (int axis = 0; axis < 3; ++axis) {
    try {
      point[axis] =
          parseQuantity(trimmed(parts[static_cast<std::size_t>(axis)]), Quantity::kLength);
    } catch (const Error&) {
      refuse(text, option);
    }
  }
  return point;
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

std::string pointText(const Eigen::Vector3d& point) {
  return fmt::format("({:.2f}, {:.2f}, {:.2f})", point.x(), point.y(), point.z());
}

}  // namespace marsim::tools
