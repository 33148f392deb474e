// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/image_stream.hpp"

#include <cmath>

#include <fmt/format.h>

#include "dataset/png.hpp"

namespace marsim::dataset {
namespace {

std::string encodingOf(const lidar::DepthCameraConfig& depth) {
  return depth.encoding == lidar::DepthEncoding::kMillimetres ? "16UC1" : "32FC1";
}

ImageStream streamOf(const lidar::DepthCameraConfig& depth, const layouts::Frames& frames) {
  ImageStream stream;
  stream.name = "depth0";
  stream.comment = depth.name;
  stream.topic = "depth/image_rect_raw";
  stream.info_topic = "depth/camera_info";
  stream.frame = frames.depth();
  stream.encoding = encodingOf(depth);
  stream.rate = depth.rate;
  stream.model = {lidar::CameraModel::Projection::kPinhole,
                  depth.width,
                  depth.height,
                  depth.fx,
                  depth.fy,
                  depth.cx,
                  depth.cy,
                  {}};
  stream.X_BC = depth.X_BC;
  return stream;
}

ImageStream streamOf(const lidar::CameraRigConfig& rig, std::size_t number,
                     const layouts::Frames& frames) {
  const lidar::CameraConfig& camera = rig.cameras[number];
  const std::string topics = camera.name.empty() ? "camera" : "camera/" + camera.name;
  ImageStream stream;
  stream.kind = ImageStream::Kind::kColour;
  stream.camera = number;
  stream.name = fmt::format("cam{}", number);
  stream.comment = camera.name.empty() ? rig.name : fmt::format("{}: {}", rig.name, camera.name);
  stream.topic = topics + "/image_raw";
  stream.info_topic = topics + "/camera_info";
  stream.frame = frames.camera(rig.cameras[rig.imageFrameOf(number)].name);
  stream.pixels = camera.encoding;
  stream.encoding = lidar::nameOf(camera.encoding);
  stream.rate = rig.rate;
  stream.model = camera.model;
  stream.shift = rig.shiftOf(number);
  stream.X_BC = camera.X_BC;
  return stream;
}

/// The stream of depth in the pixels of a stream's camera.
ImageStream alignedTo(ImageStream stream, const lidar::CameraConfig& camera, std::size_t number,
                      const layouts::Frames& frames) {
  const std::string topics = "camera/" + camera.depthTopic();
  stream.kind = ImageStream::Kind::kAlignedDepth;
  stream.comment += fmt::format(", depth in the pixels of {}", stream.name);
  stream.name = fmt::format("depth{}", number);
  stream.topic = topics + "/image_raw";
  stream.info_topic = topics + "/camera_info";
  stream.encoding = encodingOf(*camera.aligned_depth);
  // The camera's own frame, also for the second camera of a rectified pair.
  stream.frame = frames.camera(camera.name);
  stream.shift = 0.0;
  return stream;
}

/// The stream of ground truth in a stream's pixels.
ImageStream truthOf(ImageStream stream, ImageStream::Kind kind) {
  const bool is_class = kind == ImageStream::Kind::kClass;
  const std::string what = is_class ? "class" : "instance";
  stream.kind = kind;
  stream.comment += fmt::format(", {} of the pixels of {}", what, stream.name);
  stream.name = fmt::format("{}{}", what, stream.camera);
  stream.topic.replace(stream.topic.rfind("image_raw"), std::string::npos, "truth/" + what);
  stream.info_topic.clear();
  stream.encoding = is_class ? "mono8" : "16UC1";
  stream.pixels = lidar::ImageEncoding::kMono8;
  return stream;
}

}  // namespace

std::vector<ImageStream> imageStreams(const Sensors& sensors) {
  std::vector<ImageStream> streams;
  std::size_t depths = 0;
  if (sensors.depth) {
    streams.push_back(streamOf(*sensors.depth, sensors.frames));
    ++depths;
  }
  if (!sensors.cameras) return streams;
  for (std::size_t i = 0; i < sensors.cameras->cameras.size(); ++i) {
    const lidar::CameraConfig& camera = sensors.cameras->cameras[i];
    const ImageStream stream = streamOf(*sensors.cameras, i, sensors.frames);
    streams.push_back(stream);
    if (camera.aligned_depth) {
      streams.push_back(alignedTo(stream, camera, depths++, sensors.frames));
    }
    if (!sensors.image_truth) continue;
    streams.push_back(truthOf(stream, ImageStream::Kind::kClass));
    streams.push_back(truthOf(stream, ImageStream::Kind::kInstance));
  }
  return streams;
}

std::vector<double> shortDistortion(const lidar::CameraModel& model) {
  std::vector<double> coefficients(model.distortion.begin(),
                                   model.distortion.begin() + model.coefficients());
  if (coefficients.size() == 5 && coefficients.back() == 0.0) coefficients.pop_back();
  return coefficients;
}

std::string pngOf(const Image& image, const ImageStream& stream, double steps_a_metre) {
  return stream.isDepth() ? depthPng(image.depth, stream.model.width, steps_a_metre)
                          : imagePng(image.pixels, stream.model.width, stream.pixels);
}

double kittiRate(const Sensors& sensors) {
  return sensors.lidar ? sensors.lidar->rate : sensors.cameras->rate;
}

bool kittiHolds(const Sensors& sensors, const ImageStream& stream) {
  constexpr double kTolerance = 1e-6;  // [rad]
  if (stream.kind != ImageStream::Kind::kColour || stream.camera > 1) return false;
  // A frame has one stamp.
  if (sensors.cameras->clock.any() || (sensors.lidar && sensors.lidar->clock.any())) return false;
  const lidar::CameraConfig& first = sensors.cameras->cameras.front();
  const double images = stream.rate / kittiRate(sensors);  // per frame
  return first.model.isIdeal() && stream.model.isIdeal() &&
         stream.X_BC.q.angularDistance(first.X_BC.q) < kTolerance && images >= 1.0 &&
         std::abs(images - std::round(images)) < 1e-9;
}

bool tumHolds(const Sensors& sensors, const ImageStream& stream) {
  if (stream.kind != ImageStream::Kind::kDepth) return stream.camera == 0 && !stream.isTruth();
  return !sensors.cameras || !sensors.cameras->cameras.front().aligned_depth;
}

}  // namespace marsim::dataset
