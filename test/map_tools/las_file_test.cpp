// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/import_fixture.hpp"

namespace marsim::map_tools {
namespace {

/// A record of a coordinate system (LAS 1.4 R15, table 7).
std::string record(std::uint16_t number, const std::string& content) {
  std::string head(54, '\0');
  head.replace(2, 15, "LASF_Projection");
  head.replace(18, 2, bytesOf(number));
  head.replace(20, 2, bytesOf(static_cast<std::uint16_t>(content.size())));
  return head + content;
}

/// GeoTIFF keys with values in the directory itself.
std::string keys(const std::vector<std::pair<int, int>>& values) {
  std::string bytes;
  const auto put = [&](int value) { bytes += bytesOf(static_cast<std::uint16_t>(value)); };
  for (const int value : {1, 1, 0, static_cast<int>(values.size())}) put(value);
  for (const auto& [key, value] : values) {
    for (const int part : {key, 0, 1, value}) put(part);
  }
  return record(34735, bytes);
}

/// A LAS 1.2 with records of a coordinate system.
std::string lasWith(const std::vector<std::string>& records) {
  const std::string plain = las(2, 0, kPoints);
  std::string between;
  for (const std::string& bytes : records) between += bytes;
  std::string whole = plain.substr(0, 227) + between + plain.substr(237);
  whole.replace(96, 4, bytesOf(static_cast<std::uint32_t>(227 + between.size())));
  whole.replace(100, 4, bytesOf(static_cast<std::uint32_t>(records.size())));
  return whole;
}

const char kWktFeet[] =
    R"(COMPD_CS["a [b",PROJCS["NAD83 [Ohio",GEOGCS["NAD83",DATUM["D",SPHEROID["GRS 1980",6378137,)"
    R"(298.257]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["LCC"],)"
    "\n  "
    R"(PARAMETER["false_easting",1968500],UNIT["US survey foot",0.3048006096012192,)"
    R"(AUTHORITY["EPSG","9003"]],AXIS["X",EAST]],VERT_CS["NAVD88",VERT_DATUM["N",2005],)"
    R"(UNIT["metre",1.0]]])";
const char kWkt2Feet[] =
    R"(PROJCRS["x",BASEGEOGCRS["NAD83",DATUM["D",ELLIPSOID["GRS 1980",6378137,298.257,)"
    R"(LENGTHUNIT["metre",1]]]],CONVERSION["c",PARAMETER["e",0,LENGTHUNIT["km",1000]]],)"
    R"(CS[Cartesian,2],AXIS["easting",east,ORDER[1],LENGTHUNIT["foot",0.3048]]])";

TEST_F(Import, LasComesInMetresByItsUnit) {
  constexpr double kSurveyFoot = 1200.0 / 3937.0;  // [m]
  struct Case {
    std::vector<std::string> records;
    double unit, height_unit;
    Notes notes;
  };
  const auto said = [](const std::string& unit) {
    return Notes{"the file's unit is the " + unit + ": scaled to metres, --scale replaces it"};
  };
  const std::string kFeet = "foot (0.3048 m)", kSurveyFeet = "US survey foot (0.3048006 m)";
  const Notes survey_feet = said(kSurveyFeet);
  for (const Case& known :
       {Case{{}, 1.0, 1.0, {}}, Case{{keys({{1024, 1}, {3076, 9001}, {4099, 9001}})}, 1.0, 1.0, {}},
        Case{
            {keys({{1024, 1}, {3076, 9003}, {4099, 9003}})}, kSurveyFoot, kSurveyFoot, survey_feet},
        Case{{keys({{1024, 1}, {3076, 9002}, {4099, 9001}})},
             0.3048,
             1.0,
             said(kFeet + ", that of heights the metre")},
        Case{{record(7, "other"), keys({{1024, 1}, {3072, 3735}}),
              record(34737, "NAD83 / Ohio South (ftUS)|")},
             kSurveyFoot,
             kSurveyFoot,
             survey_feet},
        Case{{record(2112, kWktFeet)},
             kSurveyFoot,
             1.0,
             said(kSurveyFeet + ", that of heights the metre")},
        Case{{record(2112, kWkt2Feet)}, 0.3048, 0.3048, said(kFeet)},
        Case{{record(2112, R"(LOCAL_CS["a",LOCAL_DATUM["b",0],UNIT["foot", 0.3048 ]])")},
             0.3048,
             0.3048,
             said(kFeet)},
        Case{{record(2112, R"(ENGCRS["a",EDATUM["b"],CS[Cartesian,2],LENGTHUNIT["foot",0.3048]])")},
             0.3048,
             0.3048,
             said(kFeet)},
        Case{{keys({{1024, 1}, {3072, 32633}})}, 1.0, 1.0, {}},
        Case{{keys({{1024, 1}, {3072, 25832}}), record(34737, "ETRS89 / UTM zone 32N|")},
             1.0,
             1.0,
             {}}}) {
    const auto path = folder_.write("a.las", lasWith(known.records));
    const Imported map = imported({path});
    const Eigen::Vector3d expected(101.0 * known.unit, 202.0 * known.unit,
                                   303.0 * known.height_unit);
    EXPECT_TRUE(map.cloud.points[0].isApprox(expected.cast<float>(), 1e-6F))
        << map.cloud.points[0].transpose();
    EXPECT_EQ(map.files[0].notes, known.notes);
  }
}

TEST_F(Import, AnUnknownUnitOfALasIsTheMetreAndSaid) {
  const std::string metres =
      "warning: the unit of the file is not known: taken as metres (--scale)";
  const auto heights = [](const std::string& unit) {
    return "warning: the unit of heights is not known: taken as the " + unit + " (--scale)";
  };
  for (const auto& [bytes, note] :
       {std::pair(keys({{1024, 1}, {3076, 32767}}), metres),
        std::pair(keys({{1024, 1}, {3076, 9005}, {4099, 9005}}), metres),
        std::pair(keys({{1024, 1}, {3072, 3735}}), metres),
        std::pair(keys({{1024, 1}, {3076, 9001}, {4099, 9005}}), heights("metre")),
        std::pair(keys({{1024, 1}, {3076, 9002}, {4099, 9005}}), heights("foot (0.3048 m)")),
        std::pair(record(2112, "PROJCS[\"cut"), metres),
        std::pair(record(2112, R"(PROJCS["a",UNIT["foot",0.3048]],VERT_CS["b",UNIT["c",x]])"),
                  heights("foot (0.3048 m)"))}) {
    EXPECT_EQ(imported({folder_.write("a.las", lasWith({bytes}))}).files[0].notes.at(0), note);
  }
}

TEST_F(Import, ScaleReplacesTheUnitOfALas) {
  ImportConfig config;
  config.scale = 0.5;
  const Imported map =
      imported({folder_.write("a.las", lasWith({keys({{1024, 1}, {3076, 9003}})}))}, config);
  EXPECT_TRUE(map.cloud.points[0].isApprox(Eigen::Vector3f(50.5F, 101.0F, 151.5F)));
  EXPECT_EQ(
      map.files[0].notes[0],
      "warning: the file says that its unit is the US survey foot (0.3048006 m), taken is --scale");
}

TEST_F(Import, LasInDegreesIsRefused) {
  const char* const wkt = R"(GEOGCS["WGS 84",DATUM["d"],UNIT["degree",0.0174532925199433]])";
  for (const std::string& bytes : {keys({{1024, 2}, {2048, 4326}}), record(2112, wkt)}) {
    expectError("a.las", lasWith({bytes}), "has degrees of longitude and latitude");
    // Its box says that it has no degrees.
    std::string far = lasWith({bytes});
    far.replace(179, 8, bytesOf(500000.0));
    EXPECT_EQ(importError(folder_.write("b.las", far)), "no error");
  }
}

// Also one whose records lie behind the points.
TEST_F(Import, LasInDegreesIsRefusedByAnExtendedRecord) {
  std::string whole = las(4, 6, kPoints);
  const std::string content = R"(GEOGCRS["WGS 84"])";
  std::string head(60, '\0');
  head.replace(2, 15, "LASF_Projection");
  head.replace(18, 2, bytesOf(std::uint16_t{2112}));
  head.replace(20, 8, bytesOf(static_cast<std::uint64_t>(content.size())));
  whole.replace(235, 8, bytesOf(static_cast<std::uint64_t>(whole.size())));
  whole.replace(243, 4, bytesOf(std::uint32_t{1}));
  expectError("a.las", whole + head + content, "has degrees of longitude and latitude");
}

TEST_F(Import, LasNoiseIsDroppedAndCounted) {
  std::string old = las(2, 0, {{0, 0, 0, 1, 7}, {1, 1, 1, 2, 2}, {2, 2, 2, 3, 18}});
  const std::string plain = las(4, 6, kPoints);
  std::string extended = plain;
  extended[extended.size() - 30 + 16] = 7;
  extended[extended.size() - 60 + 16] = 2;
  for (const auto& [bytes, note] :
       {std::pair(old, "2 points of the noise classes 7 and 18 dropped"),
        std::pair(extended, "1 points of the noise classes 7 and 18 dropped")}) {
    const Imported map = imported({folder_.write("a.las", bytes)});
    EXPECT_EQ(map.cloud.size(), 1U);
    EXPECT_EQ(map.files[0].notes, Notes{note});
  }
  expectError("b.las", las(2, 0, {{0, 0, 0, 1, 7}, {0, 0, 0, 1, 0x80}}),
              "has no points but 1 withheld and 1 of noise");
}

TEST_F(Import, LasWithACountOf32BitsAlone) {
  std::string bytes = las(4, 1, kPoints);
  bytes.replace(247, 8, bytesOf(std::uint64_t{0}));
  EXPECT_EQ(imported({folder_.write("a.las", bytes)}).cloud.size(), 2U);
}

// The first block is dark; the depth of colours is that of the whole file.
TEST_F(Import, LasColoursAreJudgedByTheWholeFile) {
  constexpr std::size_t kCount = map::kBlockPoints + 10;
  std::vector<LasPoint> points(kCount);
  for (std::size_t i = 0; i < kCount; ++i) points[i].x = static_cast<std::int32_t>(i);
  std::string bytes = las(2, 2, points);
  const std::size_t first = bytes.size() - 26 * kCount;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint16_t shade = i < map::kBlockPoints ? 200 : 0x8080;
    for (std::size_t k = 0; k < 3; ++k) {
      bytes.replace(first + 26 * i + 20 + 2 * k, 2, bytesOf(shade));
    }
  }
  const map::PointCloud cloud = imported({folder_.write("a.las", bytes)}).cloud;
  EXPECT_EQ(cloud.colour.front(), (map::Colour{0, 0, 0}));
  EXPECT_EQ(cloud.colour.back(), (map::Colour{128, 128, 128}));
}

}  // namespace
}  // namespace marsim::map_tools
