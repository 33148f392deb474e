// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/mcap_file.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dataset/append_bytes.hpp"

namespace marsim::dataset {
namespace {

constexpr char kMagic[] = "\x89MCAP0\r\n";
constexpr std::size_t kChunkSize = std::size_t{1} << 20U;
// Types of the specification's records.
constexpr std::uint8_t kHeader = 0x01, kFooter = 0x02, kSchema = 0x03, kChannel = 0x04,
                       kMessage = 0x05, kChunk = 0x06, kMessageIndex = 0x07, kChunkIndex = 0x08,
                       kStatistics = 0x0B, kDataEnd = 0x0F;

void append(const std::string& text, std::string& bytes) {
  appendBytes(static_cast<std::uint32_t>(text.size()), bytes);
  bytes += text;
}

std::string record(std::uint8_t opcode, const std::string& content) {
  std::string bytes;
  appendBytes(opcode, bytes);
  appendBytes(static_cast<std::uint64_t>(content.size()), bytes);
  return bytes + content;
}

/// Numbers that follow one another.
template <class... Number>
std::string numbers(Number... values) {
  std::string bytes;
  (appendBytes(values, bytes), ...);
  return bytes;
}

/// Number of a channel, and of its schema.
std::uint16_t idOf(std::size_t channel) { return static_cast<std::uint16_t>(channel + 1); }

template <class Key, class Value>
std::string pairs(const std::map<Key, Value>& map) {
  std::string bytes;
  for (const auto& [key, value] : map) bytes += numbers(key, value);
  return bytes;
}

}  // namespace

McapFile::McapFile(const std::filesystem::path& path, std::vector<McapChannel> channels)
    : channels_(std::move(channels)), file_(path), counts_(channels_.size(), 0) {
  file_.write({kMagic, 8});
  position_ = 8;
  std::string header;
  append("ros2", header);
  append("marsim", header);
  put(kHeader, header);
  const std::string records = channelRecords();
  file_.write(records);
  position_ += records.size();
}

void McapFile::put(std::uint8_t opcode, const std::string& content) {
  const std::string bytes = record(opcode, content);
  file_.write(bytes);
  position_ += bytes.size();
}

// Schemas come first. Both are numbered from 1, as some readers take 0 for none.
std::string McapFile::channelRecords() const {
  std::string schemas, channels;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const std::uint16_t id = idOf(i);
    std::string schema = numbers(id);
    append(channels_[i].type, schema);
    append("ros2msg", schema);
    append(channels_[i].schema, schema);
    schemas += record(kSchema, schema);
    std::string metadata;
    append("offered_qos_profiles", metadata);
    append(channels_[i].qos, metadata);
    append("topic_type_hash", metadata);
    append(channels_[i].type_hash, metadata);
    std::string channel = numbers(id, id);
    append(channels_[i].topic, channel);
    append("cdr", channel);
    append(metadata, channel);
    channels += record(kChannel, channel);
  }
  return schemas + channels;
}

void McapFile::write(std::size_t channel, TimeNs stamp, const std::string& message) {
  const std::uint16_t id = idOf(channel);
  const auto time = static_cast<std::uint64_t>(stamp);
  chunk_first_ = chunk_.empty() ? stamp : std::min(chunk_first_, stamp);
  chunk_last_ = chunk_.empty() ? stamp : std::max(chunk_last_, stamp);
  const bool is_first = std::all_of(counts_.begin(), counts_.end(), [](auto n) { return n == 0; });
  first_ = is_first ? stamp : std::min(first_, stamp);
  last_ = std::max(last_, stamp);
  entries_[id] += numbers(time, static_cast<std::uint64_t>(chunk_.size()));
  const auto sequence = static_cast<std::uint32_t>(counts_[channel]++);
  chunk_ += record(kMessage, numbers(id, sequence, time, time) + message);
  if (chunk_.size() >= kChunkSize) flushChunk();
}

void McapFile::flushChunk() {
  if (chunk_.empty()) return;
  ChunkIndex index{chunk_first_, chunk_last_, position_, 0, chunk_.size(), {}, 0};
  std::string content =
      numbers(static_cast<std::uint64_t>(chunk_first_), static_cast<std::uint64_t>(chunk_last_),
              static_cast<std::uint64_t>(chunk_.size()), std::uint32_t{0});
  append("", content);  // no compression
  appendBytes(static_cast<std::uint64_t>(chunk_.size()), content);
  put(kChunk, content + chunk_);
  index.length = position_ - index.start;
  for (const auto& [channel, entries] : entries_) {
    index.message_indexes[channel] = position_;
    std::string entry = numbers(channel);
    append(entries, entry);
    put(kMessageIndex, entry);
  }
  index.message_index_length = position_ - index.start - index.length;
  chunks_.push_back(std::move(index));
  chunk_.clear();
  entries_.clear();
}

std::string McapFile::statistics() const {
  std::map<std::uint16_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts[idOf(i)] = counts_[i];
  const auto all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  const auto channels = static_cast<std::uint32_t>(channels_.size());
  std::string content =
      numbers(all, static_cast<std::uint16_t>(channels), channels, std::uint32_t{0},
              std::uint32_t{0}, static_cast<std::uint32_t>(chunks_.size()),
              static_cast<std::uint64_t>(first_), static_cast<std::uint64_t>(last_));
  append(pairs(counts), content);
  return content;
}

std::string McapFile::chunkIndexRecords() const {
  std::string records;
  for (const ChunkIndex& chunk : chunks_) {
    std::string content =
        numbers(static_cast<std::uint64_t>(chunk.first), static_cast<std::uint64_t>(chunk.last),
                chunk.start, chunk.length);
    append(pairs(chunk.message_indexes), content);
    appendBytes(chunk.message_index_length, content);
    append("", content);  // no compression
    content += numbers(chunk.size, chunk.size);
    records += record(kChunkIndex, content);
  }
  return records;
}

void McapFile::close() {
  flushChunk();
  put(kDataEnd, numbers(std::uint32_t{0}));
  const std::uint64_t summary_start = position_;
  file_.write(channelRecords());
  file_.write(record(kStatistics, statistics()));
  file_.write(chunkIndexRecords());
  file_.write(record(kFooter, numbers(summary_start, std::uint64_t{0}, std::uint32_t{0})));
  file_.write({kMagic, 8});
  file_.close();
}

}  // namespace marsim::dataset
