#include <string>
#include <vector>

#include "config/sensor_readers.hpp"

namespace marsim::config {

void readBeam(YamlReader& reader, lidar::BeamConfig& beam) {
  using Shape = lidar::BeamConfig::Shape;
  reader.readMap("beam", [&](YamlReader& map) {
    if (map.isList("divergence")) {
      std::vector<double> angles;
      map.requireList("divergence", angles, Quantity::kAngle);
      if (angles.size() != 2) {
        map.fail("divergence", "a list of " + std::to_string(angles.size()),
                 "an angle or [horizontal, vertical]");
      }
      beam.divergence_horizontal = angles[0];
      beam.divergence_vertical = angles[1];
    } else {
      map.read("divergence", beam.divergence_horizontal, Quantity::kAngle);
      beam.divergence_vertical = beam.divergence_horizontal;
    }
    map.readWord<Shape>("shape", beam.shape,
                        {{"circle", Shape::kCircle},
                         {"ellipse", Shape::kEllipse},
                         {"rectangle", Shape::kRectangle}});
    map.read("rays", beam.rays);
    map.read("pulse_length", beam.pulse_length, Quantity::kTime);
  });
}

void readReturns(YamlReader& reader, lidar::ReturnsConfig& returns) {
  reader.readMap("returns", [&](YamlReader& map) {
    map.readWord<lidar::ReturnMode>("mode", returns.mode, lidar::returnModes());
    map.read("signal_cutoff", returns.signal_cutoff, Quantity::kLength);
    map.read("threshold", returns.threshold);
    map.read("separation", returns.separation, Quantity::kLength);
  });
}

}  // namespace marsim::config
