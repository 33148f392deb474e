// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/serial_queue.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace marsim::ros_nodes {
namespace {

class Job : public ros::CallbackInterface {
 public:
  explicit Job(std::function<void()> work) : work_(std::move(work)) {}
  CallResult call() override {
    work_();
    return Success;
  }

 private:
  std::function<void()> work_;
};

/// A queue, and jobs for it.
class SerialQueueTest : public testing::Test {
 protected:
  void add(std::uint64_t owner, std::function<void()> work) {
    queue_->addCallback(boost::make_shared<Job>(std::move(work)), owner);
  }
  /// Adds a job that runs until release_ is set; returns when it runs.
  void hold(std::uint64_t owner) {
    std::promise<void> runs;
    add(owner, [&] {
      runs.set_value();
      release_.get_future().wait();
    });
    runs.get_future().wait();
  }
  /// Waits until all jobs added so far were called.
  void finish() {
    std::promise<void> last;
    add(99, [&] { last.set_value(); });
    last.get_future().wait();
  }
  static bool isReady(const std::future<void>& future) {
    return future.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  }

  std::promise<void> release_;
  std::shared_ptr<SerialQueue> queue_ = std::make_shared<SerialQueue>();
};

TEST_F(SerialQueueTest, CallsOneAfterAnotherInTurn) {
  std::vector<int> called;  // without a lock
  hold(2);                  // the others come during a call
  for (int i = 0; i < 10000; ++i) {
    add(1, [&called, i] { called.push_back(i); });
  }
  release_.set_value();
  finish();
  ASSERT_EQ(called.size(), 10000U);
  EXPECT_TRUE(std::is_sorted(called.begin(), called.end()));
}

TEST_F(SerialQueueTest, ARemovedOwnersPresentCallbackIsAwaitedAndNoneFollows) {
  hold(1);
  bool was_called = false;
  add(2, [&] { was_called = true; });
  queue_->removeByID(2);  // does not wait for another owner's
  auto removed = std::async(std::launch::async, [this] { queue_->removeByID(1); });
  EXPECT_FALSE(isReady(removed));
  release_.set_value();
  removed.wait();
  finish();
  EXPECT_FALSE(was_called);
}

TEST_F(SerialQueueTest, ACallbackMayRemoveItself) {
  bool was_called = false;
  std::promise<void> both_added;
  add(1, [&] {
    both_added.get_future().wait();
    queue_->removeByID(1);
  });
  add(1, [&] { was_called = true; });
  both_added.set_value();
  finish();
  EXPECT_FALSE(was_called);
}

TEST_F(SerialQueueTest, StopsAfterThePresentCallback) {
  hold(1);
  auto stopped = std::async(std::launch::async, [this] { queue_->stop(); });
  EXPECT_FALSE(isReady(stopped));
  release_.set_value();
  stopped.wait();
  bool was_called = false;
  add(2, [&] { was_called = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(was_called);
}

}  // namespace
}  // namespace marsim::ros_nodes
