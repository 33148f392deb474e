// SPDX-License-Identifier: BSD-3-Clause
#include "map_tools/import_fixture.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace marsim::map_tools {
namespace {

using Colours = std::vector<map::Colour>;

// Without names the values tell what columns hold.
TEST_F(Import, ColumnsWithoutNamesAreJudged) {
  struct Case {
    std::string name, text, taken;
    Colours colours;
    std::vector<float> intensity;  // empty: the luma of the colours, or none
  };
  const Colours brown{{117, 73, 49}, {91, 87, 74}}, none;
  for (const Case& known :
       {Case{"a.xyz", "0 0 0 117 73 49\n1 0 0 91 87 74\n", "x y z r g b", brown, {}},
        Case{"a.xyz", "0 0 0 117 73 49 255\n1 0 0 91 87 74 255\n", "x y z r g b -", brown, {}},
        Case{"a.xyz", "0 0 0 117 73 49 0.5\n1 0 0 91 87 74 -3\n", "x y z r g b -", brown, {}},
        Case{"a.xyz",
             "0 0 0 255 117 73 49\n1 0 0 250 91 87 74\n",
             "x y z intensity r g b",
             brown,
             {255, 250}},
        Case{"a.pts",
             "0 0 0 -1200 117 73 49\n1 0 0 80 91 87 74\n",
             "x y z intensity r g b",
             brown,
             {-1200, 80}},
        Case{"a.pts",
             "0 0 0 116 117 73 49\n1 0 0 90 91 87 74\n",
             "x y z intensity r g b",
             brown,
             {116, 90}},
        Case{"a.xyz", "0 0 0 7\n1 0 0 8\n", "x y z intensity", none, {7, 8}},
        Case{"a.xyz", "0 0 0 0 0 1\n1 0 0 0.6 0 0.8\n", "x y z - - -", none, {}},
        Case{"a.xyz",
             "0 0 0 1.0 0.5 0.25\n1 0 0 0.0 0.5 1.0\n",
             "x y z r g b",
             {{255, 128, 64}, {0, 128, 255}},
             {}},
        Case{"a.xyz", "0 0 0 65535 5 7\n1 0 0 0 6 8\n", "x y z - - -", none, {}},
        Case{"a.xyz",
             "0 0 0 65535 32896 16448\n1 0 0 512 25700 2570\n",
             "x y z r g b",
             {{255, 128, 64}, {2, 100, 10}},
             {}},
        Case{"a.xyz",
             "0 0 0 0 -1 0 117 73 49\n1 0 0 1 0 0 91 87 74\n",
             "x y z - - - r g b",
             brown,
             {}},
        Case{"a.xyz",
             "0 0 0 1e2 50 30\n1 0 0 -1.#IND 1.#QNAN nan\n2 0 0 3e1 10 60\n",
             "x y z r g b",
             {{100, 50, 30}, {0, 0, 0}, {30, 10, 60}},
             {}}}) {
    const Imported map = imported({folder_.write(known.name, known.text)});
    EXPECT_EQ(map.files[0].notes[0],
              "columns are taken as " + known.taken + ": --columns names them otherwise");
    EXPECT_EQ(map.cloud.colour, known.colours) << known.text;
    if (!known.intensity.empty()) {
      EXPECT_EQ(map.cloud.intensity, known.intensity) << known.text;
    }
    EXPECT_EQ(map.cloud.hasIntensity(), !known.intensity.empty() || !known.colours.empty());
  }
}

// Dark in the first block, bright in the last row.
TEST_F(Import, ColoursOfATableAreJudgedByTheWholeFile) {
  std::string named = "x,y,z,red,green,blue\n", bare;
  for (std::size_t i = 0; i < map::kBlockPoints; ++i) {
    named += fmt::format("{},0,0,1,1,0\n", i);
    bare += fmt::format("{} 0 0 1 1 0\n", i);
  }
  named += "0,1,0,200,100,50\n";
  bare += "0 1 0 200 100 50\n";
  for (const auto& path : {folder_.write("a.csv", named), folder_.write("b.xyz", bare)}) {
    const map::PointCloud cloud = imported({path}).cloud;
    EXPECT_EQ(cloud.colour.front(), (map::Colour{1, 1, 0}));
    EXPECT_EQ(cloud.colour.back(), (map::Colour{200, 100, 50}));
  }
}

TEST_F(Import, ColumnsAreNamedByTheOption) {
  const auto path = folder_.write("a.xyz", "9 1 2 3 10 20 30 5\n9 4 5 6 40 50 60 6\n");
  const auto named =
      folder_.write("b.csv", "a,b,c,d,e,f,g,h\n9,1,2,3,10,20,30,5\n9,4,5,6,40,50,60,6\n");
  ImportConfig config;
  config.columns = {"-", "x", "y", "z", "R", "g", "blue", "intensity"};
  for (const auto& file : {path, named}) {
    const Imported map = imported({file}, config);
    EXPECT_EQ(map.cloud.points[1], Eigen::Vector3f(4, 5, 6));
    EXPECT_EQ(map.cloud.colour, (Colours{{10, 20, 30}, {40, 50, 60}}));
    EXPECT_EQ(map.cloud.intensity, (std::vector<float>{5, 6}));
    EXPECT_TRUE(map.files[0].notes.empty());
  }
  config.columns = {"x", "y", "z"};
  EXPECT_EQ(imported({path}, config).cloud.points[0], Eigen::Vector3f(9, 1, 2));
  config.columns.resize(9, "-");
  EXPECT_NE(importError(path, config).find("has 8 columns, allowed by --columns: at least 9"),
            std::string::npos);
  config.columns = {"x", "y", "zz"};
  EXPECT_NE(importError(path, config).find("columns is zz, allowed: x, y, z, intensity"),
            std::string::npos)
      << importError(path, config);
  config.columns = {"x", "y", "z", "rgb"};
  EXPECT_NE(importError(path, config).find("columns is rgb, allowed: x, y, z, intensity"),
            std::string::npos);
  config.columns = {"x", "y", "r"};
  EXPECT_NE(importError(path, config).find("allowed: x, y, z and others"), std::string::npos);
  config.columns = {"x", "y", "z"};
  EXPECT_NE(importError(folder_.write("a.las", las(2, 0, kPoints)), config).find("with a table"),
            std::string::npos);
}

// As CloudCompare, PDAL, ParaView and spreadsheets write them.
TEST_F(Import, TablesOfOtherProgramsAreRead) {
  for (const char* text :
       {"X (m),Y (m),Z (m)\n1,2,3\n4,5,6\n", "X (m) Y (m) Z (m)\n1 2 3\n4 5 6\n",
        "X[m]\tY[m]\tZ[m]\n1\t2\t3\n4\t5\t6\n", "// made by hand\n1 2 3\n4 5 6\n",
        "% x y z are in metres\n1 2 3\n4 5 6\n", "# x y z\n1 2 3\n4 5 6\n",
        "\"Points:0\",\"Points:1\",\"Points:2\"\n1,2,3\n4,5,6\n", ",x,y,z\n0,1,2,3\n1,4,5,6\n",
        "//X;Y;Z;Illuminance (PCV)\n2\n1;2;3;0.1\n4;5;6;0.2\n", "1,2,3,\n4,5,6,\n",
        "x,y,z,\n1,2,3,\n4,5,6\n", "1,0\t2,0\t3,0\n4,0\t5,0\t6,0\n",
        "x,y,z,name,time\n1,2,3,a,\n4,5,6,,7\n", "+1 2 3\n4 5 +6.0e+0\n"}) {
    const Imported map = imported({folder_.write("a.txt", text)});
    ASSERT_EQ(map.cloud.size(), 2U) << text;
    EXPECT_EQ(map.cloud.points[0], Eigen::Vector3f(1, 2, 3)) << text;
    EXPECT_EQ(map.cloud.points[1], Eigen::Vector3f(4, 5, 6)) << text;
    EXPECT_FALSE(map.cloud.hasIntensity()) << text;
  }
  const Imported cells = imported({folder_.write("a.csv", "x,y,z,intensity\n1,2,3,\n4,5,6,8\n")});
  EXPECT_EQ(cells.cloud.intensity, (std::vector<float>{0, 8}));
  const Imported tabs = imported(
      {folder_.write("a.txt", "intensity\tx\ty\tz\tlabel\n\t1\t2\t3\t\n8\t4\t5\t6\t50\n")});
  EXPECT_EQ(tabs.cloud.points, (std::vector<Eigen::Vector3f>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(tabs.cloud.intensity, (std::vector<float>{0, 8}));
  EXPECT_EQ(tabs.cloud.classes, (std::vector<std::uint8_t>{0, 50}));
  const Imported shades = imported(
      {folder_.write("a.txt", "//X;Y;Z;Rf;Gf;Bf;Intensity\n2\n1;2;3;1;1;0;7\n4;5;6;0;1;1;8\n")});
  EXPECT_EQ(shades.cloud.colour, (Colours{{255, 255, 0}, {0, 255, 255}}));
  EXPECT_EQ(shades.cloud.intensity, (std::vector<float>{7, 8}));
}

// The luma stands for the intensity: without a colour it is 0, which is a dark surface.
TEST_F(Import, PointsWithoutAColourAreCounted) {
  const auto pcd = [&](const std::string& more, const std::string& rows) {
    return imported({folder_.write(
        "a.pcd", fmt::format("FIELDS x y z rgb {0}\nSIZE 4 4 4 4 {1}\nTYPE F F F F {2}\nWIDTH 4\n"
                             "HEIGHT 1\nDATA ascii\n{3}",
                             more, more.empty() ? "" : "4", more.empty() ? "" : "F", rows))});
  };
  const auto warned = [](const Imported& map, const std::string& count) {
    const Notes& notes = map.files[0].notes;
    return std::count(notes.begin(), notes.end(),
                      "warning: " + count + " points have no colour and count as black");
  };
  EXPECT_EQ(warned(pcd("", "0 0 0 nan\n9 0 0 2.3509528e-38\nnan 0 0 nan\n0 9 0 -nan\n"), "2"), 1);
  EXPECT_EQ(
      pcd("intensity", "0 0 0 nan 1\n9 0 0 0 2\n0 0 9 nan nan\n0 9 0 nan 4\n").files[0].colourless,
      0U);
  const auto table = folder_.write("a.csv", "x,y,z,r,g,b\n0,0,0,1,,\n9,9,9,4,5,6\n");
  EXPECT_EQ(warned(imported({table}), "1"), 1);
}

// As Microsoft's libraries write what is not a number.
TEST_F(Import, NumbersThatAreNoneAreDropped) {
  const Imported map = imported({folder_.write(
      "a.xyz",
      "1 2 3\n-1.#IND 0 0\n1.#QNAN0 0 0\n1.#INF 0 0\n-nan(ind) 0 0\nNaN 0 0\n1e999 0 0\n"
      "1e-999 0 9\n")});
  EXPECT_EQ(map.files[0].not_finite, 6U);
  EXPECT_EQ(map.cloud.points, (std::vector<Eigen::Vector3f>{{1, 2, 3}, {0, 0, 9}}));
  expectError("b.xyz", "1 2 3\n1.#X 2 3\n", "column 1 is '1.#X', allowed: a number");
}

TEST_F(Import, RaggedTablesSayWhatIsWrong) {
  expectError("a.csv", "x,y,z\n1,2,3\n1,2,3,4\n1,2,3\n",
              "line 3 has 4 columns, allowed: 3 as in the header");
  expectError("a.csv", "1,2,3\n4,5", "allowed: 3 as in the first row; partly written?");
  const std::string error = importError(folder_.write("a.csv", "1,2,3\n4,5\n1,2,3\n"));
  EXPECT_EQ(error.find("partly"), std::string::npos) << error;
}

}  // namespace
}  // namespace marsim::map_tools
