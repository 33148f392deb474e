// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/camera.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "lidar/camera/daylight.hpp"
#include "lidar/camera/dull_day.hpp"
#include "lidar/camera/srgb.hpp"
#include "lidar/camera_models.hpp"
#include "lidar/camera_worlds.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"
#include "marsim/common/units.hpp"
#include "marsim/lidar/plants.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/map/semantic_class.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::lidar {
namespace {

CameraConfig smallCamera() {
  CameraConfig config = cameraOf(idealPinhole());
  config.model.width = 160;
  config.model.height = 120;
  config.model.fx = config.model.fy = 100.0;
  config.model.cx = 79.5;
  config.model.cy = 59.5;
  return config;
}

/// Mean of a channel over a part of an image.
double meanOf(const CameraImage& image, const CameraConfig& config, std::size_t channel,
              int first_column, int last_column) {
  double sum = 0.0;
  const std::size_t bytes = bytesOf(config.encoding);
  for (int row = 20; row < 100; ++row) {
    for (int column = first_column; column <= last_column; ++column) {
      sum += image.pixels[bytes * static_cast<std::size_t>(row * config.model.width + column) +
                          channel];
    }
  }
  return sum / (80.0 * (last_column - first_column + 1));
}

TEST(Camera, ShowsTheColoursOfTheSurfels) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  // The wall is red to the left, green to the right.
  const auto world = renderersOf(twoColoured({200, 40, 40}, {40, 160, 40}));
  const CameraImage image = Camera(config, world, 1).image(0, {});
  for (const Hit& hit : image.hits) ASSERT_TRUE(hit.valid());
  const auto at = [&](std::size_t channel, int first, int last) {
    return meanOf(image, config, channel, first, last);
  };
  EXPECT_GT(at(2, 10, 60), 1.8 * at(1, 10, 60)) << "bgr8";
  EXPECT_GT(at(1, 100, 150), 1.8 * at(2, 100, 150));
  // Linear light of the same normal keeps the proportion of the colours.
  const double proportion = linearOfSrgb(static_cast<std::uint8_t>(std::lround(at(2, 10, 60)))) /
                            linearOfSrgb(static_cast<std::uint8_t>(std::lround(at(1, 100, 150))));
  EXPECT_NEAR(proportion, linearOfSrgb(200) / linearOfSrgb(160), 0.05);

  config.encoding = ImageEncoding::kRgb8;
  EXPECT_EQ(meanOf(Camera(config, world, 1).image(0, {}), config, 0, 10, 60), at(2, 10, 60));
  config.encoding = ImageEncoding::kMono8;
  const CameraImage mono = Camera(config, world, 1).image(0, {});
  EXPECT_EQ(mono.pixels.size(), std::size_t{160} * 120);
  EXPECT_GT(meanOf(mono, config, 0, 100, 150), meanOf(mono, config, 0, 10, 60)) << "luma";
}

TEST(Camera, ColoursGoOverIntoEachOther) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  const CameraImage image =
      Camera(config, renderersOf(twoColoured({200, 40, 40}, {40, 160, 40})), 1).image(0, {});
  // From column to column, 3 cm apart, no more than the reach of surfels of 0.1 m allows.
  for (int column = 0; column + 1 < config.model.width; ++column) {
    const auto red = [&](int at) {
      return static_cast<int>(
          image.pixels[3 * static_cast<std::size_t>(60 * config.model.width + at) + 2]);
    };
    EXPECT_LE(std::abs(red(column + 1) - red(column)), 40) << column;
  }
}

TEST(Camera, WithoutColoursClassesDecide) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  map::SurfelSet set = wallSurfels();
  set.channels.classes.assign(set.surfels.size(), map::semantic::kVegetation);
  const auto map = mapOf(set);
  EXPECT_EQ(colourSourceOf(map->channels()), ColourSource::kClasses);
  const CameraImage image = Camera(config, renderersOf(map), 1).image(0, {});
  const map::Colour colour = colourOfClass(map::semantic::kVegetation);
  const double proportion = meanOf(image, config, 1, 10, 150) / meanOf(image, config, 0, 10, 150);
  EXPECT_NEAR(proportion, static_cast<double>(colour[1]) / colour[2], 0.15);
  EXPECT_EQ(colourSourceOf(mapOf(wallSurfels())->channels()), ColourSource::kNone);
}

