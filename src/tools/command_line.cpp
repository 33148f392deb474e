#include "command_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

constexpr std::chrono::seconds kLogInterval{5};

}  // namespace

int runCommand(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help
    fmt::print(stderr, "{}: {}\n{}: see {} --help\n", app.get_name(), error.what(), app.get_name(),
               app.get_name());
    return 2;
  }
  try {
    return body();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 1;
  }
}

double parseOption(const std::string& option, const std::string& text, Quantity quantity) {
  try {
    return parseQuantity(text, quantity);
  } catch (const Error&) {
    throw ConfigError("command line", option, fmt::format("'{}'", text),
                      fmt::format("a number in {}", unitList(quantity)));
  }
}

LiveLine::LiveLine() : terminal_(isatty(STDOUT_FILENO) == 1) {}

LiveLine::~LiveLine() { clear(); }

void LiveLine::show(const std::string& text) {
  if (!terminal_) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kLogInterval;
  }
  fmt::print("{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stdout);
  shown_ = true;
}

void LiveLine::print(const std::string& text) {
  clear();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void LiveLine::clear() {
  if (terminal_ && shown_) fmt::print("\r\033[K");
  std::fflush(stdout);
  shown_ = false;
}

}  // namespace marsim::tools
