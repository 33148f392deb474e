// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <boost/asio/defer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace marsim::ros_nodes {

/// The callbacks of a nodelet, called one after another in the worker threads of the process. In
/// contrast to a nodelet's own queue no thread of a manager stands between a message and its
/// worker, and a worker calls all callbacks that are due.
class SerialQueue : public ros::CallbackQueueInterface,
                    public std::enable_shared_from_this<SerialQueue> {
 public:
  SerialQueue() { workers(); }  // here, since a parameter is read
  void addCallback(const ros::CallbackInterfacePtr& callback, std::uint64_t owner) override {
    queue_.addCallback(callback, owner);
    if (due_.fetch_add(1) == 0) wake();
  }
  void removeByID(std::uint64_t owner) override { queue_.removeByID(owner); }
  /// Waits for the present callbacks; none follows.
  void stop() {
    queue_.disable();
    queue_.clear();
    const std::lock_guard lock(calling_);
  }

 private:
  // As many threads as the parameter ~num_worker_threads says, 0: one a core.
  static boost::asio::thread_pool& workers() {
    static boost::asio::thread_pool threads([] {
      const int wanted = ros::NodeHandle("~").param("num_worker_threads", 0);
      return wanted > 0 ? static_cast<unsigned>(wanted)
                        : std::max(std::thread::hardware_concurrency(), 1U);
    }());
    return threads;
  }
  void wake() {
    boost::asio::defer(workers(), [self = shared_from_this()] { self->call(); });
  }
  void call() {
    const int due = due_;
    {
      const std::lock_guard lock(calling_);
      queue_.callAvailable();
    }
    if (due_.fetch_sub(due) != due) wake();
  }

  ros::CallbackQueue queue_;
  std::mutex calling_;       ///< held while callbacks are called
  std::atomic<int> due_{0};  ///< callbacks added since the last call() began; 0: none, and no call
};

}  // namespace marsim::ros_nodes
