// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <dds/dds.h>
#include <gtest/gtest.h>

#include "ros2.h"

namespace marsim {

constexpr double kPatience = 40.0;  // [s] on a machine with much else to do

/// A participant of Cyclone DDS, set up as rmw_cyclonedds does it for LOCALHOST. Without hashes of
/// keys Fast DDS 2.9 does not hear that one of its readers is deleted.
class Cyclone {
 public:
  explicit Cyclone(int domain) {
    const std::string config =
        "<General><Interfaces><NetworkInterface address='127.0.0.1'/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto"
        "</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>"
        "<Peer address='localhost'/></Peers></Discovery>"
        "<Internal><GenerateKeyhash>true</GenerateKeyhash><SocketReceiveBufferSize "
        "max='10MB'/></Internal>";
    domain_ = dds_create_domain(static_cast<dds_domainid_t>(domain), config.c_str());
    participant_ = dds_create_participant(static_cast<dds_domainid_t>(domain), nullptr, nullptr);
    EXPECT_GT(participant_, 0);
  }
  ~Cyclone() {
    dds_delete(participant_);
    dds_delete(domain_);
  }
  Cyclone(const Cyclone&) = delete;
  Cyclone& operator=(const Cyclone&) = delete;

  dds_entity_t participant() const { return participant_; }
  dds_entity_t topic(const std::string& name, const dds_topic_descriptor_t& type) const {
    return dds_create_topic(participant_, &type, name.c_str(), nullptr, nullptr);
  }

 private:
  dds_entity_t domain_, participant_;
};

struct Reading {
  bool is_reliable = true, is_latched = false;
};

/// Reads a topic; all samples stay until the reader is deleted.
template <class Message>
class CycloneReader {
 public:
  CycloneReader(const Cyclone& cyclone, const std::string& topic,
                const dds_topic_descriptor_t& type, Reading reading = {}) {
    dds_qos_t* const qos = dds_create_qos();
    dds_qset_reliability(
        qos, reading.is_reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
        DDS_SECS(1));
    dds_qset_durability(
        qos, reading.is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
    reader_ = dds_create_reader(cyclone.participant(), cyclone.topic(topic, type), qos, nullptr);
    dds_delete_qos(qos);
    EXPECT_GT(reader_, 0) << topic;
  }
  ~CycloneReader() { dds_delete(reader_); }
  CycloneReader(const CycloneReader&) = delete;
  CycloneReader& operator=(const CycloneReader&) = delete;

  /// Waits until it knows a writer.
  bool waitForWriter() const {
    dds_subscription_matched_status_t status{};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    while (status.current_count == 0 && std::chrono::steady_clock::now() < end) {
      dds_get_subscription_matched_status(reader_, &status);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return status.current_count > 0;
  }
  /// Calls `see` for each new message.
  int takeAll(const std::function<void(const Message&)>& see) {
    int count = 0;
    void* sample = nullptr;
    dds_sample_info_t info;
    while (dds_take(reader_, &sample, &info, 1, 1) > 0) {
      if (info.valid_data) {
        ++count;
        see(*static_cast<const Message*>(sample));
      }
      dds_return_loan(reader_, &sample, 1);
      sample = nullptr;
    }
    return count;
  }
  /// Whether a message for which `is_right` holds comes in time.
  bool waitFor(const std::function<bool(const Message&)>& is_right, double seconds = kPatience) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    bool has_come = false;
    while (!has_come && std::chrono::steady_clock::now() < end) {
      takeAll([&](const Message& message) { has_come = has_come || is_right(message); });
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return has_come;
  }

 private:
  dds_entity_t reader_;
};

/// Whether a message for which `is_right` holds comes in time.
template <class Message>
bool comes(const Cyclone& cyclone, const std::string& topic, const dds_topic_descriptor_t& type,
           const std::function<bool(const Message&)>& is_right, Reading reading = {}) {
  return CycloneReader<Message>(cyclone, topic, type, reading).waitFor(is_right);
}

/// Publishes on a topic, reliably.
template <class Message>
class CycloneWriter {
 public:
  CycloneWriter(const Cyclone& cyclone, const std::string& topic,
                const dds_topic_descriptor_t& type) {
    dds_qos_t* const qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    writer_ = dds_create_writer(cyclone.participant(), cyclone.topic(topic, type), qos, nullptr);
    dds_delete_qos(qos);
    EXPECT_GT(writer_, 0) << topic;
  }
  ~CycloneWriter() { dds_delete(writer_); }
  CycloneWriter(const CycloneWriter&) = delete;
  CycloneWriter& operator=(const CycloneWriter&) = delete;

  bool waitForReader(double seconds = kPatience) {
    dds_publication_matched_status_t status{};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (status.current_count == 0 && std::chrono::steady_clock::now() < end) {
      dds_get_publication_matched_status(writer_, &status);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return status.current_count > 0;
  }
  void write(const Message& message) { EXPECT_EQ(dds_write(writer_, &message), DDS_RETCODE_OK); }

 private:
  dds_entity_t writer_;
};

}  // namespace marsim
