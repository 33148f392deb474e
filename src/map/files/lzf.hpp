#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace marsim::map {

/// Expands LZF data to exactly `bytes`; false if they do not fit. The Point Cloud Library's code
/// does it, from a library of its own that is loaded when first needed: linking PCL would cost
/// every process of the simulator tens of megabytes. Throws FileError naming `path` if that library
/// cannot be loaded.
bool expandLzf(const std::string& path, const std::vector<char>& packed, std::vector<char>& bytes);

/// The library's one function; returns the number of bytes expanded, 0 for bad data.
using LzfDecompress = unsigned (*)(const void* packed, unsigned packed_size, void* bytes,
                                   unsigned size);
constexpr const char* kLzfLibrary = "libmarsim_pcl.so";
constexpr const char* kLzfFunction = "marsimLzfDecompress";

}  // namespace marsim::map
