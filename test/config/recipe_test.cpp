// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "common/data_dir.hpp"
#include "config/recipe_reader.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/kd_tree.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/semantic_class.hpp"
#include "scene/places/materials.hpp"
#include "scene/places/parts.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

namespace fs = std::filesystem;

const std::string kHead = "place: recipe\nsize: [12, 8, 4]\nstart: [2, 4, 0]\nspacing: 10cm\n";

class RecipeTest : public ConfigTest {
 protected:
  map::PointCloud of(const std::string& text) { return load(write("recipe.yaml", text)); }
  static map::PointCloud load(const std::string& name) {
    testing::internal::CaptureStderr();
    map::PointCloud cloud = map::loadCloud(resolveMap(name)).cloud;
    testing::internal::GetCapturedStderr();
    return cloud;
  }
  std::string said(const std::string& text) {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { resolveMap(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  }
};

Eigen::AlignedBox3f boxOf(const map::PointCloud& cloud) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  return box;
}

TEST_F(RecipeTest, StartBecomesTheOrigin) {
  const Eigen::AlignedBox3f box =
      boxOf(of(kHead + "parts: [{part: slab, area: [[0, 0], [12, 8]], thickness: 0}]\n"));
  EXPECT_NEAR(box.min().x(), -2.0F, 0.06F);
  EXPECT_NEAR(box.max().x(), 10.0F, 0.06F);
  EXPECT_NEAR(box.min().y(), -4.0F, 0.06F);
  EXPECT_NEAR(box.max().y(), 4.0F, 0.06F);
  EXPECT_NEAR(box.max().z(), 0.0F, 0.06F);
}

// Every square metre of a floor holds as many points, and no place of it is far from one. Jittered
// cells are more even than chance: chi-square stays below its mean.
TEST_F(RecipeTest, FloorsAreSampledEvenlyAndCovered) {
  const map::PointCloud cloud =
      of(kHead + "parts: [{part: slab, area: [[0, 0], [12, 8]], thickness: 0}]\n");
  EXPECT_NEAR(static_cast<double>(cloud.size()), 12.0 * 8.0 * 100.0, 100.0);
  std::map<std::pair<int, int>, int> cells, fine;
  for (const Eigen::Vector3f& p : cloud.points) {
    ++cells[{static_cast<int>(std::floor(p.x())), static_cast<int>(std::floor(p.y()))}];
    ++fine[{static_cast<int>(std::floor(p.x() / 0.2F)),
            static_cast<int>(std::floor(p.y() / 0.2F))}];
  }
  double chi_square = 0.0;
  for (int x = -2; x < 10; ++x) {
    for (int y = -4; y < 4; ++y) chi_square += std::pow(cells[{x, y}] - 100.0, 2) / 100.0;
  }
  EXPECT_LT(chi_square, 96.0);
  for (int x = -10; x < 50; ++x) {
    for (int y = -20; y < 20; ++y) ASSERT_GT((fine[{x, y}]), 0) << x << " " << y;
  }
}

TEST_F(RecipeTest, WallsHaveTheirDoorsAndWindows) {
  const map::PointCloud cloud =
      of(kHead +
         "parts:\n  - {part: wall, path: [[2, 6, 0], [8, 6, 0]], height: 3, thickness: 20cm,\n"
         "     openings: [{at: 1.5}, {at: 4, width: 0.6, bottom: 1, height: 1, every: 1, count: "
         "2}]}\n");
  int in_door = 0, in_windows = 0, beside = 0;
  for (const Eigen::Vector3f& p : cloud.points) {
    const auto within = [&](float middle, float half, float low, float high) {
      return std::abs(p.x() - middle) < half - 0.05F && p.z() > low + 0.05F && p.z() < high - 0.05F;
    };
    in_door += within(1.5F, 0.5F, 0.0F, 2.1F) ? 1 : 0;
    in_windows += within(4.0F, 0.3F, 1.0F, 2.0F) || within(5.0F, 0.3F, 1.0F, 2.0F) ? 1 : 0;
    beside += within(2.7F, 0.5F, 0.0F, 2.1F) ? 1 : 0;
  }
  EXPECT_EQ(in_door, 0);
  EXPECT_EQ(in_windows, 0);
  EXPECT_GT(beside, 200);
}

// Posts of 10 cm: each is one heap of points, apart from all others as asked.
TEST_F(RecipeTest, ScatteredPartsKeepDensityAndGap) {
  const map::PointCloud cloud = of(
      "place: recipe\nsize: [20, 20, 3]\nstart: [10, 10, 0]\nspacing: 5cm\nrange_noise: 0\n"
      "parts: [{part: cylinder, radius: 10cm, height: 0.5, scatter: {density: 0.2, gap: 0.8}}]\n");
  std::vector<std::vector<Eigen::Vector2f>> heaps;
  for (const Eigen::Vector3f& p : cloud.points) {
    const Eigen::Vector2f place = p.head<2>();
    const auto mine = std::find_if(heaps.begin(), heaps.end(), [&](const auto& heap) {
      return (heap.front() - place).norm() < 0.25F;
    });
    if (mine == heaps.end()) {
      heaps.push_back({place});
    } else {
      mine->push_back(place);
    }
    EXPECT_GT(place.norm(), 1.5F);
  }
  EXPECT_EQ(heaps.size(), 80U);
  float least = 1e9F;
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (const Eigen::Vector2f& a : heaps[i]) least = std::min(least, (a - heaps[j][0]).norm());
    }
  }
  EXPECT_GT(least, 0.79F);
}

