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
/// Of a host's name or number. Throws Error where the name is not known.
Endpoint resolveEndpoint(const std::string& host, std::uint16_t port);

/// A UDP socket.
class DatagramSocket {
 public:
  /// Port 0: any free one. Throws Error where the address is not this machine's or the port taken.
  explicit DatagramSocket(const Endpoint& local);
  ~DatagramSocket();
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  Endpoint local() const;
  /// False where the network refuses it, as one without a cable does. From any thread.
  bool send(const Endpoint& to, const void* data, std::size_t size);
  /// Waits for a datagram, puts its bytes into `data` and returns where it came from; none after
  /// the timeout.
  std::optional<Endpoint> receive(std::vector<std::uint8_t>& data,
                                  std::chrono::milliseconds timeout);

 private:
  int file_ = -1;
};

}  // namespace marsim