TEST(Camera, NothingIsSky) {
  const CameraConfig config = smallCamera();
  const Pose away{fromRollPitchYaw(0.0, -0.9, kPi), Eigen::Vector3d::Zero()};
  const CameraImage image =
      Camera(config, renderersOf(twoColoured({0, 0, 0}, {0, 0, 0})), 1).image(0, away);
  for (const Hit& hit : image.hits) ASSERT_FALSE(hit.valid());
  for (std::size_t channel = 0; channel < 3; ++channel) {
    EXPECT_GT(meanOf(image, config, channel, 0, 159), 150.0);
  }
}

// Koschmieder's law, in linear light: the air's own, as bright as the horizon, takes the place of
// what it takes away.
TEST(Camera, FogTakesAwayAndGivesLight) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  config.antialiasing = false;
  Camera camera(config, renderersOf(twoColoured({200, 40, 40}, {200, 40, 40})), 1);
  const CameraImage clear = camera.image(0, {});
  Weather fog;
  fog.dust.emplace().extinction = 0.1;
  camera.setWeather(fog);
  const CameraImage foggy = camera.image(0, {});
  const Eigen::Vector3f air(0.80F, 0.83F, 0.86F);
  const float scale =
      static_cast<float>(config.exposure) / 0.0115F;  // 0.0115 s: white is just white
  for (std::size_t i = 0; i < clear.hits.size(); i += 97) {
    ASSERT_TRUE(clear.hits[i].valid());
    const float left = std::exp(-0.1F * clear.hits[i].range);
    for (std::size_t channel = 0; channel < 3; ++channel) {  // blue first
      const float surface = linearOfSrgb(clear.pixels[3 * i + channel]);
      const float expected =
          left * surface + (1.0F - left) * air[2 - static_cast<int>(channel)] * scale;
      EXPECT_NEAR(linearOfSrgb(foggy.pixels[3 * i + channel]), expected, 0.02F) << i;
    }
  }
}

TEST(Camera, ImagesAreTheSameForAnyNumberOfThreadsAndStampedNoise) {
  CameraConfig config = cameraOf(plumbBob());
  config.aligned_depth.emplace();
  const auto map = twoColoured({200, 40, 40}, {40, 160, 40});
  const Camera one(config, renderersOf(map, 1), 1), three(config, renderersOf(map, 3), 1);
  const CameraImage image = one.image(5, {});
  EXPECT_EQ(image.pixels, three.image(5, {}).pixels);
  EXPECT_EQ(image.pixels, one.image(5, {}).pixels) << "no state";
  EXPECT_NE(image.pixels, one.image(6, {}).pixels) << "another instant, other noise";
  EXPECT_NE(image.pixels, Camera(config, renderersOf(map), 2).image(5, {}).pixels);
  EXPECT_EQ(one.alignedDepth(image).depth, three.alignedDepth(image).depth);
  config.full_well = 0.0;
  const Camera clean(config, renderersOf(map), 1);
  EXPECT_EQ(clean.image(5, {}).pixels, clean.image(6, {}).pixels);
}

TEST(Camera, NoiseIsThatOfTheElectrons) {
  CameraConfig config = smallCamera();
  config.encoding = ImageEncoding::kMono8;
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  const auto world = renderersOf(twoColoured({160, 160, 160}, {160, 160, 160}));
  for (const double gain : {1.0, 2.0}) {
    config.gain = gain;
    config.exposure = 0.01 / gain;
    config.full_well = 0.0;
    const double light = linearOfSrgb(Camera(config, world, 1).image(0, {}).pixels[9000]);
    config.full_well = 1000.0;
    config.read_noise = 12.0;
    const CameraImage noisy = Camera(config, world, 1).image(0, {});
    double sum = 0.0, squares = 0.0;
    for (const std::uint8_t byte : noisy.pixels) {
      const double error = static_cast<double>(linearOfSrgb(byte)) - light;
      sum += error;
      squares += error * error;
    }
    const auto n = static_cast<double>(noisy.pixels.size());
    const double capacity = 1000.0 / gain;  // electrons of white
    const double sigma = std::sqrt(light * capacity + 144.0) / capacity;
    EXPECT_NEAR(std::sqrt(squares / n) / sigma, 1.0, 0.04) << gain;
    EXPECT_NEAR(sum / n, 0.0, 0.004);
  }
}

