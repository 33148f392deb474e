// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "config/launch_words.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {

std::optional<Pose> placeInBody(const std::string& text) {
  std::vector<double> numbers;
  try {
    for (const std::string& part : split(text, ',')) {
      const Quantity quantity = numbers.size() < 3 ? Quantity::kLength : Quantity::kAngle;
      numbers.push_back(parseQuantity(trimmed(part), quantity));
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  if (numbers.size() != 3 && numbers.size() != 6) return std::nullopt;
  numbers.resize(6, 0.0);
  if (!isPlace({numbers[0], numbers[1], numbers[2]})) return std::nullopt;
  return Pose{fromRollPitchYaw(numbers[3], numbers[4], numbers[5]),
              {numbers[0], numbers[1], numbers[2]}};
}

Pose chooseFrame(const std::string& word, const vehicle::ImuConfig& imu, const std::string& lidar,
                 const std::string& where, const std::string& field) {
  if (word == "base") return {};
  if (word == "imu") return imu.X_BI;
  if (word == "lidar") return loadLidar(lidar).X_BS;
  const std::optional<Pose> place = placeInBody(word);
  if (!place) {
    throw ConfigError(where, field, fmt::format("'{}'", word),
                      fmt::format("base | imu | lidar | {}", kPlacesInBody));
  }
  return *place;
}

}  // namespace marsim::config
