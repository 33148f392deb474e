#include "lzf.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::map {

bool expandLzf(const std::string& path, const std::vector<char>& packed, std::vector<char>& bytes) {
  // Found beside this library by its run path. Never closed: other threads may be in it.
  void* const library = dlopen(kLzfLibrary, RTLD_NOW | RTLD_LOCAL);
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
