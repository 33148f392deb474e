// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/seconds_text.hpp"
#include "control/pilot/key_flight.hpp"
#include "marsim/common/error.hpp"
#include "reproduce/experiment.hpp"
#include "tools/dataset/dataset_run.hpp"
#include "tools/suite/scenario_flight.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kWhere[] = "marsim reproduce keyboard";
constexpr TimeNs kPosePeriod = kNsPerSecond / 250;

/// Flies through the building by keys and returns the poses as a TUM file.
std::string posesByKeys(const std::string& keys) {
  scenario::Scenario scenario;
  scenario.name = "keyboard";
  scenario.file = kWhere;
  scenario.has_verdict = false;
  scenario.arguments = {{"map", "building"}, {"lidar", "none"}};
  scenario.start = Eigen::Vector3d(0.0, 0.0, 1.5);
  tools::ScenarioFlight flight(scenario, 1);
  flight.tellEveryStep();
  flight.enter(1);

  std::string poses;
  const auto keep = [&](const KinematicState& state) {
    if (state.stamp % kPosePeriod != 0) return;
    const auto& [q, p] = state.X_WB;
    poses += fmt::format("{} {:.9f} {:.9f} {:.9f} {:.12f} {:.12f} {:.12f} {:.12f}\n",
                         secondsText(state.stamp), p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w());
  };
  keep(flight.uav().state());
  flight.uav().on_odometry = keep;
  const control::KeySpeeds speeds;
  const control::KeyScript script = control::KeyScript::read(keys, kWhere, speeds);
  control::KeyFlight by_keys(speeds);
  for (auto next = script.keys.begin(); flight.now() < script.duration; flight.step()) {
    for (; next != script.keys.end() && next->at <= flight.now(); ++next) {
      by_keys.press(next->key, flight.now());
    }
    if (const auto given = by_keys.at(flight.now())) {
      flight.uav().pilot().commander().setVelocity({given->v, given->yaw_rate, true}, flight.now());
    }
  }
  if (flight.contacts() > 0) throw Error(fmt::format("{}: the UAV touched a wall", kWhere));
  return poses;
}

