// SPDX-License-Identifier: BSD-3-Clause
#include "map/cache/map_file.hpp"

#include <cstddef>
#include <limits>

#include <fmt/format.h>
#include <xxhash.h>

#include "map/map_file_bytes.hpp"
#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/surfel_map.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3f;

constexpr MapFileKey kKey = {0x0123456789abcdefULL, 0xfedcba9876543210ULL};

std::vector<Surfel> randomSurfels(std::size_t count) {
  RandomStream random(5);
  std::vector<Surfel> surfels;
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d direction(random.normal(), random.normal(), random.normal());
    surfels.push_back({Vector3f(random.uniform(-50, 50), random.uniform(-50, 50), 0.125F),
                       direction.normalized().cast<float>(),
                       static_cast<float>(random.uniform(0.0, 0.1))});
  }
  return surfels;
}

/// Three sections of lengths that need padding before the next.
std::string sample(const TestFolder& folder) {
  const std::vector<std::uint32_t> words(259, 0x01020304);
  const std::vector<std::uint16_t> numbers = {1, 2, 3};
  const std::vector<double> none;
  MapFileWriter writer(kKey);
  writer.add("words", View<std::uint32_t>(words), ElementType::kUint32);
  writer.add("numbers", View<std::uint16_t>(numbers), ElementType::kUint16);
  writer.add("none", View<double>(none), ElementType::kFloat64);
  writer.write(folder / "sample");
  return contentOf(folder / "sample");
}

/// The message with which reading fails, less the file's name.
std::string readingError(const std::string& bytes) {
  try {
    const AlignedBytes copy(bytes);
    const MapFile file(copy.data(), copy.size(), "f");
  } catch (const FileError& error) {
    return std::string(error.what()).substr(3);
  }
  return "no error";
}

TEST(MapFile, ComesBackBitForBit) {
  const TestFolder folder;
  const SurfelMap owned(randomSurfels(600000), {});  // several blocks of a checksum
  MapFileWriter writer(kKey);
  owned.writeTo(writer);
  writer.write(folder / "a");
  const auto file = MapFile::open(folder / "a");
  EXPECT_EQ(file->key(), kKey);
  EXPECT_EQ(file->size(), std::filesystem::file_size(folder / "a"));
  const SurfelMap map = SurfelMap::fromFile(file, {});
  EXPECT_EQ(map.file(), file);
  ASSERT_EQ(map.size(), owned.size());
  EXPECT_EQ(std::memcmp(map.tree().words, owned.tree().words, 4 * owned.tree().wordCount()), 0);
  EXPECT_EQ(map.bounds().min(), owned.bounds().min());
  EXPECT_EQ(map.bounds().max(), owned.bounds().max());
  EXPECT_EQ(map.planarShare(), owned.planarShare());
}

TEST(MapFile, SectionsHaveNamesTypesAndPlaces) {
  const TestFolder folder;
  sample(folder);
  const auto file = MapFile::open(folder / "sample");
  ASSERT_EQ(file->sections().size(), 3U);
  EXPECT_TRUE(file->has("numbers"));
  EXPECT_FALSE(file->has("colour"));
  const View<std::uint16_t> numbers = file->section<std::uint16_t>("numbers", ElementType::kUint16);
  ASSERT_EQ(numbers.size(), 3U);
  EXPECT_EQ(numbers[2], 3);
  EXPECT_TRUE(file->section<double>("none", ElementType::kFloat64).empty());
  for (const MapFileSection& section : file->sections()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(section.data) % 64, 0U);
  }
  EXPECT_THROW(file->section<std::uint16_t>("colour"), FileError);
  EXPECT_THROW(file->section<std::int16_t>("numbers"), FileError);
  EXPECT_THROW(file->section<std::uint32_t>("numbers", ElementType::kUint16), FileError);
}

