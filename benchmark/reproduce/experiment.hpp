// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marsim/common/progress.hpp"
#include "physics/limit_row.hpp"
#include "suite/svg_chart.hpp"

/// Experiments of published papers, repeated in the simulator.
namespace marsim::reproduce {

/// Figures under a caption.
struct FigureTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< as long as `columns`
};

/// Results of one experiment.
struct Reproduction {
  std::vector<FigureTable> tables;
  std::vector<suite::Chart> charts;
  std::vector<physics::LimitRow> criteria;
  std::vector<std::string> skipped;  ///< rows that --quick left out
};

/// How much of an experiment is done.
enum class Extent {
  kFull,
  kQuick,  ///< --quick: all experiments within 10 minutes on two cores
  kTest,   ///< seconds, for tests
};

/// A published experiment and its repetition here.
struct PaperExperiment {
  std::string name;  ///< on the command line
  std::string title;
  std::string source;       ///< authors, year, sections
  std::string paper;        ///< setting and result of the paper
  std::string differences;  ///< from the paper, with the reasons
  std::uint64_t seed;
  Reproduction (*run)(Extent extent, Progress& progress);  ///< null: not built
};

/// All experiments, in the order of the report.
const std::vector<PaperExperiment>& paperExperiments();

Reproduction reproduceScans(Extent extent, Progress& progress);
Reproduction reproduceStands(Extent extent, Progress& progress);
Reproduction reproduceMixedPixels(Extent extent, Progress& progress);
Reproduction reproduceShrub(Extent extent, Progress& progress);
Reproduction reproduceCourtyard(Extent extent, Progress& progress);
Reproduction reproduceFlights(Extent extent, Progress& progress);
Reproduction reproduceGroundRobot(Extent extent, Progress& progress);
Reproduction reproduceKeyboard(Extent extent, Progress& progress);
Reproduction reproducePlants(Extent extent, Progress& progress);
Reproduction reproduceRows(Extent extent, Progress& progress);
/// This and reproduceSwarm() are not built where examples/autonomy is not.
Reproduction reproduceExploration(Extent extent, Progress& progress);
Reproduction reproduceSwarm(Extent extent, Progress& progress);

}  // namespace marsim::reproduce
