// SPDX-License-Identifier: BSD-3-Clause
#include "ros/nodes/map_server_node.hpp"

#include <algorithm>

#include <sensor_msgs/PointCloud2.h>

#include "common/text.hpp"
#include "marsim/MapInfo.h"
#include "marsim/map/voxel_grid.hpp"
#include "ros/common/map_params.hpp"
#include "ros/common/params.hpp"
#include "ros/messages/cloud_message.hpp"
#include "ros/messages/conversions.hpp"

namespace marsim::ros_nodes {

MapServerNode::MapServerNode(ros::NodeHandle handle, ros::NodeHandle private_handle) {
  Params params(private_handle);
  const MapParams map(params);
  const double display_resolution = params.positive(
      "display_resolution", std::max(0.1, map.config.resolution), Quantity::kLength);
  const std::string world_frame = params.text("world_frame", "world");
  params.finish();

  const std::string path = config::resolveMap(map.source).string();
  const map::LoadedMap loaded = map.load("map server");
  const map::SurfelMap& surfels = *loaded.map;
  map::PointCloud display = surfels.positions();
  if (display_resolution > map.config.resolution)
    display = map::downsample(display, display_resolution);

  marsim::MapInfo info;
  info.header.frame_id = world_frame;
  info.source = map.source;
  info.path = path;
  info.content = loaded.source.content;
  info.resolution = map.config.resolution;
  info.points_read = loaded.source.points;
  info.points_not_finite = loaded.source.non_finite;
  info.points_duplicate = loaded.source.duplicates;
  info.surfels = surfels.size();
  info.planar_share = surfels.planarShare();
  info.min = toPoint(surfels.bounds().min().cast<double>());
  info.max = toPoint(surfels.bounds().max().cast<double>());
  info.origin = toPoint(loaded.source.origin);

  map_publisher_ = handle.advertise<sensor_msgs::PointCloud2>("map", 1, true);
  info_publisher_ = handle.advertise<marsim::MapInfo>("map_info", 1, true);
  map_publisher_.publish(toMessage(layouts::mapCloud(display, world_frame)));
  info_publisher_.publish(info);
  ROS_INFO(
      "map %s: %s points read, %s not finite and %s duplicates dropped, %s surfels at r = %g m "
      "(%.0f %% planar)",
      path.c_str(), withThousands(loaded.source.points).c_str(),
      withThousands(loaded.source.non_finite).c_str(),
      withThousands(loaded.source.duplicates).c_str(), withThousands(surfels.size()).c_str(),
      map.config.resolution, 100.0 * surfels.planarShare());
}

}  // namespace marsim::ros_nodes
