// SPDX-License-Identifier: BSD-3-Clause
// Casts of several threads, which share a context as several UAVs of a process do.

#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lidar/surfel_sets.hpp"
#include "lidar_gl/fault.hpp"
#include "lidar_gl/transfer_buffer.hpp"
#include "marsim/lidar_gl/context.hpp"
#include "marsim/lidar_gl/renderer.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::Hit;
using lidar::Ray;

constexpr ContextOptions kHeadless{ContextSource::kEgl, true};

std::vector<Ray> raysOf(std::uint64_t seed, int count) {
  RandomStream random(seed, "rays");
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    rays.push_back({lidar::randomInCube(random, 0.5).cast<float>(), 8.0F,
                    lidar::randomDirection(random).cast<float>(), 0.0F});
    if (i % 100 == 0) rays.back().direction.setZero();  // can meet nothing, is never cast
  }
  return rays;
}

std::vector<Hit> castBy(const lidar::RayRenderer& renderer, const std::vector<Ray>& rays) {
  std::vector<Hit> hits;
  renderer.cast(rays, hits);
  return hits;
}

bool identical(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Hit)) == 0;
}

/// Keeps a context's thread busy, as a long dispatch would, until it goes.
class Busy {
 public:
  explicit Busy(Context& context)
      : thread_([this, &context] {
          context.run([this] {
            begun_.set_value();
            end_.get_future().wait();
          });
        }) {
    begun_.get_future().wait();
  }
  ~Busy() {
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> begun_, end_;
  std::thread thread_;
};

void awaitWaiting(const Context& context, std::size_t requests) {
  while (context.castCounts().waiting < requests) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class CastQueueTest : public testing::Test {
 protected:
  static std::unique_ptr<GlRayCaster> make(const std::shared_ptr<const map::SurfelMap>& map,
                                           std::size_t block_bytes = 0) {
    return makeRayCaster(map, {}, {kHeadless, block_bytes});
  }

  const std::shared_ptr<Context> context_ = Context::shared(kHeadless);
  const std::shared_ptr<const map::SurfelMap> room_ =
      lidar::roomMap({3.0, 2.0, 1.2}, 0.1, lidar::Kind::kMixed);
};

TEST_F(CastQueueTest, ScansThatWaitAreOneDispatch) {
  constexpr std::size_t kUavs = 5;
  std::vector<std::unique_ptr<GlRayCaster>> renderers;
  std::vector<std::vector<Ray>> rays;
  std::vector<std::vector<Hit>> expected, hits(kUavs);
  for (std::size_t i = 0; i < kUavs; ++i) {
    renderers.push_back(make(room_));
    rays.push_back(raysOf(i, 500 + 313 * static_cast<int>(i)));
    expected.push_back(castBy(*renderers[i], rays[i]));
  }
  const CastCounts before = context_->castCounts();
  EXPECT_EQ(before.batches, kUavs);
  EXPECT_EQ(before.most_together, 1U);
  std::vector<std::thread> threads;
  {
    const Busy busy(*context_);
    for (std::size_t i = 0; i < kUavs; ++i) {
      threads.emplace_back([&, i] { hits[i] = castBy(*renderers[i], rays[i]); });
    }
    awaitWaiting(*context_, kUavs);
  }
  for (std::thread& thread : threads) thread.join();
  const CastCounts after = context_->castCounts();
  EXPECT_EQ(after.requests - before.requests, kUavs);
  EXPECT_EQ(after.batches - before.batches, 1U);
  EXPECT_EQ(after.most_together, kUavs);
  EXPECT_EQ(after.waiting, 0U);
  for (std::size_t i = 0; i < kUavs; ++i) EXPECT_TRUE(identical(hits[i], expected[i])) << i;
}

// Batches so small that a scan needs many, of two maps at once: no ray gets another's answer.
TEST_F(CastQueueTest, AnswersAreThoseOfOneByOne) {
  const auto other =
      lidar::scatteredMap(3, 3000, 2.0, 0.2, lidar::Kind::kMixed, Eigen::Vector3d(0.3, 0.1, 0.0));
  constexpr std::size_t kBlock = 20'000;  // bytes: 555 rays
  const std::unique_ptr<GlRayCaster> renderers[] = {make(room_, kBlock), make(other, kBlock),
                                                    make(room_)};
  constexpr int kThreads = 4, kRounds = 5;
  std::vector<std::vector<Ray>> rays;
  std::vector<std::vector<Hit>> expected;
  for (int i = 0; i < kThreads; ++i) {
    rays.push_back(raysOf(static_cast<std::uint64_t>(i), 2500 + 411 * i));
    expected.push_back(castBy(*renderers[i % 3], rays.back()));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(identical(castBy(*renderers[i % 3], rays[i]), expected[i])) << i;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(context_->castCounts().waiting, 0U);
}

TEST_F(CastQueueTest, ScansLongerThanABatch) {
  const auto renderer = make(room_);
  const std::vector<Ray> rays = raysOf(7, 40'000);
  const std::vector<Hit> hits = castBy(*renderer, rays);
  EXPECT_GE(context_->castCounts().batches, 2U);
  for (std::size_t first = 0; first < rays.size(); first += 10'000) {
    const auto begin = static_cast<std::ptrdiff_t>(first), end = begin + 10'000;
    const std::vector<Hit> part =
        castBy(*renderer, std::vector<Ray>(rays.begin() + begin, rays.begin() + end));
    EXPECT_TRUE(identical(part, std::vector<Hit>(hits.begin() + begin, hits.begin() + end)));
  }
}

TEST_F(CastQueueTest, AnErrorGoesToEveryRequest) {
  const auto renderer = make(room_);
  std::vector<std::future<std::vector<Hit>>> casts;
  const auto cast = [&](std::uint64_t seed) {
    casts.push_back(std::async(std::launch::async,
                               [&, seed] { return castBy(*renderer, raysOf(seed, 3000)); }));
    awaitWaiting(*context_, casts.size());
  };
  {
    const Busy busy(*context_);
    for (std::uint64_t i = 0; i < 4; ++i) cast(i);
    loseOnPurpose(*context_);
    cast(5);  // its job is not even begun
  }
  for (auto& failed : casts) EXPECT_THROW(failed.get(), GlError);
  EXPECT_EQ(context_->castCounts().waiting, 0U);
  EXPECT_THROW(castBy(*renderer, raysOf(9, 100)), GlError);
}

// Renderers have the buffers together, whatever their number.
TEST_F(CastQueueTest, SaysWhatItsBuffersTake) {
  EXPECT_EQ(context_->castBufferBytes(), 0U);
  const auto first = make(room_);
  const std::size_t bytes = context_->castBufferBytes();
  EXPECT_GT(bytes, 1U << 20);
  const auto second = make(room_);
  EXPECT_EQ(context_->castBufferBytes(), bytes);
  const std::string text = second->deviceText();
  EXPECT_NE(text.find(" MiB of the device hold the map, "), std::string::npos) << text;
  EXPECT_NE(text.find(" MiB rays and hits"), std::string::npos) << text;
}

// Buffers for images, which are made anew for larger images.
TEST_F(CastQueueTest, SaysThatThereIsNoRoom) {
  std::string said;
  context_->run([&] {
    try {
      TransferBuffer(TransferBuffer::Direction::kFromDevice, std::size_t{1} << 47, false);
    } catch (const GlError& error) {
      said = error.what();
    }
  });
  EXPECT_EQ(said.find("OpenGL: the device has no room for buffers of "), 0U) << said;
  EXPECT_EQ(castBy(*make(room_), raysOf(1, 100)).size(), 100U);  // the context is well
}

}  // namespace
}  // namespace marsim::lidar_gl
