// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Types of ROS 2's messages and services and their hashes (REP-2016).
namespace marsim::dataset::ros2_types {

struct Type {
  const char* name;  ///< "sensor_msgs/msg/Imu"
  const char* hash;
};

inline constexpr Type kPointCloud2{
    "sensor_msgs/msg/PointCloud2",
    "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"};
inline constexpr Type kLaserScan{
    "sensor_msgs/msg/LaserScan",
    "RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828"};
inline constexpr Type kImu{
    "sensor_msgs/msg/Imu",
    "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"};
inline constexpr Type kImage{
    "sensor_msgs/msg/Image",
    "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47"};
inline constexpr Type kCameraInfo{
    "sensor_msgs/msg/CameraInfo",
    "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275"};
inline constexpr Type kMagneticField{
    "sensor_msgs/msg/MagneticField",
    "RIHS01_e80f32f56a20486c9923008fc1a1db07bbb273cbbf6a5b3bfa00835ee00e4dff"};
inline constexpr Type kFluidPressure{
    "sensor_msgs/msg/FluidPressure",
    "RIHS01_22dfb2b145a0bd5a31a1ac3882a1b32148b51d9b2f3bab250290d66f3595bc32"};
inline constexpr Type kNavSatFix{
    "sensor_msgs/msg/NavSatFix",
    "RIHS01_62223ab3fe210a15976021da7afddc9e200dc9ec75231c1b6a557fc598a65404"};
inline constexpr Type kOdometry{
    "nav_msgs/msg/Odometry",
    "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"};
inline constexpr Type kPoseStamped{
    "geometry_msgs/msg/PoseStamped",
    "RIHS01_10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8"};
inline constexpr Type kTwist{
    "geometry_msgs/msg/Twist",
    "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"};
inline constexpr Type kTwistStamped{
    "geometry_msgs/msg/TwistStamped",
    "RIHS01_5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64"};
inline constexpr Type kTwistWithCovarianceStamped{
    "geometry_msgs/msg/TwistWithCovarianceStamped",
    "RIHS01_77b67434531e6529b7a0091357b186b6ebdb17fd9ffd3e0c7ce9d3fb11a44563"};
inline constexpr Type kMultiDOFJointTrajectory{
    "trajectory_msgs/msg/MultiDOFJointTrajectory",
    "RIHS01_3a18fd095292a65cfde8833c72985a30af981f3ec44494655c6267262b443a4a"};
inline constexpr Type kDiagnosticArray{
    "diagnostic_msgs/msg/DiagnosticArray",
    "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e"};
inline constexpr Type kClock{
    "rosgraph_msgs/msg/Clock",
    "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564"};
inline constexpr Type kTFMessage{
    "tf2_msgs/msg/TFMessage",
    "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"};
inline constexpr Type kCustomMsg{
    "livox_ros_driver2/msg/CustomMsg",
    "RIHS01_2eb17e5e35bf5a2d6cd079f3c57f33abf95e5bf7d71b42cddc05daace73d815a"};
inline constexpr Type kPositionCommand{
    "quadrotor_msgs/msg/PositionCommand",
    "RIHS01_90597c314004b3e71785b5bf557a21eb0e97833c899b8052e76c9c27bfd7732a"};
inline constexpr Type kMavrosPositionTarget{
    "mavros_msgs/msg/PositionTarget",
    "RIHS01_594c39cea4484f1cb007adf04b29a78bae77f29358c974ea5e849542ed168303"};
inline constexpr Type kMavrosAttitudeTarget{
    "mavros_msgs/msg/AttitudeTarget",
    "RIHS01_4b73630cb236d7e19f68f2366a565145460c507603df32bc3ff209554b88fe10"};
inline constexpr Type kContact{
    "marsim/msg/Contact",
    "RIHS01_3dc584c34be84a2347d879f0d676438c732fdd8cd5ee3c6a702a2c2eb2fb7c88"};
inline constexpr Type kBool{
    "std_msgs/msg/Bool", "RIHS01_feb91e995ff9ebd09c0cb3d2aed18b11077585839fb5db80193b62d74528f6c9"};
inline constexpr Type kEmpty{
    "std_msgs/msg/Empty",
    "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"};
inline constexpr Type kParticipantEntitiesInfo{
    "rmw_dds_common/msg/ParticipantEntitiesInfo",
    "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"};

struct Service {
  Type request, response;
};

inline constexpr Service kTrigger{
    {"std_srvs/srv/Trigger_Request",
     "RIHS01_d010825374ce8918e72bfd826c82603e60f45419e932ea976f807b74a863a199"},
    {"std_srvs/srv/Trigger_Response",
     "RIHS01_2d946c21e2fc3f1e9ca6986a8191d85fcc70097a8bb7771a053564bc47009cdf"}};
inline constexpr Service kSetBool{
    {"std_srvs/srv/SetBool_Request",
     "RIHS01_c62fbb99d94e1b25e8ef9e109f9581956bb1b3361a45a4e5810c36a90d29932e"},
    {"std_srvs/srv/SetBool_Response",
     "RIHS01_d0814e7f7b4880ab77e9c57426c7aa1562ab69f11eef8e2e968812f9cbd0b059"}};
inline constexpr Service kTeleport{
    {"marsim/srv/Teleport_Request",
     "RIHS01_3196408e0d0b7856270f6067fe4e6e1245d40070836d188d926cdbcdbae3fdc2"},
    {"marsim/srv/Teleport_Response",
     "RIHS01_2c8f2ab2d0704aa901c87ef0bbcd7c5fb0f1b3425b009798c592fee8ef64eea0"}};

}  // namespace marsim::dataset::ros2_types
