// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "marsim/config/load.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadWeather : public ConfigTest {
 protected:
  std::string complaintOf(const std::string& text) const {
    const std::string path = write("sky.yaml", text);
    const std::string said = complaint([&] { loadWeather(path); });
    return said.rfind(path + ": ", 0) == 0 ? said.substr(path.size() + 2) : said;
  }
};

TEST_F(LoadWeather, BundledOnes) {
  ASSERT_FALSE(knownNames("weather").empty());
  for (const std::string& name : knownNames("weather")) {
    EXPECT_GT(loadWeather(name).extinction(), 0.0) << name;
  }
  EXPECT_FALSE(loadWeather("none").any());
  EXPECT_GT(loadWeather("rain_heavy").extinction(), loadWeather("rain_light").extinction());
  EXPECT_GT(loadWeather("rain_light").extinction(), loadWeather("drizzle").extinction());
  EXPECT_GT(loadWeather("fog_dense").extinction(), loadWeather("fog_light").extinction());
}

TEST_F(LoadWeather, ReadsAFilesValues) {
  const lidar::Weather weather = loadWeather(
      write("sky.yaml",
            "rain: {rate: 7, model: goodin}\nfog: {visibility: 0.2km, model: kim, backscatter: "
            "0.03}\nsnow: {rate: 2, model: wet, reflectivity: 0.7}\n"
            "dust: {extinction: 0.01, backscatter: 0.02}\nwet_ground: true\n"));
  EXPECT_EQ(weather.rain->rate, 7.0);
  EXPECT_EQ(weather.rain->model, lidar::Rain::Model::kGoodin);
  EXPECT_EQ(weather.fog->visibility, 200.0);
  EXPECT_EQ(weather.fog->model, lidar::Fog::Model::kKim);
  EXPECT_EQ(weather.fog->backscatter, 0.03);
  EXPECT_EQ(weather.snow->rate, 2.0);
  EXPECT_EQ(weather.snow->model, lidar::Snow::Model::kWet);
  EXPECT_EQ(weather.snow->reflectivity, 0.7);
  EXPECT_EQ(weather.dust->extinction, 0.01);
  EXPECT_FALSE(weather.dust->visibility);
  EXPECT_EQ(weather.dust->backscatter, 0.02);
  EXPECT_TRUE(weather.wet_ground);
}

TEST_F(LoadWeather, RefusesWhatIsNone) {
  EXPECT_EQ(complaintOf("fog: {visibility: 0m}"), "fog.visibility is 0, allowed: 1 to 100000 m");
  EXPECT_EQ(complaintOf("fog: {visibility: -3}"), "fog.visibility is -3, allowed: 1 to 100000 m");
  EXPECT_EQ(complaintOf("rain: {rate: 5, model: mie}"),
            "rain.model is 'mie', allowed: marshall_palmer, carbonneau, goodin");
  EXPECT_EQ(complaintOf("rain: {model: goodin}").rfind("rain.rate", 0), 0U);
  EXPECT_EQ(complaintOf("rain: {rates: 5}"),
            "rain.rate is missing (is it 'rates'?), allowed: this key is required");
  EXPECT_EQ(
      complaintOf("rian: {rate: 5}"),
      "rian is an unknown key (did you mean 'rain'?), allowed: rain, fog, snow, dust, wet_ground");
  EXPECT_EQ(complaintOf("dust: {backscatter: 0.1}"),
            "dust is empty, allowed: visibility or extinction");
  EXPECT_EQ(complaint([] { loadWeather("rain_hevy"); }),
            "unknown weather 'rain_hevy' (did you mean 'rain_heavy'?), known: drizzle, dust, "
            "fog_dense, fog_light, rain_heavy, rain_light, snow");
}

}  // namespace
}  // namespace marsim::config
