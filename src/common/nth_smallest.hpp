// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace marsim {

/// The n-th smallest value, counted from 0; n = size / 2 for the median. Reorders the values.
template <class T>
T nthSmallest(std::vector<T>& values, std::size_t n) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace marsim