TEST(MapFile, GrowsByASection) {
  const TestFolder folder;
  sample(folder);
  const auto old = MapFile::open(folder / "sample");
  const std::vector<std::uint8_t> classes(37, 7);
  MapFileWriter writer(old->key());
  writer.addAll(*old);
  EXPECT_THROW(writer.add("numbers", View<std::uint8_t>(classes)), Error);
  EXPECT_THROW(writer.add(std::string(32, 'a'), View<std::uint8_t>(classes)), Error);
  writer.add(section::kClass, View<std::uint8_t>(classes), ElementType::kUint8);
  writer.write(folder / "sample");  // over the mapped file
  const auto file = MapFile::open(folder / "sample");
  EXPECT_EQ(file->sections().size(), 4U);
  EXPECT_EQ(file->section<std::uint8_t>(section::kClass, ElementType::kUint8)[36], 7);
  EXPECT_EQ(old->section<std::uint32_t>("words", ElementType::kUint32)[258],
            file->section<std::uint32_t>("words", ElementType::kUint32)[258]);
}

TEST(MapFile, MayHaveNoSection) {
  const TestFolder folder;
  MapFileWriter(kKey).write(folder / "a");
  EXPECT_TRUE(MapFile::open(folder / "a")->sections().empty());
}

TEST(MapFileDamage, EveryBitOfHeaderTableAndPadding) {
  const TestFolder folder;
  const std::string good = sample(folder);
  ASSERT_EQ(readingError(good), "no error");
  for (std::size_t byte = 0; byte < 96 + 3 * 80 + 64; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
      EXPECT_NE(readingError(bytes), "no error") << "byte " << byte << ", bit " << bit;
    }
  }
}

TEST(MapFileDamage, AnyByteOfThePayload) {
  const TestFolder folder;
  const std::string good = sample(folder);
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bytes = good;
    bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << byte % 8));
    EXPECT_NE(readingError(bytes), "no error") << "byte " << byte;
  }
}

TEST(MapFileDamage, EveryLength) {
  const TestFolder folder;
  const std::string good = sample(folder);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(readingError(good.substr(0, size)), "no error") << size;
  }
  EXPECT_NE(readingError(good + '\0'), "no error");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, good.size() - 1}) {
    EXPECT_THROW(MapFile::open(folder.write("short", good.substr(0, size))), FileError);
  }
  EXPECT_THROW(MapFile::open(folder / "missing"), FileError);
  EXPECT_THROW(MapFile::open(folder.path()), FileError);
  EXPECT_THROW(MapFile::open("/dev/zero"), FileError);
}

/// A file whose checksums are right and whose numbers are not.
class HostileFile : public testing::Test {
 protected:
  void SetUp() override { bytes_ = sample(folder_); }

  template <class T>
  void put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(value));
  }
  template <class T>
  T get(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(value));
    return value;
  }
  std::string error() {
    seal(bytes_);
    return readingError(bytes_);
  }

  TestFolder folder_;
  std::string bytes_;
};

TEST_F(HostileFile, SealedAgainItIsGood) { EXPECT_EQ(error(), "no error"); }

TEST_F(HostileFile, VersionAndByteOrder) {
  put<std::uint32_t>(kVersionOffset, 2);
  EXPECT_EQ(error(), "is of format version 2, this program's is 3");
  put<std::uint32_t>(kByteOrderOffset, 0x04030201);
  EXPECT_EQ(error(), "was written by a machine of the other byte order");
  put<std::uint32_t>(kByteOrderOffset, 0x02010403);
  EXPECT_EQ(error(), "is damaged: its byte order mark is wrong");
  put<char>(0, 'm');
  EXPECT_EQ(error(), "is no map file");
}

