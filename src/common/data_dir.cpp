#include "marsim/common/data_dir.hpp"

#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace fs = std::filesystem;

fs::path dataDir() {
  if (const char* given = std::getenv("MARSIM_DATA_DIR"); given != nullptr && *given != '\0') {
    if (!fs::is_directory(fs::path(given) / "config")) {
      throw Error(fmt::format("MARSIM_DATA_DIR is '{}', which has no folder 'config'", given));
    }
    return given;
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&dataDir), &info) == 0 || info.dli_fname == nullptr) {
    throw Error("the MARSIM library cannot tell where it lies; set MARSIM_DATA_DIR");
  }
  const fs::path lib_dir = fs::weakly_canonical(info.dli_fname).parent_path();
  // <prefix>/lib, or <prefix>/lib/<architecture> on Debian.
  for (const fs::path& prefix : {lib_dir.parent_path(), lib_dir.parent_path().parent_path()}) {
    const fs::path share = prefix / "share" / "marsim";
    if (fs::is_directory(share / "config")) return share;
  }
  throw Error(
      fmt::format("no share/marsim/config beside {}; set MARSIM_DATA_DIR", lib_dir.string()));
}

fs::path cacheDir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "marsim";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "marsim";
  return fs::temp_directory_path() / "marsim";
}

}  // namespace marsim
