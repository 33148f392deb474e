// SPDX-License-Identifier: BSD-3-Clause
#include "embree_discs.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include <embree3/rtcore.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace marsim::benchmarks {
namespace {

using lidar::Ray;

bool countBytes(void* counter, ssize_t bytes, bool) {
  *static_cast<std::atomic<std::int64_t>*>(counter) += bytes;
  return true;
}

template <class Packet>
void fill(Packet& packet, const Ray& ray, std::size_t lane) {
  packet.ray.org_x[lane] = ray.origin.x();
  packet.ray.org_y[lane] = ray.origin.y();
  packet.ray.org_z[lane] = ray.origin.z();
  packet.ray.dir_x[lane] = ray.direction.x();
  packet.ray.dir_y[lane] = ray.direction.y();
  packet.ray.dir_z[lane] = ray.direction.z();
  packet.ray.tnear[lane] = 0.0F;
  packet.ray.tfar[lane] = ray.range_max;
  packet.ray.time[lane] = 0.0F;
  packet.ray.mask[lane] = 0xffffffffU;
  packet.ray.flags[lane] = 0;
  packet.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
  packet.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
}

template <std::size_t kSize, class Packet, class Intersect>
void castPackets(const Ray* rays, std::size_t count, Intersect intersect, float* ranges) {
  for (std::size_t i = 0; i < count; i += kSize) {
    alignas(64) Packet packet;
    alignas(64) int valid[kSize];
    for (std::size_t lane = 0; lane < kSize; ++lane) {
      valid[lane] = i + lane < count ? -1 : 0;
      fill(packet, rays[std::min(i + lane, count - 1)], lane);
    }
    intersect(valid, packet);
    for (std::size_t lane = 0; lane < std::min(kSize, count - i); ++lane) {
      ranges[i + lane] = packet.hit.geomID[lane] == RTC_INVALID_GEOMETRY_ID
                             ? std::numeric_limits<float>::infinity()
                             : packet.ray.tfar[lane];
    }
  }
}

}  // namespace

struct EmbreeDiscs::Scene {
  std::atomic<std::int64_t> bytes{0};
  std::vector<float> points[2], normals;
  RTCDevice device = rtcNewDevice(nullptr);
  RTCScene scene = nullptr;

  void add(RTCGeometryType type, std::vector<float>& xyzr, std::vector<float>* normal) {
    if (xyzr.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device, type);
    const std::size_t count = xyzr.size() / 4;
    xyzr.resize(xyzr.size() + 4);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, xyzr.data(),
                               0, 16, count);
    if (normal != nullptr) {
      normal->resize(normal->size() + 4);
      rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_NORMAL, 0, RTC_FORMAT_FLOAT3,
                                 normal->data(), 0, 12, count);
    }
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
  }
};

EmbreeDiscs::EmbreeDiscs(const map::SurfelMap& map) : scene_(std::make_unique<Scene>()) {
  rtcSetDeviceMemoryMonitorFunction(scene_->device, countBytes, &scene_->bytes);
  const std::vector<map::Surfel> surfels = map.surfels();
  const std::vector<float> radii = map.radii();
  for (std::size_t i = 0; i < surfels.size(); ++i) {
    const map::Surfel& surfel = surfels[i];
    const bool planar = map.isPlanar(surfel);
    std::vector<float>& points = scene_->points[planar ? 1 : 0];
    const Eigen::Vector3f& p = surfel.position;
    points.insert(points.end(), {p.x(), p.y(), p.z(), radii[i]});
    if (!planar) continue;
    scene_->normals.insert(scene_->normals.end(), surfel.normal.data(), surfel.normal.data() + 3);
  }
  scene_->scene = rtcNewScene(scene_->device);
  rtcSetSceneBuildQuality(scene_->scene, RTC_BUILD_QUALITY_MEDIUM);
  scene_->add(RTC_GEOMETRY_TYPE_DISC_POINT, scene_->points[0], nullptr);
  scene_->add(RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT, scene_->points[1], &scene_->normals);
  rtcCommitScene(scene_->scene);
}

EmbreeDiscs::~EmbreeDiscs() {
  rtcReleaseScene(scene_->scene);
  rtcReleaseDevice(scene_->device);
}

std::int64_t EmbreeDiscs::bytes() const {
  const std::size_t floats =
      scene_->points[0].size() + scene_->points[1].size() + scene_->normals.size();
  return scene_->bytes + static_cast<std::int64_t>(floats * sizeof(float));
}

void EmbreeDiscs::cast(const std::vector<Ray>& rays, Mode mode, int threads,
                       std::vector<float>& ranges) const {
  ranges.resize(rays.size());
  RTCScene scene = scene_->scene;
  const auto piece = [&](std::size_t begin, std::size_t end) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (mode == Mode::kPacket16) {
      context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      castPackets<16, RTCRayHit16>(
          &rays[begin], end - begin,
          [&](const int* valid, RTCRayHit16& packet) {
            rtcIntersect16(valid, scene, &context, &packet);
          },
          &ranges[begin]);
    } else if (mode == Mode::kPacket8) {
      context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
      castPackets<8, RTCRayHit8>(
          &rays[begin], end - begin,
          [&](const int* valid, RTCRayHit8& packet) {
            rtcIntersect8(valid, scene, &context, &packet);
          },
          &ranges[begin]);
    } else {
      for (std::size_t i = begin; i < end; ++i) {
        const Ray& ray = rays[i];
        RTCRayHit one{};
        one.ray.org_x = ray.origin.x();
        one.ray.org_y = ray.origin.y();
        one.ray.org_z = ray.origin.z();
        one.ray.dir_x = ray.direction.x();
        one.ray.dir_y = ray.direction.y();
        one.ray.dir_z = ray.direction.z();
        one.ray.tfar = ray.range_max;
        one.ray.mask = 0xffffffffU;
        one.hit.geomID = one.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(scene, &context, &one);
        ranges[i] = one.hit.geomID == RTC_INVALID_GEOMETRY_ID
                        ? std::numeric_limits<float>::infinity()
                        : one.ray.tfar;
      }
    }
  };
  if (threads == 1) {
    piece(0, rays.size());
    return;
  }
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rays.size(), 512),
                      [&](const auto& range) { piece(range.begin(), range.end()); });
  });
}

}  // namespace marsim::benchmarks