TEST(Camera, ExposureAndGainMultiply) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  const auto world = renderersOf(twoColoured({120, 120, 120}, {120, 120, 120}));
  const auto light = [&](double exposure, double gain) {
    config.exposure = exposure;
    config.gain = gain;
    return static_cast<double>(linearOfSrgb(Camera(config, world, 1).image(0, {}).pixels[30000]));
  };
  EXPECT_NEAR(light(0.02, 1.0) / light(0.01, 1.0), 2.0, 0.05);
  EXPECT_NEAR(light(0.01, 2.0) / light(0.01, 1.0), 2.0, 0.05);
  EXPECT_EQ(light(1.0, 10.0), 1.0) << "white at most";
}

TEST(Camera, TextureGoesWithTheObject) {
  CameraConfig config = smallCamera();
  config.full_well = 0.0;
  map::SurfelSet far_away;
  far_away.surfels = {{Eigen::Vector3f(0.0F, 0.0F, -150.0F), Eigen::Vector3f::UnitZ(), 0.0F}};
  far_away.planar_threshold = 0.02F;
  const Camera camera(config, renderersOf(mapOf(far_away)), 1);
  MovingObject object;
  object.shape = twoColoured({200, 40, 40}, {40, 160, 40});
  object.identity = scene::kFirstObstacleIdentity;
  const auto seen = [&](const Eigen::Vector3d& p_WB) {
    object.X_WM = {{Eigen::Quaterniond::Identity(), p_WB}};
    return camera.image(0, {Eigen::Quaterniond::Identity(), p_WB},
                        std::vector<MovingObject>{object});
  };
  const CameraImage here = seen({0.0, 0.0, 0.0}), there = seen({16.0, -8.0, 4.0});
  std::size_t differing = 0;
  for (std::size_t i = 0; i < here.pixels.size(); ++i) {
    if (std::abs(here.pixels[i] - there.pixels[i]) > 1) ++differing;
  }
  EXPECT_EQ(here.hits[9000].identity, scene::kFirstObstacleIdentity);
  EXPECT_LE(differing, here.pixels.size() / 1000);
}

TEST(Camera, AnObjectsClassColoursIt) {
  CameraConfig config = smallCamera();
  config.texture.amplitude = 0.0;
  config.full_well = 0.0;
  const Camera camera(config, renderersOf(twoColoured({40, 40, 40}, {40, 40, 40})), 1);
  MovingObject object;
  object.shape = mapOf(wallSurfels());
  object.identity = 7;
  object.semantic_class = map::semantic::kCar;
  object.X_WM = {{Eigen::Quaterniond::Identity(), {-1.0, 0.0, 0.0}}};
  const CameraImage image = camera.image(0, {}, std::vector<MovingObject>{object});
  EXPECT_GT(meanOf(image, config, 2, 10, 150), 1.8 * meanOf(image, config, 0, 10, 150)) << "red";
}

