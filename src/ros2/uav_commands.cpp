// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/uav_commands.hpp"

#include <chrono>
#include <cmath>

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
using dataset::kFrames;

constexpr std::size_t kMostWaiting = 1000;  // messages
constexpr char kUav[] = "/uav0/", kMavros[] = "/uav0/mavros/";
constexpr double kUnset = 1e-6;  // length of a quaternion that is not given

WarningTime wallTime() { return WarningTime::clock::now(); }

template <class Value>
void requireFinite(const Value& value) {
  if (!value.allFinite()) throw Error("a value is NaN or infinite");
}
void requireFinite(double value) {
  if (!std::isfinite(value)) throw Error("a value is NaN or infinite");
}

/// The yaw of an orientation; `present` for one that is not given.
double yawOrPresent(const Eigen::Quaterniond& q, double present) {
  return q.norm() < kUnset ? present : yawOf(q.normalized());
}

}  // namespace

UavCommands::UavCommands(const sim::UavConfig& config, sim::Uav& uav, Participant& participant,
                         const Eigen::AlignedBox3d& map, double ground_z)
    : uav_(uav),
      participant_(participant),
      watch_(config.controller, sim::vehicleModel(config.vehicle),
             [](const std::string& text) { fmt::print(stderr, "{}\n", text); }),
      decoder_({config.vehicle.asControlled().mass, config.vehicle.asControlled().maxThrust()}) {
  watch_.setMap(map);
  watch_.setGround(ground_z);
  subscribePilot();
  subscribePlacements(config);
  subscribeMavros();
}

void UavCommands::on(const std::string& topic, const Type& type, bool is_reliable, Apply apply) {
  participant_.subscribe(topic, type, is_reliable, queueFor(topic, std::move(apply)));
}

Participant::OnMessage UavCommands::queueFor(const std::string& topic, Apply apply) {
  const std::size_t number = topics_.size();
  topics_.push_back({topic, std::move(apply)});
  return [this, number](std::string cdr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      ++lost_;
      waiting_.pop_front();
    }
    waiting_.push_back({number, std::move(cdr)});
  };
}

void UavCommands::take() {
  std::deque<Message> messages;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    messages.swap(waiting_);
  }
  for (const Message& message : messages) {
    const Topic& topic = topics_[message.topic];
    try {
      CdrReader reader(message.cdr);
      topic.apply(reader);
    } catch (const Error& error) {
      watch_.refused(topic.name, error.what(), wallTime());
    }
  }
}

void UavCommands::watchTracking() {
  if (commander().commanded()) {
    watch_.followed(uav_.pilot().reference(), uav_.pilot().motion(), wallTime());
  }
}

Status UavCommands::status() {
  const control::CommandWatch::Report report = watch_.report(wallTime());
  Status status{report.warns, "uav0: controller", report.summary, report.values};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lost_ > 0) status.values.emplace_back("commands lost", std::to_string(lost_));
  return status;
}

// Streams are read without reliability, so that writers of either kind are heard.
void UavCommands::subscribePilot() {
  const std::string uav = kUav;
  on(uav + "goal", types::kPoseStamped, true, [this](CdrReader& r) { flyTo(r, false); });
  on(uav + "goal_2d", types::kPoseStamped, true, [this](CdrReader& r) { flyTo(r, true); });
  on(uav + "command/pose", types::kPoseStamped, false,
     [this](CdrReader& r) { follow("command/pose", r); });
  on(uav + "command/velocity", types::kTwistStamped, false,
     [this](CdrReader& r) { move("command/velocity", r, true, false); });
  on(uav + "cmd_vel", types::kTwist, false,
     [this](CdrReader& r) { move("cmd_vel", r, false, true); });
  on(uav + "command/trajectory", types::kMultiDOFJointTrajectory, true,
     [this](CdrReader& r) { followTrajectory(r); });
  on(uav + "command/position", types::kPositionCommand, false,
     [this](CdrReader& r) { followPosition(r); });
}

void UavCommands::subscribePlacements(const sim::UavConfig& config) {
  const std::string uav = kUav;
  on(uav + "reset", types::kEmpty, true,
     [this, p_WB = config.start_p_WB, yaw = config.start_yaw](CdrReader& reader) {
       reader.read<std::uint8_t>();  // an empty message has one byte
       reader.finish();
       place(p_WB, yaw);
     });
  on(uav + "teleport", types::kPoseStamped, true, [this](CdrReader& reader) {
    const PoseCommand command = pose(reader);
    requireWorld(command.frame);
    if (!isPlace(command.X_FG.p)) {
      throw Error(fmt::format("the position is too far, allowed: {:.0f} m", kFarthestPlace));
    }
    place(command.X_FG.p, command.has_yaw ? yawOf(command.X_FG.q) : yawOf(uav_.state().X_WB.q));
  });
}

