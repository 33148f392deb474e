// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

/// Damaged files for readers.
namespace marsim {

/// One to four bytes changed, a piece taken out, doubled, or all from some place on.
inline std::string mutated(std::string bytes, RandomStream& random) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(bound));
  };
  switch (below(5)) {
    case 0:
      bytes.erase(below(bytes.size()), below(20) + 1);
      break;
    case 1:
      bytes.insert(below(bytes.size()), bytes.substr(below(bytes.size()), below(40) + 1));
      break;
    case 2:
      bytes.resize(below(bytes.size()));
      break;
    default:
      for (std::size_t i = below(4) + 1; i > 0; --i) {
        bytes[below(bytes.size())] = static_cast<char>(below(256));
      }
  }
  return bytes;
}

/// Bounds the memory that this program may take beyond what it has, and ends it with SIGALRM where
/// it takes 10 s of wall time: only a hang takes so long, even with sanitizers.
class ReadingBounds {
 public:
  ReadingBounds() {
    alarm(10);
    getrlimit(RLIMIT_DATA, &before_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map terabytes
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmData:") continue;
    rlim_t kibi = 0;
    if (!(status >> kibi)) return;
    rlimit bounds = before_;
    bounds.rlim_cur = std::min(bounds.rlim_max, 1024 * kibi + 200'000'000);
    setrlimit(RLIMIT_DATA, &bounds);
#endif
  }
  ~ReadingBounds() {
    alarm(0);
    setrlimit(RLIMIT_DATA, &before_);
  }
  ReadingBounds(const ReadingBounds&) = delete;
  ReadingBounds& operator=(const ReadingBounds&) = delete;

 private:
  rlimit before_{};
};

/// Writes a whole file and 50 damaged ones to `path`; each is read or ends in an error of one line,
/// within 200 MB.
template <class Read>
void expectErrorsOrResults(const std::filesystem::path& path, const std::string& whole,
                           const Read& read) {
  const auto write = [&path](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  write(whole);
  ASSERT_NO_THROW(read(path)) << path;
  RandomStream random(7);
  for (int i = 0; i < 50; ++i) {
    write(mutated(whole, random));
    const ReadingBounds bounds;
    try {
      read(path);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << path << ", mutation " << i << ": " << error.what();
    }
  }
}

}  // namespace marsim