TEST(Camera, PlantsHaveTheColourOfTheirClass) {
  CameraConfig config = smallCamera();
  config.full_well = 0.0;
  scene::Vegetation vegetation;
  scene::Patch& patch = vegetation.patches.emplace_back();
  scene::PlantDisc leaf;
  leaf.centre = {1.5F, 0.0F, 0.0F};
  leaf.normal = Eigen::Vector3f::UnitX();
  leaf.radius = 0.5F;
  patch.discs.push_back(leaf);
  vegetation.instances.emplace_back();
  const auto plants = std::make_shared<const Plants>(vegetation);
  const auto map = twoColoured({160, 40, 40}, {160, 40, 40});
  const auto seenBy = [&](const CameraModel& model) {
    config.model = model;
    CameraRenderers renderers = renderersOf(map);
    renderers.rays = withPlants(renderers.rays, plants, {});
    renderers.images = withPlants(renderers.images, plants, {});
    return Camera(config, renderers, 1).image(0, {});
  };
  CameraModel distorted = config.model;
  distorted.distortion = {-0.05, 0.0, 0.0, 0.0, 0.0};
  for (const CameraModel& model : {config.model, distorted}) {
    const CameraImage image = seenBy(model);
    const auto channel = [&](int column, std::size_t number) {
      return image.pixels[3 * static_cast<std::size_t>(60 * 160 + column) + number];
    };
    EXPECT_TRUE(scene::isPlant(image.hits[60 * 160 + 80].identity));
    EXPECT_GT(channel(80, 1), channel(80, 2) + 10) << "green before";
    EXPECT_GT(channel(5, 2), channel(5, 1) + 50) << "red";
  }
}

TEST(Camera, AlignedDepthIsThatOfItsPixels) {
  for (const CameraModel& model : {idealPinhole(), plumbBob()}) {
    CameraConfig config = cameraOf(model);
    config.aligned_depth.emplace();
    const Camera camera(config, renderersOf(twoColoured({40, 40, 40}, {40, 40, 40})), 1);
    const DepthImage depth = camera.alignedDepth(camera.image(3, {}));
    EXPECT_EQ(depth.stamp, 3);
    ASSERT_EQ(depth.depth.size(), std::size_t{752} * 480);
    for (const float z : depth.depth) ASSERT_NEAR(z, kWallDistance, 1e-3);
  }
}

TEST(Camera, SlitsOfASurfaceAreClosed) {
  // Without four surfels of one row the wall has a slit 0.33 m long and 3 cm high, off the axis:
  // a disc that faces its ray looks like one without a normal.
  map::SurfelSet set = wallSurfels();
  const auto isInSlit = [](const map::Surfel& surfel) {
    return std::abs(surfel.position.z()) < 0.05F && std::abs(surfel.position.y() - 1.05F) < 0.19F;
  };
  const std::size_t whole = set.surfels.size();
  set.surfels.erase(std::remove_if(set.surfels.begin(), set.surfels.end(), isInSlit),
                    set.surfels.end());
  ASSERT_EQ(set.surfels.size(), whole - 4);
  const Camera camera(cameraOf(idealPinhole()), renderersOf(mapOf(set)), 1);
  for (const Hit& hit : camera.image(0, {}).hits) ASSERT_TRUE(hit.valid());
}

TEST(Camera, PinholesOfASurfaceAreClosed) {
  // Gaps of up to three surfels, and an opening of 0.7 m.
  map::SurfelSet set = wallSurfels();
  RandomStream random(17);
  std::vector<map::Surfel> kept;
  for (const map::Surfel& surfel : set.surfels) {
    const bool opens =
        std::abs(surfel.position.y() - 1.0F) < 0.35F && std::abs(surfel.position.z()) < 0.35F;
    if (!opens && random.uniform() > 0.08) kept.push_back(surfel);
  }
  set.surfels = kept;
  CameraConfig config = smallCamera();
  config.model.fx = config.model.fy = 60.0;
  const Camera camera(config, renderersOf(mapOf(set)), 1);
  const CameraImage image = camera.image(0, {});
  int open = 0;
  for (std::size_t i = 0; i < image.hits.size(); ++i) {
    const Eigen::Vector3d direction = image.X_WC.q * camera.directions()[i].cast<double>();
    const Eigen::Vector3d p = kWallDistance / direction.x() * direction;
    const double outside = std::max(std::abs(p.y() - 1.0), std::abs(p.z())) - 0.35;
    if (!image.hits[i].valid()) {
      EXPECT_LT(outside, 0.25) << "a pinhole at " << p.transpose();
      ++open;
    } else {
      EXPECT_NEAR(static_cast<double>(image.hits[i].range), p.norm(), 0.02);
    }
  }
  const double pixels = 0.5 * 0.5 * 60.0 * 60.0 / (kWallDistance * kWallDistance);
  EXPECT_GT(open, 0.8 * pixels) << "the opening stays open";
}

