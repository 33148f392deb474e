// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "marsim/lidar_gl/context.hpp"

/// Deliberate failures, to test their consequences.
namespace marsim::lidar_gl {

enum class Fault {
  kNone,
  kShader,   ///< the shader does not compile
  kMemory,   ///< the device has no room for the map
  kBuffers,  ///< the device has no room for rays and hits at the first cast
  kLoss,     ///< the context is lost at the first cast
};

/// Changes for tests, which apply to the renderers made next.
struct Faults {
  Fault fault = Fault::kNone;
  bool auto_takes_software = false;  ///< even where the processor is faster
};
inline Faults& faults() {
  static Faults faults;
  return faults;
}

/// Makes a context behave as after a reset of the device.
void loseOnPurpose(Context& context);

}  // namespace marsim::lidar_gl
