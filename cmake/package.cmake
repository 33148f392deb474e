# SPDX-License-Identifier: BSD-3-Clause
# Files for find_package(marsim), see marsim-components.cmake. Included after all libraries.

# marsim::core is every library of the core.
add_library(marsim_core INTERFACE)
target_link_libraries(marsim_core INTERFACE marsim_common marsim_lan marsim_clock marsim_geometry marsim_map marsim_scene
  marsim_lidar marsim_vehicle marsim_control marsim_collision marsim_scenario marsim_suite marsim_viz marsim_sim marsim_config)
set_target_properties(marsim_core PROPERTIES EXPORT_NAME core)
add_library(marsim::core ALIAS marsim_core)
install(TARGETS marsim_core EXPORT marsimTargets)
# Requirements of marsim/pcl.hpp; a program that names the component finds PCL, see marsim-components.cmake.in.
add_library(marsim_pcl INTERFACE)
target_link_libraries(marsim_pcl INTERFACE marsim_core pcl_common)
set_target_properties(marsim_pcl PROPERTIES EXPORT_NAME pcl)
add_library(marsim::pcl ALIAS marsim_pcl)
install(TARGETS marsim_pcl EXPORT marsimTargets)
if(MARSIM_HAS_OPENGL)
  add_library(marsim_gl INTERFACE)
  target_link_libraries(marsim_gl INTERFACE marsim_core marsim_lidar_gl)
  set_target_properties(marsim_gl PROPERTIES EXPORT_NAME gl)
  add_library(marsim::gl ALIAS marsim_gl)
  install(TARGETS marsim_gl EXPORT marsimTargets)
endif()

# Structs that hold Eigen's vectors have another layout under another alignment (AVX), which marsim.hpp
# checks.
include(CheckCXXSourceCompiles)
get_target_property(flags marsim_options INTERFACE_COMPILE_OPTIONS)
list(JOIN flags " " CMAKE_REQUIRED_FLAGS)
set(CMAKE_REQUIRED_LIBRARIES Eigen3::Eigen)
foreach(bytes 16 32 64)
  check_cxx_source_compiles("#include <Eigen/Core>
    static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == ${bytes}, \"\");
    int main() {}" MARSIM_EIGEN_ALIGNS_${bytes}_NATIVE_${MARSIM_NATIVE})
  if(MARSIM_EIGEN_ALIGNS_${bytes}_NATIVE_${MARSIM_NATIVE})
    target_compile_definitions(marsim_core INTERFACE MARSIM_EIGEN_ALIGN_BYTES=${bytes})
    break()
  endif()
endforeach()
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)

set(package_dir ${MARSIM_BUILD_SHARE}/cmake)
export(EXPORT marsimTargets NAMESPACE marsim:: FILE ${package_dir}/marsimTargets.cmake)
install(EXPORT marsimTargets NAMESPACE marsim:: DESTINATION ${MARSIM_SHARE_DESTINATION}/cmake)
if(NOT MARSIM_ROS)  # else catkin_package() makes and installs these, see ros_interface.cmake
  include(CMakePackageConfigHelpers)
  configure_package_config_file(cmake/marsimConfig.cmake.in ${package_dir}/marsimConfig.cmake
    INSTALL_DESTINATION ${MARSIM_SHARE_DESTINATION}/cmake)
  write_basic_package_version_file(${package_dir}/marsimConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  configure_file(cmake/marsim-components.cmake.in ${package_dir}/marsim-components.cmake COPYONLY)
  #catkin_lint: ignore_once missing_file
  install(FILES ${package_dir}/marsimConfig.cmake ${package_dir}/marsimConfigVersion.cmake
    ${package_dir}/marsim-components.cmake DESTINATION ${MARSIM_SHARE_DESTINATION}/cmake)
endif()
