// SPDX-License-Identifier: BSD-3-Clause
#include "common/data_dir.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace fs = std::filesystem;
namespace {

/// The folder in which this library lies: <prefix>/lib, or <prefix>/lib/<architecture> on Debian.
fs::path libraryDir() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&dataDir), &info) == 0 || info.dli_fname == nullptr) {
    throw Error("the MARSIM library cannot tell where it lies; set MARSIM_DATA_DIR");
  }
  return fs::weakly_canonical(info.dli_fname).parent_path();
}

/// The folder by the user's settings; empty if they name none.
fs::path usualCacheDir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "marsim";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "marsim";
  passwd entry{};
  passwd* user = nullptr;
  char text[16384];
  getpwuid_r(geteuid(), &entry, text, sizeof(text), &user);
  const fs::path home = user == nullptr || user->pw_dir == nullptr ? "" : user->pw_dir;
  return home.is_absolute() && home != "/" ? home / ".cache" / "marsim" : fs::path();
}

uid_t ownerOf(const fs::path& folder) {
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 ? status.st_uid : geteuid();
}

/// Makes the folder if it is missing. Returns why files in it cannot be trusted, or "".
std::string whyUnsafe(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder.parent_path(), failure);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fmt::format("cannot be made: {}", std::strerror(errno));
  }
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) {
    return fmt::format("cannot be used: {}", std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode)) return "is no folder";
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return fmt::format("belongs to the user of number {}", status.st_uid);
  }
  if ((status.st_mode & S_IWOTH) != 0) return "can be written by everybody";
  if ((status.st_mode & S_IWGRP) == 0) return {};
  // Folders made under a umask of 002 are open to the group.
  const bool closed = chmod(folder.c_str(), status.st_mode & 07755) == 0;
  return closed ? "" : "can be written by its group";
}

}  // namespace

fs::path dataDir() {
  if (const char* given = std::getenv("MARSIM_DATA_DIR"); given != nullptr && *given != '\0') {
    if (!fs::is_directory(fs::path(given) / "config")) {
      throw Error(fmt::format("MARSIM_DATA_DIR is '{}', which has no folder 'config'", given));
    }
    return given;
  }
  const fs::path lib_dir = libraryDir();
  for (const fs::path& prefix : {lib_dir.parent_path(), lib_dir.parent_path().parent_path()}) {
    const fs::path share = prefix / "share" / "marsim";
    if (fs::is_directory(share / "config")) return share;
  }
  throw Error(
      fmt::format("no share/marsim/config beside {}; set MARSIM_DATA_DIR", lib_dir.string()));
}

fs::path programFile(const std::string& name) {
  const fs::path lib_dir = libraryDir();
  for (const fs::path& lib : {lib_dir, lib_dir.parent_path()}) {
    const fs::path program = lib / "marsim" / name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error(fmt::format("no program marsim/{} in {}", name, lib_dir.string()));
}

fs::path temporaryCacheDir() {
  std::error_code failure;
  const fs::path folder = fs::temp_directory_path(failure) / fmt::format("marsim-{}", geteuid());
  if (failure) throw FileError("temporary folder", failure.message());
  std::string reason = fs::is_symlink(fs::symlink_status(folder, failure)) ? "is a symbolic link"
                                                                           : whyUnsafe(folder);
  if (reason.empty() && ownerOf(folder) != geteuid()) reason = "belongs to root";
  if (!reason.empty()) throw FileError(folder.string(), "no place for a cache: it " + reason);
  return folder;
}

fs::path cacheDir(const std::function<void(const std::string&)>& report) {
  const fs::path folder = usualCacheDir();
  const std::string reason = folder.empty() ? "neither XDG_CACHE_HOME nor HOME names a folder"
                                            : folder.string() + " " + whyUnsafe(folder);
  if (!folder.empty() && reason == folder.string() + " ") return folder;
  const fs::path instead = temporaryCacheDir();
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (said.insert(reason).second) {
    report(fmt::format("cache: {}; using {} instead", reason, instead.string()));
  }
  return instead;
}

}  // namespace marsim
