// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadVegetation : public ConfigTest {
 protected:
  std::string complaintOf(const std::string& text) const {
    const std::string path = write("garden.yaml", text);
    return complaint([&] { loadVegetation(path); });
  }
};

TEST_F(LoadVegetation, BundledOnes) {
  ASSERT_FALSE(knownNames("vegetation").empty());
  for (const std::string& name : knownNames("vegetation")) {
    EXPECT_FALSE(loadVegetation(name).stands.empty()) << name;
  }
  for (const std::string& name : knownNames("species")) {
    EXPECT_EQ(complaintOf("stands: [{species: " + name + ", density: 1}]"), "no error");
  }
  const scene::StandConfig grass = loadVegetation("courtyard").stands.front();
  EXPECT_GT(grass.density * grass.region.sizes().head<2>().prod(), 2e6) << "two million blades";
}

TEST_F(LoadVegetation, ReadsAFilesValues) {
  write("bush.yaml",
        "kind: shrub\nheight: [1m, 2m]\ndiameter: [3cm, 5cm]\ncrown: {width: 80cm, height: 0.7}\n"
        "twigs: 5\ntwig_diameter: 4mm\nleaves: 9\nleaf: [1cm, 2cm]\nreflectivity: 0.4\n"
        "class: fence\nobstacle: true\nwood: {reflectivity: 0.1, class: pole}\n");
  const std::string path =
      write("garden.yaml",
            "seed: 5\nwind: {lean: 10deg, direction: 90deg, period: 3s}\nstands:\n"
            "  - {species: ./bush.yaml, density: 0.2, scale: [0.5, 2],\n"
            "     region: {min: [1, 2, 3], max: [400cm, 5, 6]}}\n"
            "  - {species: grass, density: 20, region: {min: [1, 2], max: [4, 5]}}\n");
  EXPECT_TRUE(loadVegetation("none").stands.empty());
  const scene::VegetationConfig config = loadVegetation(path);
  EXPECT_EQ(config.seed, 5U);
  EXPECT_NEAR(config.sway.lean, radians(10), 1e-12);
  EXPECT_NEAR(config.sway.direction, radians(90), 1e-12);
  EXPECT_EQ(config.sway.period, 3.0);
  ASSERT_EQ(config.stands.size(), 2U);
  const scene::StandConfig& bush = config.stands[0];
  EXPECT_EQ(bush.species.kind, scene::SpeciesConfig::Kind::kShrub);
  EXPECT_EQ(bush.species.height_max, 2.0);
  EXPECT_EQ(bush.species.crown_width, 0.8);
  EXPECT_EQ(bush.species.leaves, 9);
  EXPECT_EQ(bush.species.leaf_max, 0.02);
  EXPECT_EQ(bush.species.semantic_class, map::semantic::kFence);
  EXPECT_EQ(bush.species.wood_class, map::semantic::kPole);
  EXPECT_TRUE(bush.species.is_obstacle);
  EXPECT_FALSE(config.stands[1].species.is_obstacle) << "grass";
  EXPECT_EQ(bush.scale_max, 2.0);
  EXPECT_EQ(bush.region.max(), Eigen::Vector3d(4, 5, 6));
  EXPECT_FALSE(std::isfinite(config.stands[1].region.max().z()));
}

TEST_F(LoadVegetation, ItsTextHoldsThatOfItsSpecies) {
  const std::string garden = "stands: [{species: ./bush.yaml, density: 0.2}]\n";
  const std::string bush = "kind: stems\nheight: [1m, 2m]\n";
  write("bush.yaml", bush);
  EXPECT_EQ(settingsText("vegetation", write("garden.yaml", garden)), garden + bush);
  EXPECT_EQ(settingsText("vegetation", "none"), "none");
  EXPECT_EQ(settingsText("weather", write("fog.yaml", "fog: 1\n")), "fog: 1\n");
  EXPECT_NE(complaint([] { settingsText("weather", "snoww"); }).find("did you mean 'snow'"),
            std::string::npos);
}

TEST_F(LoadVegetation, ComplainsOfWhatIsWrong) {
  const std::string file = (folder_ / "garden.yaml").string();
  EXPECT_NE(complaintOf("stands: [{species: gras, density: 1}]")
                .find("unknown species 'gras' (did you mean 'grass'?)"),
            std::string::npos);
  EXPECT_EQ(complaintOf("stands: [{species: grass, density: -2}]"),
            file + ": stands[0]: density is -2, allowed: more than 0 /m^2");
  EXPECT_EQ(complaintOf("stands: [{species: grass, density: 1, region: {min: [1], max: [2, 2]}}]"),
            file + ": stands[0].region.min is 1 numbers, allowed: [x, y] or [x, y, z]");
  EXPECT_NE(complaintOf("stands: [{species: grass, density: 1, regoin: {}}]").find("regoin"),
            std::string::npos);
  EXPECT_NE(complaintOf("wind: {lean: 80deg}\nstands: [{species: grass, density: 1}]")
                .find(file + ": wind: lean is 1.396"),
            std::string::npos);
  EXPECT_EQ(complaintOf("stands: [{species: gras, density: 1}]").find(file), 0U);
  write("tree.yaml", "kind: shrub\n");
  EXPECT_NE(complaintOf("stands: [{species: ./tree.yaml, density: 1}]").find("height is absent"),
            std::string::npos);
  write("tree.yaml", "kind: tree\n");
  EXPECT_NE(complaintOf("stands: [{species: ./tree.yaml, density: 1}]").find("'tree'"),
            std::string::npos);
  EXPECT_NE(complaint([] { loadVegetation("medow"); }).find("did you mean 'meadow'"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
