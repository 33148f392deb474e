// SPDX-License-Identifier: BSD-3-Clause
#include "tools/process/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::tools {
namespace {

constexpr std::chrono::seconds kLogInterval{5};
constexpr std::size_t kLongestComplaint = 250;  // characters; the message repeats the user's text

void printOptions(const CLI::App& app, const std::string& command) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();  // get_name() leaves out hidden ones
    const std::string type = option->get_type_name();
    fmt::print("{}\t{}{}\t{}\t{}\n", command, option->get_positional() ? "" : "--", name,
               type.empty() ? "FLAG" : type, option->get_required() ? "required" : "");
  }
  for (const CLI::App* sub : app.get_subcommands({})) printOptions(*sub, sub->get_name());
}

// "$NAME" is empty if the variable is not set.
void refuseEmpty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& text : option->results()) {
      if (!text.empty()) continue;
      throw CLI::ValidationError(option->get_name(), "is empty, allowed: a value");
    }
  }
  for (const CLI::App* sub : app.get_subcommands({})) refuseEmpty(*sub);
}

// The message of a validator or of CLI11 in this package's form: "--out: is ..." becomes "--out is
// ...".
std::string complaintOf(const CLI::ParseError& error) {
  const std::string text = clipped(error.what(), kLongestComplaint);
  const std::size_t at = text.find(": ");
  if (at == std::string::npos) return text;
  const std::string name = text.substr(0, at), rest = text.substr(at + 2);
  if (rest.rfind("is ", 0) == 0) return name + " " + rest;
  const std::size_t required = rest.find(" required "), end = rest.rfind(" missing");
  if (required != std::string::npos && end != std::string::npos && end > required) {
    const std::size_t begin = required + std::string(" required ").size();
    return fmt::format("{} lacks a value, allowed: {}", name, rest.substr(begin, end - begin));
  }
  if (name == "Could not convert") {
    return fmt::format("{} has a value, allowed: none", rest.substr(0, rest.find(" = ")));
  }
  if (rest.rfind("Should be true/false", 0) == 0) {
    return fmt::format("{} has a value, allowed: none", name);
  }
  return text;
}

}  // namespace

Option Option::required() const { return option_->required(); }
Option Option::needs(Option other) const { return option_->needs(other.option_); }
Option Option::expected(int count) const { return option_->expected(count); }
Option Option::oneEachTime() const { return option_->allow_extra_args(false); }
Option Option::delimiter(char between) const { return option_->delimiter(between); }
Option Option::shownAs(const std::string& text) const { return option_->option_text(text); }
Option Option::hideDefault() const { return option_->default_str(""); }
bool Option::isGiven() const { return option_->count() > 0; }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_shared<CLI::App>(description, name)) {
  app_->option_defaults()->always_capture_default();
}

template <class T>
Option CommandLine::option(const std::string& names, T& value, const OptionType& type,
                           const std::string& description) {
  CLI::Option* option = app_->add_option(names, value, description);
  if (option->get_default_str() == "[]") option->default_str("");
  if (*type.name != '\0') option->type_name(type.name);
  if (type.check) option->transform(CLI::Validator(type.check, type.allowed));
  return option;
}
template Option CommandLine::option(const std::string&, int&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, double&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::uint64_t&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::string&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::filesystem::path&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::optional<double>&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::vector<int>&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::vector<double>&, const OptionType&,
                                    const std::string&);
template Option CommandLine::option(const std::string&, std::vector<std::string>&,
                                    const OptionType&, const std::string&);

void CommandLine::flag(const std::string& name, bool& value, const std::string& description) {
  app_->add_flag(name, value, description);
}

void CommandLine::printingFlag(const std::string& name, const std::string& text,
                               const std::string& description) {
  app_->set_version_flag(name, text, description);
}

CommandLine CommandLine::subcommand(const std::string& name, const std::string& description) {
  CLI::App* sub = app_->add_subcommand(name, description);
  if (description.empty()) sub->group("");
  return CommandLine(app_->get_subcommand_ptr(sub));
}

void CommandLine::requireSubcommand() { app_->require_subcommand(1); }
void CommandLine::onGiven(const std::function<void()>& body) { app_->callback(body); }
std::string CommandLine::name() const { return app_->get_name(); }
bool CommandLine::isGiven() const { return app_->parsed(); }