void UavCommands::place(const Eigen::Vector3d& p_WB, double yaw) {
  uav_.teleport(p_WB, yaw);
  watch_.reset();
}

UavCommands::Header UavCommands::header(CdrReader& reader) {
  Header header;
  header.stamp = reader.time();
  header.frame = reader.text();
  return header;
}

UavCommands::PoseCommand UavCommands::pose(CdrReader& reader) {
  PoseCommand command;
  command.frame = header(reader).frame;
  command.X_FG.p = reader.vector();
  command.X_FG.q = reader.quaternion();
  reader.finish();
  requireFinite(command.X_FG.p);
  requireFinite(command.X_FG.q.coeffs());
  command.has_yaw = command.X_FG.q.norm() >= kUnset;
  if (command.has_yaw) {
    command.X_FG.q.normalize();
  } else {
    command.X_FG.q.setIdentity();
  }
  return command;
}

bool UavCommands::isBase(const std::string& frame) const { return frame == kFrames.base(); }

void UavCommands::requireWorld(const std::string& frame, const std::string& allowed) const {
  if (frame.empty() || frame == kFrames.world) return;
  throw Error(fmt::format("header.frame_id is '{}', allowed: {}'{}' or empty", clipped(frame),
                          allowed, kFrames.world));
}

void UavCommands::flyTo(CdrReader& reader, bool keeps_altitude) {
  const PoseCommand command = pose(reader);
  const bool in_body = isBase(command.frame);
  if (!in_body) requireWorld(command.frame, fmt::format("'{}', ", kFrames.base()));
  Pose X_WG = in_body ? uav_.pilot().motion().X_WB * command.X_FG : command.X_FG;
  if (keeps_altitude) X_WG.p.z() = uav_.pilot().reference().p_WB.z();
  const std::string problem = watch_.goalProblem(X_WG.p);
  if (!problem.empty()) throw Error(problem);
  watch_.placed("goal", X_WG.p, wallTime());
  commander().setGoal(X_WG.p, command.has_yaw ? yawOf(X_WG.q) : uav_.pilot().reference().yaw,
                      now());
  watch_.taken("goal", now(), wallTime());
}

void UavCommands::follow(const char* topic, CdrReader& reader) {
  const PoseCommand command = pose(reader);
  requireWorld(command.frame);
  offboard::PoseCommand place{command.X_FG.p, {}};
  if (command.has_yaw) place.yaw = yawOf(command.X_FG.q);
  obey(topic, place);
}

void UavCommands::move(const char* topic, CdrReader& reader, bool is_stamped,
                       bool is_body_default) {
  const std::string frame = is_stamped ? header(reader).frame : "";
  control::VelocityCommand command;
  command.velocity = reader.vector();
  const Eigen::Vector3d rates = reader.vector();
  reader.finish();
  requireFinite(command.velocity);
  requireFinite(rates);
  command.yaw_rate = rates.z();
  command.in_heading_frame = frame.empty() ? is_body_default : isBase(frame);
  if (!command.in_heading_frame) requireWorld(frame, fmt::format("'{}', ", kFrames.base()));
  if (rates.x() != 0.0 || rates.y() != 0.0) watch_.notFollowed(topic, "angular.x and angular.y");
  watch_.moved(topic, command, uav_.pilot().motion(), wallTime());
  commander().setVelocity(command, now());
  watch_.taken(topic, now(), wallTime());
}

void UavCommands::followTrajectory(CdrReader& reader) {
  constexpr char kTopic[] = "command/trajectory";
  requireWorld(header(reader).frame);
  for (std::size_t joints = reader.count(); joints > 0; --joints) reader.text();
  // The first transform, velocity and acceleration of a point count.
  const auto twists = [&reader](Eigen::Vector3d& linear, Eigen::Vector3d& angular) {
    const std::size_t count = reader.count();
    for (std::size_t i = 0; i < count; ++i) {
      const Eigen::Vector3d v = reader.vector(), w = reader.vector();
      if (i == 0) linear = v, angular = w;
    }
    return count > 0;
  };
  std::vector<control::TrajectoryPoint> points(reader.count());
  if (points.empty()) throw Error("points is empty, allowed: at least one");
  for (control::TrajectoryPoint& point : points) {
    control::Reference& reference = point.reference;
    const std::size_t transforms = reader.count();
    if (transforms == 0) throw Error("transforms of a point is empty, allowed: at least one");
    for (std::size_t i = 0; i < transforms; ++i) {
      const Eigen::Vector3d p = reader.vector();
      const Eigen::Quaterniond q = reader.quaternion();
      if (i > 0) continue;
      reference.p_WB = p;
      reference.yaw = yawOrPresent(q, uav_.pilot().reference().yaw);
    }
    Eigen::Vector3d angular = Eigen::Vector3d::Zero(), unused;
    point.moves = twists(reference.v_WB, angular);
    reference.yaw_rate = angular.z();
    twists(reference.a_WB, unused);
    point.after = reader.time();
    requireFinite(reference.p_WB);
    requireFinite(reference.v_WB);
    requireFinite(reference.yaw);
    for (const std::string& field :
         control::dropUnusable(reference, {"accelerations", "", "velocities.angular.z"})) {
      watch_.notGiven(kTopic, field);
    }
  }
  reader.finish();
  const TimeNs first = points.front().after;
  for (control::TrajectoryPoint& point : points) point.after -= first;
  watch_.tracked(kTopic, points, uav_.pilot().motion(), wallTime());
  commander().setTrajectory(points, now());
  watch_.taken(kTopic, now(), wallTime());
}