TEST_F(RecipeTest, GroupsAreTurnedAndRepeated) {
  const Eigen::AlignedBox3f box = boxOf(
      of(kHead + "groups:\n  pair: [{part: box, at: [1, 0, 0], length: 1, width: 0.5, height: 2}]\n"
                 "parts:\n  - {part: pair, at: [4, 4, 0], yaw: 90deg,\n"
                 "     array: {count: [3, 1, 1], step: [2, 0, 0]}}\n"));
  EXPECT_NEAR(box.min().x(), 1.75F, 0.06F);
  EXPECT_NEAR(box.max().x(), 6.25F, 0.06F);
  EXPECT_NEAR(box.min().y(), 0.5F, 0.06F);
  EXPECT_NEAR(box.max().y(), 1.5F, 0.06F);
}

TEST_F(RecipeTest, AnotherSeedScattersAnew) {
  const std::string text = kHead + "parts: [{part: rock, scatter: {count: 5, gap: 0.1}}]\n";
  const map::PointCloud first = of(text), again = of(text + "\n"), other = of(text + "seed: 2\n");
  EXPECT_EQ(first.points, again.points);
  EXPECT_NE(first.points, other.points);
}

TEST_F(RecipeTest, SlipsAreNamed) {
  const auto with = [&](const std::string& part) {
    return said(kHead + "parts: [" + part + "]\n");
  };
  EXPECT_NE(with("{part: tabel}").find("parts[0].part is 'tabel' (did you mean 'table'?)"),
            std::string::npos);
  EXPECT_NE(with("{part: table, lenght: 2}")
                .find("parts[0].lenght is an unknown key (did you mean 'length'?)"),
            std::string::npos);
  EXPECT_NE(with("{part: table, length: 200}").find("parts[0].length is 200, allowed: 0.1 to 20"),
            std::string::npos);
  EXPECT_NE(with("{part: wall, path: [[0, 0, 0]]}").find("path is 1 points"), std::string::npos);
  EXPECT_NE(with("{part: slab, area: [[1, 0], [0, 1]]}").find("the lower corner first"),
            std::string::npos);
  EXPECT_NE(with("{part: slab}").find("parts[0].area is missing"), std::string::npos);
  EXPECT_NE(with("{part: rock, scatter: {gap: 1}}").find("either count or density"),
            std::string::npos);
  EXPECT_NE(with("{part: box, array: {count: [1.5, 1, 1], step: [1, 1, 1]}}").find("whole numbers"),
            std::string::npos);
  EXPECT_NE(with("{part: box, array: {count: [1e5, 1e5, 1], step: [1, 1, 1]}}")
                .find("parts[0].array.count is 1e+10 in all, allowed: at most 100000"),
            std::string::npos);
  std::string many = "groups:\n  g0: [{part: box}, {part: box}]\n";
  for (int i = 1; i < 40; ++i) {
    many += fmt::format("  g{}: [{{part: g{}}}, {{part: g{}}}]\n", i, i - 1, i - 1);
  }
  EXPECT_NE(said(kHead + many).find("at most 100000 parts"), std::string::npos);
  EXPECT_NE(with("{part: box, material: gold}").find("allowed: bark, concrete, grass"),
            std::string::npos);
  EXPECT_NE(with("{part: box, class: bulding}").find("did you mean 'building'?"),
            std::string::npos);
  EXPECT_NE(with("{part: box, colour: [1, 2, 256]}").find("colour is 256, allowed: [red, green"),
            std::string::npos);
  EXPECT_NE(said(kHead + "density_variation: 1.5\n").find("density_variation is 1.5"),
            std::string::npos);
  EXPECT_NE(with("{part: rock, scatter: {count: 500, gap: 3}}").find("a smaller gap"),
            std::string::npos);
  EXPECT_NE(with("{part: slab, area: [[0, 0], [3e6, 9]]}").find("area is 3e+06 m off, allowed"),
            std::string::npos);
  EXPECT_NE(with("{part: box, at: [0, -4km, 0]}").find("at is 4000 m off, allowed: within 2500 m"),
            std::string::npos);
  EXPECT_NE(with("{part: pipe, path: [[0, 0, 0], [9km, 0, 0]]}").find("path is 9000 m off"),
            std::string::npos);
  for (const char* part : {"", "{part: box, at: [100, 100, 0]}"}) {
    EXPECT_NE(with(part).find("parts is without a point, allowed: parts within the size"),
              std::string::npos);
  }
  EXPECT_NE(
      with("{part: wall, path: [[0, 0, 0], [5, 0, 0]], openings: [{at: 2, width: 1, every: 2, "
           "count: 3}]}")
          .find("openings[0].at is 2 m, the last one 6 m, allowed: 0.5 to 4.5 m along"),
      std::string::npos);
  EXPECT_NE(said(kHead + "groups: {table: [{part: box}]}\n").find("a name that no part has"),
            std::string::npos);
  EXPECT_NE(said("place: recipe\nsize: [1, 1, 1]\nstart: [0, 0, 0]\n").find("size[0] is 1"),
            std::string::npos);
}

