// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <ros/callback_queue_interface.h>
#include <ros/ros.h>
#include <boost/asio/defer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace marsim::ros_nodes {

/// The callbacks of a nodelet, called one after another in the worker threads of the process. In
/// contrast to a nodelet's own queue no thread of a manager stands between a message and its
/// worker, and a worker calls all callbacks that are due. ros::CallbackQueue, which several threads
/// may call at once, needs more locks a callback. A callback is called once: with one caller none
/// asks to be called again (TryAgain).
class SerialQueue : public ros::CallbackQueueInterface,
                    public std::enable_shared_from_this<SerialQueue> {
 public:
  SerialQueue() { workers(); }  // here, since a parameter is read
  void addCallback(const ros::CallbackInterfacePtr& callback, std::uint64_t owner) override {
    const std::lock_guard lock(mutex_);
    if (has_stopped_) return;
    due_.push_back({callback, owner});
    if (!std::exchange(has_worker_, true)) wake();
  }
  /// Drops the callbacks of an owner and waits for its present one, unless this is called by it.
  void removeByID(std::uint64_t owner) override {
    std::unique_lock lock(mutex_);
    const auto is_owners = [owner](const Due& due) { return due.owner == owner; };
    due_.erase(std::remove_if(due_.begin(), due_.end(), is_owners), due_.end());
    if (caller_ == std::this_thread::get_id()) return;
    called_.wait(lock, [&] { return present_ != owner; });
  }
  /// Waits for the present callback; none follows. Call it from outside of callbacks.
  void stop() {
    std::unique_lock lock(mutex_);
    has_stopped_ = true;
    due_.clear();
    called_.wait(lock, [this] { return !present_; });
  }

 private:
  struct Due {
    ros::CallbackInterfacePtr callback;
    std::uint64_t owner;
  };

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
  // Callbacks that come meanwhile wait until other nodes have had their turn.
  void call() {
    std::unique_lock lock(mutex_);
    caller_ = std::this_thread::get_id();
    for (std::size_t left = due_.size(); left > 0 && !due_.empty(); --left) {
      ros::CallbackInterfacePtr callback = std::move(due_.front().callback);
      present_ = due_.front().owner;
      due_.pop_front();
      lock.unlock();
      callback->call();
      callback.reset();
      lock.lock();
      present_.reset();
      called_.notify_all();
    }
    caller_ = {};
    has_worker_ = !due_.empty();
    if (has_worker_) wake();
  }

  std::mutex mutex_;  ///< guards the members below
  std::deque<Due> due_;
  bool has_worker_ = false;               ///< call() runs, or a worker will run it
  std::thread::id caller_;                ///< of call() while it runs
  std::optional<std::uint64_t> present_;  ///< owner of the present callback
  std::condition_variable called_;
  bool has_stopped_ = false;
};

}  // namespace marsim::ros_nodes
