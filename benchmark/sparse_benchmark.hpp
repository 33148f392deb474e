// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

namespace marsim::benchmarks {

/// Rates how complete the surfaces of maps of sparse clouds are, and how free their gaps: a place
/// with thinned solids, slots, edges, thin rods, strays and layers is scanned by a handheld
/// scanner, made into maps and scanned again from places where the first scanner never was. Prints
/// a table and adds its rows, each with `place: "sparse"`. `quick` as in fidelity().
void rateSparse(bool quick, nlohmann::ordered_json& rows);

}  // namespace marsim::benchmarks
