#pragma once

#include "marsim/map/load_map.hpp"
#include "marsim/map/map_file.hpp"

/// Section `info` of a map file: the settings that shaped the map and what its source held.
namespace marsim::map {

void writeInfo(const SurfelMapConfig& config, const MapSource& source, MapFileWriter& writer);

/// The source as the section describes it. Throws FileError where the section is of other settings
/// or says what no map can have.
MapSource readInfo(const MapFile& file, const SurfelMapConfig& config);

/// The source's content and the settings, so that neither a file of the same name nor one of the
/// same content with other settings is mistaken.
MapFileKey keyOf(const MapFileKey& content, const SurfelMapConfig& config);

}  // namespace marsim::map
