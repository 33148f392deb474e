// SPDX-License-Identifier: BSD-3-Clause
#include "suite/flight_record.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/seconds_text.hpp"
#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/voxel_grid.hpp"

namespace marsim::suite {
namespace {

constexpr double kCloudVoxel = 0.05;                    // [m]
constexpr double kSeenVoxel = 0.25;                     // [m] voxel for comparing scans
constexpr float kFarthestPoint = 5e4F;                  // [m] reach of voxels of side kCloudVoxel
constexpr TimeNs kRowPeriod = 4 * kNsPerSecond / 1000;  // of the trajectory

double ratio(double numerator, double denominator) {
  return denominator > 0.0 ? numerator / denominator : 0.0;
}

void writeTrajectory(const std::filesystem::path& folder, const scenario::UavRecording& uav,
                     TimeNs epoch) {
  std::string tum = "# stamp x y z qx qy qz qw\n";
  std::string csv = "stamp,x,y,z,qx,qy,qz,qw,vx,vy,vz,ref_x,ref_y,ref_z\n";
  for (const scenario::MotionSample& sample : uav.samples) {
    if (sample.stamp % kRowPeriod != 0) continue;
    const auto& [q, p] = sample.X_WB;
    std::string pose = fmt::format("{} {:.6f} {:.6f} {:.6f} {:.9f} {:.9f} {:.9f} {:.9f}",
                                   secondsText(epoch + sample.stamp), p.x(), p.y(), p.z(), q.x(),
                                   q.y(), q.z(), q.w());
    tum += pose + "\n";
    std::replace(pose.begin(), pose.end(), ' ', ',');
    const Eigen::Vector3d& v = sample.v_WB;
    const Eigen::Vector3d reference = p + sample.to_reference;
    csv += fmt::format("{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", pose, v.x(), v.y(), v.z(),
                       reference.x(), reference.y(), reference.z());
  }
  writeFile(folder / "trajectory.tum", tum);
  writeFile(folder / "trajectory.csv", csv);
}

}  // namespace

void SeenCloud::add(const Eigen::Vector3d& sensor, const map::PointCloud& scan) {
  ++scans_;
  points_ += scan.size();
  map::PointCloud near;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < scan.size(); ++i) {
    const Eigen::Vector3f& p_W = scan.points[i];
    if (!(p_W.cwiseAbs().maxCoeff() < kFarthestPoint)) continue;
    near.points.push_back(p_W);
    near.intensity.push_back(scan.intensity[i]);
    seen.insert(map::voxelKey(p_W, kSeenVoxel));
    if (!occupied_.insert(map::voxelKey(p_W, kCloudVoxel)).second) continue;
    cloud_.points.push_back(p_W);
    cloud_.intensity.push_back(scan.intensity[i]);
  }
  if (seen.size() <= scan_voxels_) return;
  scan_voxels_ = seen.size();
  scan_ = std::move(near);
  scan_origin_ = sensor;
}

void SeenCloud::write(const std::filesystem::path& folder) const {
  if (!cloud_.empty()) map::savePcd(folder / "cloud.pcd", cloud_);
  if (!scan_.empty()) map::savePcd(folder / "scan.pcd", scan_);
}

double SeenCloud::pointsPerScan() const {
  return ratio(static_cast<double>(points_), static_cast<double>(scans_));
}

void writeFlight(const std::filesystem::path& folder, const scenario::Recording& recording,
                 const SeenCloud& seen, std::size_t goals, bool completed, TimeNs epoch) {
  const scenario::UavRecording& uav = recording.uavs.front();
  if (uav.samples.empty()) return;
  writeTrajectory(folder, uav, epoch);
  seen.write(folder);
  const double simulated = toSeconds(recording.end - recording.begin);
  double render_ms = 0.0;  // the last published mean
  for (const auto& [name, means] : recording.timings) {
    if (!means.empty()) render_ms = means.back().second;
  }
  const Eigen::Vector3d& origin = seen.scanOrigin();
  const nlohmann::json flight{{"goals", goals},
                              {"goals_reached", reachedCount(uav.goals)},
                              {"rms_tracking_error_m", scenario::trackingRms(uav)},
                              {"scans", seen.scans()},
                              {"points_per_scan_mean", seen.pointsPerScan()},
                              {"render_ms_mean", render_ms},
                              {"real_time_factor", ratio(simulated, recording.wall)},
                              {"simulated_s", simulated},
                              {"contacts", uav.contacts},
                              {"worst_contact_speed_mps", uav.worst_contact_speed},
                              {"scan_origin", {origin.x(), origin.y(), origin.z()}},
                              {"completed", completed}};
  writeFile(folder / "flight.json", flight.dump(2) + "\n");
}

FlightRecord readFlightRecord(const std::filesystem::path& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 20U;  // [bytes]
  try {
    const nlohmann::json json = nlohmann::json::parse(readFile(path, kLargest));
    FlightRecord record;
    json.at("goals").get_to(record.goals);
    json.at("goals_reached").get_to(record.goals_reached);
    json.at("rms_tracking_error_m").get_to(record.rms_tracking_error);
    json.at("scans").get_to(record.scans);
    json.at("points_per_scan_mean").get_to(record.points_per_scan_mean);
    json.at("render_ms_mean").get_to(record.render_ms_mean);
    json.at("real_time_factor").get_to(record.real_time_factor);
    json.at("simulated_s").get_to(record.simulated);
    json.at("contacts").get_to(record.contacts);
    json.at("worst_contact_speed_mps").get_to(record.worst_contact_speed);
    for (int axis = 0; axis < 3; ++axis) {
      json.at("scan_origin").at(static_cast<std::size_t>(axis)).get_to(record.scan_origin[axis]);
    }
    json.at("completed").get_to(record.completed);
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw FileError(path.string(), error.what());
  }
}

}  // namespace marsim::suite
