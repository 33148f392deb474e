# SPDX-License-Identifier: BSD-3-Clause
# `cpack` makes a package for Debian 12, see docs/installing.md.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # catkin writes this folder into installed files
  file(WRITE ${CMAKE_BINARY_DIR}/CPackConfig.cmake "message(FATAL_ERROR
    \"CMAKE_INSTALL_PREFIX is ${CMAKE_INSTALL_PREFIX}, allowed for a Debian package: /usr\")\n")
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The MARSIM maintainers")
set(CPACK_PACKAGE_CONTACT "The MARSIM maintainers <maintainers@marsim.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulator of UAVs with LiDARs in point-cloud maps")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
# roslaunch would find each launch file twice: in the source tree and in the packed folder inside it.
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_BINARY_DIR}/cpack_clean.cmake)
file(WRITE ${CPACK_POST_BUILD_SCRIPTS}
  "file(REMOVE_RECURSE \${CPACK_TEMPORARY_DIRECTORY}\${CPACK_PACKAGING_INSTALL_PREFIX})\n")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

# Libraries by dpkg-shlibdeps; ROS's tools from the list of packages, the last block there.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
if(MARSIM_ROS)
  set(list ${PROJECT_SOURCE_DIR}/src/tools/debian-packages.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} packages)
  string(REGEX REPLACE ".*\n# ROS 1: run" "" packages "${packages}")
  string(REGEX MATCHALL "\n[a-z0-9.+-]+" packages "${packages}")
  list(TRANSFORM packages STRIP)
  list(JOIN packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libeigen3-dev, libgl1-mesa-dri, rviz")
include(CPack)
