// SPDX-License-Identifier: BSD-3-Clause
#include "sequence.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gyroscope.hpp"
#include "marsim/lidar/image_truth.hpp"
#include "odometry.hpp"
#include "rgbd.hpp"
#include "room.hpp"

namespace vision {

using namespace marsim;
using Eigen::Isometry3d;
using Eigen::Vector3d;

const std::map<std::string, Sequence> kSequences = {
    {"walking_xyz", {true, Sequence::Motion::kXyz}},
    {"walking_rpy", {true, Sequence::Motion::kRpy}},
    {"walking_static", {true, Sequence::Motion::kStatic}},
    {"walking_halfsphere", {true, Sequence::Motion::kHalfsphere}},
    {"sitting_xyz", {false, Sequence::Motion::kXyz}},
    {"sitting_rpy", {false, Sequence::Motion::kRpy}},
    {"sitting_static", {false, Sequence::Motion::kStatic}}};

namespace {

// The pose of the body, which carries the camera as a hand would. Amplitudes after those of the
// benchmark's sequences.
Pose bodyAt(Sequence::Motion motion, double time) {
  const auto wave = [time](double period, double phase = 0.0) {
    return std::sin(2.0 * kPi * time / period + phase) - std::sin(phase);
  };
  const Vector3d hand(0.004 * wave(0.9), 0.006 * wave(1.3), 0.005 * wave(1.1));
  const double tremble = 0.004 * wave(0.8);
  Vector3d p(0.0, 0.0, 1.35), rpy(tremble, 0.1, tremble);
  switch (motion) {
    case Sequence::Motion::kXyz:
      p += Vector3d(0.2 * wave(7.0), 0.3 * wave(5.0), 0.15 * wave(6.0));
      break;
    case Sequence::Motion::kRpy:
      rpy += Vector3d(0.25 * wave(5.0), 0.2 * wave(6.0), 0.35 * wave(7.0));
      p += 5.0 * hand;
      break;
    case Sequence::Motion::kStatic:
      break;
    case Sequence::Motion::kHalfsphere: {
      const double across = 0.4 * wave(9.0), up = 0.2 * wave(6.5), radius = 1.2;
      p += radius * Vector3d(1.0 - std::cos(across) * std::cos(up),
                             -std::sin(across) * std::cos(up), std::sin(up));
      rpy += Vector3d(0.0, up, across);
    }
  }
  return {fromRollPitchYaw(rpy.x(), rpy.y(), rpy.z()), p + hand};
}

sim::UavConfig carrier(const Sequence& sequence, double seconds, std::uint32_t seed) {
  sim::UavConfig config;
  config.seed = seed;
  config.vehicle = config::loadVehicle("zhong_2023");
  config.controller = config::loadController("default");
  config.cameras = config::loadCameras("d435i");
  config.cameras->seed = seed;
  config.cameras->rate = 15.0;  // [Hz]
  config.cameras->cameras[0].gain = 1.6;
  config.cameras->cameras[0].texture.amplitude = 0.22;
  config.collision.on = false;
  config.replay = sim::Replay{std::make_shared<const PoseTrack>(pathOf(sequence, seconds)), 0};
  return config;
}

// With another seed, walkers begin at another corner of their ways.
scene::ObstaclesConfig peopleOf(const Sequence& sequence, std::uint32_t seed) {
  scene::ObstaclesConfig people =
      config::loadObstacles(sequence.people_walk ? "tum_walking" : "tum_sitting");
  people.seed = seed;
  for (scene::ObstacleGroup& group : people.groups) {
    if (group.kind != scene::ObstacleKind::kWaypoints) continue;
    const auto corner = static_cast<std::ptrdiff_t>((seed - 1) % group.points.size());
    std::rotate(group.points.begin(), group.points.begin() + corner, group.points.end());
  }
  return people;
}

DetectorConfig detectorOf(std::uint32_t seed) {
  DetectorConfig config;
  config.seed = seed;
  return config;
}

/// Follows a sequence's images.
class Follower {
 public:
  Follower(const sim::Uav& uav, const Pose& X_BI, std::uint32_t seed)
      : camera_(uav.cameras()->cameras()[0]),
        q_IC_(X_BI.q.inverse() * camera_.config().X_BC.q),
        pinhole_(pinholeOf(camera_.config().model)),
        detector_(detectorOf(seed)),
        moving_(pinhole_),
        cleaned_(pinhole_),
        plain_(pinhole_) {}

  void add(const vehicle::ImuSample& sample) {
    gyroscope_.add(toSeconds(sample.stamp), sample.angular_velocity);
  }

