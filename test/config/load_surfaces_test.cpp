// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/semantic_class.hpp"
#include "marsim/scene/moving_object.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadSurfaces : public ConfigTest {
 protected:
  std::string complaintOf(const std::string& entry) const {
    const std::string path = write("glass.yaml", "surfaces: [" + entry + "]");
    const std::string text = complaint([&] { loadSurfaces(path); });
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text.substr(text.rfind("glass.yaml") == std::string::npos ? 0 : text.find(": ") + 2);
  }
};

TEST_F(LoadSurfaces, BundledOnes) {
  ASSERT_FALSE(knownNames("surfaces").empty());
  for (const std::string& name : knownNames("surfaces")) {
    EXPECT_TRUE(loadSurfaces(name).any()) << name;
  }
}

TEST_F(LoadSurfaces, ReadsAFilesValues) {
  const std::string path =
      write("glass.yaml",
            "clearance: 5cm\nsurfaces:\n"
            "  - {class: traffic_sign, retro_reflective: 300, bloom: {angle: 2deg, share: 0.01}}\n"
            "  - {class: 201, transparent: 0.9, specular: 0.08}\n"
            "  - {object: uav 2, specular: 0.5}\n  - {object: obstacle 7, transparent: 1}\n");
  const lidar::SurfacesConfig config = loadSurfaces(path);
  EXPECT_EQ(config.clearance, 0.05);
  ASSERT_EQ(config.classes.size(), 2U);
  const lidar::SurfaceConfig& sign = config.classes.at(map::semantic::kTrafficSign);
  EXPECT_EQ(sign.retro_reflective, 300.0);
  EXPECT_NEAR(sign.bloom_angle, radians(2), 1e-12);
  EXPECT_EQ(sign.bloom_share, 0.01);
  EXPECT_EQ(config.classes.at(201).transparent, 0.9);
  EXPECT_EQ(config.classes.at(201).specular, 0.08);
  EXPECT_EQ(config.objects.at(2).specular, 0.5);
  EXPECT_EQ(config.objects.at(scene::kFirstObstacleIdentity + 7).transparent, 1.0);
}

TEST_F(LoadSurfaces, ComplainsOfWhatIsWrong) {
  EXPECT_EQ(complaintOf("{class: 201, specular: 1.5}"), "201: specular is 1.5, allowed: 0 to 1");
  EXPECT_EQ(complaintOf("{class: car, transparent: -0.1}"),
            "car: transparent is -0.1, allowed: 0 to 1");
  EXPECT_EQ(complaintOf("{object: obstacle 3, specular: 0.7, transparent: 0.4}"),
            "obstacle 3: specular + transparent is 1.1, allowed: at most 1");
  EXPECT_EQ(complaintOf("{class: car, retro_reflective: -1}"),
            "car: retro_reflective is -1, allowed: 0 to 1000000");
  EXPECT_EQ(complaintOf("{class: car, bloom: {angle: 1deg, share: 0.1}}"),
            "car: bloom is 0.0174533 rad, allowed: where retro_reflective is more than 0");
  EXPECT_NE(complaintOf("{class: traffic_sing, specular: 0.1}")
                .find("unknown class 'traffic_sing' (did you mean 'traffic_sign'?), known: none"),
            std::string::npos);
  EXPECT_NE(complaintOf("{class: 256, specular: 0.1}").find("unknown class '256'"),
            std::string::npos);
  EXPECT_EQ(complaintOf("{object: plant 3, specular: 0.1}"),
            "surfaces[0].object is 'plant 3', allowed: uav N or obstacle N, e.g. obstacle 3");
  EXPECT_EQ(complaintOf("{class: car, specular: 0.1}, {class: 10, specular: 0.2}"),
            "surfaces[1].class is '10' again, allowed: each once");
  EXPECT_NE(complaintOf("{class: car, speculr: 0.1}").find("(did you mean 'specular'?)"),
            std::string::npos);
  EXPECT_NE(complaintOf("{class: car, retro_reflective: 9, bloom: {angle: 1deg}}").find("share"),
            std::string::npos);
  EXPECT_NE(complaint([] { loadSurfaces("exmaple"); }).find("did you mean 'example'"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::config
