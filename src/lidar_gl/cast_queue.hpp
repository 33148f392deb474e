// SPDX-License-Identifier: BSD-3-Clause
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

/// Target and parameters of casts, the same for all renderers of one map.
struct CastTarget {
  std::shared_ptr<const DeviceTree> tree;
  GLuint program = 0;         ///< see cast_program.hpp
  double origin[3] = {};      ///< [m] of the tree in W
  float radius = 0.0F;        ///< [m]
  map::Blending blending;     ///< on if the program blends
  std::size_t most_rays = 0;  ///< in one dispatch
};

/// Sets the surfels' and their surface's parameters in the program in use.
void setSurface(const CastTarget& target);

/// Rays awaited by a caller; must live until castTogether() is done with it.
struct CastRequest {
  const CastTarget* target;
  const lidar::Ray* rays;
  const std::uint32_t* index;  ///< rays to cast, in this order
  std::size_t count;           ///< number of rays, above 0
  lidar::Hit* hits;            ///< hits[k] is written for every k in `index`

  // Used by the queue.
  std::size_t taken = 0, finished = 0;
  std::exception_ptr error = nullptr;
  bool done() const { return finished == count || error != nullptr; }
};

/// Casts the rays of all renderers of a context. Requests that wait while the device is busy are
/// cast together, as one batch in one dispatch, as long as they share a map. Several batches are
/// under way at a time, each with buffers of its own: the processor fills one and empties another
/// while the device casts a third.
///
/// The callers themselves serve the queue: the job of each request casts whatever waits, until its
/// own rays are done.
class CastQueue {
 public:
  CastQueue() = default;
  ~CastQueue();
  CastQueue(const CastQueue&) = delete;
  CastQueue& operator=(const CastQueue&) = delete;

  /// Safe from any thread.
  void add(CastRequest& request);
  CastCounts counts() const;

  // For jobs of the context:

  /// Makes the buffers, once. Throws GlError if there is no room.
  void prepare(const ContextInfo& info);
  /// Casts until the request is done. Throws the error of any batch that it was a part of; all
  /// requests in that batch, and in those on the device at the time, get the same error.
  void serve(Context& context, CastRequest& own);
  /// Removes a request from the queue.
  void withdraw(const CastRequest& request);
  std::size_t bufferBytes() const;

 private:
  /// Part of a request in a batch.
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

  mutable std::mutex mutex_;  // guards the next two
  std::deque<CastRequest*> waiting_;
  CastCounts counts_;
  std::array<std::unique_ptr<Batch>, kBatches> batches_;
  std::size_t next_ = 0;       // next request to begin
  std::size_t under_way_ = 0;  // those before it that are not done
};

/// Casts and waits for the end; safe from any thread. Throws GlError.
void castTogether(Context& context, CastQueue& queue, CastRequest& request);

}  // namespace marsim::lidar_gl
