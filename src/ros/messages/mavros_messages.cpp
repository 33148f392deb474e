// SPDX-License-Identifier: BSD-3-Clause
#include "ros/messages/mavros_messages.hpp"

#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes::mavros_msgs {
namespace {

// The definition of another package's type in a definition, as rosbag and rostopic read it.
template <class Message>
std::string with(const std::string& definition, const char* name) {
  return definition + std::string(80, '=') + "\nMSG: " + name + "\n" +
         ros::message_traits::definition<Message>() + "\n";
}

}  // namespace

// Constants count for md5 sums, comments do not.
const char* PositionTarget::definition() {
  static const std::string text = with<geometry_msgs::Vector3>(
      with<geometry_msgs::Point>(
          with<std_msgs::Header>("std_msgs/Header header\n"
                                 "uint8 coordinate_frame\n"
                                 "uint8 FRAME_LOCAL_NED = 1\n"
                                 "uint8 FRAME_LOCAL_OFFSET_NED = 7\n"
                                 "uint8 FRAME_BODY_NED = 8\n"
                                 "uint8 FRAME_BODY_OFFSET_NED = 9\n"
                                 "uint16 type_mask\n"
                                 "uint16 IGNORE_PX = 1\n"
                                 "uint16 IGNORE_PY = 2\n"
                                 "uint16 IGNORE_PZ = 4\n"
                                 "uint16 IGNORE_VX = 8\n"
                                 "uint16 IGNORE_VY = 16\n"
                                 "uint16 IGNORE_VZ = 32\n"
                                 "uint16 IGNORE_AFX = 64\n"
                                 "uint16 IGNORE_AFY = 128\n"
                                 "uint16 IGNORE_AFZ = 256\n"
                                 "uint16 FORCE = 512\n"
                                 "uint16 IGNORE_YAW = 1024\n"
                                 "uint16 IGNORE_YAW_RATE = 2048\n"
                                 "geometry_msgs/Point position\n"
                                 "geometry_msgs/Vector3 velocity\n"
                                 "geometry_msgs/Vector3 acceleration_or_force\n"
                                 "float32 yaw\n"
                                 "float32 yaw_rate\n",
                                 "std_msgs/Header"),
          "geometry_msgs/Point"),
      "geometry_msgs/Vector3");
  return text.c_str();
}

const char* AttitudeTarget::definition() {
  static const std::string text = with<geometry_msgs::Vector3>(
      with<geometry_msgs::Quaternion>(
          with<std_msgs::Header>("std_msgs/Header header\n"
                                 "uint8 type_mask\n"
                                 "uint8 IGNORE_ROLL_RATE = 1\n"
                                 "uint8 IGNORE_PITCH_RATE = 2\n"
                                 "uint8 IGNORE_YAW_RATE = 4\n"
                                 "uint8 IGNORE_THRUST = 64\n"
                                 "uint8 IGNORE_ATTITUDE = 128\n"
                                 "geometry_msgs/Quaternion orientation\n"
                                 "geometry_msgs/Vector3 body_rate\n"
                                 "float32 thrust\n",
                                 "std_msgs/Header"),
          "geometry_msgs/Quaternion"),
      "geometry_msgs/Vector3");
  return text.c_str();
}

