// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace marsim {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds kSilentFor{1.0};
constexpr Seconds kTerminalInterval{0.2};
constexpr Seconds kLogInterval{5.0};

}  // namespace

Progress::Progress(std::string task)
    : task_(std::move(task)),
      started_(Clock::now()),
      phase_started_(started_),
      last_shown_(started_),
      enabled_(true),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { finish(); }

Progress& Progress::none() {
  static Progress silent;
  return silent;
}

void Progress::phase(std::string name, std::size_t total) {
  if (!enabled_) return;
  phase_ = std::move(name);
  total_ = total;
  phase_started_ = Clock::now();
  show(0);
}

void Progress::update(std::size_t done) { show(done); }

void Progress::show(std::size_t done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now - started_ < kSilentFor) return;
  if (shown_ && now - last_shown_ < (terminal_ ? kTerminalInterval : kLogInterval)) return;
  shown_ = true;
  last_shown_ = now;

  std::string line = fmt::format("{}: {}", task_, phase_);
  if (total_ > 0) {
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    line += fmt::format(" {:3.0f} %", 100.0 * share);
    if (share > 0.02 && share < 1.0) {
      const double elapsed = Seconds(now - phase_started_).count();
      line += fmt::format(", {:.0f} s left in this phase", elapsed * (1.0 - share) / share);
    }
  }
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void Progress::finish() {
  if (!enabled_ || finished_) return;
  finished_ = true;
  if (!shown_) return;
  const double elapsed = Seconds(Clock::now() - started_).count();
  fmt::print(stderr, "{}{}: done in {:.1f} s\n", terminal_ ? "\r\033[K" : "", task_, elapsed);
}

}  // namespace marsim
