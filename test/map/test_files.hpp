// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::map {

/// A folder of a test's own that vanishes with it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "marsim_map_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + name);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a number as this (little-endian) machine stores it.
template <class T>
std::string bytesOf(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline LoadedCloud loadQuietly(const std::filesystem::path& path) { return loadCloud(path); }

/// The message with which loading fails, less the file's path.
inline std::string loadingError(const std::filesystem::path& path) {
  try {
    loadQuietly(path);
  } catch (const FileError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.rfind(path.string() + ": ", 0), 0U) << text;
    return text.substr(path.string().size() + 2);
  }
  return "no error";
}

/// Folder of the real maps, or an empty path where the machine has none.
inline std::filesystem::path realDataFolder() {
  const char* folder = std::getenv("MARSIM_REAL_DATA");
  return folder == nullptr ? "" : folder;
}

}  // namespace marsim::map
