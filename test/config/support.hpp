// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <unistd.h>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::config {

/// The error that an action throws, "no error" if it throws none.
inline std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Sets an environment variable and puts the old value back at the end of its life.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str()); old != nullptr) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (old_) {
      setenv(name_.c_str(), old_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> old_;
};

/// A folder of its own for each test, removed after it; the cache folder lies inside.
class ConfigTest : public testing::Test {
 protected:
  ConfigTest() { std::filesystem::create_directories(folder_); }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  /// Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  static std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// Text with one part replaced; the part must be there.
  static std::string replaced(std::string text, const std::string& part, const std::string& by) {
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return at == std::string::npos ? text : text.replace(at, part.size(), by);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("marsim_config_test_" + std::to_string(getpid()));

 private:
  const ScopedVariable cache_{"XDG_CACHE_HOME", folder_ / "cache"};
};

}  // namespace marsim::config