// A box has what the recipe says of it, the slab is a floor; shades vary by less than a fifth.
TEST_F(RecipeTest, PartsHaveColoursAndClasses) {
  const map::PointCloud cloud =
      of(kHead +
         "parts:\n  - {part: slab, area: [[0, 0], [12, 8]], thickness: 0}\n"
         "  - {part: box, at: [8, 4, 1], material: grass, colour: [200, 100, 0], class: car}\n");
  ASSERT_EQ(cloud.colour.size(), cloud.size());
  ASSERT_EQ(cloud.classes.size(), cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const bool on_box = cloud.points[i].z() > 0.5F;
    const map::Colour usual = on_box ? map::Colour{200, 100, 0} : scene::material::kConcrete.colour;
    const double grass = 255.0 * scene::material::kGrass.reflectivity;
    ASSERT_EQ(int{cloud.classes[i]}, on_box ? 10 : 100);
    ASSERT_NEAR(cloud.intensity[i], on_box ? grass : 0.24 * 255.0, 0.01);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(cloud.colour[i][k], usual[k], 1.0 + 0.18 * usual[k]);
    }
  }
}

// Each of three chairs, a desk with its chair, two cars, and a tree has a number of its own.
TEST_F(RecipeTest, ThingsHaveInstances) {
  const map::PointCloud cloud =
      of("place: recipe\nsize: [40, 12, 12]\nstart: [1, 1, 0]\nspacing: 10cm\nparts:\n"
         "  - {part: slab, area: [[0, 0], [40, 12]], thickness: 0.2}\n"
         "  - {part: wall, path: [[0, 11, 0], [40, 11, 0]]}\n"
         "  - {part: chair, at: [3, 3, 0], array: {count: [3, 1, 1], step: [2, 0, 0]}}\n"
         "  - {part: desk, at: [12, 3, 0]}\n"
         "  - {part: parking, at: [16, 4, 0], count: 2, taken: 1}\n"
         "  - {part: tree, at: [32, 5, 0], height: 6}\n");
  ASSERT_EQ(cloud.instances.size(), cloud.size());
  std::map<int, std::map<int, Eigen::AlignedBox3f>> boxes;  // by class and instance
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    boxes[cloud.classes[i]][cloud.instances[i]].extend(cloud.points[i]);
  }
  using namespace map::semantic;
  for (const int stuff : {kFloor, kCeiling, kWall, kLaneMarking}) {
    ASSERT_EQ(boxes[stuff].size(), 1U) << stuff;
    EXPECT_EQ(boxes[stuff].begin()->first, 0) << stuff;
  }
  ASSERT_EQ(boxes[kChair].size(), 4U);
  ASSERT_EQ(boxes[kTable].size(), 1U);
  ASSERT_EQ(boxes[kCar].size(), 2U);
  ASSERT_EQ(boxes[kTrunk].size(), 1U);
  EXPECT_EQ(boxes[kTrunk].begin()->first, boxes[kVegetation].begin()->first);
  std::set<int> numbers;
  for (const int kind : {kChair, kTable, kCar, kTrunk}) {
    for (const auto& [number, box] : boxes[kind]) numbers.insert(number);
  }
  EXPECT_EQ(numbers, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  for (const auto& [number, box] : boxes[kChair]) EXPECT_LT(box.sizes().maxCoeff(), 1.2F);
  for (const auto& [number, box] : boxes[kCar]) {
    EXPECT_LT(box.sizes().x(), 2.4F);
    EXPECT_GT(box.sizes().y(), 3.5F);
  }
}

