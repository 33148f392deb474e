// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/process_pool.hpp"

#include <csignal>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

struct Outcome {
  std::map<std::size_t, std::vector<std::string>> lines;
  std::map<std::size_t, ProcessPool::End> ends;
};

Outcome serveAll(ProcessPool& workers) {
  Outcome outcome;
  while (workers.running() > 0) {
    for (const ProcessPool::End& end : workers.serve(
             [&](std::size_t id, const std::string&line) { outcome.lines[id].push_back(line); })) {
      outcome.ends[end.id] = end;
    }
  }
  return outcome;
}

TEST(ProcessPool, HandsOverLinesExitCodesAndErrors) {
  ProcessPool workers;
  for (std::size_t id = 0; id < 3; ++id) {
    workers.start(id, [id]() -> int {
      std::printf("one of %zu\nlast", id);
      if (id == 2) throw Error("no such thing");
      return static_cast<int>(7 * id);
    });
  }
  EXPECT_EQ(workers.running(), 3U);
  const Outcome outcome = serveAll(workers);
  EXPECT_EQ(outcome.lines.at(0), (std::vector<std::string>{"one of 0", "last"}));
  EXPECT_EQ(outcome.lines.at(2), (std::vector<std::string>{"one of 2", "last"}));
  EXPECT_EQ(outcome.ends.at(0).exit_code, 0);
  EXPECT_EQ(outcome.ends.at(1).exit_code, 7);
  EXPECT_EQ(outcome.ends.at(1).failure, "");
  EXPECT_EQ(outcome.ends.at(2).failure, "no such thing");
}

TEST(ProcessPool, AsksProcessesToEndThatHaveAGroupOfTheirOwn) {
  const InterruptGuard guard;
  ProcessPool workers;
  workers.start(0, [] {
    std::printf("%d\n", getpgrp() == getpid() ? 1 : 0);
    std::fflush(stdout);
    const InterruptGuard inner;
    for (int i = 0; i < 600 && InterruptGuard::count() == 0; ++i) usleep(10000);
    return InterruptGuard::count();
  });
  workers.start(1, [] {
    std::signal(SIGINT, SIG_DFL);
    pause();
    return 0;
  });
  std::vector<std::string> lines;
  while (lines.empty()) {
    workers.serve([&](std::size_t, const std::string& line) { lines.push_back(line); });
  }
  EXPECT_EQ(lines, std::vector<std::string>{"1"});
  workers.ask();
  const Outcome outcome = serveAll(workers);
  EXPECT_EQ(outcome.ends.at(0).exit_code, 1);
  EXPECT_EQ(outcome.ends.at(1).exit_code, 128 + SIGINT);
  EXPECT_EQ(InterruptGuard::count(), 0);
}

}  // namespace
}  // namespace marsim::tools
