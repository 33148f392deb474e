// SPDX-License-Identifier: BSD-3-Clause
// Programs that sleep, compute, poll, talk or die, each a process of its own.
#include "clock/idle_watch.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

using std::chrono::milliseconds;

IdleWatch::WallTime in(milliseconds time) { return IdleWatch::WallClock::now() + time; }
constexpr milliseconds kSoon{400}, kLong{20'000};

/// A process that runs a function and ends; killed with all that it has started.
class Child {
 public:
  explicit Child(const std::function<void()>& run) : pid_(fork()) {
    setpgid(pid_, pid_);
    if (pid_ != 0) return;
    run();
    _exit(0);
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int pid() const { return pid_; }

 private:
  int pid_;
};

void sleepForEver() {
  while (true) pause();
}
void computeForEver() {
  for (volatile unsigned i = 0;; i = i + 1) {
  }
}
void pollForEver() {
  while (true) std::this_thread::sleep_for(milliseconds(1));
}

/// Both ends of a TCP connection of this machine.
std::pair<int, int> connectedPair() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener, 1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  connect(one, reinterpret_cast<sockaddr*>(&address), size);
  const int other = accept(listener, nullptr, nullptr);
  close(listener);
  return {one, other};
}

TEST(IdleWatch, AProgramThatSleepsIsIdle) {
  const Child child(sleepForEver);
  IdleWatch watch({{"/planner", child.pid(), false}});
  EXPECT_EQ(watch.wait(in(kLong)), std::nullopt);
  EXPECT_FALSE(watch.isGone(0));
}

TEST(IdleWatch, OneThatComputesIsNamedWithItsThread) {
  const Child child(computeForEver);
  IdleWatch watch({{"/planner", child.pid(), false}});
  const auto busy = watch.wait(in(kSoon));
  ASSERT_TRUE(busy);
  EXPECT_NE(
      busy->find("/planner (process " + std::to_string(child.pid()) + "): its thread 'clock_"),
      std::string::npos)
      << *busy;
  EXPECT_NE(busy->find("does not sleep (state R)"), std::string::npos) << *busy;
}

TEST(IdleWatch, WhatAProgramHasStartedBelongsToIt) {
  const Child child([] {
    if (fork() == 0) computeForEver();
    sleepForEver();
  });
  std::this_thread::sleep_for(milliseconds(50));
  IdleWatch watch({{"/planner", child.pid(), false}});
  EXPECT_TRUE(watch.wait(in(kSoon)));
}

TEST(IdleWatch, AThreadBegunLaterIsSeen) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const Child child([&] {
    char letter;
    if (read(go[0], &letter, 1) == 1) std::thread(computeForEver).join();
  });
  IdleWatch watch({{"/planner", child.pid(), false}});
  ASSERT_EQ(watch.wait(in(kLong)), std::nullopt);
  ASSERT_EQ(write(go[1], "x", 1), 1);
  std::this_thread::sleep_for(milliseconds(50));
  watch.findPollers();
  EXPECT_FALSE(watch.hasNewThreads());
  watch.refreshThreads();
  EXPECT_TRUE(watch.hasNewThreads());
  EXPECT_TRUE(watch.wait(in(kSoon)));
  close(go[0]);
  close(go[1]);
}

TEST(IdleWatch, APollerIsIdleAndLooksAtEachTick) {
  const Child child(pollForEver);
  IdleWatch watch({{"/planner", child.pid(), false}});
  ASSERT_EQ(watch.wait(in(kLong)), std::nullopt);
  EXPECT_EQ(watch.waitAfterTick(0, in(kLong)), std::nullopt);
}

// The flag that is set at the tick is seen when the poller wakes, and the answer is there then,
// also where the poller waits longer for a processor than it sleeps.
class PollerBesideBusyProcesses : public testing::TestWithParam<int> {};

TEST_P(PollerBesideBusyProcesses, WhatItDoesAtATickIsWaitedFor) {
  void* const memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto& time = *new (memory) std::array<std::atomic<int>, 2>{};
  const Child child([&] {
    if (GetParam() > 0 && nice(10) < 0) _exit(1);
    while (true) {
      std::this_thread::sleep_for(milliseconds(1));
      time[1] = time[0].load();
    }
  });
  std::list<Child> busy;
  for (int i = 0; i < GetParam(); ++i) busy.emplace_back(computeForEver);
  IdleWatch watch({{"/planner", child.pid(), false}});
  watch.findPollers();
  for (int tick = 1; tick <= (GetParam() > 0 ? 20 : 200); ++tick) {
    time[0] = tick;
    ASSERT_EQ(watch.waitAfterTick(0, in(kLong)), std::nullopt);
    ASSERT_EQ(time[1], tick);
  }
  munmap(memory, 4096);
}

INSTANTIATE_TEST_SUITE_P(IdleWatch, PollerBesideBusyProcesses, testing::Values(0, 16));

TEST(IdleWatch, APollerThatStopsPollingHoldsNothing) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const Child child([&] {
    char letter;
    fcntl(go[0], F_SETFL, O_NONBLOCK);
    while (read(go[0], &letter, 1) != 1) std::this_thread::sleep_for(milliseconds(1));
    sleepForEver();
  });
  IdleWatch watch({{"/planner", child.pid(), false}});
  ASSERT_EQ(watch.wait(in(kLong)), std::nullopt);
  ASSERT_EQ(write(go[1], "x", 1), 1);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(watch.waitAfterTick(0, in(kLong)), std::nullopt);
  close(go[0]);
  close(go[1]);
}

TEST(IdleWatch, DataThatNobodyReadsHoldTime) {
  const auto [own, theirs] = connectedPair();
  const Child child(sleepForEver);
  IdleWatch watch({{"/planner", child.pid(), false}});
  ASSERT_EQ(watch.wait(in(kLong)), std::nullopt);
  ASSERT_EQ(send(own, "data", 4, 0), 4);
  const auto busy = watch.wait(in(kSoon));
  ASSERT_TRUE(busy);
  EXPECT_NE(busy->find("it does not read what"), std::string::npos) << *busy;
  char data[8];
  ASSERT_EQ(recv(theirs, data, sizeof(data), 0), 4);
  EXPECT_EQ(watch.wait(in(kLong)), std::nullopt);
  close(own);
  close(theirs);
}

TEST(IdleWatch, AProgramThatEndsIsGone) {
  const Child child(computeForEver);  // whose parent does not look
  IdleWatch watch({{"/planner", child.pid(), false}});
  kill(child.pid(), SIGKILL);
  EXPECT_EQ(watch.wait(in(kLong)), std::nullopt);
  watch.refresh();
  EXPECT_TRUE(watch.isGone(0));
}

TEST(IdleWatch, AProgramOfAnotherUserIsRefused) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, who then becomes somebody else";
  const Child child(sleepForEver);
  const Child other([&] {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
    try {
      IdleWatch watch({{"/planner", child.pid(), false}});
      _exit(3);
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("the same user") != std::string::npos ? 42 : 4);
    }
  });
  int status = 0;
  ASSERT_EQ(waitpid(other.pid(), &status, 0), other.pid());
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace marsim
