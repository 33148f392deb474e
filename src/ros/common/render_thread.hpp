// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace marsim::ros_nodes {

/// Runs jobs one after another in a thread of its own, so that callbacks keep flowing. A job that
/// comes while too many wait is rejected. Jobs come from one thread.
class RenderThread {
 public:
  /// Returns whether the job was taken.
  bool push(std::function<void()> job) {
    if (waiting_ >= longest_queue_) return false;
    ++waiting_;
    boost::asio::post(thread_, [this, job = std::move(job)] {
      --waiting_;
      job();
    });
    return true;
  }
  /// Sets how many jobs may wait; few by default.
  void setLongestQueue(std::size_t jobs) { longest_queue_ = jobs; }
  /// Jobs that have not begun.
  std::size_t waiting() const { return waiting_; }
  /// Finishes the present job, drops waiting ones and takes no more.
  void stop() {
    longest_queue_ = 0;
    thread_.stop();
    thread_.join();
  }

 private:
  std::atomic<std::size_t> waiting_{0}, longest_queue_{4};
  boost::asio::thread_pool thread_{1};
};

}  // namespace marsim::ros_nodes
