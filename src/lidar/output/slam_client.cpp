// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/output/slam_client.hpp"

#include <algorithm>

#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

const std::string kFastLio = "fast_lio", kPointLio = "point_lio", kLioSam = "lio_sam",
                  kKissIcp = "kiss_icp", kDlio = "dlio", kOpenVins = "openvins",
                  kFastLivo2 = "fast_livo2";

bool isLivox(CloudLayout layout) {
  return layout == CloudLayout::kLivox || layout == CloudLayout::kLivox2 || isLivoxCustom(layout);
}

// The layout that the client reads from a sensor of this family.
CloudLayout layoutFor(const std::string& client, DriverFamily family) {
  if (client == kKissIcp) return CloudLayout::kXyzit;
  if (client == kLioSam) return CloudLayout::kVelodyne;
  if (family == DriverFamily::kLivox) {
    return client == kDlio ? CloudLayout::kLivox2 : CloudLayout::kLivoxCustom;
  }
  return family == DriverFamily::kOuster ? CloudLayout::kOuster : CloudLayout::kVelodyne;
}

}  // namespace

DriverFamily driverFamily(const std::vector<OutputConfig>& configured) {
  const auto any = [&](auto belongs) {
    return std::any_of(configured.begin(), configured.end(),
                       [&](const OutputConfig& output) { return belongs(output.layout); });
  };
  if (any(isLivox)) return DriverFamily::kLivox;
  if (any([](CloudLayout layout) { return layout == CloudLayout::kOuster; })) {
    return DriverFamily::kOuster;
  }
  return DriverFamily::kVelodyne;
}

const std::vector<std::string>& slamClients() {
  static const std::vector<std::string> clients = {kFastLio, kPointLio, kLioSam,   kKissIcp,
                                                   kDlio,    kOpenVins, kFastLivo2};
  return clients;
}

std::vector<OutputConfig> outputsFor(const std::string& client,
                                     const std::vector<OutputConfig>& configured,
                                     const std::string& words, const std::string& where) {
  const auto& known = slamClients();
  const bool none = client.empty() || client == "none";
  if (!none && std::find(known.begin(), known.end(), client) == known.end()) {
    throw UnknownNameError(where, "slam_client", client, known);
  }
  const bool automatic = words.empty() || words == "auto";
  const bool reads_no_lidar = none || client == kOpenVins;
  if (reads_no_lidar && automatic) return configured;
  std::vector<OutputConfig> outputs = chooseOutputs(
      configured, automatic ? nameOf(layoutFor(client, driverFamily(configured))) : words, where,
      "output");
  if (client != kFastLio && client != kPointLio && client != kFastLivo2) return outputs;
  for (OutputConfig& output : outputs) {
    if (!output.topic.empty()) continue;
    if (output.layout == CloudLayout::kVelodyne) output.topic = "velodyne_points";
    if (output.layout == CloudLayout::kOuster) output.topic = "os_cloud_node/points";
  }
  return outputs;
}

}  // namespace marsim::lidar
