// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Contexts of the platform: OpenGL 4.3 core if available, else any.
namespace marsim::lidar_gl {

constexpr int kMajor = 4, kMinor = 3;

/// Current in the thread that opened it until it is destroyed there.
class NativeContext {
 public:
  virtual ~NativeContext() = default;
};

/// A source of a context. open() throws GlError.
struct Candidate {
  std::string name;  ///< for messages
  std::function<std::unique_ptr<NativeContext>()> open;
};

/// A hidden window if a display is named; else none.
std::vector<Candidate> windowCandidates();
/// Devices, graphics cards first, then the surfaceless platform.
std::vector<Candidate> eglCandidates();

}  // namespace marsim::lidar_gl
