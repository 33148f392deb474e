#pragma once

#include <GL/glew.h>

namespace marsim::lidar_gl {

/// Throws GlError where an OpenGL call before has failed; `doing` says what was tried.
void requireNoGlError(const char* doing);

}  // namespace marsim::lidar_gl
