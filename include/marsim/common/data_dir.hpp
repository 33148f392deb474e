#pragma once

#include <filesystem>

namespace marsim {

/// The folder that holds config/, launch/ and maps/: MARSIM_DATA_DIR where set, else share/marsim
/// beside the library itself (build tree and install tree have the same shape). Throws Error where
/// neither exists.
std::filesystem::path dataDir();

/// The folder for derived files that may be deleted at any time: $XDG_CACHE_HOME/marsim, by default
/// ~/.cache/marsim, or the temporary folder's marsim where neither variable is set. Not created.
std::filesystem::path cacheDir();

}  // namespace marsim
