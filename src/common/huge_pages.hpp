// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace marsim {

/// Resizes a vector whose values are about to be set. New memory of several MiB is asked for in
/// huge pages, which makes access in random order faster; where there are none, nothing changes.
template <class T>
void resizeForRandomAccess(std::vector<T>& values, std::size_t size) {
  if (size > values.capacity()) {
    values.clear();
    values.reserve(size + size / 8);
#ifdef __linux__
    constexpr std::size_t kHugePage = std::size_t{1} << 21;
    const std::size_t bytes = values.capacity() * sizeof(T);
    const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(values.data()) % kHugePage;
    if (bytes >= skipped + kHugePage) {
      madvise(reinterpret_cast<char*>(values.data()) + skipped,
              (bytes - skipped) / kHugePage * kHugePage, MADV_HUGEPAGE);
    }
#endif
  }
  values.resize(size);
}

}  // namespace marsim
