// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "map/cache/map_file.hpp"
#include "marsim/map/load_map.hpp"

namespace marsim::map {

/// A request to the cache.
struct CacheEntry {
  std::filesystem::path path;  ///< of the file
  MapFileKey key{};            ///< it must carry this key
  /// Reads the wanted data from a verified file with the right key; throws Error if it is not
  /// there, and is then called again with the new file.
  std::function<void(const std::shared_ptr<const MapFile>&)> take = [](const auto&) {};
};

/// Returns the file of an entry after calling `take` with it: opened if the cache holds a good one,
/// else written from the result of `build`. Of several processes that want it at once one builds,
/// the others wait and open the result. A file that is damaged, of another version or of another
/// key is replaced, with a line that says why. If the folder cannot be used (no permission, a full
/// disk, ...) a line says so, `build` is called all the same and the result is null: the caller
/// uses what it left in memory. `build` is called at most once and its exceptions pass through.
std::shared_ptr<const MapFile> openOrBuild(const CacheEntry& entry,
                                           const std::function<MapFileWriter()>& build,
                                           const LineSink& report = reportToStandardError);

}  // namespace marsim::map
