# SPDX-License-Identifier: BSD-3-Clause
# The targets of this folder, for MARSIM's build and for CMakeLists.txt.
# The packages of single modules come without OpenCVConfig.cmake.
find_path(VISION_OPENCV_INCLUDE_DIR opencv2/calib3d.hpp PATH_SUFFIXES opencv4)
foreach(module calib3d core features2d imgproc video)
  find_library(VISION_OPENCV_${module} opencv_${module})
  if(NOT VISION_OPENCV_${module} OR NOT VISION_OPENCV_INCLUDE_DIR)
    message(STATUS "examples/vision is left out: OpenCV is not installed")
    return()
  endif()
endforeach()

set(folder ${CMAKE_CURRENT_LIST_DIR})
add_library(vision STATIC ${folder}/box_plot.cpp ${folder}/errors.cpp ${folder}/features.cpp
  ${folder}/mixture.cpp ${folder}/moving_points.cpp ${folder}/odometry.cpp
  ${folder}/people.cpp)
target_compile_features(vision PUBLIC cxx_std_17)
target_include_directories(vision PUBLIC ${folder})
target_include_directories(vision SYSTEM PUBLIC ${VISION_OPENCV_INCLUDE_DIR})
target_link_libraries(vision PUBLIC Eigen3::Eigen ${VISION_OPENCV_calib3d}
  ${VISION_OPENCV_features2d} ${VISION_OPENCV_video} ${VISION_OPENCV_imgproc}
  ${VISION_OPENCV_core})

add_library(vision_flights STATIC ${folder}/hover.cpp ${folder}/sequence.cpp)
target_link_libraries(vision_flights PUBLIC vision marsim::core)
add_executable(vision_flight ${folder}/vision_flight.cpp)
target_link_libraries(vision_flight PRIVATE vision_flights)
set(targets vision vision_flights vision_flight)
# Where ROS is there.
if(catkin_FOUND AND marsim_messages)
  add_executable(vision_node ${folder}/vision_node.cpp)
  target_include_directories(vision_node SYSTEM PRIVATE ${catkin_INCLUDE_DIRS} ${marsim_messages})
  target_link_libraries(vision_node PRIVATE vision ${catkin_LIBRARIES})
  list(APPEND targets vision_node)
endif()
foreach(target ${targets})
  if(TARGET marsim_options)  # MARSIM's own flags
    target_link_libraries(${target} PRIVATE marsim_options)
  endif()
endforeach()
# `cmake --install BUILD --component vision` only: the Debian package does without OpenCV.
list(REMOVE_ITEM targets vision vision_flights)
install(TARGETS ${targets} RUNTIME DESTINATION ${MARSIM_BIN_DESTINATION} COMPONENT vision
  EXCLUDE_FROM_ALL)
