// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/uav_commands.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/text.hpp"
#include "dataset/writer.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"

namespace marsim::ros2 {
namespace {

namespace types = dataset::ros2_types;
namespace offboard = control::offboard;
using dataset::CdrReader;
using sim::wallTime;

}  // namespace

UavCommands::UavCommands(const std::string& name, const sim::UavConfig& config, sim::Uav& uav,
                         Inbox& inbox, const Eigen::AlignedBox3d& map, double ground_z)
    : name_(name),
      frames_{dataset::kFrames.world, name + "/"},
      replays_(config.replay.has_value()),
      uav_(uav),
      inbox_(inbox),
      watch_(config.controller, sim::vehicleModel(config.vehicle),
             [name](const std::string& text) { fmt::print(stderr, "{}: {}\n", name, text); }),
      input_(uav.pilot(), watch_, frames_.world, frames_.base(), {}),
      decoder_({config.vehicle.asControlled().mass, config.vehicle.asControlled().maxThrust()}) {
  watch_.setMap(map);
  watch_.setGround(ground_z);
  subscribePilot();
  subscribePlacements(config);
  servePlacements(config);
  subscribeMavros();
}

void UavCommands::on(const std::string& topic, const Type& type, bool is_reliable,
                     Inbox::Apply apply) {
  inbox_.on("/" + frames_.prefix + topic, type, is_reliable, std::move(apply), refusing(topic));
}

Inbox::Refuse UavCommands::refusing(const std::string& topic) {
  return [this, topic](const std::string& reason) { watch_.refused(topic, reason, wallTime()); };
}

void UavCommands::watchTracking() {
  if (uav_.pilot().commander().commanded()) {
    watch_.followed(uav_.pilot().reference(), uav_.pilot().motion(), wallTime());
  }
}

Status UavCommands::status() {
  const control::CommandWatch::Report report = watch_.report(wallTime());
  return {report.warns, name_ + ": controller", report.summary, report.values};
}

// Streams are read without reliability, so that writers of either kind are heard.
void UavCommands::subscribePilot() {
  on("goal", types::kPoseStamped, true,
     [this](CdrReader& r) { input_.flyTo("goal", pose(r), false); });
  on("goal_2d", types::kPoseStamped, true,
     [this](CdrReader& r) { input_.flyTo("goal_2d", pose(r), true); });
  on("command/pose", types::kPoseStamped, false,
     [this](CdrReader& r) { input_.hold("command/pose", pose(r)); });
  on("command/velocity", types::kTwistStamped, false, [this](CdrReader& r) {
    const std::string in = frame(r);
    input_.move("command/velocity", velocity(r, in), false);
  });
  on("cmd_vel", types::kTwist, false,
     [this](CdrReader& r) { input_.move("cmd_vel", velocity(r, ""), true); });
  on("command/trajectory", types::kMultiDOFJointTrajectory, true, [this](CdrReader& r) {
    const std::string in = frame(r);
    input_.followTrajectory("command/trajectory", in, [&r](double present_yaw) {
      CdrReader points = r;
      return trajectory(points, present_yaw);
    });
  });
  on("command/position", types::kPositionCommand, false,
     [this](CdrReader& r) { followPosition(r); });
}

void UavCommands::subscribePlacements(const sim::UavConfig& config) {
  on("reset", types::kEmpty, true,
     [this, p_WB = config.start_p_WB, yaw = config.start_yaw](CdrReader& reader) {
       reader.read<std::uint8_t>();  // an empty message has one byte
       reader.finish();
       place(p_WB, yaw);
     });
  on("teleport", types::kPoseStamped, true, [this](CdrReader& reader) {
    const sim::PoseRequest request = pose(reader);
    if (!input_.isInWorld("teleport", request.frame)) return;
    if (!request.X_FG.p.allFinite() || !request.X_FG.q.coeffs().allFinite()) {
      throw Error("a value is NaN or infinite");
    }
    if (!isPlace(request.X_FG.p)) {
      throw Error(fmt::format("the position is too far, allowed: {:.0f} m", kFarthestPlace));
    }
    place(request.X_FG.p, sim::yawOrPresent(request.X_FG.q, yawOf(uav_.state().X_WB.q)));
  });
}

// The types of ROS 1's services.
void UavCommands::servePlacements(const sim::UavConfig& config) {
  const std::string uav = "/" + frames_.prefix;
  inbox_.serve(
      uav + "reset", types::kTrigger,
      [this, p_WB = config.start_p_WB, yaw = config.start_yaw](CdrReader& request) {
        request.read<std::uint8_t>();  // an empty request has one byte
        request.finish();
        place(p_WB, yaw);
        return "back at the start";
      },
      refusing("reset"));
  inbox_.serve(
      uav + "teleport", types::kTeleport,
      [this](CdrReader& request) {
        const Eigen::Vector3d p_WB = request.vector();
        const auto yaw = request.read<double>();
        request.time();  // for lockstep, see srv/Teleport.srv
        request.finish();
        if (!isPlace(p_WB) || !(std::abs(yaw) <= kLargestAngle)) {
          throw Error(fmt::format(
              "position or yaw is not finite or too large, allowed: {:.0f} m and {:.0f} rad",
              kFarthestPlace, kLargestAngle));
        }
        place(p_WB, yaw);
        return uav_.platform().onGround() ? "on the ground" : "in the air";
      },
      refusing("teleport"));
}

void UavCommands::place(const Eigen::Vector3d& p_WB, double yaw) {
  if (replays_) throw Error("its motion is replayed from a file");
  uav_.teleport(p_WB, yaw);
  watch_.reset();
}

std::string UavCommands::frame(CdrReader& reader) {
  reader.time();
  return reader.text();
}

sim::PoseRequest UavCommands::pose(CdrReader& reader) {
  sim::PoseRequest request;
  request.frame = frame(reader);
  request.X_FG.p = reader.vector();
  request.X_FG.q = reader.quaternion();
  reader.finish();
  return request;
}

sim::VelocityRequest UavCommands::velocity(CdrReader& reader, const std::string& in) {
  const Eigen::Vector3d v = reader.vector(), w = reader.vector();
  reader.finish();
  return {in, v, w};
}

// The first transform, velocity and acceleration of a point count.
sim::TrajectoryCommand UavCommands::trajectory(CdrReader& reader, double present_yaw) {
  for (std::size_t joints = reader.count(); joints > 0; --joints) reader.text();
  const auto twists = [&reader](Eigen::Vector3d& linear, Eigen::Vector3d& angular) {
    const std::size_t count = reader.count();
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3d v = reader.vector(), w = reader.vector();
      if (i == 0) linear = v, angular = w;
    }
    return count > 0;
  };
  std::vector<control::TrajectoryPoint> points(reader.count());
  for (control::TrajectoryPoint& point : points) {
    control::Reference& reference = point.reference;
    const std::size_t transforms = reader.count();
    if (transforms == 0) throw Error("transforms of a point is empty, allowed: at least one");
    for (std::size_t i = 0; i < transforms; ++i) {
      const Eigen::Vector3d p = reader.vector();
      const Eigen::Quaterniond q = reader.quaternion();
      if (i > 0) continue;
      reference.p_WB = p;
      reference.yaw = sim::yawOrPresent(q, present_yaw);
    }
    Eigen::Vector3d angular = Eigen::Vector3d::Zero(), unused;
    point.moves = twists(reference.v_WB, angular);
    reference.yaw_rate = angular.z();
    twists(reference.a_WB, unused);
    point.after = reader.time();
  }
  reader.finish();
  return sim::checkTrajectory(std::move(points));
}

