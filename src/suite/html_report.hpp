// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "suite/run_result.hpp"

namespace marsim::suite {

/// A map seen from above: squares that hold points.
struct MapPlan {
  double side = 0.2;                     ///< [m] of a square
  std::vector<Eigen::Vector2f> squares;  ///< [m] their centres in W; some thousands at most
};

/// Data of a report beside its runs. Empty ones are left out.
struct ReportInfo {
  std::string when;                           ///< day and time
  std::string machine;                        ///< processor, cores, system
  std::string version;                        ///< of MARSIM
  std::string baseline;                       ///< source of the baseline
  std::map<std::string, MapPlan> map_points;  ///< by RunResult::map
};

/// A self-contained HTML file without network access: the table of all runs, then a section per run
/// with its checks, figures and, if it failed, the end of its log. `baseline` may be empty.
std::string htmlReport(const std::vector<RunResult>& runs, const std::vector<RunResult>& baseline,
                       const ReportInfo& info);

}  // namespace marsim::suite
