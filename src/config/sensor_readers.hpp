#pragma once

#include "config/yaml_reader.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/lidar/beam.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/lidar/intensity.hpp"
#include "marsim/lidar/noise.hpp"
#include "marsim/lidar/scan_pattern.hpp"
#include "marsim/vehicle/imu.hpp"

/// Parts of the files of sensors.
namespace marsim::config {

/// Reads a sensor's pose in the body: position: [x, y, z], rpy: [roll, pitch, yaw].
void readMounting(YamlReader& reader, Pose& X_BS);

/// Reads `width` and `height` of an image [px].
void readImageSize(YamlReader& reader, int& width, int& height);
/// Reads the `encoding` of depth and the map `stereo` of its errors; `with_image`: also errors that
/// depend on an image of the same pixels.
void readDepthEncoding(YamlReader& reader, lidar::DepthEncoding& encoding);
void readDepthStereo(YamlReader& reader, lidar::DepthCameraConfig& config, bool with_image);

/// Reads a vehicle's map imu: `model` names a file in config/imu, the other keys override it.
void readMountedImu(YamlReader& reader, vehicle::ImuConfig& imu);

/// Reads the map `beam` of a sensor's file, if there; its `divergence` is one angle or [horizontal,
/// vertical].
void readBeam(YamlReader& reader, lidar::BeamConfig& beam);

/// Reads the map `returns` of a sensor's file, if there.
void readReturns(YamlReader& reader, lidar::ReturnsConfig& returns);

/// Reads the map `noise` of a sensor's file, if there.
void readNoise(YamlReader& reader, lidar::NoiseConfig& noise);

/// Reads `intensity` of a sensor's file, if there: a map, or a number that every point reports.
void readIntensity(YamlReader& reader, lidar::IntensityConfig& intensity);

/// Reads the map below `pattern:` of a sensor's file.
void readPattern(YamlReader& reader, lidar::PatternConfig& pattern);

}  // namespace marsim::config