/// The sensors of the post as AirSim's settings [m] in forward, right, down.
Json settingsOf(int width, int height) {
  const auto at = [](double x, double y, double z) {
    return Json{{"X", x}, {"Y", y}, {"Z", z}, {"Roll", 0}, {"Pitch", 0}, {"Yaw", 0}};
  };
  const auto camera = [&](double y) {
    Json json = at(0.35, y, -0.1);
    json["CaptureSettings"] = {
        {{"ImageType", 0}, {"Width", width}, {"Height", height}, {"FOV_Degrees", 90}}};
    return json;
  };
  Json imu = at(0, 0, -1), lidar = at(0, 0, -1), vehicle;
  imu.update({{"SensorType", 2}, {"Enabled", true}});
  lidar.update({{"SensorType", 6},
                {"Enabled", true},
                {"NumberOfChannels", 32},
                {"RotationsPerSecond", 500},
                {"PointsPerSecond", 300'000},
                {"VerticalFOVUpper", 30},
                {"VerticalFOVLower", -15}});
  vehicle["Sensors"] = {{"Imu", imu}, {"LidarSensor", lidar}};
  vehicle["Cameras"] = {{"front_left", camera(-0.05)}, {"front_right", camera(0.05)}};
  return {{"SettingsVersion", 1.2}, {"SimMode", "Multirotor"}, {"Vehicles", {{"Ours", vehicle}}}};
}

/// T_BS of a sensor.yaml, the sensor in the IMU.
Eigen::Matrix4d extrinsics(const fs::path& sensor) {
  const std::string text = readFile(sensor / "sensor.yaml", 1U << 20U);
  const std::size_t begin = text.find("data: [");
  if (begin == std::string::npos) throw FileError(sensor.string(), "has no T_BS");
  std::string numbers = text.substr(begin + 7, text.find(']', begin) - begin - 7);
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  std::istringstream stream(numbers);
  Eigen::Matrix4d T_BS;
  for (int i = 0; i < 16; ++i) stream >> T_BS(i / 4, i % 4);
  return T_BS;
}

std::string matrixText(const Eigen::Matrix4d& T) {
  const auto number = [](double value) {
    return fmt::format("{:g}", std::round(1e6 * value) * 1e-6 + 0.0);
  };
  std::string text;
  for (int row = 0; row < 3; ++row) {
    text += fmt::format("{}[{} {} {} | {}]", row > 0 ? " " : "", number(T(row, 0)),
                        number(T(row, 1)), number(T(row, 2)), number(T(row, 3)));
  }
  return text;
}

/// A camera with a translation [m] in a frame of forward, right, down.
Eigen::Matrix4d cameraAt(double x, double y, double z) {
  Eigen::Matrix4d T;
  T << 0, 0, 1, x, 1, 0, 0, y, 0, 1, 0, z, 0, 0, 0, 1;
  return T;
}

void compareMatrices(const fs::path& mav, Reproduction& result) {
  const Eigen::Matrix4d T_BL = extrinsics(mav / "lidar0"), T_BCl = extrinsics(mav / "cam0"),
                        T_BCr = extrinsics(mav / "cam1");
  Eigen::Matrix4d baseline = Eigen::Matrix4d::Identity();
  baseline(0, 3) = -0.1;
  struct Row {
    const char* name;
    Eigen::Matrix4d post, ours;
  };
  FigureTable table{"Extrinsics of the left camera, rows of rotation | translation [m]",
                    {"in", "post", "ours"},
                    {}};
  for (const Row& row : {Row{"IMU", cameraAt(0.35, -0.05, 0.9), T_BCl},
                         Row{"LiDAR", cameraAt(0.35, -0.05, 0.9), T_BL.inverse() * T_BCl},
                         Row{"right camera", baseline, T_BCr.inverse() * T_BCl}}) {
    table.rows.push_back({row.name, matrixText(row.post), matrixText(row.ours)});
    result.criteria.push_back({fmt::format("left camera in {}: largest difference", row.name),
                               (row.post - row.ours).cwiseAbs().maxCoeff(), 0.0, 1e-9});
  }
  result.tables.push_back(std::move(table));
}

void compareRates(const Json& streams, Reproduction& result) {
  struct Row {
    const char* stream;
    const char* live;
    const char* two_passes;
    double rate;  // [Hz] wanted
  };
  FigureTable table{"Rates",
                    {"stream", "post, live", "post, two passes", "ours [Hz]", "shortest gap [ms]",
                     "worst gap [ms]"},
                    {}};
  for (const Row& row :
       {Row{"cam0", "7 to 8 Hz, uneven", "20 Hz", 20.0},
        Row{"cam1", "7 to 8 Hz, uneven", "20 Hz", 20.0}, Row{"lidar", "not told", "10 Hz", 10.0},
        Row{"imu", "30 Hz", "up to 1000 Hz", 1000.0}, Row{"truth", "not told", "300 Hz", 300.0}}) {
    const Json& stream = streams.at(row.stream);
    const double rate = stream.at("rate_hz");
    const double worst = 1e-6 * stream.at("longest_interval_ns").get<double>();
    table.rows.push_back(
        {row.stream, row.live, row.two_passes, fmt::format("{:.3f}", rate),
         fmt::format("{:.3f}", 1e-6 * stream.at("shortest_interval_ns").get<double>()),
         fmt::format("{:.3f}", worst)});
    result.criteria.push_back(
        {fmt::format("{}: rate [Hz]", row.stream), rate, 0.999 * row.rate, 1.001 * row.rate});
    result.criteria.push_back(
        {fmt::format("{}: worst gap [periods]", row.stream), 1e-3 * worst * row.rate, 0.0, 1.001});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace

Reproduction reproduceKeyboard(Extent extent, Progress& progress) {
  Reproduction result;
  const bool full = extent == Extent::kFull;
  if (!full) result.skipped.push_back("images of 752 x 480; they have half of that");
  progress.phase("keys");
  const tools::TemporaryFolder folder;
  const fs::path poses =
      folder.write("poses.tum", posesByKeys(full ? "1s w*3 1s left*4 1s up*2 s*2 2s"
                                            : extent == Extent::kQuick ? "500ms w*2 left*2 s 500ms"
                                                                       : "w"));
  tools::DatasetRequest request;
  request.trajectory = poses.string();
  request.arguments = {{"map", "building"}};
  request.airsim =
      folder.write("settings.json", settingsOf(full ? 752 : 376, full ? 480 : 240).dump()).string();
  request.format = "asl";
  request.frame = "ned";
  request.imu_rate = 1000.0;
  request.truth_rate = 300.0;
  request.out = folder.path() / "flight";
  request.readWords();
  progress.phase("data set");
  const tools::DatasetSummary summary = tools::makeDataset(request);
  if (summary.interrupted) throw Error(fmt::format("{}: interrupted", kWhere));
  const Json report = Json::parse(summary.text);
  compareRates(report.at("streams"), result);
  compareMatrices(request.out / "asl" / "mav0", result);
  FigureTable table{"Flight", {"time [s]", "distance [m]"}, {}};
  table.rows.push_back({fmt::format("{:.2f}", report.at("duration").get<double>()),
                        fmt::format("{:.2f}", report["flight"]["distance_m"].get<double>())});
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace marsim::reproduce
