// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <fastdds/rtps/common/WriteParams.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>

namespace marsim {

/// Calls a service as rmw_fastrtps does: the request names the reader of replies and each reply
/// that reader and the number of the request. Its participant has Fast DDS' default settings.
class ServiceClient {
 public:
  ServiceClient(int domain, const std::string& service, const std::string& type) {
    using namespace eprosima::fastdds::dds;
    participant_ = DomainParticipantFactory::get_instance()->create_participant(
        static_cast<DomainId_t>(domain), PARTICIPANT_QOS_DEFAULT);
    DataWriterQos writing;
    writing.reliability().kind = RELIABLE_RELIABILITY_QOS;
    writing.history().depth = 10;
    writing.endpoint().history_memory_policy =
        eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    writer_ = participant_->create_publisher({})->create_datawriter(
        topic("rq" + service + "Request", type + "_Request_"), writing);
    DataReaderQos reading;
    reading.reliability().kind = RELIABLE_RELIABILITY_QOS;
    reading.history().depth = 10;
    reading.endpoint().history_memory_policy =
        eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    reader_ = participant_->create_subscriber({})->create_datareader(
        topic("rr" + service + "Reply", type + "_Response_"), reading);
  }
  ~ServiceClient() {
    participant_->delete_contained_entities();
    eprosima::fastdds::dds::DomainParticipantFactory::get_instance()->delete_participant(
        participant_);
  }
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;

  bool waitForServer(double seconds) {
    return holdsIn(seconds, [this] {
      eprosima::fastdds::dds::PublicationMatchedStatus requests;
      eprosima::fastdds::dds::SubscriptionMatchedStatus replies;
      writer_->get_publication_matched_status(requests);
      reader_->get_subscription_matched_status(replies);
      return requests.current_count > 0 && replies.current_count > 0;
    });
  }
  /// Sends a request in CDR.
  void send(std::string cdr) {
    eprosima::fastrtps::rtps::WriteParams parameters;
    parameters.related_sample_identity().writer_guid() = reader_->guid();
    writer_->write(&cdr, parameters);
    number_ = parameters.sample_identity().sequence_number();
  }
  /// Returns the reply to the last request in CDR; empty if none comes.
  std::string reply(double seconds) {
    std::string cdr;
    eprosima::fastdds::dds::SampleInfo info;
    const bool has_come = holdsIn(seconds, [&] {
      if (reader_->take_next_sample(&cdr, &info) != ReturnCode_t::RETCODE_OK) return false;
      const auto& answered = info.related_sample_identity;
      if (info.valid_data && answered.writer_guid() != reader_->guid()) ++of_others_;
      return info.valid_data && answered.writer_guid() == reader_->guid() &&
             answered.sequence_number() == number_;
    });
    return has_come ? cdr : "";
  }
  /// The number of replies to others that were heard.
  int ofOthers() const { return of_others_; }

 private:
  /// A message is its bytes in CDR.
  class Bytes final : public eprosima::fastdds::dds::TopicDataType {
   public:
    explicit Bytes(const std::string& name) {
      setName(name.c_str());
      m_typeSize = 1000;
      auto_fill_type_object(false);
      auto_fill_type_information(false);
    }
    using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;
    bool serialize(void* data, Payload* payload) override {
      const std::string& bytes = *static_cast<std::string*>(data);
      std::memcpy(payload->data, bytes.data(), bytes.size());
      payload->length = static_cast<std::uint32_t>(bytes.size());
      payload->encapsulation = CDR_LE;
      return true;
    }
    bool deserialize(Payload* payload, void* data) override {
      static_cast<std::string*>(data)->assign(reinterpret_cast<char*>(payload->data),
                                              payload->length);
      return true;
    }
    std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
      return [data] { return static_cast<std::uint32_t>(static_cast<std::string*>(data)->size()); };
    }
    void* createData() override { return new std::string(); }
    void deleteData(void* data) override { delete static_cast<std::string*>(data); }
    bool getKey(void* /*data*/, eprosima::fastrtps::rtps::InstanceHandle_t* /*handle*/,
                bool /*md5*/) override {
      return false;
    }
  };
  using ReturnCode_t = eprosima::fastrtps::types::ReturnCode_t;

  eprosima::fastdds::dds::Topic* topic(const std::string& name, const std::string& type) {
    participant_->register_type(eprosima::fastdds::dds::TypeSupport(new Bytes(type)));
    return participant_->create_topic(name, type, {});
  }
  template <class Holds>
  static bool holdsIn(double seconds, const Holds& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

  eprosima::fastdds::dds::DomainParticipant* participant_;
  eprosima::fastdds::dds::DataWriter* writer_;
  eprosima::fastdds::dds::DataReader* reader_;
  eprosima::fastrtps::rtps::SequenceNumber_t number_;
  int of_others_ = 0;
};

}  // namespace marsim