// The definitions of planners, which share the type's name, differ in their length.
void UavCommands::followPosition(CdrReader& reader) {
  constexpr std::size_t kVector = 24, kRow = 4;
  const std::string in = frame(reader);
  control::Reference reference;
  reference.p_WB = reader.vector();
  reference.v_WB = reader.vector();
  reference.a_WB = reader.vector();
  const std::size_t rest = (reader.left() + kRow - 1) / kRow * kRow;
  // Bytes after the acceleration: 64 and 72 yaw first (kumar, EGO-Planner); 48, 88, 92 and 96 jerk
  // before it (EGO-Planner-v2, kr_mav_msgs, Fast-Drone-250); 184 jerk and attitude (SUPER).
  const bool has_jerk = rest == 48 || rest == 88 || rest == 92 || rest == 96 || rest == 184;
  if (!has_jerk && rest != 64 && rest != 72) {
    throw Error(
        fmt::format("{} bytes follow the acceleration, allowed: 45 to 181 bytes of the "
                    "known quadrotor_msgs/PositionCommand",
                    reader.left()));
  }
  if (has_jerk) reference.j_WB = reader.vector();
  if (rest == 184) {
    for (std::size_t i = 0; i < 3 * kVector / sizeof(double); ++i) reader.read<double>();
  }
  reference.yaw = reader.read<double>();
  reference.yaw_rate = reader.read<double>();
  input_.track("command/position", in, reference);
}

