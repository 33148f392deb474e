#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

void readDust(YamlReader& reader, lidar::Dust& dust) {
  if (reader.has("visibility")) {
    reader.require("visibility", dust.visibility.emplace(), Quantity::kLength);
  }
  if (reader.has("extinction")) reader.require("extinction", dust.extinction.emplace());
  reader.read("backscatter", dust.backscatter);
}

}  // namespace

lidar::Weather loadWeather(const std::string& name_or_path) {
  lidar::Weather weather;
  if (name_or_path == "none") return weather;
  const std::filesystem::path path = resolve("weather", name_or_path);
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.readMap("rain", [&](YamlReader& map) {
      lidar::Rain& rain = weather.rain.emplace();
      map.require("rate", rain.rate);
      map.readWord("model", rain.model, lidar::rainModels());
    });
    reader.readMap("fog", [&](YamlReader& map) {
      lidar::Fog& fog = weather.fog.emplace();
      map.require("visibility", fog.visibility, Quantity::kLength);
      map.readWord("model", fog.model, lidar::fogModels());
      map.read("backscatter", fog.backscatter);
    });
    reader.readMap("snow", [&](YamlReader& map) {
      lidar::Snow& snow = weather.snow.emplace();
      map.require("rate", snow.rate);
      map.readWord("model", snow.model, lidar::snowModels());
      map.read("reflectivity", snow.reflectivity);
    });
    reader.readMap("dust", [&](YamlReader& map) { readDust(map, weather.dust.emplace()); });
    reader.read("wet_ground", weather.wet_ground);
  });
  weather.validate(path.string());
  return weather;
}

}  // namespace marsim::config
