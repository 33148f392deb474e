// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

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

/// Whether the program limits its memory: it does not under the address sanitizer, which is then
/// loaded here as well.
inline bool limitsMemory() { return dlsym(RTLD_DEFAULT, "__asan_init") == nullptr; }

}  // namespace marsim::map_tools
