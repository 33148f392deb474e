// SPDX-License-Identifier: BSD-3-Clause
#include "common/line_reader.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/input_file.hpp"
#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim {

std::ifstream openInput(const std::filesystem::path& path, std::size_t& size) {
  const FileDescriptor checked = openRegularFile(path, size);
  std::ifstream stream(path, std::ios::binary);
  if (stream) return stream;
  throw FileError(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
}

LineReader::LineReader(std::istream& stream, std::string path, std::size_t before)
    : stream_(stream), path_(std::move(path)), buffer_(kLongest + 1), number_(before) {}

bool LineReader::next() {
  line_ = {};
  stream_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto got = static_cast<std::size_t>(stream_.gcount());
  if (stream_.bad()) {
    throw FileError(path_, fmt::format("line {} cannot be read", number_ + 1));
  }
  if (stream_.fail() && got > 0) {
    throw FileError(path_, fmt::format("line {} is longer than {} bytes, which is the limit",
                                       number_ + 1, withThousands(kLongest)));
  }
  if (stream_.fail()) return false;
  ++number_;
  line_ = {buffer_.data(), got - (stream_.eof() ? 0 : 1)};
  return true;
}

}  // namespace marsim
