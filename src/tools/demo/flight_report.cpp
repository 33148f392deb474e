#include "tools/demo/flight_report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/bounds.hpp"
#include "common/input_file.hpp"
#include "common/line_reader.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

constexpr double kContactEnds = 0.02;  // [m] beyond the radius

// A number that fills its cell.
bool parseNumber(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

void requireThere(const std::filesystem::path& path, const char* what) {
  std::error_code none;
  if (std::filesystem::exists(path, none)) return;
  throw FileError(path.string(), fmt::format("is missing: the flight left no {}", what));
}

// To `parts` parts of one, so that the file shows no digits that mean nothing.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }

}  // namespace

std::vector<TrajectoryRow> readTrajectory(const std::filesystem::path& path) {
  requireThere(path, "trajectory");
  std::size_t size = 0;
  std::ifstream file = openInput(path, size);
  LineReader lines(file, path.string());
  if (!lines.next()) throw FileError(path.string(), "is empty: the flight left no trajectory");
  const std::vector<std::string> names = split(trimmed(lines.line()), ',');
  std::array<std::size_t, 4> columns{};
  const std::array<const char*, 4> wanted = {"stamp", "x", "y", "z"};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), wanted[i]);
    if (found == names.end()) {
      throw FileError(path.string(), fmt::format("has no column '{}'", wanted[i]));
    }
    columns[i] = static_cast<std::size_t>(found - names.begin());
  }
  std::vector<TrajectoryRow> rows;
  while (lines.next()) {
    const bool cut_off = file.eof();  // no end of line: still being written when it ended
    const std::vector<std::string> cells = split(trimmed(lines.line()), ',');
    std::array<double, 4> values{};
    bool good = cells.size() == names.size();
    for (std::size_t i = 0; good && i < 4; ++i) good = parseNumber(cells[columns[i]], values[i]);
    if (good && !cut_off) {
      rows.push_back({values[0], {values[1], values[2], values[3]}});
    } else if (!cut_off) {
      throw FileError(path.string(),
                      fmt::format("line {} is '{}', allowed: {} finite numbers", lines.number(),
                                  clipped(lines.line()), names.size()));
    }
  }
  return rows;
}

Contacts findContacts(const collision::ClearanceMap& map,
                      const std::vector<TrajectoryRow>& trajectory, double radius) {
  Contacts contacts;
  contacts.min_clearance = std::numeric_limits<double>::infinity();
  bool touching = false;
  for (const TrajectoryRow& row : trajectory) {
    const double distance = map.at(row.p_WB).distance;
    if (distance < contacts.min_clearance) {
      contacts.min_clearance = distance;
      contacts.closest = row;
    }
    if (!touching && distance < radius) {
      touching = true;
      if (contacts.episodes++ == 0) contacts.first_contact = row;
    } else if (distance > radius + kContactEnds) {
      touching = false;
    }
  }
  return contacts;
}

FlightRecord readFlightRecord(const std::filesystem::path& path) {
  requireThere(path, "record");
  constexpr std::size_t kLargest = std::size_t{1} << 20U;  // [bytes]
  try {
    const nlohmann::json json = nlohmann::json::parse(readFile(path, kLargest));
    FlightRecord record;
    record.goals = json.at("goals").get<int>();
    record.goals_reached = json.at("goals_reached").get<int>();
    record.rms_tracking_error = json.at("rms_tracking_error_m").get<double>();
    record.scans = json.at("scans").get<std::size_t>();
    record.points_per_scan_mean = json.at("points_per_scan_mean").get<double>();
    record.render_ms_mean = json.at("render_ms_mean").get<double>();
    record.real_time_factor = json.at("real_time_factor").get<double>();
    record.simulated = json.at("simulated_s").get<double>();
    record.contacts = json.at("contacts").get<std::size_t>();
    record.worst_contact_speed = json.at("worst_contact_speed_mps").get<double>();
    const nlohmann::json& origin = json.at("scan_origin");
    record.scan_origin = {origin.at(0).get<double>(), origin.at(1).get<double>(),
                          origin.at(2).get<double>()};
    record.completed = json.at("completed").get<bool>();
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw FileError(path.string(), error.what());
  }
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
                                   contacts.episodes == 1 ? "" : "s", contacts.first_contact.stamp,
                                   pointText(contacts.first_contact.p_WB)));
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
                   contacts.min_clearance, pointText(contacts.closest.p_WB), vehicle_radius));
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
  // Infinity is no JSON; there is none but for an empty trajectory.
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
