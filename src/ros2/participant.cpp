// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/participant.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <fastdds/rtps/common/WriteParams.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#include <fastrtps/utils/IPLocator.h>
#include <fmt/format.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>

#include "dataset/cdr.hpp"
#include "marsim/common/error.hpp"

namespace marsim::ros2 {
namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastdds::rtps::SharedMemTransportDescriptor;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::types::ReturnCode_t;

constexpr char kPackage[] = "Fast DDS";
constexpr std::size_t kLongestInput = 8U << 20U;            // [bytes] of a received message
constexpr std::size_t kLeastMemory = 8U << 20U;             // [bytes] of the shared segment
constexpr std::size_t kMostMemory = 256U << 20U;            // likewise
constexpr std::size_t kMessagesInMemory = 3;                // largest ones
constexpr std::uint32_t kSocketBuffer = 4U << 20U;          // [bytes]
constexpr std::uint32_t kLocalParticipants = 32;            // of a machine, as rmw_fastrtps has it
constexpr std::size_t kLightQueue = 4000, kHeavyQueue = 1;  // messages that wait for sending
constexpr std::uint32_t kUsualSize = 512;                   // [bytes] of a message at first
constexpr std::chrono::milliseconds kReplyPatience{500}, kReplyPoll{5};
constexpr char kMulticast[] = "239.255.0.1";     // discovery, by the RTPS standard
constexpr std::size_t kPrefix = 2;               // characters: rt, rq or rr
constexpr std::size_t kWideGid = 24, kGid = 16;  // [bytes]

/// A message is its bytes in CDR.
class CdrType final : public dds::TopicDataType {
 public:
  explicit CdrType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = kUsualSize;
    // Types are compared by their names alone, as rmw_fastrtps does it.
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void* data, rtps::SerializedPayload_t* payload) override {
    const std::string& bytes = *static_cast<const std::string*>(data);
    if (bytes.size() > payload->max_size) return false;
    std::memcpy(payload->data, bytes.data(), bytes.size());
    payload->length = static_cast<std::uint32_t>(bytes.size());
    payload->encapsulation = CDR_LE;
    return true;
  }
  bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
    // Longer ones are left empty, which no message is.
    std::string& bytes = *static_cast<std::string*>(data);
    bytes.clear();
    if (payload->length > kLongestInput) return true;
    bytes.assign(reinterpret_cast<const char*>(payload->data), payload->length);
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<std::uint32_t>(static_cast<std::string*>(data)->size()); };
  }
  void* createData() override { return new std::string(); }
  void deleteData(void* data) override { delete static_cast<std::string*>(data); }
  bool getKey(void* /*data*/, rtps::InstanceHandle_t* /*handle*/, bool /*md5*/) override {
    return false;
  }
};

/// "sensor_msgs::msg::dds_::Imu_" for "sensor_msgs/msg/Imu"; DDS' own names unchanged.
std::string ddsName(const std::string& name) {
  const std::size_t message = name.rfind('/'), package = name.find('/');
  if (package == std::string::npos) return name;
  return name.substr(0, package) + "::" + name.substr(package + 1, message - package - 1) +
         "::dds_::" + name.substr(message + 1) + "_";
}

template <class Text>
std::vector<rtps::octet> octets(const Text& text) {
  return {text.begin(), text.end()};
}

template <class Pointer>
Pointer* made(Pointer* made, const std::string& what) {
  if (made == nullptr) throw Error(fmt::format("{} cannot make {}", kPackage, what));
  return made;
}

class TopicWriter;

/// A message and, for a reply, the request that it answers.
struct Outgoing {
  TopicWriter* writer;
  std::string cdr;
  rtps::SampleIdentity request{};
};

/// A thread that sends messages; a full queue drops the oldest one.
class SendThread {
 public:
  explicit SendThread(std::size_t most) : most_(most), thread_([this] { run(); }) {}
  ~SendThread() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void push(Outgoing message);

 private:
  void run();

  std::size_t most_;
  std::mutex mutex_;  ///< guards the next three
  std::condition_variable changed_;
  std::deque<Outgoing> waiting_;
  bool is_over_ = false;
  std::thread thread_;
};

