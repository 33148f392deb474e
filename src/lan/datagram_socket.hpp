// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace marsim {

/// One end of a UDP exchange (IPv4), in the machine's byte order.
struct Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;

  bool operator==(const Endpoint& other) const {
    return address == other.address && port == other.port;
  }
};

/// "192.168.1.10:11612".
std::string toString(const Endpoint& endpoint);
/// Looks up a host's name or number. Throws Error if the name is not known.
Endpoint resolveEndpoint(const std::string& host, std::uint16_t port);

/// A UDP socket.
class DatagramSocket {
 public:
  /// Port 0: any free one. Throws Error if the address is not this machine's or the port is taken.
  explicit DatagramSocket(const Endpoint& local);
  ~DatagramSocket();
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  Endpoint local() const;
  /// Returns false if the network refuses it, for example without a cable. From any thread.
  bool send(const Endpoint& to, const void* data, std::size_t size);
  /// Waits for a datagram, puts its bytes into `data` and returns its sender; none after the
  /// time-out.
  std::optional<Endpoint> receive(std::vector<std::uint8_t>& data,
                                  std::chrono::milliseconds timeout);

 private:
  int file_ = -1;
};

}  // namespace marsim
