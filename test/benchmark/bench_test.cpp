// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "marsim/lidar_gl/renderer.hpp"
#include "tools/process/child_process.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::tools {
namespace {

struct BenchRun {
  int exit_code = 0;
  std::string output;
  nlohmann::json rows;
};

BenchRun bench(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "rows.json").string();
  arguments.insert(arguments.begin(), MARSIM_BENCH);
  arguments.insert(arguments.end(), {"--out", out});
  BenchRun run;
  const ChildResult result = runChild({arguments, {}, {}, 0.0},
                                      [&](const std::string& line) { run.output += line + "\n"; });
  run.exit_code = result.exit_code;
  if (std::ifstream file(out); file) run.rows = nlohmann::json::parse(file);
  return run;
}

TEST(Bench, WritesARowForEveryCell) {
  const BenchRun run = bench({"--places", "building", "--resolutions", "0.4", "--sensors",
                              "vlp16,avia_image", "--threads", "1", "--repeats", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.output;
  ASSERT_TRUE(run.rows.is_array());
  std::set<std::string> renderers, surfaces;
  for (const auto& row : run.rows) {
    for (const char* key : {"sensor", "place", "resolution_m", "points", "threads", "renderer",
                            "ms_median", "embree_ms_median", "bytes_per_point",
                            "embree_bytes_per_point", "oracle_agreement", "surface", "cold"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_GT(row["points"], 1000);
    EXPECT_GT(row["ms_median"], 0.0);
    const auto& agreement = row["oracle_agreement"];
    EXPECT_TRUE(agreement.is_null() || agreement == 1.0) << row.dump(1);
    EXPECT_GT(row["preprocess_s"], 0.0);
    renderers.insert(row["renderer"]);
    surfaces.insert(row["surface"]);
  }
  EXPECT_EQ(renderers, (std::set<std::string>{"projection", "ray_caster"}));
  EXPECT_EQ(surfaces, (std::set<std::string>{"blended", "paper", "sized"}));
}

TEST(Bench, PutsOpenGlBesideTheProcessor) {
  if (!lidar_gl::available()) GTEST_SKIP() << "built without OpenGL";
  const BenchRun run = bench({"--renderer", "opengl", "--places", "building", "--resolutions",
                              "0.4", "--sensors", "mid360", "--threads", "2", "--repeats", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.output;
  for (const auto& row : run.rows) {
    EXPECT_EQ(row["renderer"], "opengl");
    EXPECT_EQ(row["threads"], 2);
    EXPECT_NE(std::string(row["device"]).find("rendering by OpenGL: "), std::string::npos);
    EXPECT_GT(row["ms_median"], 0.0);
    EXPECT_GT(row["cpu_ms_median"], 0.0);
    EXPECT_GT(row["oracle_agreement"], 0.999);
    EXPECT_EQ(row["cpu_renderer"], "ray_caster");
  }
  EXPECT_EQ(run.rows.size(), 3U);
  EXPECT_NE(run.output.find("| mid360 | building | 0.4 | "), std::string::npos) << run.output;
}

TEST(Bench, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(bench({"--sensors", "avai"}).output.find("did you mean 'avia'"), std::string::npos);
  EXPECT_EQ(bench({"--places", "moon"}).exit_code, 2);
  EXPECT_EQ(bench({"--resolutions", "-1"}).exit_code, 2);
}

}  // namespace
}  // namespace marsim::tools
