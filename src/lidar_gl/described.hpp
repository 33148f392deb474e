#pragma once

#include <string>

namespace marsim::lidar_gl {

/// What renderers on OpenGL say of their device, for people.
class Described {
 public:
  virtual std::string deviceText() const = 0;

 protected:
  ~Described() = default;
};

}  // namespace marsim::lidar_gl
