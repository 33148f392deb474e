// SPDX-License-Identifier: BSD-3-Clause
#include "tools/demo/flight_report.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/temporary_folder.hpp"
#include "tools/test_room.hpp"

namespace marsim::tools {
namespace {

StampedPose at(TimeNs stamp, const Eigen::Vector3d& p_WB) {
  return {stamp, {Eigen::Quaterniond::Identity(), p_WB}};
}

// Poses along x at y = 3, z = 1.5 of a room whose wall stands at x = 10.
std::vector<StampedPose> alongX(std::initializer_list<double> xs) {
  std::vector<StampedPose> rows;
  for (const double x : xs) {
    rows.push_back(at(5'000'000 * static_cast<TimeNs>(rows.size()), {x, 3.0, 1.5}));
  }
  return rows;
}

TEST(Contacts, AreCountedByEpisode) {
  const auto map = clearanceOf(roomPoints());
  const double radius = 0.3;
  EXPECT_EQ(findContacts(map, alongX({8.0, 9.0, 9.69, 9.0}), radius).episodes, 0);
  const Contacts touch = findContacts(map, alongX({8.0, 9.71, 9.75, 9.72, 9.0}), radius);
  EXPECT_EQ(touch.episodes, 1);
  EXPECT_NEAR(touch.min_clearance, 0.25, 1e-5);
  EXPECT_NEAR(touch.closest.X_WB.p.x(), 9.75, 1e-9);
  EXPECT_EQ(touch.first_contact.stamp, 5'000'000);
  EXPECT_EQ(findContacts(map, alongX({9.71, 9.69, 9.71}), radius).episodes, 1) << "one long touch";
  EXPECT_EQ(findContacts(map, alongX({9.71, 9.60, 9.71}), radius).episodes, 2) << "two touches";
}

const char kRecord[] = R"({"goals": 4, "goals_reached": 3, "rms_tracking_error_m": 0.0421,
  "scans": 120, "points_per_scan_mean": 15023.4, "render_ms_mean": 7.5, "real_time_factor": 0.998,
  "simulated_s": 12.5, "scan_origin": [1, 2, 3], "completed": true,
  "contacts": 2, "worst_contact_speed_mps": 3.21})";

TEST(FlightSummary, NamesEveryFailureAndNoOther) {
  FlightSummary summary;
  summary.record.goals = summary.record.goals_reached = 4;
  summary.record.scans = 100;
  summary.contacts.min_clearance = 0.5;
  EXPECT_TRUE(summary.failures().empty());
  summary.record.goals_reached = 3;
  summary.contacts.episodes = 2;
  summary.contacts.first_contact = at(3 * kNsPerSecond / 2, {1, 2, 3});
  summary.interrupted = true;
  summary.record.scans = 0;
  summary.record.contacts = 1;
  summary.record.worst_contact_speed = 1.25;
  const auto failures = summary.failures();
  ASSERT_EQ(failures.size(), 5U);
  EXPECT_EQ(failures[1], "1 of 4 goals not reached");
  EXPECT_EQ(failures[2], "2 collisions, the first at 1.50 s, (1.00, 2.00, 3.00)");
  EXPECT_EQ(failures[3], "1 contact reported by the simulation, at up to 1.25 m/s");
}

TEST(FlightSummary, HoldsTheAgreedFields) {
  const TemporaryFolder folder;
  FlightSummary summary;
  summary.record = suite::readFlightRecord(folder.write("flight.json", kRecord));
  summary.contacts.min_clearance = 0.51234;
  summary.write(folder.path() / "summary.json");
  std::ifstream file(folder.path() / "summary.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json.at("goals"), 4);
  EXPECT_EQ(json.at("goals_reached"), 3);
  EXPECT_EQ(json.at("collisions"), 0);
  EXPECT_EQ(json.at("min_clearance_m"), 0.5123);
  EXPECT_EQ(json.at("rms_tracking_error_m"), 0.0421);
  EXPECT_EQ(json.at("scans"), 120);
  EXPECT_EQ(json.at("points_per_scan_mean"), 15023.4);
  EXPECT_EQ(json.at("render_ms_mean"), 7.5);
  EXPECT_EQ(json.at("real_time_factor"), 0.998);
  EXPECT_EQ(json.at("simulated_s"), 12.5);
  EXPECT_EQ(json.at("contacts"), 2);
  EXPECT_EQ(json.at("worst_contact_speed_mps"), 3.21);
  EXPECT_EQ(json.at("success"), false);
  EXPECT_NE(summary.text().find("2 reported by the simulation, at up to 3.21 m/s"),
            std::string::npos);
  EXPECT_NE(summary.text().find("3 of 4"), std::string::npos);
}

}  // namespace
}  // namespace marsim::tools
