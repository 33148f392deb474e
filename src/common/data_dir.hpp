// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace marsim {

/// The folder that holds config/, launch/ and maps/: MARSIM_DATA_DIR where set, else share/marsim
/// beside the library itself (build tree and install tree have the same shape). Throws Error where
/// neither exists.
std::filesystem::path dataDir();

/// A program of the package: lib/marsim/<name> beside the library itself. Throws Error where it is
/// missing.
std::filesystem::path programFile(const std::string& name);

/// The folder for derived files that may be deleted at any time: $XDG_CACHE_HOME/marsim, by default
/// ~/.cache/marsim; made for this user alone if it is missing. If it cannot be made or seen,
/// belongs to another user (root excepted) or others can write into it, the result is
/// temporaryCacheDir(), and `report` is told why, once a process. Throws FileError if that fails,
/// too.
std::filesystem::path cacheDir(const std::function<void(const std::string&)>& report);

/// marsim-<number of the user> in the temporary folder, made for this user alone. Throws FileError
/// if it cannot be made, or is a link, another user's, or open to others.
std::filesystem::path temporaryCacheDir();

}  // namespace marsim
