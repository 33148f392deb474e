// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/bounds.hpp"
#include "marsim/common/time.hpp"
#include "marsim/common/units.hpp"

namespace marsim::control {

/// Meanings of keys in flight by the keyboard.
enum class Key {
  kForward,
  kBack,
  kLeft,
  kRight,
  kUp,
  kDown,
  kTurnLeft,
  kTurnRight,
  kTakeControl,
  kLand,
  kHelp,
  kQuit,
  kStop,  ///< any other
};

/// Reads keys from the bytes of a terminal in raw mode; arrows are sequences of three.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  /// Call it when no more bytes come for a while: an unfinished sequence is then the key Esc.
  std::vector<Key> idle();

 private:
  std::string begun_;
};

/// Speeds and steps per press of a key.
struct KeySpeeds {
  static constexpr Bounds kSpeeds{0.0, 30.0}, kTurns{0.0, 2.0 * kPi}, kPresses{0.02, 10.0};

  double forward = 3.0;         ///< [m/s] w, s
  double side = 2.0;            ///< [m/s] a, d
  double climb = 0.5;           ///< [m/s] up, down
  double turn = radians(20.0);  ///< [rad/s] left, right
  TimeNs press = 500'000'000;   ///< duration of a press

  /// Throws ConfigError.
  void validate(const std::string& where) const;
};

/// A velocity in the levelled body frame, x forward.
struct BodyVelocity {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s]
  double yaw_rate = 0.0;                        ///< [rad/s] to the left
};

/// Flies by keys: each press is a velocity for a moment; a newer one replaces it.
class KeyFlight {
 public:
  explicit KeyFlight(const KeySpeeds& speeds) : speeds_(speeds) {}

  void press(Key key, TimeNs now);
  /// The velocity to fly at; none between presses, when the vehicle hovers by itself.
  std::optional<BodyVelocity> at(TimeNs now);

 private:
  BodyVelocity velocityOf(Key key) const;

  KeySpeeds speeds_;
  BodyVelocity velocity_;
  TimeNs until_ = 0;
  bool flies_ = false;
};

/// A key press at a time after the beginning.
struct ScriptedKey {
  TimeNs at;
  Key key;
};

/// Keys to be pressed without a keyboard.
struct KeyScript {
  std::vector<ScriptedKey> keys;
  TimeNs duration = 0;  ///< end of the last press

  /// Reads words: keys (w s a d up down left right k l stop, w*4 for four of them), each beginning
  /// at the previous press's end, and pauses with a unit (4s, 500ms); # begins a comment. Throws
  /// Error naming the word, `where` it is, and the allowed words.
  static KeyScript read(std::string_view text, const std::string& where, const KeySpeeds& speeds);
};

}  // namespace marsim::control