TEST_F(HostileFile, HeaderNumbers) {
  const std::string good = bytes_;
  for (const std::size_t offset : {kFileSizeOffset, kHeaderSizeOffset, kEntrySizeOffset,
                                   kSectionsOffset, kReservedOffset, kReservedOffset + 4}) {
    for (const std::uint32_t value : {1U, 2U, 4U, 63U, 65U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
      bytes_ = good;
      put(offset, value);
      EXPECT_EQ(error().rfind("is damaged: ", 0), 0U) << offset << ' ' << value;
    }
  }
}

TEST_F(HostileFile, TableNumbers) {
  const std::string good = bytes_;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t entry = 0; entry < 3; ++entry) {
    const std::size_t at = 96 + 80 * entry;
    const auto offset = get<std::uint64_t>(at + kEntryOffset);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{64}, offset + 1, offset - 64, offset + 64, kMost,
          kMost - 63, kMost / 2, std::uint64_t{1} << 63, std::uint64_t{good.size()}}) {
      if (value == offset) continue;
      bytes_ = good;
      put(at + kEntryOffset, value);
      EXPECT_EQ(error().rfind("is damaged: ", 0), 0U) << entry << " offset " << value;
    }
    const auto count = get<std::uint64_t>(at + kEntryCount);
    for (const std::uint64_t value : {count + 64, kMost, kMost / 28 + 1, kMost / 2 + 1,
                                      std::uint64_t{1} << 62, std::uint64_t{good.size()}}) {
      bytes_ = good;
      put(at + kEntryCount, value);
      EXPECT_EQ(error().rfind("is damaged: ", 0), 0U) << entry << " count " << value;
    }
    for (const std::uint32_t value : {0U, 3U, 4097U, 0xFFFFFFFFU}) {
      bytes_ = good;
      put(at + kEntryElementSize, value);
      EXPECT_EQ(error().rfind("is damaged: ", 0), 0U) << entry << " element size " << value;
    }
    bytes_ = good;
    put<std::uint32_t>(at + kEntryType, 99);
    EXPECT_EQ(error(), fmt::format("is damaged: entry {} of its section table", entry));
    for (const char c : {'\0', '/', '\x80', 'A'}) {
      bytes_ = good;
      put(at, c);
      EXPECT_EQ(error(), fmt::format("is damaged: entry {} of its section table", entry));
    }
  }
}

TEST_F(HostileFile, TwoSectionsOfOneName) {
  bytes_.replace(96 + 80, 32, bytes_.substr(96, 32));
  EXPECT_EQ(error(), "is damaged: entry 1 of its section table");
}

TEST_F(HostileFile, RandomNumbersAnywhereInHeaderAndTable) {
  const std::string good = bytes_;
  RandomStream random(9);
  for (int round = 0; round < 20000; ++round) {
    bytes_ = good;
    const std::size_t at = random.index(96 + 3 * 80 - 8);
    put(at, random.index(2) == 0 ? random.next() : random.next() >> random.index(64));
    error();  // must not crash; a field that means nothing to the reader (the key) may pass
  }
}

/// A map in a file of which parts can be forged.
class HostileMap : public testing::Test {
 protected:
  std::string mapFile() {
    const SurfelMap map(randomSurfels(500), {});
    MapFileWriter writer(kKey);
    map.writeTo(writer);
    writer.write(folder_ / "a");
    return contentOf(folder_ / "a");
  }
  /// Makes a map of a file whose checksums are set right.
  void read(std::string bytes) {
    seal(bytes);
    const AlignedBytes copy(bytes);
    const auto file = std::make_shared<const MapFile>(copy.data(), copy.size(), "f");
    static_cast<void>(SurfelMap::fromFile(file, {}).surfels());
  }

  TestFolder folder_;
};

TEST_F(HostileMap, AnyBitOfTheTree) {
  const std::string good = mapFile();
  ASSERT_NO_THROW(read(good));
  RandomStream random(6);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    const std::size_t at = kHeaderSize + random.index(bytes.size() - kHeaderSize);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.index(8)));
    try {
      read(bytes);  // a change of a surfel or box within bounds may pass
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(HostileMap, SizesOfTheTree) {
  const std::string good = mapFile();
  std::uint64_t record = 0;
  std::memcpy(&record, good.data() + kHeaderSize + kEntryOffset, sizeof(record));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const std::size_t number : {4U, 6U}) {  // surfels, nodes
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{499}, std::uint64_t{501}, std::uint64_t{1} << 31,
          std::uint64_t{1} << 61, std::uint64_t{1} << 63, kMost, kMost - 15}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + record + 8 * number, &value, sizeof(value));
      EXPECT_THROW(read(bytes), FileError) << number << ' ' << value;
    }
  }
}

TEST(MapFileWriter, LeavesTheOldFileWhereItCannotWrite) {
  const TestFolder folder;
  MapFileWriter writer(kKey);
  writer.addRecord("number", 7);
  EXPECT_THROW(writer.write(folder / "none" / "a"), FileError);
  std::filesystem::create_directory(folder / "folder");
  EXPECT_THROW(writer.write(folder / "folder"), FileError);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file was left";
}

}  // namespace
}  // namespace marsim::map