const char* State::definition() {
  static const std::string text = with<std_msgs::Header>(
      "std_msgs/Header header\n"
      "bool connected\n"
      "bool armed\n"
      "bool guided\n"
      "bool manual_input\n"
      "string mode\n"
      "uint8 system_status\n"
      "string MODE_APM_PLANE_MANUAL = MANUAL\n"
      "string MODE_APM_PLANE_CIRCLE = CIRCLE\n"
      "string MODE_APM_PLANE_STABILIZE = STABILIZE\n"
      "string MODE_APM_PLANE_TRAINING = TRAINING\n"
      "string MODE_APM_PLANE_ACRO = ACRO\n"
      "string MODE_APM_PLANE_FBWA = FBWA\n"
      "string MODE_APM_PLANE_FBWB = FBWB\n"
      "string MODE_APM_PLANE_CRUISE = CRUISE\n"
      "string MODE_APM_PLANE_AUTOTUNE = AUTOTUNE\n"
      "string MODE_APM_PLANE_AUTO = AUTO\n"
      "string MODE_APM_PLANE_RTL = RTL\n"
      "string MODE_APM_PLANE_LOITER = LOITER\n"
      "string MODE_APM_PLANE_LAND = LAND\n"
      "string MODE_APM_PLANE_GUIDED = GUIDED\n"
      "string MODE_APM_PLANE_INITIALISING = INITIALISING\n"
      "string MODE_APM_PLANE_QSTABILIZE = QSTABILIZE\n"
      "string MODE_APM_PLANE_QHOVER = QHOVER\n"
      "string MODE_APM_PLANE_QLOITER = QLOITER\n"
      "string MODE_APM_PLANE_QLAND = QLAND\n"
      "string MODE_APM_PLANE_QRTL = QRTL\n"
      "string MODE_APM_COPTER_STABILIZE = STABILIZE\n"
      "string MODE_APM_COPTER_ACRO = ACRO\n"
      "string MODE_APM_COPTER_ALT_HOLD = ALT_HOLD\n"
      "string MODE_APM_COPTER_AUTO = AUTO\n"
      "string MODE_APM_COPTER_GUIDED = GUIDED\n"
      "string MODE_APM_COPTER_LOITER = LOITER\n"
      "string MODE_APM_COPTER_RTL = RTL\n"
      "string MODE_APM_COPTER_CIRCLE = CIRCLE\n"
      "string MODE_APM_COPTER_POSITION = POSITION\n"
      "string MODE_APM_COPTER_LAND = LAND\n"
      "string MODE_APM_COPTER_OF_LOITER = OF_LOITER\n"
      "string MODE_APM_COPTER_DRIFT = DRIFT\n"
      "string MODE_APM_COPTER_SPORT = SPORT\n"
      "string MODE_APM_COPTER_FLIP = FLIP\n"
      "string MODE_APM_COPTER_AUTOTUNE = AUTOTUNE\n"
      "string MODE_APM_COPTER_POSHOLD = POSHOLD\n"
      "string MODE_APM_COPTER_BRAKE = BRAKE\n"
      "string MODE_APM_COPTER_THROW = THROW\n"
      "string MODE_APM_COPTER_AVOID_ADSB = AVOID_ADSB\n"
      "string MODE_APM_COPTER_GUIDED_NOGPS = GUIDED_NOGPS\n"
      "string MODE_APM_ROVER_MANUAL = MANUAL\n"
      "string MODE_APM_ROVER_LEARNING = LEARNING\n"
      "string MODE_APM_ROVER_STEERING = STEERING\n"
      "string MODE_APM_ROVER_HOLD = HOLD\n"
      "string MODE_APM_ROVER_AUTO = AUTO\n"
      "string MODE_APM_ROVER_RTL = RTL\n"
      "string MODE_APM_ROVER_GUIDED = GUIDED\n"
      "string MODE_APM_ROVER_INITIALISING = INITIALISING\n"
      "string MODE_PX4_MANUAL = MANUAL\n"
      "string MODE_PX4_ACRO = ACRO\n"
      "string MODE_PX4_ALTITUDE = ALTCTL\n"
      "string MODE_PX4_POSITION = POSCTL\n"
      "string MODE_PX4_OFFBOARD = OFFBOARD\n"
      "string MODE_PX4_STABILIZED = STABILIZED\n"
      "string MODE_PX4_RATTITUDE = RATTITUDE\n"
      "string MODE_PX4_MISSION = AUTO.MISSION\n"
      "string MODE_PX4_LOITER = AUTO.LOITER\n"
      "string MODE_PX4_RTL = AUTO.RTL\n"
      "string MODE_PX4_LAND = AUTO.LAND\n"
      "string MODE_PX4_RTGS = AUTO.RTGS\n"
      "string MODE_PX4_READY = AUTO.READY\n"
      "string MODE_PX4_TAKEOFF = AUTO.TAKEOFF\n",
      "std_msgs/Header");
  return text.c_str();
}

ros::AdvertiseOptions State::advertiseOptions(const std::string& topic, std::uint32_t queue,
                                              bool since_1_5) {
  std::string text = definition();
  if (!since_1_5) {  // only the fields
    const std::size_t constants = text.find("string MODE_");
    text.erase(constants, text.find("====") - constants);
  }
  ros::AdvertiseOptions options(topic, queue, since_1_5 ? kMd5SumSince : kMd5SumBefore, kTypeName,
                                text);
  options.has_header = true;
  return options;
}

