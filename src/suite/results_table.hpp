// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "suite/run_result.hpp"

namespace marsim::suite {

/// The table for the terminal: a line per run, failures below it, then the totals.
std::string resultsTable(const std::vector<RunResult>& runs,
                         const std::vector<RunResult>& baseline);

}  // namespace marsim::suite
