// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "lidar_gl/gl.hpp"

namespace marsim::lidar_gl {

/// An array on the device and, beside it, memory through which the processor fills or reads it
/// while the device is busy with other work. That memory stays mapped if the context supports it
/// (ContextInfo::persistent), else it is mapped each time. No function waits: the caller waits for
/// a fence between uses by the device and the processor. For jobs of the context alone.
class TransferBuffer {
 public:
  enum class Direction { kToDevice, kFromDevice };

  /// Throws GlError if there is no room.
  TransferBuffer(Direction direction, std::size_t bytes, bool persistent);
  ~TransferBuffer();
  TransferBuffer(const TransferBuffer&) = delete;
  TransferBuffer& operator=(const TransferBuffer&) = delete;

  /// kToDevice: work(pointer) writes the first `count` elements, which then go to the device.
  template <class T, class Work>
  void send(std::size_t count, const Work& work) {
    work(static_cast<T*>(map(count * sizeof(T))));
    unmap();
    copy(device_, host_, count * sizeof(T));
  }
  /// kFromDevice: makes the device copy the first bytes to the memory that receive() reads.
  void fetch(std::size_t bytes) { copy(host_, device_, bytes); }
  /// kFromDevice: work(pointer) reads the first `count` elements, once fetch() is done.
  template <class T, class Work>
  void receive(std::size_t count, const Work& work) {
    work(static_cast<const T*>(map(count * sizeof(T))));
    unmap();
  }

  void bind(GLuint binding) const { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, device_); }
  /// Bytes of both arrays.
  std::size_t bytes() const { return 2 * bytes_; }

 private:
  void make();
  void release();
  void* map(std::size_t bytes);
  void unmap();
  static void copy(GLuint to, GLuint from, std::size_t bytes);

  const Direction direction_;
  const std::size_t bytes_;  // of one array
  GLuint device_ = 0, host_ = 0;
  void* mapped_ = nullptr;  // stays mapped as long as the buffer lives
  bool persistent_;
};

}  // namespace marsim::lidar_gl
