// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/interrupts.hpp"

#include <utility>

namespace marsim::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kPatience = 30.0;  // [s] for a clean end before the next, harder request
constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t interrupts = 0;
int guards = 0;

void countInterrupt(int /*signal*/) { interrupts = interrupts + 1; }
// Comes with every line that has no reader: counts as one request to end.
void noteClosedPipe(int /*signal*/) {
  if (interrupts == 0) interrupts = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ == 0) interrupts = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? noteClosedPipe : countInterrupt;
    sigaction(kSignals[i], &action, &old_[i]);
  }
}

InterruptGuard::~InterruptGuard() {
  --guards;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

int InterruptGuard::count() { return interrupts; }

void uncountInterrupts() {
  for (const int counted : kSignals) std::signal(counted, SIG_DFL);
}

void Ender::ask() {
  kill(-child_, asked_ == 0 ? SIGINT : asked_ == 1 ? SIGTERM : SIGKILL);
  ++asked_;
  last_ = Clock::now();
}

void Ender::insist() {
  if (asked_ > 0 && std::chrono::duration<double>(Clock::now() - last_).count() > kPatience) ask();
}

LineCutter::LineCutter(std::function<void(const std::string&)> on_line)
    : on_line_(std::move(on_line)) {}

void LineCutter::add(const char* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n' || data[i] == '\r') {
      flush();
    } else {
      line_.push_back(data[i]);
      if (line_.size() == kLongest) flush();
    }
  }
}

void LineCutter::flush() {
  if (!line_.empty()) on_line_(line_);
  line_.clear();
}

}  // namespace marsim::tools
