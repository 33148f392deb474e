// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GL/glew.h>

namespace marsim::lidar_gl {

/// Throws GlError if an earlier OpenGL call has failed; `doing` names the operation.
void requireNoGlError(const char* doing);

}  // namespace marsim::lidar_gl
