#include <algorithm>

#include <fmt/format.h>

#include "config/names.hpp"
#include "config/sensor_readers.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"

namespace marsim::config {
namespace {

using lidar::CameraConfig;
using lidar::CameraModel;
using lidar::CameraRigConfig;

/// Reads `projection`, `image` and `distortion`, with no more coefficients than the projection has.
void readModel(YamlReader& reader, CameraModel& model) {
  reader.readWord<CameraModel::Projection>("projection", model.projection,
                                           {{"pinhole", CameraModel::Projection::kPinhole},
                                            {"fisheye", CameraModel::Projection::kFisheye}});
  reader.requireMap("image", [&](YamlReader& image) {
    readImageSize(image, model.width, model.height);
    image.require("fx", model.fx);
    image.require("fy", model.fy);
    image.require("cx", model.cx);
    image.require("cy", model.cy);
  });
  if (!reader.has("distortion")) return;
  std::vector<double> coefficients;
  reader.requireList("distortion", coefficients, Quantity::kNumber);
  if (coefficients.size() > model.coefficients()) {
    reader.fail("distortion", fmt::format("a list of {}", coefficients.size()),
                model.coefficients() == 4 ? "[k1, k2, k3, k4]" : "[k1, k2, p1, p2, k3]");
  }
  std::copy(coefficients.begin(), coefficients.end(), model.distortion.begin());
}

/// Reads `name`, part of topics; empty if it is omitted.
void readName(YamlReader& reader, std::string& name) {
  if (!reader.has("name")) return;
  reader.require("name", name);
  if (!isRosName(name)) {
    reader.fail("name", fmt::format("'{}'", name), "a letter, then letters, digits and _");
  }
}

/// Reads the settings of exposure and encoding, of all cameras or of a single one.
void readTaking(YamlReader& reader, CameraConfig& camera) {
  reader.readWord<lidar::ImageEncoding>("encoding", camera.encoding,
                                        {{"mono8", lidar::ImageEncoding::kMono8},
                                         {"bgr8", lidar::ImageEncoding::kBgr8},
                                         {"rgb8", lidar::ImageEncoding::kRgb8}});
  reader.read("range_max", camera.range_max, Quantity::kLength);
  reader.read("exposure", camera.exposure, Quantity::kTime);
  reader.read("gain", camera.gain);
  reader.readMap("noise", [&](YamlReader& noise) {
    noise.read("full_well", camera.full_well);
    noise.read("read", camera.read_noise);
  });
  reader.read("antialiasing", camera.antialiasing);
  reader.readMap("shutter", [&](YamlReader& shutter) {
    shutter.read("readout", camera.readout, Quantity::kTime);
    shutter.read("subframes", camera.subframes);
  });
  reader.readMap("texture", [&](YamlReader& texture) {
    texture.read("amplitude", camera.texture.amplitude);
    texture.read("coarsest", camera.texture.coarsest, Quantity::kLength);
    texture.read("finest", camera.texture.finest, Quantity::kLength);
  });
}

void readAlignedDepth(YamlReader& reader, CameraConfig& camera) {
  reader.readMap("aligned_depth", [&](YamlReader& map) {
    lidar::DepthCameraConfig& depth = camera.aligned_depth.emplace();
    map.require("min", depth.range_min, Quantity::kLength);
    map.require("max", depth.range_max, Quantity::kLength);
    readDepthEncoding(map, depth.encoding);
    readDepthStereo(map, depth, true);
  });
}

}  // namespace

CameraRigConfig loadCameras(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("camera", name_or_path);
  CameraRigConfig rig;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.require("name", rig.name);
    reader.read("rate", rig.rate, Quantity::kFrequency);
    Pose X_BR;  // the rig in the body
    reader.readMap("mounting", [&](YamlReader& mounting) { readMounting(mounting, X_BR); });
    CameraConfig of_all;
    readTaking(reader, of_all);
    reader.requireMaps("cameras", [&](YamlReader& item) {
      CameraConfig& camera = rig.cameras.emplace_back(of_all);
      readName(item, camera.name);
      readModel(item, camera.model);
      readTaking(item, camera);
      readAlignedDepth(item, camera);
      Pose X_RS;  // looking along x
      item.readMap("mounting", [&](YamlReader& mounting) { readMounting(mounting, X_RS); });
      camera.X_BC = X_BR * X_RS;
      camera.X_BC.q = camera.X_BC.q * lidar::opticalRotation();
    });
  });
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {  // each by its place in the file
    rig.cameras[i].validate(fmt::format("{}: cameras[{}]", path.string(), i));
  }
  rig.validate(path.string());
  return rig;
}

}  // namespace marsim::config