  void add(const lidar::CameraImage& image, View<scene::MovingObject> objects,
           const std::function<void(const LabelledImage&)>& show) {
    const cv::Mat grey = greyOf(camera_, image), depth = depthOf(camera_, image);
    const std::vector<lidar::SeenObject> people =
        lidar::ImageTruth(camera_, image, objects).seenObjects();
    const double time = toSeconds(image.time);
    std::vector<Box> truth;
    for (const lidar::SeenObject& seen : people) {
      truth.push_back({seen.left * 1.0, seen.top * 1.0, seen.right * 1.0, seen.bottom * 1.0});
    }
    const std::vector<Box> boxes = detector_.detect(time, truth);
    Features features = findFeatures(grey);
    features.depths = depthsOf(features.pixels, depth);
    auto turn = gyroscope_.turn(std::exchange(last_, time), time);
    if (turn) turn = q_IC_.inverse() * *turn * q_IC_;
    const std::vector<PointFlow>& points = moving_.label(time, grey, features, boxes, turn);
    std::vector<bool> all(features.size(), true), is_static(features.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      is_static[i] = points[i].label == Label::kStatic;
    }
    const Isometry3d X_WC = isometryOf(image.X_WC);
    const auto cleaned = cleaned_.add(features, is_static, turn),
               plain = plain_.add(features, all, turn);
    if (cleaned) result.with_removal.push_back({time, X_WC, *cleaned});
    if (plain) result.without.push_back({time, X_WC, *plain});
    ++result.images;
    cv::Mat in_boxes(grey.size(), CV_8UC1, cv::Scalar(0));
    for (const Box& box : boxes) {
      cv::rectangle(in_boxes, cv::Point2d(box.left, box.top), cv::Point2d(box.right, box.bottom), 1,
                    cv::FILLED);
    }
    result.in_boxes += (cv::mean(in_boxes)[0] - result.in_boxes) / result.images;
    judge(image, points, boxes);
    if (cleaned) judge(moving_.movers(depth, *cleaned), X_WC * cleaned->inverse(), people);
    if (show) show({time, grey, boxes, points});
  }

  SequenceResult result;

 private:
  // Compares labels in boxes with the surfaces that the pixels show.
  void judge(const lidar::CameraImage& image, const std::vector<PointFlow>& points,
             const std::vector<Box>& boxes) {
    for (const PointFlow& point : points) {
      const bool in_box = std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
        return box.holds(point.now.x, point.now.y);
      });
      if (!in_box || point.label == Label::kUnknown) continue;
      const int pixel = cvRound(point.now.y) * camera_.config().model.width + cvRound(point.now.x);
      const bool of_room =
          image.hits[static_cast<std::size_t>(pixel)].identity == scene::kMapIdentity;
      ++(of_room ? result.still : result.moving);
      if (of_room && point.label == Label::kStatic) ++result.still_kept;
      if (!of_room && point.label == Label::kMoving) ++result.moving_found;
    }
  }

  // Compares velocities with those of the nearest person. `X_WF`: frame of the odometry.
  void judge(const std::vector<SeenMover>& movers, const Isometry3d& X_WF,
             const std::vector<lidar::SeenObject>& people) {
    for (const SeenMover& mover : movers) {
      const Vector3d p = X_WF * mover.p_W, v = X_WF.linear() * mover.v_W;
      const lidar::SeenObject* nearest = nullptr;
      double least = 0.5;
      for (const lidar::SeenObject& seen : people) {
        const double away = (seen.X_WM.p - p).head<2>().norm();
        if (away >= least) continue;
        least = away;
        nearest = &seen;
      }
      if (nearest != nullptr && nearest->v_WM.norm() > 0.3)
        result.velocity_errors.push_back((v - nearest->v_WM).head<2>().norm());
    }
  }

  const lidar::Camera& camera_;
  Eigen::Quaterniond q_IC_;
  Pinhole pinhole_;
  Detector detector_;
  MovingPoints moving_;
  Odometry cleaned_, plain_;
  Gyroscope gyroscope_;
  double last_ = 0.0;  // [s] the last image
};

}  // namespace

std::vector<StampedPose> pathOf(const Sequence& sequence, double seconds) {
  std::vector<StampedPose> poses;
  for (double time = 0.0; time < seconds + 0.2; time += 0.05) {
    poses.push_back({toNs(time), bodyAt(sequence.motion, time)});
  }
  return poses;
}

SequenceResult run(const Sequence& sequence, double seconds, std::uint32_t seed,
                   const std::function<void(const LabelledImage&)>& show) {
  static const std::shared_ptr<const map::SurfelMap> map = Room().map();
  sim::World world(map);
  const sim::UavConfig config = carrier(sequence, seconds, seed);
  sim::Uav& uav = world.addUav(config);
  const auto people =
      std::make_shared<scene::Obstacles>(peopleOf(sequence, seed), scene::MapDistance(), "people");
  world.addObjects(people);
  Follower follower(uav, config.vehicle.imu.X_BI, seed);
  uav.on_imu = [&](const vehicle::ImuSample& sample) { follower.add(sample); };
  uav.on_camera_image = [&](std::size_t, const lidar::CameraImage& image,
                            View<scene::MovingObject> objects) {
    follower.add(image, objects, show);
  };
  world.runFor(seconds);
  return follower.result;
}

}  // namespace vision
