#pragma once

#include "marsim/lidar_gl/context.hpp"

/// Failures on purpose, to test what follows from them.
namespace marsim::lidar_gl {

enum class Fault {
  kNone,
  kShader,   ///< the shader does not compile
  kMemory,   ///< the device has no room for the map
  kBuffers,  ///< the device has no room for rays and hits at the first cast
  kLoss,     ///< the context is lost at the first cast
};

/// What tests change for the renderers that they make next.
struct Faults {
  Fault fault = Fault::kNone;
  bool auto_takes_software = false;  ///< where the processor itself is quicker
};
inline Faults& faults() {
  static Faults faults;
  return faults;
}

/// As if the device had been reset.
void loseOnPurpose(Context& context);

}  // namespace marsim::lidar_gl
