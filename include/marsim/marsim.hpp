// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/collision/goals.hpp"
#include "marsim/collision/route.hpp"
#include "marsim/common/error.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/lidar/depth_camera.hpp"
#include "marsim/lidar/lidar.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/map/load_map.hpp"
#include "marsim/scene/obstacle_driver.hpp"
#include "marsim/scene/obstacles.hpp"
#include "marsim/scene/places.hpp"
#include "marsim/sim/world.hpp"

/// The headers that most programs which use the core need: maps, LiDARs and depth cameras,
/// obstacles, vehicles and worlds, and reading their files. See docs/cpp.md and examples/.

#ifdef MARSIM_EIGEN_ALIGN_BYTES
static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == MARSIM_EIGEN_ALIGN_BYTES,
              "MARSIM was compiled with another alignment of Eigen's vectors: use its -march, or "
              "define EIGEN_MAX_STATIC_ALIGN_BYTES as MARSIM_EIGEN_ALIGN_BYTES is");
#endif