class TopicWriter final : public Publication, public dds::DataWriterListener {
 public:
  TopicWriter(std::string topic, bool is_latched)
      : topic_(std::move(topic)), is_latched_(is_latched) {}
  bool wanted() const override { return is_latched_ || readers_ > 0; }
  void write(std::string cdr) override {
    if (on_write_) on_write_(cdr);
    if (wanted()) thread_->push({this, std::move(cdr)});
  }
  void on_publication_matched(dds::DataWriter* /*writer*/,
                              const dds::PublicationMatchedStatus& status) override {
    readers_ = status.current_count;
    const std::lock_guard<std::mutex> lock(mutex_);
    const rtps::GUID_t reader = rtps::iHandle2GUID(status.last_subscription_handle);
    if (status.current_count_change > 0) {
      matched_.insert(reader);
    } else {
      matched_.erase(reader);
    }
  }
  void send(Outgoing& message) {
    rtps::WriteParams parameters;
    parameters.related_sample_identity(message.request);
    if (!isHeard(message.request) || !writer_->write(&message.cdr, parameters)) ++dropped_;
  }

  std::string topic_;
  bool is_latched_;
  Participant::OnMessage on_write_;  ///< may be empty
  std::atomic<int> readers_{0};
  std::atomic<std::uint64_t> dropped_{0};
  dds::DataWriter* writer_ = nullptr;
  std::shared_ptr<SendThread> thread_;

 private:
  /// Waits for the reader of a reply, which this side may discover later than the request.
  bool isHeard(const rtps::SampleIdentity& request) {
    if (request == rtps::SampleIdentity::unknown()) return true;
    const auto end = std::chrono::steady_clock::now() + kReplyPatience;
    while (true) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (matched_.count(request.writer_guid()) > 0) return true;
      }
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(kReplyPoll);
    }
  }
  std::mutex mutex_;
  std::set<rtps::GUID_t> matched_;  ///< readers
};

void SendThread::push(Outgoing message) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_.size() >= most_) {
      ++waiting_.front().writer->dropped_;
      waiting_.pop_front();
    }
    waiting_.push_back(std::move(message));
  }
  changed_.notify_one();
}

void SendThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    if (is_over_) return;
    Outgoing message = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    message.writer->send(message);
    lock.lock();
  }
}

class TopicReader final : public dds::DataReaderListener {
 public:
  using On = std::function<void(std::string cdr, const dds::SampleInfo& info)>;
  explicit TopicReader(On on) : on_(std::move(on)) {}
  void on_data_available(dds::DataReader* reader) override {
    dds::SampleInfo info;
    std::string cdr;
    while (reader->take_next_sample(&cdr, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data) on_(cdr, info);
    }
  }

 private:
  On on_;
};

/// Knows the topics that other participants offer.
class Discovery final : public dds::DomainParticipantListener {
 public:
  struct Offered {
    std::string type;
    bool is_reliable = false;
    int writers = 0;
  };
  void on_publisher_discovery(dds::DomainParticipant* participant,
                              rtps::WriterDiscoveryInfo&& info) override {
    using Info = rtps::WriterDiscoveryInfo;
    if (info.info.guid().guidPrefix == participant->guid().guidPrefix) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    Offered& offered = topics_[info.info.topicName().to_string()];
    if (info.status == Info::DISCOVERED_WRITER) {
      ++offered.writers;
      offered.type = info.info.typeName().to_string();
      offered.is_reliable = info.info.m_qos.m_reliability.kind == dds::RELIABLE_RELIABILITY_QOS;
    } else if (info.status == Info::REMOVED_WRITER) {
      --offered.writers;
    }
  }
  Offered of(const std::string& topic) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return topics_[topic];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Offered> topics_;
};

void addPeer(const std::string& address, rtps::LocatorList_t& peers) {
  const auto found = rtps::IPLocator::resolveNameDNS(address).first;
  if (found.empty()) {
    throw ConfigError("environment", "ROS_STATIC_PEERS", fmt::format("'{}'", address),
                      "addresses and names of machines");
  }
  rtps::Locator_t locator;
  locator.kind = LOCATOR_KIND_UDPv4;
  rtps::IPLocator::setIPv4(locator, *found.begin());
  peers.push_back(locator);  // without a port: those of the machine's first participants
}

dds::DomainParticipantQos qosOf(const Environment& environment, const Transport& transport) {
  dds::DomainParticipantQos qos;
  qos.name("marsim");
  qos.user_data().setValue(octets(std::string("enclave=/;")));
  qos.transport().use_builtin_transports = false;
  if (transport.shares_memory) {
    const auto memory = std::make_shared<SharedMemTransportDescriptor>();
    memory->segment_size(static_cast<std::uint32_t>(
        std::clamp(kMessagesInMemory * transport.largest, kLeastMemory, kMostMemory)));
    qos.transport().user_transports.push_back(memory);
  }
  const auto udp = std::make_shared<UDPv4TransportDescriptor>();
  udp->sendBufferSize = udp->receiveBufferSize = kSocketBuffer;
  udp->maxInitialPeersRange = kLocalParticipants;
  auto& peers = qos.wire_protocol().builtin.initialPeersList;
  if (environment.is_local) {
    udp->interfaceWhiteList = {"127.0.0.1"};
    addPeer("127.0.0.1", peers);
  }
  for (const std::string& peer : environment.peers) addPeer(peer, peers);
  if (!environment.peers.empty()) addPeer(kMulticast, peers);
  qos.transport().user_transports.push_back(udp);
  return qos;
}

}  // namespace

