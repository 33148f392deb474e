// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenario/recording.hpp"
#include "suite/run_result.hpp"
#include "suite/trajectory_error.hpp"

/// The curves of a run, thinned for its report.
namespace marsim::suite {

constexpr std::size_t kMostInstants = 600;  ///< of a curve

UavSeries uavSeries(const scenario::UavRecording& uav);

/// Empty except its topic if the estimate could not be compared with the truth.
EstimateSeries estimateSeries(const std::string& topic, const TrajectoryError& error);

std::map<std::string, std::vector<std::pair<double, double>>> timingSeries(
    const std::map<std::string, std::vector<std::pair<TimeNs, double>>>& timings);

}  // namespace marsim::suite
