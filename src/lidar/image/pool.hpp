// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace marsim::lidar {

/// Large objects kept from image to image, since allocating them takes as long as a fast image.
/// Safe to use from several threads.
template <class T>
class Pool {
 public:
  /// Keeps up to `most` objects.
  explicit Pool(std::size_t most = 4) : most_(most) {}

  /// Returns a kept object that `suits`, else the result of `make` (std::unique_ptr<T>). It belongs
  /// to the caller until it is given back.
  template <class Suits, class Make>
  std::unique_ptr<T> take(const Suits& suits, const Make& make) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found =
          std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return suits(*one); });
      if (found != kept_.end()) {
        std::unique_ptr<T> one = std::move(*found);
        kept_.erase(found);
        return one;
      }
    }
    return make();
  }

  void giveBack(std::unique_ptr<T> one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() == most_) kept_.erase(kept_.begin());
    kept_.push_back(std::move(one));
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> kept_;
};

}  // namespace marsim::lidar
