// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/map/cloud_io.hpp"

#include <csignal>

#include <fmt/format.h>
#include <sys/resource.h>
#include <Eigen/Geometry>

#include "map/test_files.hpp"
#include "marsim/common/random.hpp"

namespace marsim::map {
namespace {

using Eigen::Vector3f;

TEST(LoadPcd, AsciiWithCommentsBlankLinesAndExtraFields) {
  const TestFolder folder;
  const LoadedCloud loaded = loadQuietly(
      folder.write("a.PCD",
                   "# .PCD v.7 - Point Cloud Data file format\r\nVERSION .7\r\n"
                   "FIELDS normal z x y intensity\r\nSIZE 4 4 8 4 1\r\nTYPE F F F F U\r\n"
                   "COUNT 3 1 1 1 1\r\nWIDTH 2\r\nHEIGHT 1\r\nPOINTS 2\r\nDATA ascii\r\n"
                   "0 0 1  3.5 1e0 -2.5 7\r\n\r\n"
                   "0 0 1\t-0.25 +4 5 255"));
  ASSERT_EQ(loaded.cloud.size(), 2U);
  EXPECT_EQ(loaded.cloud.points[0], Vector3f(1.0F, -2.5F, 3.5F));
  EXPECT_EQ(loaded.cloud.points[1], Vector3f(4.0F, 5.0F, -0.25F));
  EXPECT_EQ(loaded.cloud.intensity, (std::vector<float>{7.0F, 255.0F}));
}

TEST(LoadPcd, BinaryFieldsInAnyOrderWithPaddingAndFloat64) {
  const TestFolder folder;
  std::string bytes =
      "FIELDS y _ reflectivity x z\nSIZE 8 1 2 4 8\nTYPE F U U F F\nCOUNT 1 3 1 1 1\n"
      "WIDTH 1\nHEIGHT 2\nPOINTS 2\nDATA binary\n";
  for (int i = 0; i < 2; ++i) {
    bytes += bytesOf(10.5 + i) + "pad" + bytesOf(std::uint16_t(300 + i)) + bytesOf(1.5F + i) +
             bytesOf(-2.0 * i);
  }
  const LoadedCloud loaded = loadQuietly(folder.write("a.pcd", bytes));
  ASSERT_EQ(loaded.cloud.size(), 2U);
  EXPECT_EQ(loaded.cloud.points[0], Vector3f(1.5F, 10.5F, 0.0F));
  EXPECT_EQ(loaded.cloud.points[1], Vector3f(2.5F, 11.5F, -2.0F));
  EXPECT_EQ(loaded.cloud.intensity, (std::vector<float>{300.0F, 301.0F}));
}

TEST(LoadPly, AsciiMeshGivesItsVertices) {
  const TestFolder folder;
  const LoadedCloud loaded = loadQuietly(
      folder.write("a.ply",
                   "ply\nformat ascii 1.0\ncomment made by hand\nelement camera 1\n"
                   "property list uchar int ids\nelement vertex 3\nproperty double x\n"
                   "property double y\nproperty double z\nproperty uchar red\n"
                   "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                   "2 5 6\n0 0 0 9\n1 0 0 9\n0 1 0.5 9\n3 0 1 2\n"));
  ASSERT_EQ(loaded.cloud.size(), 3U);
  EXPECT_EQ(loaded.cloud.points[2], Vector3f(0.0F, 1.0F, 0.5F));
  EXPECT_FALSE(loaded.cloud.hasIntensity());
}

TEST(LoadPly, BinaryOfEitherByteOrder) {
  for (const bool big_endian : {false, true}) {
    const TestFolder folder;
    const auto ordered = [&](std::string bytes) {
      return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
    };
    std::string bytes = fmt::format(
        "ply\nformat binary_{}_endian 1.0\nelement vertex 2\nproperty float x\nproperty short tag\n"
        "property float y\nproperty double z\nproperty ushort intensity\nend_header\n",
        big_endian ? "big" : "little");
    for (int i = 0; i < 2; ++i) {
      bytes += ordered(bytesOf(1.5F + i)) + ordered(bytesOf(std::int16_t(-1))) +
               ordered(bytesOf(-3.25F)) + ordered(bytesOf(1e3 * i)) +
               ordered(bytesOf(std::uint16_t(513 + i)));
    }
    const LoadedCloud loaded = loadQuietly(folder.write("a.ply", bytes));
    ASSERT_EQ(loaded.cloud.size(), 2U);
    EXPECT_EQ(loaded.cloud.points[0], Vector3f(1.5F, -3.25F, 0.0F));
    EXPECT_EQ(loaded.cloud.points[1], Vector3f(2.5F, -3.25F, 1000.0F));
    EXPECT_EQ(loaded.cloud.intensity, (std::vector<float>{513.0F, 514.0F}));
  }
}

TEST(LoadCloud, DropsAndCountsNonFiniteAndDuplicatePoints) {
  const TestFolder folder;
  const LoadedCloud loaded = loadQuietly(
      folder.write("a.pcd",
                   "FIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nWIDTH 8\nHEIGHT 1\n"
                   "DATA ascii\n1 2 3 1\nnan 0 0 2\n0 0 0 3\n1 2 3 4\n0 inf 0 5\n-0 0 0 6\n"
                   "1 2 3.0000001 7\n0 0 -1e39 8\n"));
  EXPECT_EQ(loaded.read, 8U);
  EXPECT_EQ(loaded.non_finite, 3U);
  EXPECT_EQ(loaded.duplicates, 3U);  // 3.0000001 is 3 as a float, -0 is 0
  ASSERT_EQ(loaded.cloud.size(), 2U);
  EXPECT_EQ(loaded.cloud.points[0], Vector3f(1.0F, 2.0F, 3.0F));
  EXPECT_EQ(loaded.cloud.points[1], Vector3f::Zero());
  EXPECT_EQ(loaded.cloud.intensity, (std::vector<float>{1.0F, 3.0F}));
}

PointCloud randomCloud(std::size_t count, bool intensity) {
  RandomStream random(3);
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    cloud.points.emplace_back(random.uniform(-1e3, 1e3), random.normal(), random.uniform(0, 1e-3));
    if (intensity) cloud.intensity.push_back(static_cast<float>(random.index(256)));
  }
  return cloud;
}

TEST(SavePcd, ComesBackBitForBitAndReplacesAnOlderFile) {
  const TestFolder folder;
  for (const bool intensity : {true, false}) {
    const PointCloud cloud = randomCloud(70000, intensity);
    savePcd(folder / "a.pcd", cloud);
    const LoadedCloud loaded = loadQuietly(folder / "a.pcd");
    EXPECT_EQ(loaded.cloud.points, cloud.points);
    EXPECT_EQ(loaded.cloud.intensity, cloud.intensity);
  }
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file was left";
}

std::string savingError(const std::filesystem::path& path) {
  try {
    savePcd(path, randomCloud(70000, false));
  } catch (const FileError& error) {
    return std::string(error.what()).substr(path.string().size() + 2);
  }
  return "no error";
}

TEST(SavePcd, SaysWhyItCannotWrite) {
  const TestFolder folder;
  EXPECT_EQ(savingError(folder / "none/a.pcd"), "cannot be written: its folder does not exist");
  EXPECT_EQ(savingError(folder.path()), "cannot be written: is a folder");
  EXPECT_EQ(savingError("/proc/a.pcd").substr(0, 18), "cannot be written:");
}

TEST(SavePcd, LeavesNothingWhereTheDiskIsFull) {
  // A limit on the size of files stands in for a full disk.
  const TestFolder folder;
  folder.write("a.pcd", "older");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = savingError(folder / "a.pcd");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(message, "cannot be written: File too large");
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file was left";
  EXPECT_EQ(std::filesystem::file_size(folder / "a.pcd"), 5U);
}

TEST(LoadCloud, RealMapsHaveTheirPublishedNumberOfPoints) {
  const std::filesystem::path folder = realDataFolder();
  if (folder.empty()) GTEST_SKIP() << "MARSIM_REAL_DATA is not set";
  struct Known {
    const char* name;
    std::size_t points;
    Vector3f box;  // [m]
  };
  for (const Known& known :
       {Known{"building_indoor_2storey.pcd", 807940, {27.9F, 18.7F, 9.5F}},
        Known{"office_floor_geb079_008.pcd", 185673, {38.9F, 14.9F, 3.0F}},
        Known{"city_als_CSite2_orig_v05.pcd", 243927, {421.0F, 633.0F, 61.0F}},
        Known{"mesh/botanical_garden_gazebo.ply", 25033, {11.9F, 23.0F, 0.76F}}}) {
    const LoadedCloud loaded = loadQuietly(folder / known.name);
    EXPECT_EQ(loaded.read, known.points) << known.name;
    EXPECT_EQ(loaded.read, loaded.cloud.size() + loaded.non_finite + loaded.duplicates);
    Eigen::AlignedBox3f box;
    for (const Vector3f& point : loaded.cloud.points) box.extend(point);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(box.sizes()[axis], known.box[axis], 0.01F * known.box[axis] + 0.05F);
    }
  }
}

// As PDAL, CloudCompare, Windows programs and old tools write them.
TEST(LoadPcd, NamesAndTypesInAnyCaseAndWholeCoordinates) {
  const TestFolder folder;
  const auto load = [&](const std::string& fields, const std::string& types,
                        const std::string& sizes, const std::string& rows) {
    return loadQuietly(
               folder.write("a.pcd", fmt::format("FIELDS {}\nSIZE {}\nTYPE {}\nWIDTH 2\nHEIGHT 1\n"
                                                 "DATA ascii\n{}",
                                                 fields, sizes, types, rows)))
        .cloud;
  };
  for (const PointCloud& cloud :
       {load("X Y Z Intensity", "F F F U", "8 8 8 2", "1 2 3 5\n-4 5 6 7\n"),
        load("x y z i", "f f f u", "4 4 4 1", "1 2 3 5\n-4 5 6 7\n"),
        load("x y z scalar_Intensity", "I I I F", "2 2 2 4", "1 2 3 5\n-4 5 6 7\n"),
        load("intensity z x y", "F F F F", "4 4 4 4", "5 3 1 2\n7 6 -4 5\n")}) {
    EXPECT_EQ(cloud.points, (std::vector<Vector3f>{{1, 2, 3}, {-4, 5, 6}}));
    EXPECT_EQ(cloud.intensity, (std::vector<float>{5, 7}));
  }
  EXPECT_EQ(
      load("x y z intensity", "F F F F", "4 4 4 4", "1 2 3 -1.#IND\n-1.#IND 0 0 1\n").intensity,
      std::vector<float>{0});
}

/// Numbers of records in text, or binary in either order of bytes.
class PlyBytes {
 public:
  enum class Kind { kText, kLittle, kBig };
  explicit PlyBytes(Kind kind) : kind_(kind) {}
  template <class T>
  PlyBytes& put(T value) {
    const std::string bytes = bytesOf(value);
    if (kind_ == Kind::kText) text_ += fmt::format("{} ", +value);
    if (kind_ == Kind::kLittle) text_ += bytes;
    if (kind_ == Kind::kBig) text_.append(bytes.rbegin(), bytes.rend());
    return *this;
  }
  PlyBytes& end() {
    if (kind_ == Kind::kText) text_ += '\n';
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  Kind kind_;
  std::string text_;
};

TEST(LoadPly, ListsBeforeAndInsideTheVertices) {
  const TestFolder folder;
  const std::array<const char*, 3> formats{"ascii", "binary_little_endian", "binary_big_endian"};
  for (const auto kind : {PlyBytes::Kind::kText, PlyBytes::Kind::kLittle, PlyBytes::Kind::kBig}) {
    const std::string head = fmt::format(
        "ply\nformat {} 1.0\nelement face 2\nproperty list ushort int vertex_indices\n"
        "property uchar flag\nelement vertex 2\nproperty list ushort double first\n"
        "property float x\nproperty list uchar short ids\nproperty float y\nproperty int z\n"
        "property list uint uchar last\nend_header\n",
        formats.at(static_cast<std::size_t>(kind)));
    PlyBytes data(kind);
    data.put(std::uint16_t{3}).put(0).put(1).put(2).put(std::uint8_t{9}).end();
    data.put(std::uint16_t{0}).put(std::uint8_t{9}).end();
    data.put(std::uint16_t{1}).put(0.5).put(1.5F).put(std::uint8_t{2}).put(std::int16_t{-7});
    data.put(std::int16_t{8}).put(2.5F).put(3).put(std::uint32_t{0}).end();
    data.put(std::uint16_t{0}).put(4.5F).put(std::uint8_t{0}).put(5.5F).put(-6);
    data.put(std::uint32_t{1}).put(std::uint8_t{255}).end();
    const LoadedCloud loaded = loadQuietly(folder.write("a.ply", head + data.text()));
    EXPECT_EQ(loaded.cloud.points, (std::vector<Vector3f>{{1.5F, 2.5F, 3}, {4.5F, 5.5F, -6}}));
    const std::string cut = head + data.text().substr(0, data.text().size() - 6);
    EXPECT_NE(loadingError(folder.write("b.ply", cut)), "no error");
  }
}

}  // namespace
}  // namespace marsim::map