struct Participant::Parts {
  Discovery discovery;
  dds::DomainParticipant* participant = nullptr;
  dds::Publisher* publisher = nullptr;
  dds::Subscriber* subscriber = nullptr;
  bool has_wide_gids = false;
  std::set<std::string> types;
  std::shared_ptr<SendThread> light = std::make_shared<SendThread>(kLightQueue);
  std::shared_ptr<SendThread> replies = std::make_shared<SendThread>(kLightQueue);
  std::vector<std::unique_ptr<TopicWriter>> writers;
  std::vector<std::unique_ptr<TopicReader>> readers;
  using Endpoints = std::vector<std::pair<std::string, rtps::GUID_t>>;  ///< by topic
  Endpoints written, read;

  std::set<std::string> subscribed;  ///< by subscribeOffered()

  dds::Topic* topicOf(const std::string& name, const Type& type);
  TopicWriter& advertise(const std::string& name, const Type& type, const Offer& offer);
  void subscribe(const std::string& name, const Type& type, bool is_reliable, TopicReader::On on);
  void addGid(const rtps::GUID_t& guid, dataset::Cdr& cdr) const;
};

Participant::Participant(const Environment& environment, const Transport& transport)
    : parts_(std::make_unique<Parts>()) {
  // Its log is for its own developers: a reader that went away is an error there.
  dds::Log::ClearConsumers();
  removeLeftovers();
  parts_->has_wide_gids = environment.has_wide_gids;
  parts_->participant =
      made(dds::DomainParticipantFactory::get_instance()->create_participant(
               static_cast<dds::DomainId_t>(environment.domain), qosOf(environment, transport),
               &parts_->discovery, dds::StatusMask::none()),
           fmt::format("a participant in domain {}", environment.domain));
  parts_->publisher = made(parts_->participant->create_publisher({}), "a publisher");
  parts_->subscriber = made(parts_->participant->create_subscriber({}), "a subscriber");
}

Participant::~Participant() {
  // No thread sends while the writers are deleted.
  parts_->light.reset();
  parts_->replies.reset();
  for (const auto& writer : parts_->writers) writer->thread_.reset();
  parts_->participant->delete_contained_entities();
  dds::DomainParticipantFactory::get_instance()->delete_participant(parts_->participant);
}

dds::Topic* Participant::Parts::topicOf(const std::string& name, const Type& type) {
  const std::string type_name = ddsName(type.name);
  if (types.insert(type_name).second) {
    participant->register_type(dds::TypeSupport(new CdrType(type_name)));
  }
  return made(participant->create_topic(name, type_name, {}), fmt::format("the topic {}", name));
}

TopicWriter& Participant::Parts::advertise(const std::string& name, const Type& type,
                                           const Offer& offer) {
  dds::DataWriterQos qos;
  qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
  qos.reliability().max_blocking_time = {0, 100'000'000};
  qos.durability().kind =
      offer.is_latched ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = offer.depth;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.publish_mode().kind = dds::SYNCHRONOUS_PUBLISH_MODE;
  // Lost parts of the last message are asked for after the next heartbeat.
  qos.reliable_writer_qos().times.heartbeatPeriod = {0, 200'000'000};
  qos.writer_data_lifecycle().autodispose_unregistered_instances = false;
  qos.user_data().setValue(octets(fmt::format("typehash={};", type.hash)));
  auto writer = std::make_unique<TopicWriter>(name, offer.is_latched);
  writer->thread_ = offer.is_heavy ? std::make_shared<SendThread>(kHeavyQueue) : light;
  writer->writer_ = made(publisher->create_datawriter(topicOf(name, type), qos, writer.get()),
                         fmt::format("a writer of {}", name));
  written.emplace_back(name, writer->writer_->guid());
  writers.push_back(std::move(writer));
  return *writers.back();
}

Publication& Participant::advertise(const std::string& topic, const Type& type,
                                    const Offer& offer) {
  return parts_->advertise("rt" + topic, type, offer);
}

