#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "lidar_gl/device_tree.hpp"
#include "lidar_gl/gl.hpp"
#include "lidar_gl/transfer_buffer.hpp"
#include "marsim/lidar/renderer.hpp"
#include "marsim/lidar_gl/context.hpp"

namespace marsim::lidar_gl {

/// What rays are cast at, and how: the same for all renderers of one map.
struct CastTarget {
  std::shared_ptr<const DeviceTree> tree;
  GLuint program = 0;         ///< see cast_program.hpp
  double origin[3] = {};      ///< [m] of the tree in W
  float radius = 0.0F;        ///< [m]
  map::Blending blending;     ///< on where the program blends
  std::size_t most_rays = 0;  ///< of a dispatch
};

/// Tells the program in use what the surfels and their surface are like.
void setSurface(const CastTarget& target);

/// Rays that somebody waits for; to live until castTogether() is done with it.
struct CastRequest {
  const CastTarget* target;
  const lidar::Ray* rays;
  const std::uint32_t* index;  ///< of the rays to cast, in this order
  std::size_t count;           ///< of them, more than none
  lidar::Hit* hits;            ///< hits[k] is written for every k in `index`

  // The queue's.
  std::size_t taken = 0, finished = 0;
  std::exception_ptr error = nullptr;
  bool done() const { return finished == count || error != nullptr; }
};

/// Casts the rays of all renderers of a context. What waits while the device is busy is taken
/// together, as one batch for one dispatch, as far as it goes at the same map. Several batches are
/// under way at a time, each with buffers of its own: the processor fills one and empties another
/// while the device casts a third.
///
/// Nobody serves the queue but those who wait: the job of each request takes whatever waits, until
/// its own rays are done.
class CastQueue {
 public:
  CastQueue() = default;
  ~CastQueue();
  CastQueue(const CastQueue&) = delete;
  CastQueue& operator=(const CastQueue&) = delete;

  /// For any thread.
  void add(CastRequest& request);
  CastCounts counts() const;

  // For jobs of the context.

  /// Makes the buffers, once. Throws GlError where there is no room.
  void prepare(const ContextInfo& info);
  /// Until the request is done. Throws what went wrong with any batch that it was a part of, as it
  /// does for all parts of that batch and of those beside it on the device.
  void serve(Context& context, CastRequest& own);
  /// Afterwards the queue knows nothing of it.
  void withdraw(const CastRequest& request);
  std::size_t bufferBytes() const;

 private:
  /// Of a request, in a batch.
  struct Piece {
    CastRequest* request;  // null: withdrawn
    std::size_t first, count;
  };
  struct Batch {
    Batch(std::size_t rays, bool persistent);
    TransferBuffer rays, hits;
    std::vector<Piece> pieces;
    std::size_t count = 0;  // rays
    GLsync fence = nullptr;
  };
  static constexpr std::size_t kBatches = 3;

  void take(Batch& batch);
  bool beginBatch(Context& context);
  bool endBatch(Context& context);
  void failAll(const std::exception_ptr& error);

  mutable std::mutex mutex_;  // of the next two
  std::deque<CastRequest*> waiting_;
  CastCounts counts_;
  std::array<std::unique_ptr<Batch>, kBatches> batches_;
  std::size_t next_ = 0;       // to be begun
  std::size_t under_way_ = 0;  // those before it
};

/// Casts, from any thread, and waits for the end. Throws GlError.
void castTogether(Context& context, CastQueue& queue, CastRequest& request);

}  // namespace marsim::lidar_gl
