#include "lan/datagram_socket.hpp"

#include <fmt/format.h>
#include <poll.h>

#include "marsim/common/error.hpp"

namespace marsim {

namespace asio = boost::asio;
using asio::ip::udp;

std::string toString(const Endpoint& endpoint) {
  return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

Endpoint resolveEndpoint(const std::string& host, std::uint16_t port) {
  asio::io_context context;
  boost::system::error_code error;
  const auto found = udp::resolver(context).resolve(udp::v4(), host, "", error);
  if (error) throw Error(fmt::format("{}: no IPv4 address: {}", host, error.message()));
  return {found.begin()->endpoint().address(), port};
}

DatagramSocket::DatagramSocket(const Endpoint& local) {
  try {
    socket_ = udp::socket(context_, local);
    socket_.non_blocking(true);
  } catch (const boost::system::system_error& error) {
    throw Error(
        fmt::format("{}: cannot be listened on: {}", toString(local), error.code().message()));
  }
}

bool DatagramSocket::send(const Endpoint& to, const void* data, std::size_t size) {
  boost::system::error_code error;
  return socket_.send_to(asio::buffer(data, size), to, 0, error) == size;
}

std::optional<Endpoint> DatagramSocket::receive(std::vector<std::uint8_t>& data,
                                                std::chrono::milliseconds timeout) {
  constexpr std::size_t kLargest = 65'536;  // [bytes]
  pollfd wanted{socket_.native_handle(), POLLIN, 0};
  if (poll(&wanted, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  data.resize(kLargest);
  Endpoint from;
  boost::system::error_code error;
  data.resize(socket_.receive_from(asio::buffer(data), from, 0, error));
  if (error) return std::nullopt;
  return from;
}

}  // namespace marsim
