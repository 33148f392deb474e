// SPDX-License-Identifier: BSD-3-Clause
// `marsim fly`: a UAV by the keyboard, or by keys from a script.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <termios.h>
#include <unistd.h>

#include "common/input_file.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "ros/uav/hand_pilot.hpp"
#include "tools/process/command_line.hpp"

namespace {

using namespace marsim::tools;  // NOLINT: this program is theirs
using marsim::Quantity;
using marsim::control::Key;
using marsim::control::KeyScript;
using marsim::control::KeySpeeds;
using marsim::ros_nodes::HandPilot;

constexpr double kLookPeriod = 0.02;               // [s] of wall time
constexpr double kStatusPeriod = 0.1;              // [s] of wall time
constexpr double kFarewell = 0.3;                  // [s] of wall time for sending the last command
constexpr std::size_t kLongestScript = 1U << 20U;  // bytes

std::atomic<bool> g_stop{false};
void stop(int) { g_stop = true; }

/// The terminal without line editing and echo, until the end of the scope.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) {
      throw marsim::Error("standard input is no terminal, allowed: a terminal, or --keys");
    }
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~RawTerminal() { tcsetattr(STDIN_FILENO, TCSANOW, &before_); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  /// Keys typed since the last call.
  std::string read() const {
    char bytes[64];
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0) return "";
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof(bytes));
    if (count == 0) g_stop = true;  // the terminal is gone
    return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : "";
  }

 private:
  termios before_{};
};

std::string help(const KeySpeeds& speeds) {
  return fmt::format(
      "  k  takes control, arms, takes off   l  lands, disarms, releases   h ?  this help   q  "
      "ends\n"
      "  w s  forward, back {:g} m/s   a d  left, right {:g} m/s\n"
      "  up down  climb, sink {:g} m/s   left right  turn {:g} deg/s\n"
      "  each press lasts {:g} s; any other key stops\n",
      speeds.forward, speeds.side, speeds.climb, marsim::degrees(speeds.turn),
      marsim::toSeconds(speeds.press));
}

void tellNews(HandPilot& pilot) {
  fmt::print("{}", pilot.takeNews());
  std::fflush(stdout);
}

void flyByKeyboard(HandPilot& pilot, const KeySpeeds& speeds) {
  const RawTerminal terminal;
  marsim::control::KeyReader reader;
  fmt::print("{}", help(speeds));
  ros::WallTime told;
  while (!g_stop && ros::ok()) {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(kLookPeriod));
    const std::string bytes = terminal.read();
    for (const Key key : bytes.empty() ? reader.idle() : reader.read(bytes)) {
      if (key == Key::kQuit) g_stop = true;
      if (key == Key::kHelp) fmt::print("\r\x1b[K{}", help(speeds));
      if (key != Key::kQuit && key != Key::kHelp) pilot.press(key);
    }
    const std::string news = pilot.takeNews();
    if (!news.empty()) fmt::print("\r\x1b[K{}", news);
    if ((ros::WallTime::now() - told).toSec() < kStatusPeriod) continue;
    told = ros::WallTime::now();
    fmt::print("\r\x1b[K{}", pilot.status());
    std::fflush(stdout);
  }
  fmt::print("\n");
}

bool flyByScript(HandPilot& pilot) {
  while (!g_stop && ros::ok() && !pilot.isOver()) {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(kLookPeriod));
    tellNews(pilot);
  }
  tellNews(pilot);
  fmt::print("{}\n", pilot.status());
  return pilot.isOver();
}

/// The text itself, or the text in the file of this name.
std::unique_ptr<KeyScript> scriptOf(const std::string& keys, const KeySpeeds& speeds) {
  std::error_code none;
  const bool is_file = std::filesystem::is_regular_file(keys, none);
  const std::string text = is_file ? marsim::readFile(keys, kLongestScript) : keys;
  return std::make_unique<KeyScript>(KeyScript::read(text, is_file ? keys : "--keys", speeds));
}

/// The command line.
struct Options {
  std::string uav = "uav0", keys;
  KeySpeeds speeds;
  double press = marsim::toSeconds(speeds.press);  // [s]
};

void addOptions(CommandLine& line, Options& options) {
  KeySpeeds& speeds = options.speeds;
  const OptionType speed = number(Quantity::kSpeed, KeySpeeds::kSpeeds);
  line.option("--uav", options.uav, kName, "the UAV's namespace");
  line.option("--keys", options.keys, kInput,
              "keys in place of the keyboard, or a file of them: \"k 4s w*4 left a l\" takes "
              "off, waits 4 s, flies; words: w s a d up down left right k l stop");
  line.option("--forward", speeds.forward, speed, "speed of w and s [m/s]");
  line.option("--side", speeds.side, speed, "speed of a and d [m/s]");
  line.option("--climb", speeds.climb, speed, "speed of up and down [m/s]");
  line.option("--turn", speeds.turn, number(Quantity::kAngularSpeed, KeySpeeds::kTurns),
              "rate of left and right, e.g. 20deg/s [rad/s]");
  line.option("--press", options.press, number(Quantity::kTime, KeySpeeds::kPresses),
              "how long a press lasts [s]");
}

int fly(const Options& options) {
  auto script = options.keys.empty() ? nullptr : scriptOf(options.keys, options.speeds);
  const bool is_scripted = script != nullptr;
  if (!is_scripted && isatty(STDIN_FILENO) == 0) {
    throw marsim::Error("standard input is no terminal, allowed: a terminal, or --keys");
  }
  std::string reason;
  if (!ros::names::validate(options.uav, reason) || options.uav.find('~') != std::string::npos) {
    throw marsim::ConfigError("", "--uav", fmt::format("'{}'", options.uav),
                              "a namespace such as uav0");
  }
  if (!ros::master::check()) {
    throw marsim::Error(
        fmt::format("no ROS master at {}: start the simulation first", ros::master::getURI()));
  }
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  const ros::NodeHandle keeps_ros;
  HandPilot pilot(options.uav, options.speeds, std::move(script));
  bool flown = true;
  if (is_scripted) {
    flown = flyByScript(pilot);
  } else {
    flyByKeyboard(pilot, options.speeds);
  }
  pilot.release();
  ros::WallDuration(kFarewell).sleep();
  return flown ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line("Flies a UAV of a running simulation by the keyboard.", "marsim fly");
  addOptions(line, options);
  std::vector<char*> words = withoutRemappings(argc, argv);
  return line.run(static_cast<int>(words.size()), words.data(), [&] {
    ros::init(argc, argv, "marsim_fly",
              ros::init_options::NoSigintHandler | ros::init_options::AnonymousName);
    options.speeds.press = marsim::toNs(options.press);
    return fly(options);
  });
}
