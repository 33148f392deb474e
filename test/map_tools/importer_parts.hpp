// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The libraries that the program map_importer was built with.
namespace marsim::map_tools {

#ifdef MARSIM_HAS_ASSIMP
constexpr bool kHasAssimp = true;
#else
constexpr bool kHasAssimp = false;
#endif
#ifdef MARSIM_HAS_STB
constexpr bool kHasTextures = true;
#else
constexpr bool kHasTextures = false;
#endif
#ifdef MARSIM_SANITIZED
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

}  // namespace marsim::map_tools
