#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "marsim/common/clock_follower.hpp"
#include "marsim/common/datagram_socket.hpp"

namespace marsim {

/// Wall time by this machine's steady clock.
TimeNs wallNow();

struct ClockReading {
  TimeNs wall = 0;        ///< wallNow() when it was read
  TimeNs time = 0;        ///< simulated
  double pace = 1.0;      ///< as in ClockSample
  std::uint32_t run = 0;  ///< as in ClockSample
};

/// Answers other machines that ask what time it is in the simulation.
class ClockServer {
 public:
  /// `read` is called from a thread of its own. Throws as DatagramSocket does.
  ClockServer(const Endpoint& local, std::function<ClockReading()> read);
  ~ClockServer();

  Endpoint local() const { return socket_.local(); }
  std::uint64_t answered() const { return answered_; }

 private:
  void run();

  DatagramSocket socket_;
  std::function<ClockReading()> read_;
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Asks a ClockServer several times a second and follows it.
class ClockClient {
 public:
  /// `rate` [Hz] of questions. Throws as DatagramSocket does, and ConfigError.
  ClockClient(const Endpoint& local, const Endpoint& leader, double rate,
              ClockFollowerConfig config = {});
  ~ClockClient();

  struct Status {
    bool synchronised = false;
    double age = 0.0;          ///< [s] of wall time since the newest answer
    double uncertainty = 0.0;  ///< [s], see ClockFollower
    double error = 0.0;        ///< [s]
    double pace = 0.0;         ///< of the leader
    std::uint64_t asked = 0, answered = 0;
  };
  Status status() const;
  /// The simulated time now (see ClockFollower::at).
  TimeNs now();

 private:
  void run();

  DatagramSocket socket_;
  Endpoint leader_;
  TimeNs period_;
  mutable std::mutex mutex_;  ///< guards what follows
  ClockFollower follower_;
  std::uint64_t asked_ = 0, answered_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace marsim
