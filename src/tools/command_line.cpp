#include "tools/command_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

constexpr std::chrono::seconds kLogInterval{5};
constexpr std::size_t kLongestComplaint = 200;  // characters; it repeats what was typed

}  // namespace

int runCommand(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help
    fmt::print(stderr, "{0}: {1}\n{0}: see {0} --help\n", app.get_name(),
               clipped(error.what(), kLongestComplaint));
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
    const double value = parseQuantity(text, quantity);
    const std::string hint = degreesHint(text, quantity);
    if (!hint.empty()) fmt::print(stderr, "warning: {}: {}\n", option, hint);
    return value;
  } catch (const Error&) {
    throw ConfigError("command line", option, fmt::format("'{}'", text),
                      fmt::format("a number in {}", unitList(quantity)));
  }
}

void addSeed(CLI::App& app, std::uint64_t& seed, const std::string& description) {
  const auto set = [&seed](const std::string& text) {
    const std::optional<std::uint64_t> value = parseWhole(text);
    if (!value) {
      throw CLI::ValidationError("--seed",
                                 fmt::format("is '{}', allowed: {}", clipped(text), kAllowedSeeds));
    }
    seed = *value;
  };
  app.add_option_function<std::string>("--seed", set, description)
      ->default_str(std::to_string(seed));
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
