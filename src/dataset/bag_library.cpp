// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/bag_library.hpp"

#include <dlfcn.h>

#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

using MakeWriter = decltype(&marsimMakeBagWriter);

/// Never closed, since its writers live on.
MakeWriter load(std::string& problem) {
  // The library lies beside this one.
  Dl_info info{};
  std::filesystem::path path = kBagLibrary;
  if (dladdr(reinterpret_cast<const void*>(&whyNoBags), &info) != 0 && info.dli_fname != nullptr) {
    path = std::filesystem::path(info.dli_fname).replace_filename(kBagLibrary);
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, kBagFunction);
  if (symbol == nullptr) problem = dlerror();
  return reinterpret_cast<MakeWriter>(symbol);
}

}  // namespace

std::string whyNoBags() {
  std::string problem;
  load(problem);
  return problem;
}

std::unique_ptr<Writer> makeBagWriter(const Destination& to) {
  std::string problem;
  const MakeWriter make = load(problem);
  if (make == nullptr) throw FileError(to.folder.string(), "bags cannot be written: " + problem);
  return std::unique_ptr<Writer>(make(to));
}

}  // namespace marsim::dataset
