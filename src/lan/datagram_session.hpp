// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "lan/hmac_key.hpp"

namespace marsim {

/// Accepts every sequence number once, in any order within the newest 1024 (the anti-replay window
/// of IPsec, RFC 4303, section 3.4.3).
class ReplayWindow {
 public:
  bool accept(std::uint32_t sequence);

 private:
  std::bitset<1024> seen_;  ///< by distance from the newest
  std::uint32_t newest_ = 0;
};

/// Authenticated datagrams between this machine and another one. A trailer of 28 bytes holds the
/// sender's run, a sequence number and a tag over them, the payload, both machines' names and the
/// receiver's run. Without the key nobody can make a datagram. None is accepted twice, at another
/// machine, or in a later run of its sender or receiver.
///
/// A run is a positive number that rises with every start of a machine's program. Two machines
/// learn each other's runs by greetings, which are made without the receiver's run.
class DatagramSession {
 public:
  static constexpr std::size_t kTrailer = 8 + 4 + 16;  // bytes: run, sequence, tag

  enum class Verdict {
    kAccepted,
    kGreeting,  ///< authentic, but made without this machine's run: perhaps a recording
    kReplayed,  ///< known already, or from an earlier run
    kForged,    ///< its tag does not match this key, these machines and these runs
  };

  /// `own` and `other` are the machines' names.
  DatagramSession(HmacKey key, std::string own, std::string other);

  /// The other machine's run, 0 while it is unknown.
  std::uint64_t otherRun() const { return other_run_; }
  /// Whether that run answers; if not, it may come from a recorded greeting.
  bool isConfirmed() const { return is_confirmed_; }
  std::vector<std::uint8_t> seal(std::vector<std::uint8_t> payload, std::uint64_t own_run);
  std::vector<std::uint8_t> sealGreeting(std::vector<std::uint8_t> payload, std::uint64_t own_run);
  /// Checks a datagram; cuts its trailer off if it is accepted or a greeting.
  Verdict open(std::vector<std::uint8_t>& datagram, std::uint64_t own_run);
  /// Call it if the other machine is silent while its datagrams are refused as replayed. Without a
  /// secret key anybody can forge runs and sequence numbers that the machine never exceeds, so the
  /// known ones are forgotten; with a key they are kept.
  void doubt();
  /// The next run of a machine with run `own` that another one already knows by `known`: a random
  /// number above `known`, or `own` if that is larger or `known` too large to be exceeded.
  static std::uint64_t runAbove(std::uint64_t known, std::uint64_t own, std::uint32_t random);

 private:
  std::vector<std::uint8_t> seal(std::vector<std::uint8_t> payload, std::uint64_t own_run,
                                 std::uint64_t receiver_run);
  void forget();
  Verdict take(std::uint64_t run, std::uint32_t sequence, Verdict if_new);

  HmacKey key_;
  std::string own_, other_;
  std::uint32_t sent_ = 0;  ///< sequence number of the newest datagram
  std::uint64_t other_run_ = 0;
  bool is_confirmed_ = false;
  ReplayWindow window_;  ///< for that run
};

}  // namespace marsim
