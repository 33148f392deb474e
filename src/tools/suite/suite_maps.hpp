#pragma once

#include <map>
#include <string>
#include <vector>

#include "marsim/map/point_cloud.hpp"
#include "suite/html_report.hpp"
#include "suite/run_result.hpp"

/// Maps as a suite's report shows them.
namespace marsim::tools {

/// The part of a map that is shown: a box in W [m].
using MapBox = Eigen::AlignedBox3f;

/// The box round all flown paths over that map: a margin sideways, and the heights at which was
/// flown, so that neither ground nor ceiling hides the rest. Empty where nothing was flown.
MapBox flownBox(const std::vector<suite::RunResult>& runs, const std::string& map);

/// The squares in which the cloud has points inside of the box, of the least side of which at most
/// `most` are needed.
suite::MapPlan planOfCloud(const map::PointCloud& cloud, const MapBox& box, std::size_t most);

/// The plans of all maps over which was flown. Maps that cannot be read are left out.
std::map<std::string, suite::MapPlan> plansOfMaps(const std::vector<suite::RunResult>& runs);

}  // namespace marsim::tools
