// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dataset/growing_file.hpp"
#include "marsim/common/time.hpp"

namespace marsim::dataset {

/// A channel of a file: messages of one type on one topic.
struct McapChannel {
  std::string topic;
  std::string type;       ///< "sensor_msgs/msg/Imu"
  std::string schema;     ///< its definition and those it depends on, as ros2msg
  std::string qos;        ///< offered_qos_profiles
  std::string type_hash;  ///< RIHS01 ...
};

/// A file in the format MCAP (mcap.dev/spec) with the profile of ROS 2, in chunks with an index and
/// without compression. Keeps one chunk, and an index entry of each chunk, in memory. Throws
/// FileError.
class McapFile {
 public:
  McapFile(const std::filesystem::path& path, std::vector<McapChannel> channels);

  /// Writes a message in CDR on the channel of that number.
  void write(std::size_t channel, TimeNs stamp, const std::string& message);
  void close();

  const std::vector<McapChannel>& channels() const { return channels_; }
  std::uint64_t count(std::size_t channel) const { return counts_[channel]; }
  TimeNs first() const { return first_; }
  TimeNs last() const { return last_; }

 private:
  struct ChunkIndex {
    TimeNs first, last;
    std::uint64_t start, length, size;
    std::map<std::uint16_t, std::uint64_t> message_indexes;
    std::uint64_t message_index_length;
  };

  void put(std::uint8_t opcode, const std::string& content);
  void flushChunk();
  std::string channelRecords() const;
  std::string statistics() const;
  std::string chunkIndexRecords() const;

  std::vector<McapChannel> channels_;
  GrowingFile file_;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> counts_;
  TimeNs first_ = 0, last_ = 0;
  // The chunk being filled.
  std::string chunk_;
  TimeNs chunk_first_ = 0, chunk_last_ = 0;
  std::map<std::uint16_t, std::string> entries_;  // by channel: stamp and offset of each message
  std::vector<ChunkIndex> chunks_;
};

}  // namespace marsim::dataset
