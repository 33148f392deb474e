// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/flight_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"

namespace marsim::tools {
namespace {

constexpr double kContactEnds = 0.02;  // [m] beyond the radius, at which a contact ends

// Rounds to 1 / `parts`, so that the file shows no meaningless digits.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }

}  // namespace

Contacts findContacts(const collision::ClearanceMap& map,
                      const std::vector<StampedPose>& trajectory, double radius) {
  Contacts contacts;
  contacts.min_clearance = std::numeric_limits<double>::infinity();
  bool touching = false;
  for (const StampedPose& pose : trajectory) {
    const double distance = map.at(pose.X_WB.p).distance;
    if (distance < contacts.min_clearance) {
      contacts.min_clearance = distance;
      contacts.closest = pose;
    }
    if (!touching && distance < radius) {
      touching = true;
      if (contacts.episodes++ == 0) contacts.first_contact = pose;
    } else if (distance > radius + kContactEnds) {
      touching = false;
    }
  }
  return contacts;
}

std::vector<std::string> FlightSummary::failures() const {
  std::vector<std::string> failures;
  if (interrupted) failures.emplace_back("the flight was interrupted");
  if (record.goals_reached < record.goals) {
    failures.push_back(fmt::format("{} of {} goals not reached",
                                   record.goals - record.goals_reached, record.goals));
  }
  if (contacts.episodes > 0) {
    failures.push_back(fmt::format("{} collision{}, the first at {:.2f} s, {}", contacts.episodes,
                                   contacts.episodes == 1 ? "" : "s",
                                   toSeconds(contacts.first_contact.stamp),
                                   pointText(contacts.first_contact.X_WB.p)));
  }
  if (record.contacts > 0) {
    failures.push_back(fmt::format("{} contact{} reported by the simulation, at up to {:.2f} m/s",
                                   record.contacts, record.contacts == 1 ? "" : "s",
                                   record.worst_contact_speed));
  }
  if (record.scans == 0) failures.emplace_back("no scan was recorded");
  return failures;
}

std::string FlightSummary::text() const {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<18}{}\n", name, value);
  };
  line("goals reached", fmt::format("{} of {}", record.goals_reached, record.goals));
  line("collisions", fmt::format("{}", contacts.episodes));
  line("contacts", record.contacts == 0
                       ? "none reported by the simulation"
                       : fmt::format("{} reported by the simulation, at up to {:.2f} m/s",
                                     record.contacts, record.worst_contact_speed));
  line("least clearance",
       fmt::format("{:.2f} m from the centre, at {} (vehicle's radius {:.2f} m)",
                   contacts.min_clearance, pointText(contacts.closest.X_WB.p), vehicle_radius));
  line("tracking error", fmt::format("{:.3f} m rms", record.rms_tracking_error));
  line("scans", fmt::format("{}, {} points each on average", withThousands(record.scans),
                            withThousands(static_cast<std::uint64_t>(
                                std::llround(std::max(0.0, record.points_per_scan_mean))))));
  line("render time", fmt::format("{:.1f} ms a scan", record.render_ms_mean));
  line("real-time factor", fmt::format("{:.2f}", record.real_time_factor));
  line("simulated", fmt::format("{:.1f} s", record.simulated));
  return text;
}

void FlightSummary::write(const std::filesystem::path& path) const {
  nlohmann::ordered_json json;
  json["goals"] = record.goals;
  json["goals_reached"] = record.goals_reached;
  json["collisions"] = contacts.episodes;
  json["contacts"] = record.contacts;
  json["worst_contact_speed_mps"] = rounded(record.worst_contact_speed, 1e3);
  // JSON has no infinity, which only an empty trajectory gives.
  json["min_clearance_m"] = std::isfinite(contacts.min_clearance)
                                ? nlohmann::ordered_json(rounded(contacts.min_clearance, 1e4))
                                : nlohmann::ordered_json(nullptr);
  json["vehicle_radius_m"] = vehicle_radius;
  json["rms_tracking_error_m"] = rounded(record.rms_tracking_error, 1e4);
  json["scans"] = record.scans;
  json["points_per_scan_mean"] = rounded(record.points_per_scan_mean, 10.0);
  json["render_ms_mean"] = rounded(record.render_ms_mean, 1e3);
  json["real_time_factor"] = rounded(record.real_time_factor, 1e3);
  json["simulated_s"] = rounded(record.simulated, 1e3);
  json["success"] = failures().empty();
  json["failures"] = failures();
  writeFile(path, json.dump(2) + '\n');
}

}  // namespace marsim::tools