const char* ExtendedState::definition() {
  static const std::string text = with<std_msgs::Header>(
      "std_msgs/Header header\n"
      "uint8 VTOL_STATE_UNDEFINED = 0\n"
      "uint8 VTOL_STATE_TRANSITION_TO_FW = 1\n"
      "uint8 VTOL_STATE_TRANSITION_TO_MC = 2\n"
      "uint8 VTOL_STATE_MC = 3\n"
      "uint8 VTOL_STATE_FW = 4\n"
      "uint8 LANDED_STATE_UNDEFINED = 0\n"
      "uint8 LANDED_STATE_ON_GROUND = 1\n"
      "uint8 LANDED_STATE_IN_AIR = 2\n"
      "uint8 LANDED_STATE_TAKEOFF = 3\n"
      "uint8 LANDED_STATE_LANDING = 4\n"
      "uint8 vtol_state\n"
      "uint8 landed_state\n",
      "std_msgs/Header");
  return text.c_str();
}

const char* RCIn::definition() {
  static const std::string text = with<std_msgs::Header>(
      "std_msgs/Header header\n"
      "uint8 rssi\n"
      "uint16[] channels\n",
      "std_msgs/Header");
  return text.c_str();
}

const char* CommandLong::requestDefinition() {
  return "bool broadcast\n"
         "uint16 command\n"
         "uint8 confirmation\n"
         "float32 param1\n"
         "float32 param2\n"
         "float32 param3\n"
         "float32 param4\n"
         "float32 param5\n"
         "float32 param6\n"
         "float32 param7\n";
}

const char* CommandLong::responseDefinition() { return CommandBool::responseDefinition(); }

const char* CommandBool::requestDefinition() { return "bool value\n"; }

const char* CommandBool::responseDefinition() {
  return "bool success\n"
         "uint8 result\n";
}

const char* CommandTol::requestDefinition() {
  return "float32 min_pitch\n"
         "float32 yaw\n"
         "float32 latitude\n"
         "float32 longitude\n"
         "float32 altitude\n";
}

const char* CommandTol::responseDefinition() {
  return "bool success\n"
         "uint8 result\n";
}

const char* SetMode::requestDefinition() {
  return "uint8 MAV_MODE_PREFLIGHT = 0\n"
         "uint8 MAV_MODE_STABILIZE_DISARMED = 80\n"
         "uint8 MAV_MODE_STABILIZE_ARMED = 208\n"
         "uint8 MAV_MODE_MANUAL_DISARMED = 64\n"
         "uint8 MAV_MODE_MANUAL_ARMED = 192\n"
         "uint8 MAV_MODE_GUIDED_DISARMED = 88\n"
         "uint8 MAV_MODE_GUIDED_ARMED = 216\n"
         "uint8 MAV_MODE_AUTO_DISARMED = 92\n"
         "uint8 MAV_MODE_AUTO_ARMED = 220\n"
         "uint8 MAV_MODE_TEST_DISARMED = 66\n"
         "uint8 MAV_MODE_TEST_ARMED = 194\n"
         "uint8 base_mode\n"
         "string custom_mode\n";
}

const char* SetMode::responseDefinition() { return "bool mode_sent\n"; }

control::offboard::PositionTarget fromMessage(const PositionTarget& message) {
  control::offboard::PositionTarget target;
  target.frame = message.coordinate_frame;
  target.mask = message.type_mask;
  target.position = fromPoint(message.position);
  target.velocity = fromVector3(message.velocity);
  target.acceleration = fromVector3(message.acceleration_or_force);
  target.yaw = message.yaw;
  target.yaw_rate = message.yaw_rate;
  return target;
}

control::offboard::AttitudeTarget fromMessage(const AttitudeTarget& message) {
  control::offboard::AttitudeTarget target;
  target.mask = message.type_mask;
  target.q_WB = fromQuaternion(message.orientation);
  target.body_rate = fromVector3(message.body_rate);
  target.thrust = message.thrust;
  return target;
}

}  // namespace marsim::ros_nodes::mavros_msgs
