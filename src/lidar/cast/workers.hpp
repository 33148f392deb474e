// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace marsim::lidar {

/// The threads of one renderer.
class Workers {
 public:
  /// `threads` as in RendererConfig.
  explicit Workers(int threads)
      : threads_(threads == 0 ? cores() : std::min(threads, cores())), arena_(threads_) {}

  /// Threads that run: at most one per core.
  int count() const { return threads_; }

  /// Calls work(begin, end) for pieces of [0, size) of about `grain`. Several threads may call it
  /// at once.
  template <class Work>
  void forRanges(std::size_t size, std::size_t grain, const Work& work) const {
    if (threads_ == 1 || size <= grain) {
      work(std::size_t{0}, size);
      return;
    }
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, size, grain),
          [&](const auto& range) { work(range.begin(), range.end()); }, tbb::simple_partitioner());
    });
  }

 private:
  static int cores() { return tbb::info::default_concurrency(); }

  int threads_;
  mutable tbb::task_arena arena_;
};

}  // namespace marsim::lidar
