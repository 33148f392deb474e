// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "bench_row.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::benchmarks {

/// Starts `program` twice on a cloud, with an empty cache in `folder` and with the map cached, each
/// time up to a first Avia scan. Throws Error if that fails.
Starts measureStarts(const std::string& program, const std::filesystem::path& cloud,
                     const map::SurfelMapConfig& config, const std::filesystem::path& folder);

/// The process that measureStarts() starts: loads the map, makes a scan, prints its figures.
int startOnce(const std::string& cloud, const map::SurfelMapConfig& config,
              const std::filesystem::path& folder);

}  // namespace marsim::benchmarks
