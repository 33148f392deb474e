// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Point types as SLAM programs register them with PCL, which matches fields by name and datatype.

#include <pcl/pcl_macros.h>
#include <pcl/point_types.h>
#include <pcl/register_point_struct.h>

#include <cstdint>

namespace clients {

/// hku-mars/FAST_LIO, preprocess.h, velodyne_ros::Point.
struct EIGEN_ALIGN16 FastLioVelodyne {
  PCL_ADD_POINT4D;
  float intensity;
  float time;
  std::uint16_t ring;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

/// FAST_LIO, preprocess.h, ouster_ros::Point: its ring is a byte, which the driver's is not any
/// more; PCL then leaves it alone, and FAST-LIO does not use it without feature extraction.
struct EIGEN_ALIGN16 FastLioOuster {
  PCL_ADD_POINT4D;
  float intensity;
  std::uint32_t t;
  std::uint16_t reflectivity;
  std::uint8_t ring;
  std::uint16_t ambient;
  std::uint32_t range;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

/// TixiaoShan/LIO-SAM, imageProjection.cpp, VelodynePointXYZIRT.
struct EIGEN_ALIGN16 LioSamVelodyne {
  PCL_ADD_POINT4D;
  PCL_ADD_INTENSITY
  std::uint16_t ring;
  float time;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

/// The point type of Hesai's and RoboSense's users (x y z intensity ring timestamp).
struct EIGEN_ALIGN16 AbsoluteTime {
  PCL_ADD_POINT4D;
  float intensity;
  std::uint16_t ring;
  double timestamp;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

/// livox_ros_driver2's PointCloud2.
struct EIGEN_ALIGN16 Livox2 {
  PCL_ADD_POINT4D;
  float intensity;
  std::uint8_t tag;
  std::uint8_t line;
  double timestamp;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

}  // namespace clients

// clang-format off
POINT_CLOUD_REGISTER_POINT_STRUCT(clients::FastLioVelodyne,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)
    (float, time, time)(std::uint16_t, ring, ring))
POINT_CLOUD_REGISTER_POINT_STRUCT(clients::FastLioOuster,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)
    (std::uint32_t, t, t)(std::uint16_t, reflectivity, reflectivity)(std::uint8_t, ring, ring)
    (std::uint16_t, ambient, ambient)(std::uint32_t, range, range))
POINT_CLOUD_REGISTER_POINT_STRUCT(clients::LioSamVelodyne,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)
    (std::uint16_t, ring, ring)(float, time, time))
POINT_CLOUD_REGISTER_POINT_STRUCT(clients::AbsoluteTime,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)
    (std::uint16_t, ring, ring)(double, timestamp, timestamp))
POINT_CLOUD_REGISTER_POINT_STRUCT(clients::Livox2,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)
    (std::uint8_t, tag, tag)(std::uint8_t, line, line)(double, timestamp, timestamp))
// clang-format on
