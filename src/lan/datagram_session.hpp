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
/// receiver's run. Who lacks the key can make none; none is accepted twice, at another machine, or
/// in a later run of its sender or receiver.
///
/// A run is a positive number that rises with every start of a machine's program. Two machines
/// learn each other's by greetings, which are made without the receiver's run.
class DatagramSession {
 public:
  static constexpr std::size_t kTrailer = 8 + 4 + 16;  // bytes: run, sequence, tag

  enum class Verdict {
    kAccepted,
    kGreeting,  ///< authentic, but made without this machine's run: perhaps a recording
    kReplayed,  ///< known already, or of an earlier run
    kForged,    ///< no tag of this key, these machines and these runs
  };

  /// `own` and `other` are the machines' names.
  DatagramSession(HmacKey key, std::string own, std::string other);

  /// The other machine's run, 0 before it is known.
  std::uint64_t otherRun() const { return other_run_; }
  /// Whether it is that of a machine that answers, and not perhaps of a recorded greeting.
  bool isConfirmed() const { return is_confirmed_; }
  std::vector<std::uint8_t> seal(std::vector<std::uint8_t> payload, std::uint64_t own_run);
  std::vector<std::uint8_t> sealGreeting(std::vector<std::uint8_t> payload, std::uint64_t own_run);
  /// Cuts the trailer off where the datagram is accepted or a greeting.
  Verdict open(std::vector<std::uint8_t>& datagram, std::uint64_t own_run);
  /// Call where the other machine is silent and yet datagrams of its are refused as replayed.
  /// Without a secret key anybody can forge runs and sequence numbers that the machine never
  /// exceeds, so those that are known are forgotten; with one they are kept.
  void doubt();
  /// The run of a machine whose run is `own` when another one knows it by `known` already: a larger
  /// one by a random number, or `own` where that is larger or `known` too large to be exceeded.
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
  ReplayWindow window_;  ///< of that run
};

}  // namespace marsim
