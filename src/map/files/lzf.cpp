#include "map/files/lzf.hpp"

#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::map {

namespace {

// The library lies beside this one. Its full path is given, since the caller's run path is not
// searched when a sanitizer intercepts dlopen.
std::string besideThisLibrary(const std::string& name) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&expandLzf), &info) == 0 || info.dli_fname == nullptr) {
    return name;
  }
  const std::filesystem::path beside = std::filesystem::path(info.dli_fname).replace_filename(name);
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside.string() : name;
}

}  // namespace

bool expandLzf(const std::string& path, const std::vector<char>& packed, std::vector<char>& bytes) {
  // Never closed: other threads may be executing it.
  void* const library = dlopen(besideThisLibrary(kLzfLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, kLzfFunction);
  if (symbol == nullptr) {
    const char* const why = dlerror();
    throw FileError(path, fmt::format("is compressed and cannot be expanded: {}",
                                      why == nullptr ? kLzfLibrary : why));
  }
  const auto decompress = reinterpret_cast<LzfDecompress>(symbol);
  const auto size = static_cast<unsigned>(bytes.size());
  return decompress(packed.data(), static_cast<unsigned>(packed.size()), bytes.data(), size) ==
         size;
}

}  // namespace marsim::map