void UavCommands::obey(const char* topic, const offboard::Command& command) {
  if (const auto* place = std::get_if<offboard::PoseCommand>(&command)) {
    const double yaw = place->yaw.value_or(input_.reference().yaw);
    input_.hold(topic, {"", {fromRollPitchYaw(0.0, 0.0, yaw), place->p_WB}});
  } else if (const auto* reference = std::get_if<control::Reference>(&command)) {
    input_.track(topic, "", *reference);
  } else if (const auto* moving = std::get_if<offboard::VelocitySetpoint>(&command)) {
    input_.move(topic, {"", moving->v_WB, {0.0, 0.0, moving->yaw_rate}}, false);
  } else if (const auto* attitude = std::get_if<control::AttitudeSetpoint>(&command)) {
    input_.setInner(topic, *attitude);
  } else {
    input_.setInner(topic, std::get<control::RateSetpoint>(command));
  }
}

// MAVROS' set points, followed at once, as in OFFBOARD.
void UavCommands::subscribeMavros() {
  using Target = offboard::PositionTarget;
  const auto decode = [this](const char* topic, const Target& target) {
    const offboard::Command command = decoder_.decode(target, uav_.pilot().motion());
    for (const std::string& note : decoder_.notes()) watch_.notFollowed(topic, note);
    obey(topic, command);
  };
  const std::string mavros = "mavros/";
  on(mavros + "setpoint_raw/local", types::kMavrosPositionTarget, false,
     [decode](CdrReader& reader) {
       frame(reader);
       Target target;
       target.frame = reader.read<std::uint8_t>();
       target.mask = reader.read<std::uint16_t>();
       target.position = reader.vector();
       target.velocity = reader.vector();
       target.acceleration = reader.vector();
       target.yaw = static_cast<double>(reader.read<float>());
       target.yaw_rate = static_cast<double>(reader.read<float>());
       reader.finish();
       decode("mavros/setpoint_raw/local", target);
     });
  on(mavros + "setpoint_raw/attitude", types::kMavrosAttitudeTarget, false,
     [this](CdrReader& reader) {
       frame(reader);
       offboard::AttitudeTarget target;
       target.mask = reader.read<std::uint8_t>();
       target.q_WB = reader.quaternion();
       target.body_rate = reader.vector();
       target.thrust = static_cast<double>(reader.read<float>());
       reader.finish();
       obey("mavros/setpoint_raw/attitude", decoder_.decode(target));
     });
  on(mavros + "setpoint_position/local", types::kPoseStamped, false, [decode](CdrReader& reader) {
    const Pose X = pose(reader).X_FG;
    Target target;
    target.mask = Target::kNoVelocity | Target::kNoAcceleration | Target::kNoYawRate;
    if (sim::isUnset(X.q)) target.mask |= Target::kNoYaw;
    target.position = X.p;
    target.yaw = sim::yawOrPresent(X.q, 0.0);
    decode("mavros/setpoint_position/local", target);
  });
  const auto velocity = [decode](const char* topic, CdrReader& reader) {
    Target target;
    target.mask = Target::kNoPosition | Target::kNoAcceleration | Target::kNoYaw;
    target.velocity = reader.vector();
    target.yaw_rate = reader.vector().z();
    reader.finish();
    decode(topic, target);
  };
  on(mavros + "setpoint_velocity/cmd_vel", types::kTwistStamped, false,
     [velocity](CdrReader& reader) {
       frame(reader);
       velocity("mavros/setpoint_velocity/cmd_vel", reader);
     });
  on(mavros + "setpoint_velocity/cmd_vel_unstamped", types::kTwist, false,
     [velocity](CdrReader& reader) {
       velocity("mavros/setpoint_velocity/cmd_vel_unstamped", reader);
     });
}

}  // namespace marsim::ros2
