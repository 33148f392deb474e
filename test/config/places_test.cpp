// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>
#include <vector>

#include "config/places.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

namespace fs = std::filesystem;

class PlacesTest : public ConfigTest {
 protected:
  // Small and coarse: quick to make.
  const std::string building_ = "place: building\nroom_length: 4m\nroom_width: 4m\nspacing: 20cm\n";
};

std::size_t pointsIn(const fs::path& pcd) { return map::loadCloud(pcd).cloud.size(); }

TEST_F(PlacesTest, MakesAPlaceOnceAndAnewWhenASettingChanges) {
  const fs::path first = resolveMap(write("mine.yaml", building_));
  EXPECT_EQ(first.parent_path(), folder_ / "cache" / "marsim" / "places");
  EXPECT_EQ(first.filename().string().substr(0, 5), "mine-");
  EXPECT_EQ(first.extension(), ".pcd");
  EXPECT_GT(pointsIn(first), 100U);
  const auto written = fs::last_write_time(first);
  EXPECT_EQ(resolveMap(write("mine.yaml", building_)), first);
  EXPECT_EQ(fs::last_write_time(first), written);
  EXPECT_NE(resolveMap(write("mine.yaml", building_ + "seed: 2\n")), first);
  EXPECT_NE(resolveMap(write("mine.yaml", building_ + "height: 3m\n")), first);
}

TEST_F(PlacesTest, TwoProcessesAtOnceBothGetTheWholePlace) {
  const std::string yaml = write("shared.yaml", building_);
  const pid_t child = fork();
  if (child == 0) {
    bool good = false;
    try {
      good = pointsIn(resolveMap(yaml)) > 100U;
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  EXPECT_GT(pointsIn(resolveMap(yaml)), 100U);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(PlacesTest, FallsBackToTheTemporaryFolder) {
  write("blocked", "a file where the cache folder should be");
  const ScopedVariable cache("XDG_CACHE_HOME", folder_ / "blocked");
  const ScopedVariable temporary("TMPDIR", folder_ / "tmp");
  fs::create_directories(folder_ / "tmp");
  testing::internal::CaptureStderr();
  const fs::path made = resolveMap(write("mine.yaml", building_));
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_EQ(made.parent_path(),
            folder_ / "tmp" / ("marsim-" + std::to_string(geteuid())) / "places");
  EXPECT_NE(output.find("warning: "), std::string::npos) << output;
  EXPECT_GT(pointsIn(made), 100U);
}

// As the nodes of a first launch do.
TEST_F(PlacesTest, OneOfManyMakesThePlace) {
  const std::string path = write("mine.yaml", building_);
  testing::internal::CaptureStderr();
  std::vector<fs::path> made(4);
  std::vector<std::thread> threads;
  for (fs::path& one : made) threads.emplace_back([&] { one = resolveMap(path); });
  for (std::thread& thread : threads) thread.join();
  const std::string output = testing::internal::GetCapturedStderr();
  for (const fs::path& one : made) EXPECT_EQ(one, made[0]);
  const std::size_t first = output.find("making the place");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(output.find("making the place", first + 1), std::string::npos) << output;
}

TEST_F(PlacesTest, PathsAreCheckedAndReturnedAsTheyAre) {
  const std::string path = write("hall.pcd", "anything");
  EXPECT_EQ(resolveMap(path), fs::path(path));
  EXPECT_EQ(complaint([] { resolveMap("no/such.pcd"); }), "no/such.pcd: no such file");
  EXPECT_EQ(complaint([&] { resolveMap(folder_.string()); }),
            folder_.string() + ": is a folder, a map file is wanted");
  ASSERT_EQ(mkfifo((folder_ / "fifo.pcd").c_str(), 0600), 0);
  EXPECT_EQ(complaint([&] { resolveMap(folder_ / "fifo.pcd"); }),
            (folder_ / "fifo.pcd").string() + ": is no regular file");
  const std::string las = write("hall.las", "anything");
  EXPECT_EQ(complaint([&] { resolveMap(las); }),
            las + ": extension is '.las', allowed: .pcd, .ply");
}

TEST_F(PlacesTest, UnknownNamesListTheBundledPlaces) {
  const std::string message = complaint([] { resolveMap("forrest"); });
  EXPECT_EQ(message.rfind("unknown place 'forrest' (did you mean 'forest'?), known: building, ", 0),
            0U)
      << message;
  EXPECT_NE(message.find(", urban_canyon, or the path of a .pcd or .ply file"), std::string::npos)
      << message;
}

// A name without a folder or an extension is a bundled place, whatever lies in this folder.
TEST_F(PlacesTest, ABareNameIsTheBundledPlaceAndSaysSo) {
  write("building", "no map");
  write("building.pcd", "no map");
  write("hall.ply", "no map");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  testing::internal::CaptureStderr();
  const fs::path made = resolveMap("building");
  const std::string output = testing::internal::GetCapturedStderr();
  const std::string unknown = complaint([] { resolveMap("hall"); });
  const fs::path own = resolveMap("./building.pcd");
  fs::current_path(before);
  EXPECT_GT(pointsIn(made), 10'000U);
  EXPECT_NE(output.find("map 'building' is the bundled place; the file of that name here is "
                        "./building, ./building.pcd\n"),
            std::string::npos)
      << output;
  EXPECT_NE(unknown.find("or the path of a .pcd or .ply file (here: ./hall.ply)"),
            std::string::npos)
      << unknown;
  EXPECT_EQ(own, fs::path("./building.pcd"));
}

// A recipe of one's own may have a bundled place's name: its path tells it from that.
TEST_F(PlacesTest, AFileNamedLikeABundledPlaceIsAnotherPlace) {
  const fs::path bundled = resolveMap("building");
  testing::internal::CaptureStderr();
  const std::string path = write("building.yaml", building_);
  const fs::path own = resolveMap(path);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_NE(own, bundled);
  EXPECT_LT(pointsIn(own), pointsIn(bundled));
  EXPECT_NE(output.find("making the place 'building' of " + path), std::string::npos) << output;
}

TEST_F(PlacesTest, SpacingMayBeGivenForOneCall) {
  const std::string path = write("mine.yaml", building_);
  const std::size_t coarse = makePlaceAt(path, 0.2).size();
  EXPECT_EQ(coarse, pointsIn(resolveMap(path)));
  EXPECT_NEAR(static_cast<double>(makePlaceAt(path, 0.1).size()) / static_cast<double>(coarse), 4.0,
              0.6);
  EXPECT_NE(complaint([&] { makePlaceAt(path, 0.0); }).find("spacing is 0"), std::string::npos);
}

TEST_F(PlacesTest, SettingsOfAPlaceAreChecked) {
  const auto complaintOf = [&](const std::string& text) {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { resolveMap(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("place: desert"),
            "x.yaml: place is 'desert', allowed: forest, building, recipe");
  EXPECT_EQ(complaintOf("seed: 1"), "x.yaml: place is missing, allowed: this key is required");
  EXPECT_NE(complaintOf("place: forest\nheight: 3m").find("height is an unknown key"),
            std::string::npos);
  EXPECT_NE(complaintOf("place: forest\nspacing: 0m").find("spacing is 0"), std::string::npos);
  EXPECT_NE(complaintOf("place: building\nroom_length: .nan").find("room_length is '.nan'"),
            std::string::npos);
}

TEST_F(PlacesTest, BundledPlacesAreValid) {
  for (const char* name : {"forest", "building"}) {
    EXPECT_TRUE(fs::is_regular_file(resolveMap(name))) << name;
  }
}

}  // namespace
}  // namespace marsim::config
