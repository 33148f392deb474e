// SPDX-License-Identifier: BSD-3-Clause
#include "common/line_reader.hpp"

#include <sstream>

#include <sys/stat.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (LineReader reader(stream, "a.txt"); reader.next();) lines.emplace_back(reader.line());
  return lines;
}

TEST(LineReader, ReadsLinesAsGetlineDoes) {
  const std::string most(LineReader::kLongest, 'x');
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("a\nb"), std::string("a\r\n\n\nb\n"),
        std::string("a\0b\nc\n", 6), most, most + "\n" + most + "\n"}) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    EXPECT_EQ(linesOf(text), lines);
  }
}

TEST(LineReader, RefusesALineThatIsTooLong) {
  const std::string longer(LineReader::kLongest + 1, 'x');
  for (const std::string& text : {"one\n" + longer, "one\n" + longer + "\n"}) {
    std::string error;
    try {
      linesOf(text);
    } catch (const FileError& refusal) {
      error = refusal.what();
    }
    EXPECT_EQ(error, "a.txt: line 2 is longer than 1,048,576 bytes, which is the limit");
  }
}

TEST(OpenInput, RegularFilesOnly) {
  const tools::TemporaryFolder folder;
  std::size_t size = 0;
  std::ifstream stream = openInput(folder.write("a", "text"), size);
  EXPECT_EQ(size, 4U);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "text");
  ASSERT_EQ(mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  EXPECT_THROW(openInput(folder.path() / "fifo", size), FileError);
  EXPECT_THROW(openInput(folder.path() / "none", size), FileError);
  EXPECT_THROW(openInput(folder.path(), size), FileError);
}

}  // namespace
}  // namespace marsim
