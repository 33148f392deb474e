// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/ros2_messages.hpp"

#include <cmath>

#include "dataset/cdr.hpp"

namespace marsim::dataset {

std::string odometryMessage(const KinematicState& state, bool twist_in_world,
                            const std::string& frame, const std::string& child) {
  const Eigen::Quaterniond& q_WB = state.X_WB.q;
  Cdr cdr;
  cdr.addHeader(state.stamp, frame);
  cdr.add(child);
  cdr.add(state.X_WB);
  cdr.addDiagonal(6, 0.0);
  cdr.add(Eigen::Vector3d(twist_in_world ? state.v_WB : q_WB.conjugate() * state.v_WB));
  cdr.add(Eigen::Vector3d(twist_in_world ? q_WB * state.w_WB_B : state.w_WB_B));
  cdr.addDiagonal(6, 0.0);
  return cdr.take();
}

std::string imuMessage(const vehicle::ImuSample& sample, const ImuVariances& variances,
                       bool with_orientation, const std::string& frame) {
  Cdr cdr;
  cdr.addHeader(sample.stamp, frame);
  if (with_orientation) {
    cdr.add(sample.q_WI);
    cdr.addDiagonal(3, variances.orientation);
  } else {
    cdr.add(Eigen::Quaterniond(0.0, 0.0, 0.0, 0.0));
    cdr.add(-1.0);  // REP-145: no orientation
    for (int i = 0; i < 8; ++i) cdr.add(0.0);
  }
  cdr.add(sample.angular_velocity);
  cdr.addDiagonal(3, variances.angular_velocity);
  cdr.add(sample.specific_force);
  cdr.addDiagonal(3, variances.acceleration);
  return cdr.take();
}

std::string cameraInfoMessage(const ImageStream& stream, TimeNs stamp) {
  const lidar::CameraModel& model = stream.model;
  const double fx = model.fx, fy = model.fy, cx = model.cx, cy = model.cy;
  const bool is_fisheye = model.projection == lidar::CameraModel::Projection::kFisheye;
  const std::size_t coefficients = is_fisheye ? 4 : 5;
  Cdr cdr;
  cdr.addHeader(stamp, stream.frame);
  cdr.add(static_cast<std::uint32_t>(model.height));
  cdr.add(static_cast<std::uint32_t>(model.width));
  cdr.add(std::string(is_fisheye ? "equidistant" : "plumb_bob"));
  cdr.add(static_cast<std::uint32_t>(coefficients));
  for (std::size_t i = 0; i < coefficients; ++i) cdr.add(model.distortion[i]);
  for (const double value :
       {fx,  0.0, cx,  0.0,          fy,  cy,  0.0, 0.0, 1.0,                    // k
        1.0, 0.0, 0.0, 0.0,          1.0, 0.0, 0.0, 0.0, 1.0,                    // r
        fx,  0.0, cx,  stream.shift, 0.0, fy,  cy,  0.0, 0.0, 0.0, 1.0, 0.0}) {  // p
    cdr.add(value);
  }
  for (int i = 0; i < 6; ++i) cdr.add(std::uint32_t{0});  // no binning, no region
  cdr.add(std::uint8_t{0});
  return cdr.take();
}

std::string imageMessage(const ImageStream& stream, TimeNs stamp, const std::string& pixels) {
  const auto height = static_cast<std::uint32_t>(stream.model.height);
  Cdr cdr;
  cdr.reserve(pixels.size() + 100);
  cdr.addHeader(stamp, stream.frame);
  cdr.add(height);
  cdr.add(static_cast<std::uint32_t>(stream.model.width));
  cdr.add(stream.encoding);
  cdr.add(std::uint8_t{0});  // little endian
  cdr.add(static_cast<std::uint32_t>(pixels.size()) / height);
  cdr.addSequence(pixels);
  return cdr.take();
}

std::string depthBytes(const ImageStream& stream, const std::vector<float>& depth) {
  std::string bytes;
  for (const float value : depth) {
    if (stream.encoding == "32FC1") {
      appendBytes(value, bytes);
    } else {
      const long mm = std::isfinite(value) ? std::lround(1e3 * static_cast<double>(value)) : 0;
      appendBytes(static_cast<std::uint16_t>(mm), bytes);
    }
  }
  return bytes;
}

}  // namespace marsim::dataset
