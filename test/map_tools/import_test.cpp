// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/import_fixture.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include "common/line_reader.hpp"

namespace marsim::map_tools {
namespace {

/// A point at (x, 0, 0) in the frame of a VIEWPOINT that is 10 m along x, 1 m up, turned left.
std::string pcdWithViewpoint(const char* viewpoint) {
  return fmt::format(
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\n"
      "VIEWPOINT {}\nPOINTS 3\nDATA ascii\n1 0 0\n2 0 0\n30 0 0\n",
      viewpoint);
}

TEST_F(Import, ViewpointIsSaidOrApplied) {
  const auto path = folder_.write("a.pcd", pcdWithViewpoint("10 0 1 0.7071068 0 0 0.7071068"));
  const Imported as_is = imported({path});
  EXPECT_EQ(as_is.cloud.points[1], Eigen::Vector3f(2, 0, 0));
  ASSERT_EQ(as_is.files[0].notes.size(), 1U);
  EXPECT_EQ(
      as_is.files[0].notes[0],
      "warning: its VIEWPOINT at (10.00, 0.00, 1.00), turned by 90.0 deg, is not applied: where "
      "points lie in its frame, 'marsim map import --viewpoint' moves them");
  ImportConfig config;
  config.apply_viewpoint = true;
  config.scale = 2.0;
  const Imported moved = imported({path}, config);
  EXPECT_TRUE(moved.cloud.points[0].isApprox(Eigen::Vector3f(20, 2, 2), 1e-5F));
  EXPECT_TRUE(moved.cloud.points[2].isApprox(Eigen::Vector3f(20, 60, 2), 1e-5F));
  EXPECT_EQ(moved.files[0].notes[0],
            "moved from the frame of its VIEWPOINT at (10.00, 0.00, 1.00), turned by 90.0 deg");
  for (const char* none : {"0 0 0 1 0 0 0", "0 0 0 0 0 0 0", "1 2 3", "1 2 3 nan 0 0 0", "a b c"}) {
    EXPECT_TRUE(
        imported({folder_.write("b.pcd", pcdWithViewpoint(none))}, config).files[0].notes.empty())
        << none;
  }
}

TEST_F(Import, LasOfEveryVersionAndFormat) {
  for (int minor = 0; minor <= 5; ++minor) {
    for (int format = 0; format <= (minor >= 4 ? 10 : minor == 3 ? 5 : 3); ++format) {
      const Imported map =
          imported({folder_.write("a.las", las(minor, format, kPoints, format % 2 ? 3 : 0))});
      ASSERT_EQ(map.cloud.size(), 2U) << minor << " " << format;
      EXPECT_TRUE(map.cloud.points[0].isApprox(Eigen::Vector3f(101, 202, 303)));
      EXPECT_TRUE(map.cloud.points[1].isApprox(Eigen::Vector3f(95, 200, 300.01F)));
      EXPECT_EQ(map.cloud.intensity, (std::vector<float>{7, 65535}));
    }
  }
}

TEST_F(Import, WithheldLasPointsAreDropped) {
  const std::vector<LasPoint> old{{0, 0, 0, 1, 0x80}, {1, 1, 1, 2, 0x7f}};
  const std::vector<LasPoint> extended{{0, 0, 0, 1, 0x04}, {1, 1, 1, 2, 0xfb}};
  for (const Imported& map : {imported({folder_.write("a.las", las(2, 1, old))}),
                              imported({folder_.write("b.las", las(4, 6, extended))})}) {
    EXPECT_EQ(map.cloud.intensity, std::vector<float>{2});
    EXPECT_EQ(map.files[0].notes[0], "1 points flagged as withheld dropped");
  }
}

// Colours and classes where the specification's tables 12 and 16 have them.
TEST_F(Import, LasColoursAndClassesAreKept) {
  struct Format {
    int minor, number;
    std::size_t class_at, colour_at, record;
  };
  for (const Format& format : {Format{2, 2, 15, 20, 26}, Format{4, 7, 16, 30, 36}}) {
    for (const int unit : {1, 256}) {
      std::string bytes = las(format.minor, format.number, kPoints);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t row = bytes.size() - (2 - i) * format.record;
        bytes[row + format.class_at] = static_cast<char>(i == 0 ? 2 : 5);  // ground, vegetation
        for (std::size_t k = 0; k < 3; ++k) {
          const auto shade =
              static_cast<std::uint16_t>(static_cast<std::size_t>(unit) * (10 + 100 * i + k));
          bytes.replace(row + format.colour_at + 2 * k, 2, bytesOf(shade));
        }
      }
      const map::PointCloud cloud = imported({folder_.write("a.las", bytes)}).cloud;
      EXPECT_EQ(cloud.classes, (std::vector<std::uint8_t>{72, 70}));
      EXPECT_EQ(cloud.colour, (std::vector<map::Colour>{{10, 11, 12}, {110, 111, 112}}));
    }
  }
}

TEST_F(Import, TablesHaveColoursAndLabels) {
  const map::PointCloud named =
      imported({folder_.write("a.csv",
                              "x,y,z,Red,Green,Blue,label\n0,0,0,1,2,255,70\n"
                              "1,0,0,4,5,6,50\n")})
          .cloud;
  EXPECT_EQ(named.colour, (std::vector<map::Colour>{{1, 2, 255}, {4, 5, 6}}));
  EXPECT_EQ(named.classes, (std::vector<std::uint8_t>{70, 50}));
  const map::PointCloud numbered =
      imported({folder_.write("b.pts", "2\n0 0 0 9 1 2 3\n1 1 1 9 4 5 6\n")}).cloud;
  EXPECT_EQ(numbered.colour, (std::vector<map::Colour>{{1, 2, 3}, {4, 5, 6}}));
}

// A channel that only one file has is 0 for the other's points.
TEST_F(Import, MergedFilesNeedNotCarryTheSame) {
  const auto bare = folder_.write("a.xyz", "0 0 0\n1 0 0\n");
  const auto rich = folder_.write("b.csv", "x,y,z,r,g,b,label\n2,0,0,7,8,9,10\n3,0,0,7,8,9,11\n");
  for (const auto& files : {std::vector{bare, rich}, std::vector{rich, bare}}) {
    const map::PointCloud cloud = imported(files).cloud;
    ASSERT_EQ(cloud.colour.size(), 4U);
    ASSERT_EQ(cloud.classes.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const bool is_rich = cloud.points[i].x() > 1.5F;
      EXPECT_EQ(cloud.colour[i], (is_rich ? map::Colour{7, 8, 9} : map::Colour{0, 0, 0}));
      EXPECT_EQ(cloud.classes[i] > 0, is_rich);
    }
  }
}

TEST_F(Import, BrokenLasIsRefused) {
  const std::string whole = las(2, 0, kPoints);
  expectError("empty.las", "", "is empty");
  expectError("text.las", "x y z\n1 2 3\n", "does not begin with LASF");
  expectError("header.las", whole.substr(0, 100), "ends inside its header, after 100 bytes");
  expectError("cut.las", whole.substr(0, whole.size() - 1),
              "partly written: it holds 1 of 2 points");
  expectError("format.las", las(4, 11, kPoints), "has point format 11, allowed: 0 to 10");
  expectError("version.las", las(6, 0, kPoints), "is LAS 1.6, allowed: 1.0 to 1.5");
  expectError("none.las", las(2, 0, {}), "has no points");
  expectError("packed.las", las(2, 0x81, kPoints), "'laszip' or 'las2las'");
  expectError("packed.laz", whole, "'laszip' or 'las2las'");
  expectError("PACKED.LAZ", whole, "'laszip' or 'las2las'");
  std::string record = whole;
  record.replace(105, 2, bytesOf(std::uint16_t{12}));
  expectError("record.las", record, "records of 12 bytes, allowed in point format 0: at least 20");
  std::string scale = whole;
  scale.replace(131, 8, bytesOf(0.0));
  expectError("scale.las", scale, "scale of 0");
}

TEST_F(Import, TablesWithAnySeparatorAndHeader) {
  for (const char* text :
       {"1 2 3\n4 5 6\n", "1,2,3\n4,5,6", "1;2;3\r\n4;5;6\r\n", "# a comment\n\n1\t2\t3\n4\t5\t6\n",
        "x,y,z\n1,2,3\n4,5,6\n", "//X Y Z\n1 2 3\n4 5 6\n", "2\n1 2 3\n4 5 6\n",
        "\"z\",\"x\",\"name\",\"y\"\n3,1,0,2\n6,4,0,5\n", "1 2 3 9 9 9\n4 5 6 9 9 9\n",
        "1,0;2,0;3,0\n4,0;5,0;6,0\n", "\xef\xbb\xbfx,y,z\n1,2,3\n4,5,6\n",
        "1\n1 2 3\n1\n4 5 6\n"}) {
    const Imported map = imported({folder_.write("a.csv", text)});
    ASSERT_EQ(map.cloud.size(), 2U) << text;
    EXPECT_EQ(map.cloud.points[0], Eigen::Vector3f(1, 2, 3)) << text;
    EXPECT_EQ(map.cloud.points[1], Eigen::Vector3f(4, 5, 6)) << text;
    EXPECT_FALSE(map.cloud.hasIntensity()) << text;
  }
  for (const char* text : {"1 2 3 7\n4 5 6 8\n", "Intensity;X;Y;Z\n7;1;2;3\n8;4;5;6\n",
                           "2\n1 2 3 7 0 0 0\n4 5 6 8 0 0 0\n"}) {
    const Imported map = imported({folder_.write("a.xyz", text)});
    EXPECT_EQ(map.cloud.points[1], Eigen::Vector3f(4, 5, 6)) << text;
    EXPECT_EQ(map.cloud.intensity, (std::vector<float>{7, 8})) << text;
  }
}

TEST_F(Import, BrokenTablesAreRefused) {
  expectError("a.xyz", "", "is empty");
  expectError("a.xyz", "# nothing\n", "has no points");
  expectError("a.xyz", "1 2\n", "line 1 has 2 columns, allowed: at least x y z");
  expectError("a.xyz", "1 2 3\n4 5\n", "line 2 has 2 columns, allowed: 3 as in the first row");
  expectError("a.xyz", "1 2 3\n4 five 6\n", "line 2, column 2 is 'five', allowed: a number");
  expectError("a.csv", "a,b,c\n1,2,3\n", "has the columns a, b, c");
  expectError("a.csv", std::string("1,2,3\n\0\0\0\n", 10), "line 2 is no text");
  expectError("a.xyz", "1 2 3\n" + std::string(LineReader::kLongest + 1, '1'),
              "line 2 is longer than 1,048,576 bytes, which is the limit");
  expectError("a.pts", "1000\n1 2 3 4\n", "partly written: it holds 1 of 1,000 points");
  expectError("a.pts", "2\n1 2 3\n4 5 6\n3\n", "partly written: it holds 2 of 5 points");
  expectError("a.csv", "1,5;2,5;3,5;x\n", "column 4 is 'x'");
  expectError("a.csv", "nan,1,2\n1,inf,2\n", "none of its 2 points has finite coordinates");
}

// Opening a FIFO would wait for a writer.
TEST_F(Import, FilesThatNeverEndAreRefused) {
  for (const char* name : {"a.xyz", "a.las", "a.ply", "a.pcd"}) {
    ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
    EXPECT_NE(importError(folder_ / name).find("is no regular file"), std::string::npos);
  }
}

TEST_F(Import, FilesAreMergedInOneFrame) {
  const auto first = folder_.write("a.xyz", "500000 4000000 10\n500001 4000001 11\n");
  const auto second = folder_.write("b.csv", "500002,4000002,12,99\n");
  const Imported map = imported({first, second});
  EXPECT_EQ(map.origin, Eigen::Vector3d(500000, 4000000, 0));
  ASSERT_EQ(map.cloud.size(), 3U);
  EXPECT_EQ(map.cloud.points[2], Eigen::Vector3f(2, 2, 12));
  EXPECT_EQ(map.cloud.intensity, (std::vector<float>{0, 0, 99}));
  const Imported reversed = imported({second, first});
  EXPECT_EQ(reversed.cloud.intensity, (std::vector<float>{99, 0, 0}));
  EXPECT_EQ(map.files[0].read, 2U);
  EXPECT_EQ(map.before_thinning, 0U);
}

TEST_F(Import, PointsAreThinnedOnlyWhereAskedAndSo) {
  const auto path = folder_.write("a.xyz", "0.01 0 0\n0.02 0 0\nnan 0 0\n5 0 0\n");
  EXPECT_EQ(imported({path}).cloud.size(), 3U);
  ImportConfig config;
  config.resolution = 0.1;
  const Imported thinned = imported({path}, config);
  EXPECT_EQ(thinned.cloud.size(), 2U);
  EXPECT_EQ(thinned.before_thinning, 3U);
  EXPECT_EQ(thinned.files[0].read, 4U);
  EXPECT_EQ(thinned.files[0].not_finite, 1U);
}

TEST_F(Import, ScaleAndUpAxisActOnPoints) {
  ImportConfig config;
  config.scale = 0.001;
  config.up = UpAxis::kY;
  const Imported map = imported({folder_.write("a.xyz", "1000 2000 3000\n9000 0 0\n")}, config);
  EXPECT_TRUE(map.cloud.points[0].isApprox(Eigen::Vector3f(1, -3, 2)));
  const auto beams = folder_.write(
      "a.pcd",
      "FIELDS x y z vp_x vp_y vp_z\nSIZE 4 4 4 4 4 4\nTYPE F F F F F F\nWIDTH 1\nHEIGHT 1\n"
      "DATA ascii\n1000 2000 3000 1500 3000 3000\n");
  const map::Offset offset = imported({beams}, config).cloud.to_sensor.at(0);
  EXPECT_TRUE(Eigen::Vector3f(offset.data()).isApprox(Eigen::Vector3f(0.5F, 0.0F, 1.0F)));
}

TEST_F(Import, UnitsAndUpAxisThatLookWrongAreSaid) {
  const auto box = [](double x, double y, double z) {
    return Eigen::AlignedBox3d(Eigen::Vector3d::Zero(), Eigen::Vector3d(x, y, z));
  };
  EXPECT_NE(unitHint(box(40000, 20000, 9000)).find("millimetres (--scale 0.001)"),
            std::string::npos);
  EXPECT_NE(unitHint(box(4000, 2000, 900)).find("centimetres (--scale 0.01)"), std::string::npos);
  EXPECT_NE(unitHint(box(0.04, 0.02, 0.01)).find("larger than a metre"), std::string::npos);
  EXPECT_EQ(unitHint(box(421, 633, 61)), "");
  EXPECT_EQ(unitHint(box(3000, 3000, 100)), "");
  EXPECT_NE(upHint(box(288, 6.6, 507)).find("--up"), std::string::npos);
  EXPECT_EQ(upHint(box(288, 507, 6.6)), "");
  EXPECT_EQ(upHint(box(62, 12, 10)), "");
  EXPECT_EQ(upHint(box(30, 4, 5)), "");  // a corridor
}

TEST_F(Import, UnknownFormatsAreRefused) {
  for (const char* name : {"a.e57", "a.PTX"}) {
    const std::string error = importError(folder_.write(name, "x"));
    EXPECT_NE(error.find("convert it with CloudCompare or 'pdal translate"), std::string::npos);
  }
  EXPECT_NE(importError(folder_ / "missing.las").find("does not exist"), std::string::npos);
  EXPECT_THROW(upAxisOf("x"), UnknownNameError);
  ImportConfig config;
  config.scale = 0.0;
  EXPECT_THROW(config.validate("command line"), ConfigError);
}

}  // namespace
}  // namespace marsim::map_tools
