#include "marsim/lidar/renderer.hpp"

#include "marsim/common/error.hpp"

namespace marsim::lidar {

void RendererConfig::validate(const std::string& where) const {
  Validator(where).within("threads", threads, 0, 1024);
}

}  // namespace marsim::lidar
