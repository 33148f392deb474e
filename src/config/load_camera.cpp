// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "config/names.hpp"
#include "config/yaml_reader.hpp"
#include "marsim/config/load.hpp"
#include "marsim/geometry/pose_settings.hpp"

namespace marsim::config {
namespace {

using lidar::CameraConfig;
using lidar::CameraRigConfig;

/// `name`, part of topics; none where it is left away.
void readName(YamlReader& reader, std::string& name) {
  if (!reader.has("name")) return;
  reader.required("name", name);
  if (!isRosName(name)) {
    reader.fail("name", fmt::format("'{}'", name), "a letter, then letters, digits and _");
  }
}

}  // namespace

CameraRigConfig loadCameras(const std::string& name_or_path) {
  const std::filesystem::path path = resolve("camera", name_or_path);
  CameraRigConfig rig;
  YamlReader::readFile(path, [&](YamlReader& reader) {
    reader.required("name", rig.name);
    reader.optional("rate", rig.rate, "Hz");
    reader.optional("clock", rig.clock);
    Pose X_BR;  // the rig in the body
    reader.readMap("mounting", [&](YamlReader& mounting) { declarePose(mounting, X_BR); });
    CameraConfig of_all;
    of_all.declareTaking(reader);
    reader.requireMaps("cameras", [&](YamlReader& item) {
      CameraConfig& camera = rig.cameras.emplace_back(of_all);
      readName(item, camera.name);
      camera.declare(item);
      Pose X_RS;  // looking along x
      item.readMap("mounting", [&](YamlReader& mounting) { declarePose(mounting, X_RS); });
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
