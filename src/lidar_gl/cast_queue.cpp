// SPDX-License-Identifier: BSD-3-Clause
#include "lidar_gl/cast_queue.hpp"

#include <algorithm>
#include <utility>

#include "lidar_gl/cast_program.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::Ray;

constexpr std::size_t kGroup = 64;  // invocations
// Rays of a batch: enough to keep a graphics card busy, few enough for several batches a scan.
constexpr std::size_t kMostRays = 16384;
// Waits between looks for new requests, and for room to begin one [ns].
constexpr GLuint64 kShortWait = 100'000, kLongWait = 100'000'000;

bool same(const CastTarget& a, const CastTarget& b) {
  return a.tree == b.tree && a.program == b.program;
}

void use(const CastTarget& target, std::size_t count) {
  glUseProgram(target.program);
  glUniform3d(CastVariant::kOrigin, target.origin[0], target.origin[1], target.origin[2]);
  setSurface(target);
  glUniform1ui(CastVariant::kCount, static_cast<GLuint>(count));
  target.tree->bind(CastVariant::kTree);
}

}  // namespace

void setSurface(const CastTarget& target) {
  glUniform1f(CastVariant::kRadius, target.radius);
  const map::Blending& blending = target.blending;
  if (blending.on()) {
    glUniform3f(CastVariant::kBlending, blending.depth, blending.min_cosine, blending.max_offset);
  }
}

CastQueue::Batch::Batch(std::size_t most, bool persistent)
    : rays(TransferBuffer::Direction::kToDevice, most * sizeof(Ray), persistent),
      hits(TransferBuffer::Direction::kFromDevice, most * sizeof(Hit), persistent) {}

CastQueue::~CastQueue() {
  for (const auto& batch : batches_) {
    if (batch != nullptr) glDeleteSync(batch->fence);
  }
}

void CastQueue::add(CastRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(&request);
  ++counts_.requests;
}

CastCounts CastQueue::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  CastCounts counts = counts_;
  counts.waiting = waiting_.size();
  return counts;
}

void CastQueue::prepare(const ContextInfo& info) {
  for (auto& batch : batches_) {
    if (batch == nullptr) batch = std::make_unique<Batch>(kMostRays, info.persistent);
  }
}

std::size_t CastQueue::bufferBytes() const {
  std::size_t bytes = 0;
  for (const auto& batch : batches_) {
    if (batch != nullptr) bytes += batch->rays.bytes() + batch->hits.bytes();
  }
  return bytes;
}

void CastQueue::serve(Context& context, CastRequest& own) {
  try {
    while (!own.done()) {
      if (under_way_ < kBatches && beginBatch(context)) continue;
      endBatch(context);
    }
  } catch (...) {
    own.error = std::current_exception();
    failAll(own.error);
  }
  if (own.error != nullptr) std::rethrow_exception(own.error);
}

// Takes the rays of the first waiting request, and of others with the same target.
void CastQueue::take(Batch& batch) {
  batch.pieces.clear();
  batch.count = 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.empty()) return;
  const CastTarget& target = *waiting_.front()->target;
  const std::size_t most = std::min(target.most_rays, kMostRays);
  for (CastRequest* request : waiting_) {
    if (batch.count == most) break;
    if (!same(*request->target, target)) continue;
    const std::size_t count = std::min(request->count - request->taken, most - batch.count);
    batch.pieces.push_back({request, request->taken, count});
    request->taken += count;
    batch.count += count;
  }
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [](const CastRequest* r) { return r->taken == r->count; }),
                 waiting_.end());
  ++counts_.batches;
  counts_.most_together = std::max(counts_.most_together, batch.pieces.size());
}

// Begins a batch; false if no request waits.
bool CastQueue::beginBatch(Context& context) {
  Batch& batch = *batches_[next_];
  take(batch);
  if (batch.pieces.empty()) return false;
  next_ = (next_ + 1) % kBatches;
  ++under_way_;
  context.requireAlive();
  use(*batch.pieces.front().request->target, batch.count);
  batch.rays.send<Ray>(batch.count, [&](Ray* to) {
    for (const Piece& piece : batch.pieces) {
      const CastRequest& request = *piece.request;
      const std::uint32_t* const index = request.index + piece.first;
      for (std::size_t i = 0; i < piece.count; ++i) *to++ = request.rays[index[i]];
    }
  });
  batch.rays.bind(CastVariant::kInput);
  batch.hits.bind(CastVariant::kHits);
  dispatch((batch.count + kGroup - 1) / kGroup);
  batch.hits.fetch(batch.count * sizeof(Hit));
  batch.fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glFlush();  // the device begins now, not when the result is awaited
  requireNoGlError("casting rays");
  return true;
}

// Hands out the oldest batch's hits; false if it is not done yet.
bool CastQueue::endBatch(Context& context) {
  Batch& batch = *batches_[(next_ + kBatches - under_way_) % kBatches];
  const GLuint64 wait = under_way_ == kBatches ? kLongWait : kShortWait;
  const GLenum state = glClientWaitSync(batch.fence, GL_SYNC_FLUSH_COMMANDS_BIT, wait);
  context.requireAlive();
  if (state == GL_TIMEOUT_EXPIRED) return false;
  requireNoGlError("waiting for rays");
  batch.hits.receive<Hit>(batch.count, [&](const Hit* from) {
    for (const Piece& piece : batch.pieces) {
      if (piece.request != nullptr) {
        const std::uint32_t* const index = piece.request->index + piece.first;
        for (std::size_t i = 0; i < piece.count; ++i) piece.request->hits[index[i]] = from[i];
        piece.request->finished += piece.count;
      }
      from += piece.count;
    }
  });
  glDeleteSync(std::exchange(batch.fence, nullptr));
  --under_way_;
  return true;
}

// OpenGL does not tell which batch failed.
void CastQueue::failAll(const std::exception_ptr& error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (; under_way_ > 0; --under_way_) {
    Batch& batch = *batches_[(next_ + kBatches - under_way_) % kBatches];
    for (const Piece& piece : batch.pieces) {
      if (piece.request != nullptr) piece.request->error = error;
    }
    glDeleteSync(std::exchange(batch.fence, nullptr));
  }
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [](const CastRequest* r) { return r->error != nullptr; }),
                 waiting_.end());
}

void CastQueue::withdraw(const CastRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &request), waiting_.end());
  for (const auto& batch : batches_) {
    if (batch == nullptr) continue;
    for (Piece& piece : batch->pieces) {
      if (piece.request == &request) piece.request = nullptr;
    }
  }
}

void castTogether(Context& context, CastQueue& queue, CastRequest& request) {
  queue.add(request);
  try {
    context.run([&] { queue.serve(context, request); });
  } catch (...) {
    // The job may not have begun, and other jobs may have begun the request.
    context.release([&] { queue.withdraw(request); });
    throw;
  }
}

}  // namespace marsim::lidar_gl
