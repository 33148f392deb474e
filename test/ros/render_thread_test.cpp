// SPDX-License-Identifier: BSD-3-Clause
#include "ros/common/render_thread.hpp"

#include <future>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "clock/idle_watch.hpp"

namespace marsim::ros_nodes {
namespace {

std::string ownName() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

// IdleWatch goes by the name: it must have changed when push() returns, before its caller sleeps.
TEST(RenderThread, WorksAheadUntilAnotherJobComes) {
  RenderThread thread;
  thread.setLongestQueue(10);
  for (int i = 0; i < 3; ++i) {
    std::promise<void> begun, go;
    std::promise<std::string> later, other;
    std::string first;
    thread.pushAhead([&] {
      first = ownName();
      begun.set_value();
      go.get_future().wait();
      later.set_value(ownName());
    });
    begun.get_future().wait();
    thread.push([&] { other.set_value(ownName()); });
    go.set_value();
    EXPECT_EQ(later.get_future().get(), "render");
    EXPECT_EQ(other.get_future().get(), "render");
    EXPECT_EQ(first, IdleWatch::kAhead);
  }
}

TEST(RenderThread, DoesNotWorkAheadWhileAJobWaits) {
  RenderThread thread;
  thread.setLongestQueue(10);
  std::promise<void> begun, go, end;
  std::promise<std::string> ahead;
  int dropped = 1;
  thread.push([&] {
    begun.set_value();
    go.get_future().wait();
  });
  begun.get_future().wait();
  thread.pushAhead([&] { ahead.set_value(ownName()); });
  thread.pushAhead([&] { dropped = 0; });
  thread.push([&] { end.set_value(); });
  go.set_value();
  EXPECT_NE(ahead.get_future().get(), IdleWatch::kAhead);
  end.get_future().wait();
  EXPECT_EQ(dropped, 1);
}

}  // namespace
}  // namespace marsim::ros_nodes
