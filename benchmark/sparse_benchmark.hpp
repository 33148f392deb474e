#pragma once

#include <nlohmann/json.hpp>

namespace marsim::benchmarks {

/// How whole the surfaces of maps of sparse clouds are, and how open what is open: a place with
/// thinned solids, slots, edges, thin rods, strays and layers is scanned by hand, made into maps
/// and scanned again from places that the first scanner never was at. Prints a table and adds its
/// rows, each with `place: "sparse"`. `quick` as in fidelity().
void rateSparse(bool quick, nlohmann::ordered_json& rows);

}  // namespace marsim::benchmarks
