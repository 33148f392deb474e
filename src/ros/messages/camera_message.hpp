// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>

#include "marsim/SeenObjects.h"
#include "marsim/lidar/camera.hpp"
#include "marsim/lidar/image_truth.hpp"

namespace marsim::ros_nodes {

/// The image in the camera's encoding, stamped with its instant.
sensor_msgs::Image imageMessage(const lidar::CameraImage& image, const lidar::CameraConfig& config,
                                const std::string& frame);

/// An image of ground truth in the camera's pixels: mono8 of classes, 32SC1 of identities (-1: the
/// map and the sky), 16UC1 of a data set's instances, 32FC3 of normals, 32FC2 of flow.
sensor_msgs::Image truthMessage(const std::vector<std::uint8_t>& classes,
                                const sensor_msgs::Image& like);
sensor_msgs::Image truthMessage(const std::vector<std::uint32_t>& identities,
                                const sensor_msgs::Image& like);
sensor_msgs::Image truthMessage(const std::vector<std::uint16_t>& instances,
                                const sensor_msgs::Image& like);
sensor_msgs::Image truthMessage(const std::vector<Eigen::Vector3f>& normals,
                                const sensor_msgs::Image& like);
sensor_msgs::Image truthMessage(const std::vector<Eigen::Vector2f>& flow,
                                const sensor_msgs::Image& like);
marsim::SeenObjects seenObjectsMessage(const std::vector<lidar::SeenObject>& objects,
                                       const std_msgs::Header& header);

/// The intrinsics of a rig's camera, without stamp and frame: plumb_bob or equidistant. R is the
/// identity and P is K, with -fx B if the camera is the second of a pair, B to the right.
sensor_msgs::CameraInfo cameraInfo(const lidar::CameraRigConfig& rig, std::size_t camera);

}  // namespace marsim::ros_nodes
