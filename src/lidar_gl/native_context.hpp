#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Contexts as the platform gives them: of OpenGL 4.3 core, else of what there is.
namespace marsim::lidar_gl {

constexpr int kMajor = 4, kMinor = 3;

/// Current in the thread that opened it until it is destroyed there.
class NativeContext {
 public:
  virtual ~NativeContext() = default;
};

/// A place where a context may be had. open() throws GlError.
struct Candidate {
  std::string name;  ///< for messages
  std::function<std::unique_ptr<NativeContext>()> open;
};

/// A hidden window where a display is named; empty where none is.
std::vector<Candidate> windowCandidates();
/// Devices, graphics cards first, then the surfaceless platform.
std::vector<Candidate> eglCandidates();

}  // namespace marsim::lidar_gl
