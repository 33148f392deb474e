// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "marsim/map/point_cloud.hpp"
#include "suite/html_report.hpp"
#include "suite/run_result.hpp"

/// Maps in a suite's report.
namespace marsim::tools {

/// The part of a map that is shown: a box in W [m].
using MapBox = Eigen::AlignedBox3f;

/// The box round all paths flown over that map: with a margin sideways, limited to the flown
/// heights, so that neither ground nor ceiling hides the rest. Empty without a flight.
MapBox flownBox(const std::vector<suite::RunResult>& runs, const std::string& map);

/// Squares in which the cloud has points inside the box, with the least side for which at most
/// `most` are needed.
suite::MapPlan planOfCloud(const map::PointCloud& cloud, const MapBox& box, std::size_t most);

/// The plans of all maps that were flown over. Leaves out unreadable maps.
std::map<std::string, suite::MapPlan> plansOfMaps(const std::vector<suite::RunResult>& runs);

}  // namespace marsim::tools
