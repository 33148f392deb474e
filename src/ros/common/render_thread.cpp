// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/render_thread.hpp"

#include <cstdint>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock/idle_watch.hpp"

namespace marsim::ros_nodes {
namespace {

/// The kernel's struct sched_attr, which not all headers have.
struct SchedAttr {
  std::uint32_t size = sizeof(SchedAttr), policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;  // [ns]
};

// Asks for the longest turns on a processor (Linux 6.12), which threads that wake up interrupt:
// else they wait up to 3 ms for a job that nobody waits for.
void letOthersFirst() {
  SchedAttr wanted;
  wanted.nice = getpriority(PRIO_PROCESS, 0);
  wanted.runtime = 100'000'000;
  syscall(SYS_sched_setattr, 0, &wanted, 0);
}

}  // namespace

void RenderThread::pushAhead(std::function<void()> job) {
  if (has_ahead_.exchange(true)) return;
  boost::asio::post(thread_, [this, job = std::move(job)] {
    thread_local bool is_first = true;
    if (std::exchange(is_first, false)) letOthersFirst();
    has_ahead_ = false;
    nameThread(true);
    job();
    nameThread(false);
  });
}

// Not while another job waits. Whoever pushes that one renames the thread before going to sleep.
void RenderThread::nameThread(bool ahead) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ahead) {
    if (waiting_ > 0) return;
    self_ = pthread_self();
  }
  if (ahead != is_ahead_) pthread_setname_np(self_, ahead ? IdleWatch::kAhead : "render");
  is_ahead_ = ahead;
}

}  // namespace marsim::ros_nodes
