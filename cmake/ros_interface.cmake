# SPDX-License-Identifier: BSD-3-Clause
# Messages and the catkin face of the package.
add_message_files(DIRECTORY msg FILES
  ActiveCommand.msg
  AttitudeCommand.msg
  Clearance.msg
  ClockGrant.msg
  Contact.msg
  DrivenObstacle.msg
  DrivenObstacles.msg
  MapInfo.msg
  MotorSpeeds.msg
  MotorStates.msg
  ObstaclePath.msg
  ObstaclePaths.msg
  Obstacles.msg
  Peer.msg
  PeerBody.msg
  Peers.msg
  RateCommand.msg
  SeenObject.msg
  SeenObjects.msg
  StateReference.msg
  Impact.msg
  TrackedState.msg
  TrackingError.msg
  VehicleState.msg
)
add_service_files(DIRECTORY srv FILES
  RunUntil.srv SetPace.srv SetWeather.srv StepTime.srv TakeOff.srv Teleport.srv)
generate_messages(DEPENDENCIES geometry_msgs std_msgs)

# One marsimConfig.cmake for both: find_package(marsim COMPONENTS core) needs nothing of ROS,
# find_package(catkin COMPONENTS marsim) reads the file written by catkin. catkin uses a template at
# this place and with this name instead of its own.
set(marsim_EXTRAS_DIR ${CMAKE_CURRENT_BINARY_DIR}/package_template)
file(READ ${catkin_EXTRAS_DIR}/templates/pkgConfig.cmake.in catkin_template)
file(WRITE ${marsim_EXTRAS_DIR}/marsimConfig.cmake.in
"if(marsim_FIND_COMPONENTS)
  include(\${CMAKE_CURRENT_LIST_DIR}/marsim-components.cmake)
  return()
endif()

${catkin_template}")

catkin_package(
  INCLUDE_DIRS include
  LIBRARIES marsim_common marsim_lan marsim_geometry marsim_map marsim_scene marsim_lidar
            marsim_vehicle marsim_control marsim_collision marsim_suite marsim_viz marsim_sim
            marsim_config marsim_lidar_gl marsim_ros
  CATKIN_DEPENDS diagnostic_msgs diagnostic_updater geometry_msgs message_runtime
                 nav_msgs nodelet pluginlib rosgraph_msgs roscpp
                 roslib sensor_msgs std_msgs std_srvs tf2 tf2_msgs tf2_ros topic_tools
                 trajectory_msgs visualization_msgs
  DEPENDS EIGEN3
  CFG_EXTRAS marsim-components.cmake
)

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CATKIN_DEVEL_PREFIX}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CATKIN_DEVEL_PREFIX}/lib/marsim)
set(MARSIM_LIB_DESTINATION ${CATKIN_PACKAGE_LIB_DESTINATION})
set(MARSIM_BIN_DESTINATION ${CATKIN_PACKAGE_BIN_DESTINATION})
set(MARSIM_GLOBAL_BIN_DESTINATION ${CATKIN_GLOBAL_BIN_DESTINATION})
set(MARSIM_INCLUDE_DESTINATION ${CATKIN_PACKAGE_INCLUDE_DESTINATION})
set(MARSIM_SHARE_DESTINATION ${CATKIN_PACKAGE_SHARE_DESTINATION})
set(MARSIM_BUILD_SHARE ${CATKIN_DEVEL_PREFIX}/share/marsim)
