#pragma once

#include <string>

#include "suite/run_result.hpp"

/// The figures of a run in the report.
namespace marsim::suite {

/// All figures of a run, as HTML. `id` is the section's, `background` the id of the drawing of its
/// map in metres; empty: none.
std::string runFigures(const RunResult& run, const std::string& id, const std::string& background);

}  // namespace marsim::suite