void Participant::Parts::subscribe(const std::string& name, const Type& type, bool is_reliable,
                                   TopicReader::On on) {
  dds::DataReaderQos qos;
  qos.reliability().kind =
      is_reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = 10;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  const std::string hash = type.hash;
  if (!hash.empty()) qos.user_data().setValue(octets(fmt::format("typehash={};", hash)));
  readers.push_back(std::make_unique<TopicReader>(std::move(on)));
  const dds::DataReader* const reader =
      made(subscriber->create_datareader(topicOf(name, type), qos, readers.back().get()),
           fmt::format("a reader of {}", name));
  read.emplace_back(name, reader->guid());
}

void Participant::subscribe(const std::string& topic, const Type& type, bool is_reliable,
                            OnMessage on) {
  parts_->subscribe("rt" + topic, type, is_reliable,
                    [on = std::move(on)](std::string cdr, const dds::SampleInfo& /*info*/) {
                      on(std::move(cdr));
                    });
}

// As rmw_fastrtps: a request names its reader of replies, a reply that reader and the request's
// number. rmw_cyclonedds has both in the message, where Fast DDS' programs have nothing.
void Participant::serve(const std::string& service, const Service& type, OnRequest on) {
  TopicWriter& writer = parts_->advertise("rr" + service + "Reply", type.response, {});
  writer.thread_ = parts_->replies;
  const auto take = [&writer, on = std::move(on)](std::string cdr, const dds::SampleInfo& info) {
    rtps::SampleIdentity caller = info.sample_identity;
    caller.writer_guid(info.related_sample_identity.writer_guid());
    const bool is_known = caller.writer_guid() != rtps::GUID_t::unknown();
    const Respond respond = [&writer, caller](std::string reply) {
      writer.thread_->push({&writer, std::move(reply), caller});
    };
    on(std::move(cdr), is_known ? respond : Respond());
  };
  parts_->subscribe("rq" + service + "Request", type.request, true, take);
}

bool Participant::subscribeOffered(const std::string& topic, const OnMessage& on) {
  const Discovery::Offered offered = parts_->discovery.of("rt" + topic);
  if (offered.writers > 0 && parts_->subscribed.insert(topic).second) {
    subscribe(topic, {offered.type.c_str(), ""}, offered.is_reliable, on);
  }
  return offered.writers > 0;
}

void Participant::watch(const std::string& topic, OnMessage on) {
  for (const auto& writer : parts_->writers) {
    if (writer->topic_ == "rt" + topic) writer->on_write_ = on;
  }
}

void Participant::Parts::addGid(const rtps::GUID_t& guid, dataset::Cdr& cdr) const {
  for (const rtps::octet byte : guid.guidPrefix.value) cdr.add(byte);
  for (const rtps::octet byte : guid.entityId.value) cdr.add(byte);
  for (std::size_t i = kGid; has_wide_gids && i < kWideGid; ++i) cdr.add(std::uint8_t{0});
}

void Participant::announce(const std::string& node, const std::vector<std::string>& namespaces) {
  const auto longest = [&namespaces](const std::string& name) {
    const std::string path = name.substr(kPrefix);
    std::string found;
    for (const std::string& space : namespaces) {
      const std::string begin = space == "/" ? space : space + "/";
      if (path.rfind(begin, 0) == 0 && space.size() > found.size()) found = space;
    }
    return found;
  };
  dataset::Cdr cdr;
  parts_->addGid(parts_->participant->guid(), cdr);
  cdr.add(static_cast<std::uint32_t>(namespaces.size()));
  for (const std::string& space : namespaces) {
    cdr.add(space);
    cdr.add(node);
    for (const Parts::Endpoints& endpoints : {parts_->read, parts_->written}) {
      std::vector<rtps::GUID_t> guids;
      for (const auto& [name, guid] : endpoints) {
        if (longest(name) == space) guids.push_back(guid);
      }
      cdr.add(static_cast<std::uint32_t>(guids.size()));
      for (const rtps::GUID_t& guid : guids) parts_->addGid(guid, cdr);
    }
  }
  parts_->advertise("ros_discovery_info", dataset::ros2_types::kParticipantEntitiesInfo, {1, true})
      .write(cdr.take());
}

int Participant::readers(const std::string& topic) const {
  int count = 0;
  for (const auto& writer : parts_->writers) {
    if (writer->topic_ == "rt" + topic) count += writer->readers_;
  }
  return count;
}

std::vector<std::pair<std::string, std::uint64_t>> Participant::dropped() const {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const auto& writer : parts_->writers) {
    if (writer->dropped_ > 0) counts.emplace_back(writer->topic_.substr(kPrefix), writer->dropped_);
  }
  return counts;
}

}  // namespace marsim::ros2
