// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"
#include "marsim/map/cloud_io.hpp"

namespace marsim::map {
namespace {

std::string header(const std::string& points, const std::string& data) {
  return fmt::format(
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {0}\nHEIGHT 1\n"
      "POINTS {0}\nDATA {1}\n",
      points, data);
}

std::string errorOfPcd(const std::string& bytes) {
  const TestFolder folder;
  return loadingError(folder.write("a.pcd", bytes));
}

std::string errorOfPly(const std::string& bytes) {
  const TestFolder folder;
  return loadingError(folder.write("a.ply", bytes));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(LoadCloudBadInput, NoFileToRead) {
  const TestFolder folder;
  EXPECT_EQ(loadingError(folder / "none.pcd"), "does not exist");
  EXPECT_EQ(loadingError(folder.path()), "is a folder, allowed: a .pcd or .ply file");
  EXPECT_EQ(loadingError(folder.write("a.pcd", "")), "is empty");
  EXPECT_EQ(loadingError(folder.write("a.xyz", "1 2 3")),
            "extension is '.xyz', allowed: .pcd, .ply");
  EXPECT_EQ(loadingError(folder.write("map", "1 2 3")), "extension is '', allowed: .pcd, .ply");
  EXPECT_EQ(loadingError("/dev/null"), "is no regular file");
}

TEST(LoadCloudBadInput, OtherFilesUnderAMapsName) {
  EXPECT_EQ(errorOfPcd("Dear all,\nhere is the map.\n"),
            "is no PCD file: line 1 of the header is 'Dear all,'");
  EXPECT_EQ(errorOfPcd("ply\nformat ascii 1.0\n"), "is no PCD file: line 1 of the header is 'ply'");
  EXPECT_EQ(errorOfPcd("# only a comment\n"), "is no PCD file: its header has no DATA line");
  EXPECT_EQ(errorOfPly(header("1", "ascii") + "1 2 3\n"),
            "is no PLY file: its first line is not 'ply'");
  std::string noise;
  RandomStream random(1);
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>(random.index(256));
  EXPECT_EQ(errorOfPcd(noise).substr(0, 15), "is no PCD file:");
  EXPECT_EQ(errorOfPly(noise).substr(0, 15), "is no PLY file:");
}

TEST(LoadCloudBadInput, PcdHeader) {
  const std::string good = header("1", "ascii") + "1 2 3\n";
  EXPECT_EQ(errorOfPcd(good), "no error");
  const auto with = [&](const char* what, const char* by) {
    return errorOfPcd(replaced(good, what, by));
  };
  EXPECT_EQ(with("x y z", "x y w"), "has no field z among x, y, w");
  EXPECT_EQ(with("x y z", "x y x"), "has two fields x");
  EXPECT_EQ(with("FIELDS x y z\n", ""), "header has no FIELDS line");
  EXPECT_EQ(with("SIZE 4 4 4", "SIZE 4 4"), "header: SIZE has 2 values for 3 fields");
  EXPECT_EQ(with("SIZE 4 4 4\n", ""), "header has no SIZE line");
  EXPECT_EQ(with("SIZE 4 4 4", "SIZE 4 4 3"),
            "header: a field of TYPE F and SIZE 3, allowed: F of 4 or 8, I or U of 1, 2, 4 or 8");
  EXPECT_EQ(with("COUNT 1 1 1", "COUNT 1 1 2"), "field z is 2 x float32, allowed: one number");
  EXPECT_EQ(with("COUNT 1 1 1", "COUNT 1 1 0"), "header: COUNT is 0, allowed: 1 to 65536");
  EXPECT_EQ(with("POINTS 1", "POINTS 2"), "header: WIDTH 1 x HEIGHT 1 is not POINTS 2");
  EXPECT_EQ(with("POINTS 1", "POINTS -1"),
            "header: POINTS is '-1', allowed: a whole number of 0 or more");
  EXPECT_EQ(with("POINTS 1", "POINTS 1e9"),
            "header: POINTS is '1e9', allowed: a whole number of 0 or more");
  EXPECT_EQ(with("WIDTH 1", "WIDTH 99999999999999999999"),
            "header: WIDTH is '99999999999999999999', allowed: a whole number of 0 or more");
  EXPECT_EQ(with("HEIGHT 1", "HEIGHT 1\nHEIGHT 1"), "header has HEIGHT twice (line 8)");
  EXPECT_EQ(with("DATA ascii", "DATA base64"),
            "header: DATA is 'base64', allowed: ascii, binary, binary_compressed");
  EXPECT_EQ(errorOfPcd(header("0", "ascii")), "holds no points");
}

TEST(LoadCloudBadInput, CountsThatOverflowOrLie) {
  for (const char* data : {"ascii", "binary", "binary_compressed"}) {
    for (const char* points : {"4000000000", "1000000000000000000", "18446744073709551615"}) {
      const std::string message = errorOfPcd(header(points, data) + "0 0 0\n0 0 0\n");
      EXPECT_EQ(message.substr(0, 13), "is truncated:") << message;
    }
  }
  // 2^32 x 2^32 would be 0 points.
  const std::string product =
      replaced(replaced(header("4294967296", "binary"), "HEIGHT 1", "HEIGHT 4294967296"),
               "POINTS 4294967296", "POINTS 0");
  EXPECT_EQ(errorOfPcd(product), "header: WIDTH 4294967296 x HEIGHT 4294967296 is not POINTS 0");
  EXPECT_EQ(errorOfPly("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
                       "property float x\nproperty float y\nproperty float z\nend_header\n"),
            "is truncated: its header promises 4000000000 points, 0 follow");
}

TEST(LoadCloudBadInput, TruncatedAndGarbledData) {
  EXPECT_EQ(errorOfPcd(header("3", "binary") + std::string(35, 'a')),
            "is truncated: its header promises 3 points, 2 follow");
  EXPECT_EQ(errorOfPcd(header("3", "ascii") + "1 2 3\n4 5 6\n"),
            "is truncated: its header promises 3 points, at most 2");
  EXPECT_EQ(errorOfPcd(header("3", "ascii") + "1.25 2 3\n4 5.25 6.125\n"),
            "is truncated: its header promises 3 points, only 2");
  EXPECT_EQ(errorOfPcd(header("2", "ascii") + "1.25 2 3\n4 5.25\n"),
            "line 11: '' where value 3 of 3 should be a number");
  EXPECT_EQ(errorOfPcd(header("2", "ascii") + "1.25 2 3\n4 5.25 z\x01\n"),
            "line 11: 'z?' where value 3 of 3 should be a number");
  EXPECT_EQ(errorOfPcd(header("1", "ascii") + "1.25 2,5 3\n"),
            "line 10: '2,5' where value 2 of 3 should be a number");
  EXPECT_EQ(errorOfPcd(header("1", "ascii") + "1 2 3 4\n"), "line 10: more than 3 values");
  EXPECT_EQ(errorOfPcd(header("1", "ascii") + "1 2 3\n1 2 3\n"),
            "line 11: more than the 1 points that the header promises");
  EXPECT_EQ(errorOfPcd(header("1", "ascii") + std::string((std::size_t{1} << 20U) + 1, '1')),
            "line 10 is longer than 1,048,576 bytes, which is the limit");
  EXPECT_EQ(errorOfPcd(header("1", "ascii") + std::string("1 2 3\0 4\n", 9)),
            "line 10: '3?' where value 3 of 3 should be a number");
}

TEST(LoadCloudBadInput, DamagedCompressedData) {
  const std::string start = header("100", "binary_compressed");
  const auto sizes = [](std::uint32_t packed, std::uint32_t expanded) {
    return bytesOf(packed) + bytesOf(expanded);
  };
  EXPECT_EQ(errorOfPcd(start), "is truncated: no data follow its header");
  EXPECT_EQ(errorOfPcd(start + sizes(500, 1200)),
            "is truncated: 500 compressed bytes promised, 0 follow");
  EXPECT_EQ(
      errorOfPcd(start + sizes(10, 1188) + std::string(10, 'a')),
      "is damaged: 100 points of 12 bytes do not make the 1188 bytes that its data expand to");
  EXPECT_EQ(errorOfPcd(start + sizes(20, 1200) + std::string(20, '\xFF')),
            "is damaged: its compressed data cannot be expanded");
  EXPECT_EQ(errorOfPcd(header("300000000", "binary_compressed") + sizes(20, 3600000000U) +
                       std::string(20, 'a')),
            "is damaged: its compressed data cannot be expanded");
}

TEST(LoadCloudBadInput, PlyHeader) {
  const std::string good =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nend_header\n1 2 3\n";
  EXPECT_EQ(errorOfPly(good), "no error");
  const auto with = [&](const char* what, const char* by) {
    return errorOfPly(replaced(good, what, by));
  };
  EXPECT_EQ(with("float z", "float w"), "has no field z among x, y, w");
  EXPECT_EQ(with("float z", "quad z"),
            "line 6 of the header is 'property quad z', which is no PLY");
  EXPECT_EQ(with("ascii", "utf8"), "line 2 of the header is 'format utf8 1.0', which is no PLY");
  EXPECT_EQ(with("format ascii 1.0\n", ""), "header has no format line");
  EXPECT_EQ(with("vertex 1", "vertex many"),
            "line 3 of the header is 'element vertex many', which is no PLY");
  EXPECT_EQ(with("vertex 1", "vertex 0"), "holds no points");
  EXPECT_EQ(with("vertex", "face"), "has no element vertex");
  EXPECT_EQ(with("float z", "float z\nproperty list uchar int ids"),
            "is truncated: its header promises 1 points, at most 0");
  EXPECT_EQ(with("float z\nend_header\n", "float z\nproperty list uchar int ids\nend_header\n1 "),
            "line 9: '3' where value 4 of 3 should be a list");
  EXPECT_EQ(with("end_header\n", ""), "line 7 of the header is '1 2 3', which is no PLY");
  EXPECT_EQ(with("1 2 3\n", ""), "is truncated: its header promises 1 points, at most 0");
}

TEST(LoadCloudBadInput, NothingFinite) {
  EXPECT_EQ(errorOfPcd(header("2", "ascii") + "nan nan nan\nnan 0 0\n"),
            "none of its 2 points has finite coordinates");
}

TEST(LoadCloudBadInput, AnyDamageIsAnErrorOrACloud) {
  const TestFolder folder;
  PointCloud cloud;
  for (int i = 0; i < 20; ++i) cloud.points.emplace_back(i, 2 * i, -i);
  savePcd(folder / "good.pcd", cloud);
  std::ifstream stream(folder / "good.pcd", std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(stream)), {});
  const std::string ascii = header("2", "ascii") + "1.5 2 3\n4 5 6\n";
  RandomStream random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = round % 2 == 0 ? good : ascii;
    for (std::uint64_t changes = 1 + random.index(4); changes > 0; --changes) {
      bytes[random.index(bytes.size())] = static_cast<char>(random.index(256));
    }
    bytes.resize(bytes.size() - random.index(3) * random.index(20));
    const std::filesystem::path path = folder.write("a.pcd", bytes);
    loadingError(path);
    std::filesystem::remove(path);  // overwriting would wait for the disk
  }
}

}  // namespace
}  // namespace marsim::map