/// A floor of 12 x 12 m with a plate of 2 x 2 m, 2 m above it.
map::SurfelSet plateOverFloor() {
  map::SurfelSet set;
  set.planar_threshold = 0.02F;
  const auto add = [&](int half, float z) {
    for (int row = -half; row <= half; ++row) {
      for (int column = -half; column <= half; ++column) {
        set.surfels.push_back({Eigen::Vector3d(0.1 * column, 0.1 * row, z).cast<float>(),
                               Eigen::Vector3f::UnitZ(), 0.0F});
      }
    }
  };
  add(60, 0.0F);
  add(10, 2.0F);
  return set;
}

TEST(Daylight, TheSunCastsShadowsAndSurfacesHideTheSky) {
  const auto map = mapOf(plateOverFloor());
  SurfelColours white;
  for (auto& channel : white.values) channel[0] = 1.0F;
  const auto daylight = Daylight::on(map, white);
  const SurfelColours lit = daylight->colours();
  const std::vector<map::Surfel> surfels = map->surfels();
  const Eigen::Vector3d sun = Eigen::Vector3f(kSunward).cast<double>();
  const auto green = [&](std::uint32_t surfel, bool is_upper) {
    const bool is_front = surfels[surfel].normal.z() > 0.0F;
    return static_cast<double>(lit.of(surfel, is_front != is_upper)[1]);
  };
  int shaded = 0, sunny = 0, hidden = 0;
  for (std::uint32_t i = 0; i < surfels.size(); i += 7) {
    const Eigen::Vector3d p = surfels[i].position.cast<double>();
    if (p.z() > 1.0) {
      EXPECT_NEAR(green(i, true), 1.0, 0.15) << "level, white and in the open";
      EXPECT_LT(green(i, false), 0.6) << "below";
      continue;
    }
    const Eigen::Vector3d at_plate = p + 2.0 / sun.z() * sun;
    const double outside = std::max(std::abs(at_plate.x()), std::abs(at_plate.y())) - 1.0;
    const bool is_under = std::max(std::abs(p.x()), std::abs(p.y())) < 0.7;
    if (outside < -0.2) {
      ++shaded;
      EXPECT_LT(green(i, true), 0.55) << p.transpose();
    } else if (outside > 0.2 && is_under) {
      ++hidden;
      EXPECT_LT(green(i, true), 1.06) << "the plate hides the zenith from " << p.transpose();
      EXPECT_GT(green(i, true), 0.6);
    } else if (outside > 0.2 && p.norm() > 4.0) {
      ++sunny;
      EXPECT_NEAR(green(i, true), 1.09, 0.1) << p.transpose();
    }
  }
  EXPECT_GT(shaded, 20);
  EXPECT_GT(hidden, 5);
  EXPECT_GT(sunny, 200);
}

TEST(Daylight, IsKeptBesideTheCachedMap) {
  const tools::TemporaryFolder folder;
  map::PointCloud cloud;
  for (const map::Surfel& surfel : plateOverFloor().surfels)
    cloud.points.push_back(surfel.position);
  map::savePcd(folder.path() / "plate.pcd", cloud);
  map::MapLoading loading;
  loading.folder = folder.path() / "maps";
  const auto load = [&] {
    return map::loadSurfelMap(folder.path() / "plate.pcd", {}, Progress::none(), loading).map;
  };
  SurfelColours grey;
  const auto colours = [&](float value) {
    const auto map = load();
    for (auto& channel : grey.values) channel[0] = value;
    const auto daylight = Daylight::on(map, grey);
    std::vector<float> lights;
    for (std::uint32_t i = 0; i < map->size(); ++i) lights.push_back(daylight->colours().of(i)[0]);
    return lights;
  };
  const std::vector<float> made = colours(0.5F), read = colours(0.0F);
  EXPECT_GT(*std::max_element(made.begin(), made.end()), 0.3F);
  EXPECT_EQ(made, read) << "not cast again";
}

