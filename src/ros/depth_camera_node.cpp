#include "marsim/ros/depth_camera_node.hpp"

#include <cmath>
#include <utility>

#include <geometry_msgs/PoseStamped.h>
#include <boost/make_shared.hpp>

#include "marsim/common/progress.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/ros/conversions.hpp"
#include "marsim/ros/depth_message.hpp"
#include "marsim/ros/map_params.hpp"
#include "marsim/ros/renderer_params.hpp"

namespace marsim::ros_nodes {

DepthCameraNode::DepthCameraNode(ros::NodeHandle handle, ros::NodeHandle private_handle)
    : diagnostics_(handle, private_handle) {
  Params params(private_handle);
  frames_ = Frames::read(params, handle);
  frame_ = params.text("depth_frame_id", frames_.depth());
  lidar::DepthCameraConfig config = config::loadDepthCamera(params.text("depth", "d455"));
  config.seed = readSeed(params, handle);
  const std::string source = params.text("map", "forest");
  const map::SurfelMapConfig map_config = readMapConfig(params);
  const RendererParams renderer = RendererParams::read(params);
  const bool lockstep = params.flag("lockstep", false);
  world_ = std::make_unique<WorldInput>(handle, params);
  params.finish();

  Progress progress("depth_camera");
  auto surfels = map::shareSurfelMap(config::resolveMap(source), map_config, progress).map;
  progress.finish();
  world_->useMap(surfels);
  const Pose X_BC = config.X_BC;
  diagnostics_.setHardwareID(config.name);
  camera_ = std::make_unique<lidar::DepthCamera>(
      std::move(config), renderer.make(lidar_gl::Use::kImages, std::move(surfels)));

  image_publisher_ = handle.advertise<sensor_msgs::Image>("depth/image_rect_raw", 10);
  info_publisher_ = handle.advertise<sensor_msgs::CameraInfo>("depth/camera_info", 10);
  pose_publisher_ = handle.advertise<geometry_msgs::PoseStamped>("depth/camera_pose", 10);
  static_tf_.sendTransform(toTransform(X_BC, frames_.base(), frames_.depth(), 0));
  diagnostics_.add("depth camera", this, &DepthCameraNode::diagnose);
  if (lockstep) {
    lockstep_ = std::make_unique<RenderLockstep>(handle, private_handle, thread_,
                                                 toNs(1.0 / camera_->config().rate));
  }
  state_subscriber_ = handle.subscribe("state", 100, &DepthCameraNode::onState, this,
                                       ros::TransportHints().tcpNoDelay());
}

DepthCameraNode::~DepthCameraNode() {
  state_subscriber_.shutdown();
  thread_.stop();
}

void DepthCameraNode::onState(const marsim::VehicleStateConstPtr& message) {
  const ReceivedMotion::Effect effect = motion_.push(*message);
  if (effect == ReceivedMotion::Effect::kIgnored) return;
  StateHistory& history = motion_.history();
  const TimeNs now = history.back().stamp;
  const double rate = camera_->config().rate;
  if (effect == ReceivedMotion::Effect::kBegun) {
    next_image_ = std::llround(std::ceil(toSeconds(now) * rate));
  }
  for (TimeNs due = toNs(static_cast<double>(next_image_) / rate); due <= now;
       due = toNs(static_cast<double>(++next_image_) / rate)) {
    if (!wanted() || !history.covers(due, due)) continue;
    const auto job = std::make_shared<const Job>(
        Job{due, history.poseAt(due),
            lockstep_ ? std::optional(world_->things(due, due)) : std::nullopt});
    if (!thread_.push([this, job] { render(*job); })) {
      dropped_.add(WarningTime::clock::now());
    }
  }
  history.discardBefore(now);
  if (lockstep_) lockstep_->onState(now);
  diagnostics_.update();
}

bool DepthCameraNode::wanted() const {
  return image_publisher_.getNumSubscribers() > 0 || pose_publisher_.getNumSubscribers() > 0 ||
         info_publisher_.getNumSubscribers() > 0;
}

void DepthCameraNode::render(const Job& job) {
  const TimeNs stamp = job.stamp;
  const Pose& X_WB = job.X_WB;
  const lidar::DepthCameraConfig& config = camera_->config();
  if (pose_publisher_.getNumSubscribers() > 0) {
    geometry_msgs::PoseStamped pose;
    pose.header.stamp = toRos(stamp);
    pose.header.frame_id = frames_.world;
    pose.pose = toPose(X_WB * config.X_BC);
    pose_publisher_.publish(pose);
  }
  if (info_publisher_.getNumSubscribers() > 0) {
    info_publisher_.publish(cameraInfo(config, stamp, frame_));
  }
  if (image_publisher_.getNumSubscribers() > 0) {
    const lidar::DepthImage image =
        camera_->image(stamp, X_WB, job.things ? *job.things : world_->things(stamp, stamp));
    image_publisher_.publish(
        boost::make_shared<sensor_msgs::Image>(depthMessage(image, config, frame_)));
  }
  ++images_;
  if (lockstep_) lockstep_->onRendered();
}

void DepthCameraNode::diagnose(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const std::uint64_t lately = dropped_.lately(WarningTime::clock::now());
  if (!wanted()) {
    status.summary(diagnostic_msgs::DiagnosticStatus::OK, "idle: nobody subscribes");
  } else if (lately > 0) {
    status.summaryf(diagnostic_msgs::DiagnosticStatus::WARN,
                    "%lu images dropped in the last %d s: rendering is too slow",
                    static_cast<unsigned long>(lately), RecentCount::kLately);
  } else {
    status.summary(diagnostic_msgs::DiagnosticStatus::OK, "seeing");
  }
  status.add("images", images_.load());
  status.add("dropped images", dropped_.total());
}

}  // namespace marsim::ros_nodes
