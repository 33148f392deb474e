// SPDX-License-Identifier: BSD-3-Clause
#include "lan/datagram_session.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace marsim {
namespace {

constexpr std::size_t kTag = std::tuple_size_v<HmacKey::Tag>;

// Numbers in memory order; all machines have the same byte order (x86, ARM).
template <class Number>
void append(const Number& number, std::vector<std::uint8_t>& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof(number));
}

/// The bytes that a tag covers; `signed_bytes` are payload, run and sequence.
std::string covered(const std::string& from, const std::string& to, std::uint64_t receiver_run,
                    const std::uint8_t* signed_bytes, std::size_t size) {
  std::string text = "marsim datagram";
  for (const std::string* name : {&from, &to}) {
    text += '\0';
    text += *name;
  }
  text += '\0';
  text.append(reinterpret_cast<const char*>(&receiver_run), sizeof(receiver_run));
  text.append(reinterpret_cast<const char*>(signed_bytes), size);
  return text;
}

}  // namespace

bool ReplayWindow::accept(std::uint32_t sequence) {
  if (sequence > newest_) {
    seen_ <<= sequence - newest_;
    newest_ = sequence;
    seen_.set(0);
    return true;
  }
  const std::uint32_t age = newest_ - sequence;
  if (age >= seen_.size() || seen_.test(age)) return false;
  seen_.set(age);
  return true;
}

DatagramSession::DatagramSession(HmacKey key, std::string own, std::string other)
    : key_(std::move(key)), own_(std::move(own)), other_(std::move(other)) {}

std::vector<std::uint8_t> DatagramSession::seal(std::vector<std::uint8_t> payload,
                                                std::uint64_t own_run) {
  return seal(std::move(payload), own_run, other_run_);
}

std::vector<std::uint8_t> DatagramSession::sealGreeting(std::vector<std::uint8_t> payload,
                                                        std::uint64_t own_run) {
  return seal(std::move(payload), own_run, 0);
}

std::vector<std::uint8_t> DatagramSession::seal(std::vector<std::uint8_t> payload,
                                                std::uint64_t own_run, std::uint64_t receiver_run) {
  std::vector<std::uint8_t> datagram = std::move(payload);
  datagram.reserve(datagram.size() + kTrailer);
  append(own_run, datagram);
  append(++sent_, datagram);
  const HmacKey::Tag tag =
      key_.tag(covered(own_, other_, receiver_run, datagram.data(), datagram.size()));
  datagram.insert(datagram.end(), tag.begin(), tag.end());
  return datagram;
}

DatagramSession::Verdict DatagramSession::open(std::vector<std::uint8_t>& datagram,
                                               std::uint64_t own_run) {
  if (datagram.size() < kTrailer) return Verdict::kForged;
  HmacKey::Tag tag{};
  const std::size_t size = datagram.size() - kTag;
  std::copy_n(datagram.data() + size, kTag, tag.begin());
  const auto isFor = [&](std::uint64_t receiver_run) {
    return key_.verifies(covered(other_, own_, receiver_run, datagram.data(), size), tag);
  };
  Verdict if_new = Verdict::kAccepted;
  if (!isFor(own_run)) {
    if (!isFor(0)) return Verdict::kForged;
    if_new = Verdict::kGreeting;
  }
  std::uint64_t run = 0;
  std::uint32_t sequence = 0;
  const std::size_t payload = datagram.size() - kTrailer;
  std::memcpy(&run, datagram.data() + payload, sizeof(run));
  std::memcpy(&sequence, datagram.data() + payload + sizeof(run), sizeof(sequence));
  datagram.resize(payload);
  return take(run, sequence, if_new);
}

void DatagramSession::doubt() {
  if (!key_.isSecret()) forget();
}

std::uint64_t DatagramSession::runAbove(std::uint64_t known, std::uint64_t own,
                                        std::uint32_t random) {
  constexpr std::uint64_t kLargest =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint32_t>::max();
  return known > own && known < kLargest ? known + 1 + random : own;
}

void DatagramSession::forget() {
  other_run_ = 0;
  is_confirmed_ = false;
  window_ = ReplayWindow();
}

DatagramSession::Verdict DatagramSession::take(std::uint64_t run, std::uint32_t sequence,
                                               Verdict if_new) {
  if (run < other_run_) return Verdict::kReplayed;
  if (run > other_run_) {
    forget();
    other_run_ = run;
  }
  if (!window_.accept(sequence)) return Verdict::kReplayed;
  is_confirmed_ = is_confirmed_ || if_new == Verdict::kAccepted;
  return if_new;
}

}  // namespace marsim
