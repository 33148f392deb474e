#include "marsim/lidar/output.hpp"

namespace marsim::lidar {

const std::vector<std::pair<std::string, CloudLayout>>& cloudLayouts() {
  static const std::vector<std::pair<std::string, CloudLayout>> layouts = {
      {"xyzi", CloudLayout::kXyzi},
      {"xyzit", CloudLayout::kXyzit},
      {"organised", CloudLayout::kOrganised},
      {"velodyne", CloudLayout::kVelodyne},
      {"ouster", CloudLayout::kOuster},
      {"livox", CloudLayout::kLivox},
      {"livox2", CloudLayout::kLivox2},
      {"livox_custom", CloudLayout::kLivoxCustom},
      {"livox_custom2", CloudLayout::kLivoxCustom2},
      {"hesai", CloudLayout::kHesai},
      {"rslidar", CloudLayout::kRslidar},
  };
  return layouts;
}

const char* nameOf(CloudLayout layout) {
  return cloudLayouts()[static_cast<std::size_t>(layout)].first.c_str();
}

bool isOrganised(CloudLayout layout) {
  return layout == CloudLayout::kOrganised || layout == CloudLayout::kOuster;
}

bool isLivoxCustom(CloudLayout layout) {
  return layout == CloudLayout::kLivoxCustom || layout == CloudLayout::kLivoxCustom2;
}

}  // namespace marsim::lidar
