#include <vector>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {

Pose chooseFrame(const std::string& word, const vehicle::ImuConfig& imu, const std::string& lidar,
                 const std::string& where, const std::string& field) {
  if (word == "base") return {};
  if (word == "imu") return imu.X_BI;
  if (word == "lidar") return loadLidar(lidar).X_BS;
  std::vector<double> numbers;
  try {
    for (const std::string& part : split(word, ',')) {
      const Quantity quantity = numbers.size() < 3 ? Quantity::kLength : Quantity::kAngle;
      numbers.push_back(parseQuantity(trimmed(part), quantity));
    }
  } catch (const Error&) {
    numbers.clear();
  }
  if (numbers.size() != 3 && numbers.size() != 6) {
    throw ConfigError(where, field, fmt::format("'{}'", word),
                      "base | imu | lidar | x,y,z | x,y,z,roll,pitch,yaw in the body [m, rad]");
  }
  numbers.resize(6, 0.0);
  return {fromRollPitchYaw(numbers[3], numbers[4], numbers[5]),
          {numbers[0], numbers[1], numbers[2]}};
}

}  // namespace marsim::config
