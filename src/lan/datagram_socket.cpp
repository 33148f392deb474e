// SPDX-License-Identifier: BSD-3-Clause
#include "lan/datagram_socket.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim {
namespace {

constexpr std::size_t kLargestDatagram = 65'536;  // [bytes]

sockaddr_in toSockaddr(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(endpoint.address);
  address.sin_port = htons(endpoint.port);
  return address;
}

Endpoint fromSockaddr(const sockaddr_in& address) {
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

}  // namespace

std::string toString(const Endpoint& endpoint) {
  const std::uint32_t a = endpoint.address;
  return fmt::format("{}.{}.{}.{}:{}", a >> 24U, (a >> 16U) & 255U, (a >> 8U) & 255U, a & 255U,
                     endpoint.port);
}

Endpoint resolveEndpoint(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int result = getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (result != 0 || found == nullptr) {
    throw Error(fmt::format("{}: no IPv4 address: {}", host, gai_strerror(result)));
  }
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof(address));
  freeaddrinfo(found);
  return {ntohl(address.sin_addr.s_addr), port};
}

DatagramSocket::DatagramSocket(const Endpoint& local)
    : file_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = toSockaddr(local);
  if (file_ >= 0 &&
      bind(file_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return;
  }
  const int reason = errno;
  if (file_ >= 0) close(file_);
  throw Error(fmt::format("{}: cannot be listened on: {}", toString(local), std::strerror(reason)));
}

DatagramSocket::~DatagramSocket() { close(file_); }

Endpoint DatagramSocket::local() const {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(file_, reinterpret_cast<sockaddr*>(&address), &size);
  return fromSockaddr(address);
}

bool DatagramSocket::send(const Endpoint& to, const void* data, std::size_t size) {
  const sockaddr_in address = toSockaddr(to);
  return sendto(file_, data, size, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) == static_cast<ssize_t>(size);
}

std::optional<Endpoint> DatagramSocket::receive(std::vector<std::uint8_t>& data,
                                                std::chrono::milliseconds timeout) {
  pollfd wanted{file_, POLLIN, 0};
  if (poll(&wanted, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  data.resize(kLargestDatagram);
  sockaddr_in from{};
  socklen_t from_size = sizeof(from);
  const ssize_t size = recvfrom(file_, data.data(), data.size(), MSG_DONTWAIT,
                                reinterpret_cast<sockaddr*>(&from), &from_size);
  data.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (size < 0) return std::nullopt;
  return fromSockaddr(from);
}

}  // namespace marsim
