// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/cdr.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

// Header of 1 s, "ab", a number and a sequence of two, by hand from the rules of CDR.
const std::string kLittle(
    "\0\1\0\0"            // encapsulation
    "\1\0\0\0\2\0\0\0"    // 1 s, 2 ns
    "\3\0\0\0ab\0"        // text
    "\0"                  // to a multiple of 4
    "\2\0\0\0\7\0\11\0",  // two numbers of 16 bits
    28);

TEST(Cdr, HasTheBytesOfTheStandard) {
  Cdr cdr;
  cdr.addHeader(kNsPerSecond + 2, "ab");
  cdr.addSequence(std::vector<std::uint16_t>{7, 9});
  EXPECT_EQ(cdr.bytes(), kLittle);
}

TEST(CdrReader, ReadsBothByteOrders) {
  const std::string big(
      "\0\0\0\0"
      "\0\0\0\1\0\0\0\2"
      "\0\0\0\3ab\0"
      "\0"
      "\0\0\0\2\0\7\0\11",
      28);
  for (const std::string& bytes : {kLittle, big}) {
    CdrReader reader(bytes);
    EXPECT_EQ(reader.time(), kNsPerSecond + 2);
    EXPECT_EQ(reader.text(), "ab");
    EXPECT_EQ(reader.count(), 2U);
    EXPECT_EQ(reader.read<std::uint16_t>(), 7);
    EXPECT_EQ(reader.left(), 2U);
    EXPECT_EQ(reader.read<std::uint16_t>(), 9);
    reader.finish();
  }
}

void read(const std::string& bytes) {
  CdrReader reader(bytes);
  reader.time();
  reader.text();
  for (std::size_t i = reader.count(); i > 0; --i) reader.read<std::uint16_t>();
  reader.finish();
}

TEST(CdrReader, RefusesOtherLengthsAndEncodings) {
  EXPECT_NO_THROW(read(kLittle));
  EXPECT_NO_THROW(read(kLittle + std::string(3, '\0')));  // padding
  EXPECT_THROW(read(kLittle + std::string(4, '\0')), Error);
  for (std::size_t size = 0; size < kLittle.size(); ++size) {
    EXPECT_THROW(read(kLittle.substr(0, size)), Error) << size;
  }
  for (const char kind : {'\2', '\3', '\6', '\12'}) {  // parameter lists, XCDR2
    std::string other = kLittle;
    other[1] = kind;
    EXPECT_THROW(read(other), Error);
  }
}

TEST(CdrReader, RefusesAbsurdNumbers) {
  Cdr cdr;
  cdr.add(1.0);
  cdr.add(-2e9);
  CdrReader reader(cdr.bytes());
  reader.read<double>();
  EXPECT_THROW(reader.read<double>(), Error);
  for (const std::uint32_t length : {1002U, 4294967295U}) {
    Cdr text;
    text.add(length);
    EXPECT_THROW(CdrReader(text.bytes()).text(), Error);
    Cdr sequence;
    sequence.add(length * 1000);
    EXPECT_THROW(CdrReader(sequence.bytes()).count(), Error);
  }
}

}  // namespace
}  // namespace marsim::dataset