// The definitions of planners, which share the type's name, differ in their length.
void UavCommands::followPosition(CdrReader& reader) {
  constexpr std::size_t kVector = 24, kRow = 4;
  requireWorld(header(reader).frame);
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
  requireFinite(reference.p_WB);
  requireFinite(reference.v_WB);
  requireFinite(reference.yaw);
  track("command/position", reference);
}

void UavCommands::track(const char* topic, control::Reference reference) {
  for (const std::string& field : control::dropUnusable(reference)) watch_.notGiven(topic, field);
  watch_.checkYawRate(topic, reference, now());
  watch_.tracked(topic, reference, uav_.pilot().motion(), wallTime());
  commander().setReference(reference, now());
  watch_.taken(topic, now(), wallTime());
}

void UavCommands::obey(const char* topic, const offboard::Command& command) {
  if (const auto* place = std::get_if<offboard::PoseCommand>(&command)) {
    watch_.placed(topic, place->p_WB, wallTime());
    commander().setPose(place->p_WB, place->yaw.value_or(uav_.pilot().reference().yaw), now());
  } else if (const auto* reference = std::get_if<control::Reference>(&command)) {
    return track(topic, *reference);
  } else if (const auto* velocity = std::get_if<offboard::VelocitySetpoint>(&command)) {
    const control::VelocityCommand given{velocity->v_WB, velocity->yaw_rate, false};
    watch_.moved(topic, given, uav_.pilot().motion(), wallTime());
    commander().setVelocity(given, now());
  } else {
    const control::InnerSetpoint setpoint =
        std::holds_alternative<control::AttitudeSetpoint>(command)
            ? control::InnerSetpoint(std::get<control::AttitudeSetpoint>(command))
            : control::InnerSetpoint(std::get<control::RateSetpoint>(command));
    watch_.setInner(topic, setpoint, wallTime());
    commander().setInner(setpoint, now());
  }
  watch_.taken(topic, now(), wallTime());
}

// MAVROS' set points, followed at once, as in OFFBOARD.
void UavCommands::subscribeMavros() {
  using Target = offboard::PositionTarget;
  const auto decode = [this](const char* topic, const Target& target) {
    const offboard::Command command = decoder_.decode(target, uav_.pilot().motion());
    for (const std::string& note : decoder_.notes()) watch_.notFollowed(topic, note);
    obey(topic, command);
  };
  const std::string mavros = kMavros;
  on(mavros + "setpoint_raw/local", types::kMavrosPositionTarget, false,
     [this, decode](CdrReader& reader) {
       header(reader);
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
       header(reader);
       offboard::AttitudeTarget target;
       target.mask = reader.read<std::uint8_t>();
       target.q_WB = reader.quaternion();
       target.body_rate = reader.vector();
       target.thrust = static_cast<double>(reader.read<float>());
       reader.finish();
       obey("mavros/setpoint_raw/attitude", decoder_.decode(target));
     });
  on(mavros + "setpoint_position/local", types::kPoseStamped, false, [decode](CdrReader& reader) {
    const PoseCommand command = pose(reader);
    Target target;
    target.mask = Target::kNoVelocity | Target::kNoAcceleration | Target::kNoYawRate;
    if (!command.has_yaw) target.mask |= Target::kNoYaw;
    target.position = command.X_FG.p;
    target.yaw = yawOf(command.X_FG.q);
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
       header(reader);
       velocity("mavros/setpoint_velocity/cmd_vel", reader);
     });
  on(mavros + "setpoint_velocity/cmd_vel_unstamped", types::kTwist, false,
     [velocity](CdrReader& reader) {
       velocity("mavros/setpoint_velocity/cmd_vel_unstamped", reader);
     });
}

}  // namespace marsim::ros2
