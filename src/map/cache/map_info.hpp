// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "map/cache/map_file.hpp"
#include "marsim/map/load_map.hpp"

/// Section `info` of a map file: the settings that shaped the map, and data of its source.
namespace marsim::map {

void writeInfo(const SurfelMapConfig& config, const MapSource& source, MapFileWriter& writer);

/// The source as the section describes it. Throws FileError if the section has other settings or
/// impossible values.
MapSource readInfo(const MapFile& file, const SurfelMapConfig& config);

/// Key of the source's content and the settings: a file of the same name, or the same content with
/// other settings, has another key.
MapFileKey keyOf(const MapFileKey& content, const SurfelMapConfig& config);

}  // namespace marsim::map
