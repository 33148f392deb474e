// SPDX-License-Identifier: BSD-3-Clause
#include "control/pilot/key_flight.hpp"

#include <array>
#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::control {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::uint64_t kMostRepeats = 10'000;
constexpr double kLongestPause = 86'400.0;  // [s]

constexpr std::array<std::pair<const char*, Key>, 11> kWords{{{"w", Key::kForward},
                                                              {"s", Key::kBack},
                                                              {"a", Key::kLeft},
                                                              {"d", Key::kRight},
                                                              {"up", Key::kUp},
                                                              {"down", Key::kDown},
                                                              {"left", Key::kTurnLeft},
                                                              {"right", Key::kTurnRight},
                                                              {"k", Key::kTakeControl},
                                                              {"l", Key::kLand},
                                                              {"stop", Key::kStop}}};

Key keyOf(char letter) {
  switch (letter) {
    case 'w':
      return Key::kForward;
    case 's':
      return Key::kBack;
    case 'a':
      return Key::kLeft;
    case 'd':
      return Key::kRight;
    case 'k':
      return Key::kTakeControl;
    case 'l':
      return Key::kLand;
    case 'h':
    case '?':
      return Key::kHelp;
    case 'q':
    case '\x03':
      return Key::kQuit;  // Ctrl-C
    default:
      return Key::kStop;
  }
}

Key arrowOf(char letter) {
  switch (letter) {
    case 'A':
      return Key::kUp;
    case 'B':
      return Key::kDown;
    case 'C':
      return Key::kTurnRight;
    case 'D':
      return Key::kTurnLeft;
    default:
      return Key::kStop;
  }
}

bool isMotion(Key key) { return key <= Key::kTurnRight || key == Key::kStop; }

bool isPause(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '.';
}

TimeNs pauseOf(const std::string& word, const std::string& where) {
  double pause = -1.0;
  try {
    pause = parseQuantity(word, Quantity::kTime);
  } catch (const Error&) {
    // Reported below.
  }
  if (pause >= 0.0 && pause <= kLongestPause) return toNs(pause);
  throw Error(fmt::format("{}: '{}' is no pause, allowed: 0s to {:.0f}s, as 4s or 500ms", where,
                          clipped(word), kLongestPause));
}

Key wordOf(const std::string& word, const std::string& where) {
  std::vector<std::string> known;
  for (const auto& [name, key] : kWords) {
    if (word == name) return key;
    known.emplace_back(name);
  }
  known.emplace_back("pauses as 4s");
  throw UnknownNameError(where, "key", clipped(word), known);
}

}  // namespace

// A sequence is Esc [ letter or Esc O letter, with digits and semicolons before the letter.
std::vector<Key> KeyReader::read(std::string_view bytes) {
  std::vector<Key> keys;
  for (const char byte : bytes) {
    if (byte == kEscape) {
      if (!begun_.empty()) keys.push_back(Key::kStop);
      begun_ = byte;
    } else if (begun_.empty()) {
      keys.push_back(keyOf(byte));
    } else if (begun_.size() == 1 && (byte == '[' || byte == 'O')) {
      begun_ += byte;
    } else if (begun_.size() == 1) {  // Alt and a key
      begun_.clear();
      keys.push_back(byte == '\x03' ? Key::kQuit : Key::kStop);
    } else if (std::isalpha(static_cast<unsigned char>(byte)) != 0 || byte == '~') {
      keys.push_back(begun_.size() == 2 ? arrowOf(byte) : Key::kStop);
      begun_.clear();
    } else {
      begun_ += byte;
    }
  }
  return keys;
}

std::vector<Key> KeyReader::idle() {
  if (begun_.empty()) return {};
  begun_.clear();
  return {Key::kStop};
}

void KeySpeeds::validate(const std::string& where) const {
  kSpeeds.require(where, "forward", forward, "m/s");
  kSpeeds.require(where, "side", side, "m/s");
  kSpeeds.require(where, "climb", climb, "m/s");
  kTurns.require(where, "turn", turn, "rad/s");
  kPresses.require(where, "press", toSeconds(press), "s");
}

BodyVelocity KeyFlight::velocityOf(Key key) const {
  BodyVelocity velocity;
  switch (key) {
    case Key::kForward:
      velocity.v.x() = speeds_.forward;
      break;
    case Key::kBack:
      velocity.v.x() = -speeds_.forward;
      break;
    case Key::kLeft:
      velocity.v.y() = speeds_.side;
      break;
    case Key::kRight:
      velocity.v.y() = -speeds_.side;
      break;
    case Key::kUp:
      velocity.v.z() = speeds_.climb;
      break;
    case Key::kDown:
      velocity.v.z() = -speeds_.climb;
      break;
    case Key::kTurnLeft:
      velocity.yaw_rate = speeds_.turn;
      break;
    case Key::kTurnRight:
      velocity.yaw_rate = -speeds_.turn;
      break;
    default:
      break;
  }
  return velocity;
}

void KeyFlight::press(Key key, TimeNs now) {
  velocity_ = velocityOf(key);
  until_ = now + speeds_.press;
  flies_ = true;
}

// After the end once more: zero, so that the vehicle does not fly on.
std::optional<BodyVelocity> KeyFlight::at(TimeNs now) {
  if (!flies_) return std::nullopt;
  if (now < until_) return velocity_;
  flies_ = false;
  return BodyVelocity{};
}

KeyScript KeyScript::read(std::string_view text, const std::string& where,
                          const KeySpeeds& speeds) {
  KeyScript script;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line.substr(0, line.find('#')));
    const std::string place = fmt::format("{}, line {}", where, ++number);
    for (std::string word; words >> word;) {
      if (isPause(word)) {
        script.duration += pauseOf(word, place);
        continue;
      }
      const std::size_t star = word.find('*');
      std::uint64_t count = 1;
      if (star != std::string::npos) {
        const auto given = parseWhole(std::string_view(word).substr(star + 1));
        if (!given || *given < 1 || *given > kMostRepeats) {
          throw Error(fmt::format("{}: '{}' is no number of presses, allowed: 1 to {}, as w*4",
                                  place, clipped(word), kMostRepeats));
        }
        count = *given;
      }
      const Key key = wordOf(word.substr(0, star), place);
      for (std::uint64_t i = 0; i < count; ++i) {
        script.keys.push_back({script.duration, key});
        if (isMotion(key)) script.duration += speeds.press;
      }
    }
  }
  if (script.keys.empty()) {
    throw Error(fmt::format("{}: has no keys, allowed: words as in 'k 4s w*4 left l'", where));
  }
  return script;
}

}  // namespace marsim::control
