// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "marsim/collision/clearance.hpp"
#include "marsim/geometry/pose_track.hpp"
#include "suite/flight_record.hpp"

namespace marsim::tools {

/// Distances of a flight from the map.
struct Contacts {
  int episodes = 0;            ///< separate contacts of the vehicle's sphere with map points
  double min_clearance = 0.0;  ///< [m] least distance of the vehicle's centre from a map point
  StampedPose closest;         ///< pose at that place
  StampedPose first_contact;   ///< of the first episode, if any
};

/// Compares every pose with the map: a contact begins when a point lies inside the sphere of
/// `radius` [m] and ends when none lies within radius + 2 cm, so that one touch counts once.
Contacts findContacts(const collision::ClearanceMap& map,
                      const std::vector<StampedPose>& trajectory, double radius);

/// Record and contacts of a flight, with the data for judging them.
struct FlightSummary {
  suite::FlightRecord record;
  Contacts contacts;
  double vehicle_radius = 0.0;  ///< [m]
  bool interrupted = false;     ///< by the user

  /// Reasons why the flight is no success, one line each; empty if it is one.
  std::vector<std::string> failures() const;
  /// The summary for the user, several lines.
  std::string text() const;
  /// Writes summary.json. Throws FileError.
  void write(const std::filesystem::path& path) const;
};

}  // namespace marsim::tools