std::vector<std::string> CommandLine::givenOptions() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

int CommandLine::run(int argc, char** argv, const std::function<int()>& body) {
  if (argc > 1 && argv[argc - 1] == std::string_view("--options")) {
    printOptions(*app_, "");
    return 0;
  }
  try {
    app_->parse(argc, argv);
    refuseEmpty(*app_);
    return body();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_->exit(error);  // help
    fmt::print(stderr, "{0}: {1}; see {0} --help\n", name(), complaintOf(error));
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    const FileError file(error.path1().string(), error.code().message());
    fmt::print(stderr, "{}: {}\n", name(), file.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name(), error.what());
  }
  return 1;
}

std::vector<char*> withoutRemappings(int argc, char** argv) {
  std::vector<char*> kept;
  for (int i = 0; i < argc; ++i) {
    if (std::string_view(argv[i]).find(":=") == std::string_view::npos) kept.push_back(argv[i]);
  }
  return kept;
}

std::pair<std::string, std::string> splitArgument(const std::string& word) {
  const std::size_t at = word.find(":=");
  Validator("command line")
      .require(at != std::string::npos && at > 0, "argument", fmt::format("'{}'", clipped(word)),
               "NAME:=VALUE");
  return {word.substr(0, at), word.substr(at + 2)};
}

OptionType number(Quantity quantity, const Bounds& bounds, const std::string& option) {
  const std::string units = unitList(quantity);
  const std::string allowed = bounds.text(units.substr(0, units.find(',')));
  const auto read = [=](std::string& text) -> std::string {
    std::optional<double> value;
    try {
      value = parseQuantity(text, quantity);
    } catch (const Error&) {
    }
    if (!value || !bounds.hold(*value)) {
      return fmt::format("is '{}', allowed: {}{}", clipped(text), allowed,
                         value || units.empty() ? "" : fmt::format(" (units: {})", units));
    }
    const std::string hint = degreesHint(text, quantity);
    if (!hint.empty()) fmt::print(stderr, "warning: {}: {}\n", option, hint);
    text = fmt::format("{:.17g}", *value);
    return "";
  };
  return {"", read, allowed};
}

OptionType whole(std::uint64_t low, std::uint64_t high) {
  const std::string allowed = fmt::format("{} to {}", low, high);
  // CLI11 would read a number that begins with 0 as octal.
  const auto check = [=](std::string& text) -> std::string {
    const std::optional<std::uint64_t> value = parseWhole(text);
    if (value) text = std::to_string(*value);
    if (value && *value >= low && *value <= high) return "";
    return fmt::format("is '{}', allowed: a whole number from {}", clipped(text), allowed);
  };
  return {"", check, allowed};
}

OptionType whole(const Bounds& bounds) {
  return whole(static_cast<std::uint64_t>(bounds.low), static_cast<std::uint64_t>(bounds.high));
}

OptionType oneOf(const std::vector<std::string>& words) {
  const std::string allowed = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto check = [=](const std::string& text) {
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    return known ? "" : text + " not in " + allowed;
  };
  return {kWord.name, check, allowed};
}

double parseOption(const std::string& option, std::string text, Quantity quantity,
                   const Bounds& bounds) {
  const std::string complaint = number(quantity, bounds, option).check(text);
  if (!complaint.empty()) throw CLI::ValidationError(option, complaint);
  return std::stod(text);
}

void addWorld(CommandLine& line, ScannedWorld& world) {
  line.option("--map", world.map, kInput,
              "bundled place (forest, building, ...) or a PCD, PLY or place file [m]");
  line.option("--lidar", world.lidar, kInput, "name or YAML file");
  line.option("--vegetation", world.vegetation, kInput,
              "plants on the map's ground: courtyard, meadow, ... or a YAML file; none");
  line.option("--surfaces", world.surfaces, kInput,
              "mirrors, panes and retro-reflectors: example or a YAML file; none");
  line.option("--weather", world.weather, kInput,
              "rain_light, rain_heavy, fog_dense, snow, ... or a YAML file; none");
}

Option addSeed(CommandLine& line, std::uint64_t& seed, const std::string& description) {
  return line.option("--seed", seed, whole(0, std::numeric_limits<std::uint64_t>::max()),
                     description);
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
