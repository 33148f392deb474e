// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "clock/clock_follower.hpp"
#include "lan/datagram_socket.hpp"
#include "lan/hmac_key.hpp"

namespace marsim {

/// Wall time of this machine's steady clock.
TimeNs wallNow();

struct ClockReading {
  TimeNs wall = 0;        ///< wallNow() at the reading
  TimeNs time = 0;        ///< simulated
  double pace = 1.0;      ///< as in ClockSample
  std::uint32_t run = 0;  ///< as in ClockSample
};

/// A follower's question, in memory order as on the network.
struct ClockQuestion {
  std::uint32_t mark = 0x3251434d;  ///< "MCQ2"
  std::uint32_t nonce = 0;          ///< random, for each question
  TimeNs sent = 0;                  ///< the follower's wall time
};

/// Answers questions of other machines for the simulated time: of the known addresses, and with the
/// key's tag. Each answer carries a tag over its question and itself.
class ClockServer {
 public:
  /// `read` is called from a thread of its own; `known` lists the machines, with any port. Throws
  /// as DatagramSocket does.
  ClockServer(const Endpoint& local, HmacKey key, std::vector<Endpoint> known,
              std::function<ClockReading()> read);
  ~ClockServer();

  Endpoint local() const { return socket_.local(); }
  std::uint64_t answered() const { return answered_; }
  /// Number of questions from unknown addresses or without a tag of the key.
  std::uint64_t refused() const { return refused_; }

 private:
  void run();
  bool isKnown(const Endpoint& from) const;

  DatagramSocket socket_;
  HmacKey key_;
  std::vector<Endpoint> known_;
  std::function<ClockReading()> read_;
  std::atomic<std::uint64_t> answered_{0}, refused_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Asks a ClockServer several times a second and follows its time. Takes one answer for each
/// question, with a tag of the key.
class ClockClient {
 public:
  /// `rate` [Hz] of the questions. Throws as DatagramSocket does, and ConfigError.
  ClockClient(const Endpoint& local, const Endpoint& leader, HmacKey key, double rate,
              ClockFollowerConfig config = {});
  ~ClockClient();

  struct Status {
    bool synchronised = false;
    double age = 0.0;          ///< [s] of wall time since the newest answer
    double uncertainty = 0.0;  ///< [s], see ClockFollower
    double error = 0.0;        ///< [s]
    double pace = 0.0;         ///< the leader's
    std::uint64_t asked = 0, answered = 0;
    std::uint64_t refused = 0;  ///< from elsewhere, to no open question, or without a tag
  };
  Status status() const;
  /// The simulated time now (see ClockFollower::at).
  TimeNs now();

 private:
  void run();
  void ask();
  void take(const Endpoint& from, const std::vector<std::uint8_t>& data, TimeNs received);

  DatagramSocket socket_;
  Endpoint leader_;
  HmacKey key_;
  TimeNs period_;
  std::deque<ClockQuestion> open_;  ///< questions without an answer yet, oldest first
  mutable std::mutex mutex_;        ///< guards the members below
  ClockFollower follower_;
  std::uint64_t asked_ = 0, answered_ = 0, refused_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace marsim
