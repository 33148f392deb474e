// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lidar/oracle.hpp"

namespace marsim::lidar {

/// Outcome of a comparison.
struct Agreement {
  int rays = 0;
  int hits = 0;
  int ambiguous = 0;
  int wrong = 0;  ///< unambiguous with another answer, or with a surfel that is not at the range

  double ambiguousShare() const { return rays == 0 ? 0.0 : static_cast<double>(ambiguous) / rays; }
};

/// Compares a renderer's answers with the oracle's: hit and miss equal, ranges within 1 mm, the
/// surfel the one that counts most, the normal its own. Reports the first few wrong ones as test
/// failures.
Agreement compare(const map::SurfelMap& map, const std::vector<OracleRay>& rays,
                  const std::vector<Hit>& hits, bool with_normals = true);

}  // namespace marsim::lidar
