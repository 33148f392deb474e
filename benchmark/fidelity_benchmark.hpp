// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace marsim::benchmarks {

/// Rates the ranges of maps of noisy clouds: a place of known geometry is scanned by a handheld
/// scanner, made into maps of both surfaces at r = 0.1, 0.05 and 0.02 m, and scanned again from
/// places where the first scanner never was. Prints a table and writes a JSON list of rows (none if
/// `out_json` is empty). `quick`: fewer points, r = 0.1 and 0.05 m only. Returns 0; throws Error.
int fidelity(const std::string& out_json, bool quick);

}  // namespace marsim::benchmarks
