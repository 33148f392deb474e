// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include <ros/callback_queue.h>
#include <ros/spinner.h>

namespace marsim::ros_nodes {

/// A thread for slow jobs, such as calls of services, so that a node's callbacks need not wait. A
/// node handle with its queue answers services in it, too.
class JobThread {
 public:
  JobThread() { spinner_.start(); }
  ~JobThread() {
    queue_.disable();
    spinner_.stop();
  }

  void post(std::function<void()> job) {
    queue_.addCallback(boost::make_shared<Job>(std::move(job)));
  }
  ros::CallbackQueue& queue() { return queue_; }

 private:
  class Job : public ros::CallbackInterface {
   public:
    explicit Job(std::function<void()> function) : function_(std::move(function)) {}
    CallResult call() override {
      function_();
      return Success;
    }

   private:
    std::function<void()> function_;
  };

  ros::CallbackQueue queue_;
  ros::AsyncSpinner spinner_{1, &queue_};
};

}  // namespace marsim::ros_nodes
