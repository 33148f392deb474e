// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "lan/hmac_key.hpp"

#include "marsim/common/settings.hpp"

namespace marsim::config {

/// A UAV of a machine; its namespace is "uav" and its number.
struct LanUav {
  int id = 0;                                          ///< in the world, across machines
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< p_WB of its start [m]
  double yaw = 0.0;                                    ///< [rad]
  std::string vehicle, lidar;                          ///< empty: the launch's
  void declare(Settings& settings);
};

struct LanMachine {
  std::string name;     ///< usable in topic names
  std::string address;  ///< address for the others: a name or an IPv4 number
  int port = 11612;     ///< UDP port of its bridge; the leader's clock answers on the next one
  std::vector<LanUav> uavs;
  void declare(Settings& settings);
};

/// The machines that simulate one world together.
struct LanConfig {
  std::vector<LanMachine> machines;
  std::string leader;         ///< the machine whose clock the others follow
  double sync_rate = 5.0;     ///< [Hz] of clock questions, at most 10
  double silence = 1.0;       ///< [s] of wall time after which a machine counts as cut off
  std::filesystem::path key;  ///< file of the secret that the machines share; empty: none

  void declare(Settings& settings);
  /// Throws ConfigError, also where two machines or UAVs have one name or number.
  void validate(const std::string& where) const;
  /// Throws UnknownNameError.
  const LanMachine& machine(const std::string& name, const std::string& where) const;
  /// Machines, leader and UAVs as one text, equal for files with the same content.
  std::string summary() const;
  /// The secret in `key`; an empty one if there is no such file. Throws as HmacKey::read does.
  HmacKey readKey() const;
};

/// A file of config/lan. Throws as the loaders of load.hpp do.
LanConfig loadLan(const std::string& name_or_path);

/// Throws ConfigError if UAVs overlap at their starts. `usual_vehicle` is the vehicle, by name or
/// file, of UAVs for which the machines' file gives none. Throws as loadVehicle does, too.
void requireApart(const LanConfig& config, const std::string& usual_vehicle,
                  const std::string& where);

}  // namespace marsim::config
