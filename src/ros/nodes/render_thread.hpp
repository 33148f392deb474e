#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace marsim::ros_nodes {

/// Does jobs one after another in a thread of its own, so that callbacks keep flowing. A job that
/// comes while too many wait is not taken.
class RenderThread {
 public:
  RenderThread() : thread_([this] { run(); }) {}
  ~RenderThread() { stop(); }
  RenderThread(const RenderThread&) = delete;
  RenderThread& operator=(const RenderThread&) = delete;

  /// Whether the job was taken.
  bool push(std::function<void()> job);
  /// How many jobs may wait; few until then.
  void setLongestQueue(std::size_t jobs);
  /// Jobs that have not been begun.
  std::size_t waiting() const;
  /// Lets the job at work end, forgets those that wait, takes no more.
  void stop();

 private:
  void run();

  mutable std::mutex mutex_;  ///< guards what follows
  std::size_t longest_queue_ = 4;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace marsim::ros_nodes
