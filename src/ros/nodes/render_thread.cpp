#include "ros/nodes/render_thread.hpp"

#include <utility>

namespace marsim::ros_nodes {

bool RenderThread::push(std::function<void()> job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stop_ || waiting_.size() >= longest_queue_) return false;
  waiting_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void RenderThread::setLongestQueue(std::size_t jobs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  longest_queue_ = jobs;
}

std::size_t RenderThread::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_.size();
}

void RenderThread::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void RenderThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace marsim::ros_nodes