// Where a scan lacks points those that are left lie where they lay.
TEST_F(RecipeTest, DensityVariesAsAsked) {
  const std::string floor = "parts: [{part: slab, area: [[0, 0], [12, 8]], thickness: 0}]\n";
  const map::PointCloud even = of(kHead + floor);
  const map::PointCloud uneven = of(kHead + "density_variation: 0.8\n" + floor);
  EXPECT_NEAR(static_cast<double>(uneven.size()) / static_cast<double>(even.size()), 0.6, 0.1);
  std::map<std::pair<int, int>, double> squares;
  std::size_t at = 0;
  for (const Eigen::Vector3f& p : uneven.points) {
    while (at < even.size() && even.points[at] != p) ++at;
    squares[{static_cast<int>(std::floor(p.x())), static_cast<int>(std::floor(p.y()))}] += 0.01;
  }
  ASSERT_LT(at, even.size());
  const auto [least, most] =
      std::minmax_element(squares.begin(), squares.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_LT(least->second, 0.5);
  EXPECT_GT(most->second, 0.75);
}

// A place of each part by itself, so that none stays untried.
TEST_F(RecipeTest, EveryPartHasPoints) {
  for (const scene::PartKind& kind : scene::partKinds()) {
    std::string part = "{part: " + kind.name;
    if (kind.form == scene::PartKind::kSlab) part += ", area: [[1, 1], [6, 6]]";
    if (kind.form == scene::PartKind::kAlongPath || kind.form == scene::PartKind::kWall) {
      part += ", path: [[1, 1, 0], [9, 3, 0]]";
    }
    const map::PointCloud cloud =
        of("place: recipe\nsize: [20, 20, 50]\nstart: [1, 15, 0]\nspacing: 10cm\nparts: [" + part +
           ", at: [8, 6, 0]}]\n");
    EXPECT_GT(cloud.size(), 20U) << kind.name;
    ASSERT_EQ(cloud.classes.size(), cloud.size()) << kind.name;
    EXPECT_EQ(std::count(cloud.classes.begin(), cloud.classes.end(), 0), 0) << kind.name;
    for (const Eigen::Vector3f& p : cloud.points) ASSERT_TRUE(p.allFinite()) << kind.name;
  }
}

// The example there is made as it stands, and the table has every part with its usual values.
TEST_F(RecipeTest, DocumentsSayWhatIsThere) {
  const fs::path source = std::getenv("MARSIM_TEST_SOURCE_DIR");
  const std::string page = YamlReader::textOf(source / "docs" / "places.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  EXPECT_GT(of(page.substr(begin, page.find("```", begin) - begin)).size(), 100'000U);
  for (const scene::PartKind& kind : scene::partKinds()) {
    std::string row = fmt::format("| `{}` |", kind.name);
    for (const scene::PartParameter& parameter : kind.parameters) {
      row += fmt::format("{} `{}` {:g}", row.back() == '|' ? "" : ",", parameter.name,
                         parameter.usual);
    }
    EXPECT_NE(page.find(row + " |\n"), std::string::npos) << row;
  }
}

struct Bundled {
  const char* name;
  Eigen::Vector3f size;  // [m], of the place without surroundings
  bool ground_goes_on;
};

class BundledTest : public ConfigTest, public testing::WithParamInterface<Bundled> {
 protected:
  /// Coarse, so that it is quick; the layout is the same at every spacing.
  map::PointCloud coarse(bool with_surroundings) const {
    std::string text =
        YamlReader::textOf(dataDir() / "maps" / (std::string(GetParam().name) + ".yaml"));
    const auto at = text.find("\nspacing:");
    text.replace(at, text.find('\n', at + 1) - at, "\nspacing: 25cm");
    if (!with_surroundings) text.resize(std::min(text.size(), text.find("\nsurroundings:")));
    return map::loadCloud(resolveMap(write("coarse.yaml", text))).cloud;
  }
};

// A sensor of 70 x 30 degrees at the start meets something within 60 m, wherever it looks.
TEST_P(BundledTest, NoDirectionLooksIntoNothing) {
  const KdTree tree(coarse(true).points);
  constexpr int kAzimuths = 72;
  std::vector<double> met(kAzimuths, 0.0);  // share of the beams of each azimuth
  for (int i = 0; i < kAzimuths; ++i) {
    for (int up = -15; up <= 15; up += 3) {
      const double azimuth = radians(5.0 * i), elevation = radians(up);
      const Eigen::Vector3d along(std::cos(elevation) * std::cos(azimuth),
                                  std::cos(elevation) * std::sin(azimuth), std::sin(elevation));
      for (double range = 0.3; range < 60.0;) {
        const Eigen::Vector3d at(Eigen::Vector3d(0.0, 0.0, 1.5) + range * along);
        const auto distance = static_cast<double>(tree.nearest(at.cast<float>()).distance);
        if (distance < 0.2) {
          met[static_cast<std::size_t>(i)] += 1.0 / 11.0;
          break;
        }
        range += std::max(0.1, 0.7 * distance);
      }
    }
  }
  for (int i = 0; i < kAzimuths; ++i) {
    double sum = 0.0;
    for (int k = 0; k < 14; ++k) sum += met[static_cast<std::size_t>((i + k) % kAzimuths)];
    EXPECT_GT(sum / 14.0, 0.35) << "from azimuth " << 5 * i;
  }
}

TEST_P(BundledTest, HasItsSizeAndAFreeStart) {
  const map::PointCloud cloud = coarse(false);
  Eigen::AlignedBox3f box;
  float clearance = 1e9F;
  for (const Eigen::Vector3f& p : cloud.points) {
    box.extend(p);
    for (const float z : {1.0F, 1.5F, 2.0F}) {
      clearance = std::min(clearance, (p - Eigen::Vector3f(0.0F, 0.0F, z)).norm());
    }
  }
  EXPECT_GE(clearance, 0.8F);
  for (int axis = 0; axis < 3; ++axis) {
    const float size = GetParam().size[axis];
    if (axis < 2 && GetParam().ground_goes_on) {
      EXPECT_GE(box.sizes()[axis], size + 8.0F);
    } else {
      // Trees end somewhat below the height; uneven ground lies below 0.
      EXPECT_NEAR(box.sizes()[axis], size, 0.8F + (axis == 2 ? 0.15F * size : 0.0F));
    }
  }
}

// As dense as the planners' tests ask: 0.25 posts a square metre with 0.8 m between them.
TEST_F(RecipeTest, RandomForestTakesItsDensities) {
  const std::string text = YamlReader::textOf(dataDir() / "maps" / "random_forest.yaml");
  std::size_t points = 0;
  for (const char* density : {"0.1", "0.25"}) {
    std::string other = text;
    other.replace(other.find("{density: 0.2,"), 14, fmt::format("{{density: {},", density));
    const std::size_t now = of(other).size();
    EXPECT_GT(now, points + 10'000U);
    points = now;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, BundledTest,
                         testing::Values(Bundled{"historical_building", {47, 20, 23}, false},
                                         Bundled{"large_office", {45, 16, 6}, false},
                                         Bundled{"indoor_1", {17, 13, 9}, false},
                                         Bundled{"indoor_2", {27, 40, 7}, false},
                                         Bundled{"indoor_3", {21, 48, 4}, false},
                                         Bundled{"common_forest", {48, 27, 19}, true},
                                         Bundled{"simple_forest", {45, 16, 6}, true},
                                         Bundled{"dense_forest", {30, 72, 19}, true},
                                         Bundled{"simple_parking_garage", {45, 15, 5}, false},
                                         Bundled{"complex_parking_garage", {62, 12, 10}, false},
                                         Bundled{"random_forest", {40, 40, 3}, false},
                                         Bundled{"courtyard", {300, 300, 19}, false},
                                         Bundled{"urban_canyon", {120, 40, 29.7F}, false},
                                         Bundled{"mine_tunnel", {92, 52, 8.3F}, false},
                                         Bundled{"power_line", {240, 60, 33}, true}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace marsim::config
