// SPDX-License-Identifier: BSD-3-Clause
#include "hover.hpp"

#include "odometry.hpp"
#include "rgbd.hpp"
#include "room.hpp"

namespace vision {

using namespace marsim;
using Eigen::Vector3d;

namespace {

const Vector3d kPlace(0.2, 0.8, 0.3);  // [m] as published

sim::UavConfig uavConfig(const std::string& camera) {
  sim::UavConfig config;
  config.vehicle = config::loadVehicle("zhong_2023");
  config.controller = config::loadController("onboard");
  config.cameras = config::loadCameras(camera);
  config.cameras->rate = 15.0;  // [Hz]
  config.estimate.emplace();
  config.estimate->X_BE = config.cameras->cameras[0].X_BC;
  config.estimate->begins_at_vehicle = true;
  config.estimate->delay = toNs(0.05);
  config.start_p_WB = kPlace;
  return config;
}

Pose poseOf(const Eigen::Isometry3d& X) {
  return {Eigen::Quaterniond(X.linear()), X.translation()};
}

}  // namespace

Hover hover(const std::string& camera, double seconds) {
  sim::World world(Room().map());
  const sim::UavConfig config = uavConfig(camera);
  sim::Uav& uav = world.addUav(config);
  const auto& cameras = uav.cameras()->cameras();
  const lidar::CameraModel& model = cameras[0].config().model;
  const bool is_stereo = cameras.size() > 1;
  const double baseline =
      is_stereo ? (cameras[1].config().X_BC.p - cameras[0].config().X_BC.p).norm() : 0.0;
  Odometry odometry(pinholeOf(model));
  Hover result;
  cv::Mat left;
  Pose X_WF;  // frame of the odometry
  uav.on_camera_image = [&](std::size_t number, const lidar::CameraImage& image,
                            View<scene::MovingObject>) {
    const cv::Mat grey = greyOf(cameras[number], image);
    if (number == 0) left = grey;
    if (is_stereo && number == 0) return;
    Features features = findFeatures(left);
    features.depths = is_stereo ? depthsOf(features.pixels, left, grey, model.fx * baseline)
                                : depthsOf(features.pixels, depthOf(cameras[0], image));
    const auto X_FC = odometry.add(features, std::vector<bool>(features.size(), true));
    const Pose X_WC = uav.state().X_WB * config.estimate->X_BE;
    if (result.images++ == 0) X_WF = X_WC;
    if (!X_FC) {
      ++result.lost;
      return;
    }
    uav.addEstimate(image.stamp, poseOf(*X_FC));
    const Vector3d error = (X_WF * poseOf(*X_FC)).p - X_WC.p;
    result.of_odometry = result.of_odometry.cwiseMax(error.cwiseAbs());
  };
  uav.setGoal(kPlace, 0.0);
  while (world.time() < toNs(seconds)) {
    world.runFor(0.01);
    result.largest = result.largest.cwiseMax((uav.state().X_WB.p - kPlace).cwiseAbs());
  }
  const sim::EstimateLoop* loop = uav.pilot().estimates();
  result.on_estimates = loop != nullptr && loop->phase() == sim::EstimateLoop::Phase::kEstimate;
  return result;
}

}  // namespace vision
