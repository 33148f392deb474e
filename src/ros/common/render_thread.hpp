#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace marsim::ros_nodes {

/// Does jobs one after another in a thread of its own, so that callbacks keep flowing. A job that
/// comes while too many wait is not taken. Jobs come from one thread.
class RenderThread {
 public:
  /// Whether the job was taken.
  bool push(std::function<void()> job) {
    if (waiting_ >= longest_queue_) return false;
    ++waiting_;
    boost::asio::post(thread_, [this, job = std::move(job)] {
      --waiting_;
      job();
    });
    return true;
  }
  /// How many jobs may wait; few until then.
  void setLongestQueue(std::size_t jobs) { longest_queue_ = jobs; }
  /// Jobs that have not been begun.
  std::size_t waiting() const { return waiting_; }
  /// Lets the job at work end, forgets those that wait, takes no more.
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