TEST(Camera, MaterialsFollowClassAndColour) {
  namespace semantic = map::semantic;
  EXPECT_EQ(materialOf(semantic::kRoad, {90, 90, 92}), SurfaceMaterial::kAsphalt);
  EXPECT_EQ(materialOf(semantic::kWall, {220, 216, 206}), SurfaceMaterial::kPlaster);
  EXPECT_EQ(materialOf(semantic::kBuilding, {146, 90, 72}), SurfaceMaterial::kBrick);
  EXPECT_EQ(materialOf(semantic::kFloor, {80, 90, 110}), SurfaceMaterial::kCarpet);
  EXPECT_EQ(materialOf(semantic::kTable, {190, 150, 100}), SurfaceMaterial::kWood);
  EXPECT_EQ(materialOf(semantic::kTrunk, {0, 0, 0}), SurfaceMaterial::kBark);
  EXPECT_EQ(materialOf(semantic::kNone, {96, 124, 56}), SurfaceMaterial::kUniform) << "as it is";
}

TEST(Camera, VignettingDarkensCornersAndExposureAdapts) {
  CameraConfig config = smallCamera();
  config.full_well = 0.0;
  config.texture.amplitude = 0.0;
  config.encoding = ImageEncoding::kMono8;
  const auto world = renderersOf(twoColoured({120, 120, 120}, {120, 120, 120}));
  const auto lightAt = [&](const CameraImage& image, int row, int column) {
    return static_cast<double>(
        linearOfSrgb(image.pixels[static_cast<std::size_t>(row * config.model.width + column)]));
  };
  const CameraImage even = Camera(config, world, 1).image(0, {});
  config.vignetting = 0.4;
  const CameraImage dark = Camera(config, world, 1).image(0, {});
  EXPECT_NEAR(lightAt(dark, 0, 0) / lightAt(even, 0, 0), 0.6, 0.03);
  EXPECT_NEAR(lightAt(dark, 60, 80) / lightAt(even, 60, 80), 1.0, 0.01);
  config.vignetting = 0.0;
  config.auto_exposure = true;
  for (const double exposure : {0.002, 0.01, 0.04}) {
    config.exposure = exposure;
    EXPECT_NEAR(lightAt(Camera(config, world, 1).image(0, {}), 60, 80), 0.18, 0.02);
  }
}

TEST(Camera, WrongSettingsAreNamed) {
  const auto complaint = [](const std::function<void(CameraRigConfig&)>& change) -> std::string {
    CameraRigConfig rig;
    rig.name = "rig";
    rig.cameras = {smallCamera(), smallCamera()};
    rig.cameras[0].name = "left";
    rig.cameras[1].name = "right";
    change(rig);
    try {
      rig.validate("a.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint([](auto&) {}), "");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[1].exposure = 0.0; }),
            "a.yaml: exposure is 0, allowed: more than 0 s");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[1].exposure = 0.2; }),
            "a.yaml: cameras[1].exposure is 0.2 s, allowed: less than the time between two images, "
            "0.05 s");
  EXPECT_EQ(complaint([](auto& rig) { rig.rate = 0.0; }),
            "a.yaml: rate is 0, allowed: 0.1 to 1000 Hz");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[0].gain = -1.0; }),
            "a.yaml: gain is -1, allowed: more than 0");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[0].texture.finest = 1e-6; }),
            "a.yaml: texture.finest is 1e-06, allowed: 0.001 to 100 m");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[0].texture.coarsest = 0.001; }),
            "a.yaml: texture.coarsest is 0.001 m, allowed: texture.finest, 0.01 m, to 1000 m");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras[1].name = "left"; }),
            "a.yaml: cameras is 'left', allowed: names that differ, none empty where there are "
            "several");
  EXPECT_NE(complaint([](auto& rig) { rig.cameras[1].name = ""; }), "");
  EXPECT_EQ(complaint([](auto& rig) { rig.cameras.clear(); }),
            "a.yaml: cameras is a list of 0, allowed: 1 to 16 cameras");
  EXPECT_NE(complaint([](auto& rig) {
              rig.cameras[0].aligned_depth.emplace().range_max = 80.0;
            }).find(": aligned_depth.max is 80 m"),
            std::string::npos);
}

}  // namespace
}  // namespace marsim::lidar
