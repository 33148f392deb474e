// SPDX-License-Identifier: BSD-3-Clause
#include "suite/series.hpp"

namespace marsim::suite {
namespace {

// Indices of at most kMostInstants of `count` instants, evenly spaced, with the first and the last.
std::vector<std::size_t> chosen(std::size_t count) {
  std::vector<std::size_t> indices;
  if (count <= kMostInstants) {
    for (std::size_t i = 0; i < count; ++i) indices.push_back(i);
    return indices;
  }
  for (std::size_t i = 0; i < kMostInstants; ++i) {
    indices.push_back(i * (count - 1) / (kMostInstants - 1));
  }
  return indices;
}

}  // namespace

UavSeries uavSeries(const scenario::UavRecording& uav) {
  UavSeries series;
  series.name = uav.name;
  series.energy = scenario::energy(uav);
  for (const std::size_t i : chosen(uav.samples.size())) {
    const scenario::MotionSample& sample = uav.samples[i];
    series.t.push_back(toSeconds(sample.stamp));
    series.p_WB.emplace_back(sample.X_WB.p.cast<float>());
    series.speed.push_back(static_cast<float>(sample.v_WB.norm()));
    series.tracking_error.push_back(static_cast<float>(sample.tracking_error));
    series.clearance.push_back(static_cast<float>(sample.clearance));
    series.power.push_back(static_cast<float>(sample.power));
  }
  return series;
}

EstimateSeries estimateSeries(const std::string& topic, const TrajectoryError& error) {
  EstimateSeries series;
  series.topic = topic;
  for (const std::size_t i : chosen(error.error.size())) {
    series.t.push_back(toSeconds(error.stamps[i]));
    series.p_W.emplace_back(error.p_WF[i].cast<float>());
    series.error.push_back(static_cast<float>(error.error[i]));
  }
  return series;
}

std::map<std::string, std::vector<std::pair<double, double>>> timingSeries(
    const std::map<std::string, std::vector<std::pair<TimeNs, double>>>& timings) {
  std::map<std::string, std::vector<std::pair<double, double>>> series;
  for (const auto& [name, values] : timings) {
    auto& curve = series[name];
    for (const std::size_t i : chosen(values.size())) {
      curve.emplace_back(toSeconds(values[i].first), values[i].second);
    }
  }
  return series;
}

}  // namespace marsim::suite
