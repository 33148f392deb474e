# SPDX-License-Identifier: BSD-3-Clause
# The targets of this folder, for MARSIM's build and for CMakeLists.txt.
pkg_check_modules(LBFGS QUIET IMPORTED_TARGET liblbfgs)
if(NOT LBFGS_FOUND)
  message(STATUS "examples/autonomy is left out: liblbfgs-dev is not installed")
  return()
endif()

set(folder ${CMAKE_CURRENT_LIST_DIR})
add_library(autonomy STATIC ${folder}/astar.cpp ${folder}/bspline.cpp ${folder}/collision_check.cpp ${folder}/costs.cpp
  ${folder}/explorer.cpp ${folder}/local_map.cpp ${folder}/navigator.cpp ${folder}/optimizer.cpp ${folder}/planner.cpp)
target_compile_features(autonomy PUBLIC cxx_std_17)
target_include_directories(autonomy PUBLIC ${folder})
target_link_libraries(autonomy PUBLIC Eigen3::Eigen PRIVATE PkgConfig::LBFGS)

add_library(autonomy_flights STATIC ${folder}/flight.cpp ${folder}/onboard.cpp ${folder}/swarm.cpp)
target_link_libraries(autonomy_flights PUBLIC autonomy marsim::core)
add_executable(forest_flight ${folder}/forest_flight.cpp)
target_link_libraries(forest_flight PRIVATE autonomy_flights)
set(targets autonomy autonomy_flights forest_flight)
# Where ROS is there.
if(catkin_FOUND AND marsim_messages)
  add_executable(autonomy_node ${folder}/autonomy_node.cpp)
  target_include_directories(autonomy_node SYSTEM PRIVATE ${catkin_INCLUDE_DIRS} ${marsim_messages})
  target_link_libraries(autonomy_node PRIVATE autonomy ${catkin_LIBRARIES})
  list(APPEND targets autonomy_node)
endif()
foreach(target ${targets})
  if(TARGET marsim_options)  # MARSIM's own flags
    target_link_libraries(${target} PRIVATE marsim_options)
  endif()
endforeach()
list(REMOVE_ITEM targets autonomy autonomy_flights)
set_target_properties(${targets} PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ${targets} RUNTIME DESTINATION ${MARSIM_BIN_DESTINATION})
