// SPDX-License-Identifier: BSD-3-Clause
#include "layouts/cloud_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "layouts/return_order.hpp"
#include "layouts/scan_shots.hpp"
#include "marsim/common/units.hpp"

namespace marsim::layouts {
namespace {

using lidar::CloudLayout;
using lidar::MissEncoding;
using lidar::StampPolicy;

constexpr std::uint32_t kVelodynePacketReturns = 384;  // 12 blocks of 32
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// How a driver writes a shot without a return; dropped if the driver's way is unknown.
MissEncoding driversMisses(CloudLayout layout) {
  switch (layout) {
    case CloudLayout::kOrganised:
    case CloudLayout::kLaserScan:
    case CloudLayout::kRslidar:  // rs_driver: dense_points is false by default
      return MissEncoding::kNan;
    case CloudLayout::kOuster:
    case CloudLayout::kLivox:
    case CloudLayout::kLivox2:
    case CloudLayout::kLivoxCustom:
    case CloudLayout::kLivoxCustom2:
      return MissEncoding::kZero;
    default:  // velodyne_pointcloud drops points nearer than its min_range
      return MissEncoding::kDrop;
  }
}

ReturnOrder orderOf(CloudLayout layout) {
  switch (layout) {
    case CloudLayout::kVelodyne:
    case CloudLayout::kHesai:
    case CloudLayout::kRslidar:
      return ReturnOrder::kBlockPairs;
    case CloudLayout::kLivox:
    case CloudLayout::kLivox2:
    case CloudLayout::kLivoxCustom:
    case CloudLayout::kLivoxCustom2:
      return ReturnOrder::kSlots;
    default:
      return ReturnOrder::kInTurn;
  }
}

/// Bits 5 and 4 are the number of the return; the other bits mean a normal point.
std::uint8_t livoxTag(const ScanShot& shot) {
  return shot.isReturn() ? static_cast<std::uint8_t>(shot.return_number << 4) : std::uint8_t{0};
}

/// ouster_ros moves each row right by its beam's azimuth offset in columns, so that the columns of
/// an image are azimuths. Shifts are relative to the row with the least shift.
std::vector<std::uint32_t> destaggering(const lidar::PatternConfig& pattern) {
  const auto* spinning = std::get_if<lidar::SpinningPatternConfig>(&pattern);
  if (spinning == nullptr || !spinning->more_blocks.empty() || spinning->start_times.size() > 1) {
    return {};  // columns do not line up
  }
  const double step = spinning->rotation_rate * spinning->cycle_period;  // [rad] a column
  if (step == 0.0) return {};
  auto channels = spinning->channels;  // by ring, in the order of elevations
  std::stable_sort(channels.begin(), channels.end(),
                   [](const auto& a, const auto& b) { return a.elevation < b.elevation; });
  std::vector<int> shifts;
  for (const auto& channel : channels) {
    shifts.push_back(static_cast<int>(std::lround(channel.azimuth_offset / step)));
  }
  const int least = *std::min_element(shifts.begin(), shifts.end());
  std::vector<std::uint32_t> by_ring;
  for (const int shift : shifts) by_ring.push_back(static_cast<std::uint32_t>(shift - least));
  return by_ring;
}

double lensRadius(const lidar::PatternConfig& pattern) {
  const auto* spinning = std::get_if<lidar::SpinningPatternConfig>(&pattern);
  return spinning == nullptr ? 0.0 : spinning->lens_radius;
}

std::uint8_t toByte(float intensity) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(intensity, 0.0F, 255.0F)));
}

std::uint32_t toNanoseconds(float seconds) {
  return static_cast<std::uint32_t>(std::llround(1e9 * static_cast<double>(seconds)));
}

/// Writes one shot of an unorganised layout. `offset` [s]: the scan's stamp since the message's.
struct ShotWriter {
  CloudLayout layout;
  TimeNs scan_stamp;  // of day
  double offset;
  double time_unit;

  void operator()(const ScanShot& shot, std::uint8_t* point) const {
    putPosition(point, shot.p_S);
    switch (layout) {
      case CloudLayout::kXyzi:
        put(point, 12, 1.0F);
        put(point, 16, shot.intensity);
        return;
      case CloudLayout::kXyzit:
        put(point, 12, shot.intensity);
        put(point, 16, relativeTime(shot));
        return;
      case CloudLayout::kLabelled:
        put(point, 12, shot.intensity);
        put(point, 16, relativeTime(shot));
        put(point, 20, shot.label);
        put(point, 24, std::uint16_t{shot.semantic_class});
        put(point, 26, shot.return_number);
        put(point, 27, shot.return_count);
        return;
      case CloudLayout::kVelodyne:
        put(point, 12, shot.intensity);
        put(point, 16, shot.ring);
        put(point, 18, relativeTime(shot));
        return;
      case CloudLayout::kLivox:
      case CloudLayout::kLivox2:
        put(point, 12, static_cast<float>(toByte(shot.intensity)));
        put(point, 16, livoxTag(shot));
        put(point, 17, shot.line);
        if (layout == CloudLayout::kLivox2) {
          put(point, 18, static_cast<double>(scan_stamp + toNanoseconds(shot.time)));
        }
        return;
      case CloudLayout::kHesai:
      case CloudLayout::kRslidar:
        put(point, 12, shot.intensity);
        put(point, 16, shot.ring);
        put(point, 18, toSeconds(scan_stamp) + static_cast<double>(shot.time));
        return;
      default:
        return;
    }
  }

 private:
  float relativeTime(const ScanShot& shot) const {
    return static_cast<float>((static_cast<double>(shot.time) + offset) / time_unit);
  }
};

/// Whether a shot has a cell in an organised cloud; a pattern's numbers are checked.
bool hasCell(const lidar::Scan& scan, const ScanShot& shot) {
  return shot.ring < scan.rings && shot.column < scan.columns;
}

Cloud organisedCloud(const lidar::Scan& scan, const std::string& frame) {
  Cloud cloud = makeCloud(fieldsOf(CloudLayout::kOrganised), scan.columns, scan.rings, frame);
  std::uint8_t* data = cloud.data.data();
  for (std::uint32_t row = 0; row < cloud.height; ++row) {  // cells without a shot
    for (std::uint32_t column = 0; column < cloud.width; ++column, data += cloud.point_step) {
      putPosition(data, Eigen::Vector3f::Constant(kNan));
      put(data, 16, static_cast<std::uint16_t>(row));
      put(data, 20, kNan);
      put(data, 24, kNan);
    }
  }
  forEachShot(scan, MissEncoding::kNan, [&](const ScanShot& shot) {
    if (!hasCell(scan, shot)) return;
    std::uint8_t* point =
        &cloud.data[shot.ring * cloud.row_step + shot.column * std::size_t{cloud.point_step}];
    putPosition(point, shot.p_S);
    put(point, 12, shot.intensity);
    put(point, 20, shot.time);
    put(point, 24, shot.range);
  });
  return cloud;
}

/// A cloud of the returns of one rank by energy (return_order STRONGEST_TO_WEAKEST of ouster-sdk,
/// the sensor's default). The signal count is not modelled: intensity and reflectivity are both the
/// calibrated reflectivity. Ambient light is not modelled either: 0. Ranges count from the axis, as
/// in ouster-sdk (lidar_origin_to_beam_origin_mm).
Cloud ousterCloud(const lidar::Scan& scan, int rank, const OusterImage& image, MissEncoding misses,
                  const std::string& frame) {
  Cloud cloud = makeCloud(fieldsOf(CloudLayout::kOuster), scan.columns, scan.rings, frame);
  const Eigen::Vector3f p_miss = missPosition(misses);
  std::uint8_t* data = cloud.data.data();
  for (std::uint32_t row = 0; row < cloud.height; ++row) {
    for (std::uint32_t column = 0; column < cloud.width; ++column, data += cloud.point_step) {
      putPosition(data, p_miss);
      put(data, 12, 1.0F);
      put(data, 26, static_cast<std::uint16_t>(row));
    }
  }
  forEachShot(scan, misses, [&](const ScanShot& shot) {
    if (!hasCell(scan, shot)) return;
    const std::uint32_t row = scan.rings - 1U - shot.ring;
    const std::uint32_t shift = shot.ring < image.row_shift.size() ? image.row_shift[shot.ring] : 0;
    const std::size_t column = (shot.column + shift) % scan.columns;
    std::uint8_t* point = &cloud.data[row * cloud.row_step + column * cloud.point_step];
    put(point, 20, toNanoseconds(shot.time));
    if (shot.energy_rank != rank) return;
    putPosition(point, shot.p_S);
    put(point, 16, shot.intensity);
    put(point, 24, static_cast<std::uint16_t>(toByte(shot.intensity)));
    const double range = static_cast<double>(shot.range) + image.lens_radius;
    const double range_mm = shot.isReturn() ? std::round(1e3 * range) : 0;
    put(point, 32, static_cast<std::uint32_t>(range_mm));
  });
  return cloud;
}

/// The sweep of a planar scan from its first shot to its last.
struct Sweep {
  std::uint32_t column = 0;  ///< of the first shot
  double azimuth = 0.0;      ///< [rad] of the first shot
  double angle = 0.0;        ///< [rad] swept, counter-clockwise
  double time = 0.0;         ///< [s] duration
  int columns = 0;           ///< from the first to the last
};

Sweep sweepOf(const lidar::Scan& scan) {
  struct Shot {
    std::uint32_t column;
    double azimuth, time;
  };
  std::vector<Shot> shots;
  const auto add = [&](const auto& shot, const Eigen::Vector3f& direction) {
    const Eigen::Vector3d d = direction.cast<double>();
    shots.push_back({shot.column, std::atan2(d.y(), d.x()), static_cast<double>(shot.time)});
  };
  for (const lidar::ScanPoint& point : scan.points) add(point, point.p_S);
  for (const lidar::ScanMiss& miss : scan.misses) add(miss, miss.direction);
  if (shots.empty()) return {};
  std::sort(shots.begin(), shots.end(),
            [](const Shot& a, const Shot& b) { return a.column < b.column; });
  Sweep sweep{shots.front().column, shots.front().azimuth, 0.0,
              shots.back().time - shots.front().time,
              static_cast<int>(shots.back().column - shots.front().column)};
  for (std::size_t i = 1; i < shots.size(); ++i) {
    sweep.angle += std::remainder(shots[i].azimuth - shots[i - 1].azimuth, 2.0 * kPi);
  }
  return sweep;
}

/// Time of a shot since the scan's stamp [s]; the next listed shot's if it is not listed.
double timeOfShot(const lidar::Scan& scan, std::uint32_t shot) {
  double time = 0.0;
  bool found = false;
  forEachShot(scan, MissEncoding::kZero, [&](const ScanShot& candidate) {
    if (found) return;
    time = static_cast<double>(candidate.time);
    found = candidate.shot >= shot;
  });
  return time;
}

}  // namespace

CloudEncoder::CloudEncoder(lidar::OutputConfig output, const lidar::LidarConfig& config,
                           std::string frame, TimeNs epoch)
    : output_(std::move(output)),
      epoch_(epoch),
      most_returns_(lidar::mostReturns(config.returns.mode)),
      range_min_(config.range_min),
      range_max_(config.range_max),
      scan_period_(1.0 / config.rate),
      frame_(output_.frame_id.empty() ? std::move(frame) : output_.frame_id),
      misses_(output_.misses == MissEncoding::kDriver ? driversMisses(output_.layout)
                                                      : output_.misses) {
  if (output_.layout != CloudLayout::kOuster) return;
  ouster_ = {destaggering(config.pattern), lensRadius(config.pattern)};
}

bool CloudEncoder::needsMisses() const {
  const bool stamped_late =
      output_.stamp == StampPolicy::kDriver &&
      (output_.layout == CloudLayout::kVelodyne || output_.layout == CloudLayout::kRslidar);
  return misses_ != MissEncoding::kDrop || lidar::isOrganised(output_.layout) ||
         output_.layout == CloudLayout::kLaserScan || stamped_late;
}

/// velodyne_driver stamps a scan with its last packet (timestamp_first_packet is false), rs_driver
/// with its last point (ts_first_point is false); other drivers with the beginning of the scan.
TimeNs CloudEncoder::stampOf(const lidar::Scan& scan) const {
  if (output_.stamp == StampPolicy::kFirstFiring || scan.rays == 0) return scan.stamp;
  const auto last = static_cast<std::uint32_t>(scan.rays - 1);
  switch (output_.layout) {
    case CloudLayout::kVelodyne: {
      const std::uint32_t in_packet =
          kVelodynePacketReturns / static_cast<std::uint32_t>(most_returns_);
      return scan.stamp + toNs(timeOfShot(scan, last - last % in_packet));
    }
    case CloudLayout::kRslidar:
      return scan.stamp + toNs(timeOfShot(scan, last));
    default:
      return scan.stamp;
  }
}

int CloudEncoder::clouds() const {
  return output_.layout == CloudLayout::kOuster ? most_returns_ : 1;
}

template <class Visit>
void CloudEncoder::forEachPoint(const lidar::Scan& scan, Visit visit) const {
  forEachReturn(scan, misses_, orderOf(output_.layout), most_returns_, visit);
}

std::size_t CloudEncoder::countPoints(const lidar::Scan& scan) const {
  if (most_returns_ == 1) return countShots(scan, misses_);
  std::size_t count = 0;
  forEachPoint(scan, [&](const ScanShot&) { ++count; });
  return count;
}

Contents CloudEncoder::encode(const lidar::Scan& scan, int number) const {
  if (lidar::isLivoxCustom(output_.layout)) return custom(scan);
  if (output_.layout == CloudLayout::kLaserScan) return laserScan(scan);
  return cloud(scan, number);
}

Cloud CloudEncoder::cloud(const lidar::Scan& scan, int number) const {
  const CloudFields& fields = fieldsOf(output_.layout);
  const TimeNs stamp = stampOf(scan);
  Cloud cloud;
  if (output_.layout == CloudLayout::kOrganised) {
    cloud = organisedCloud(scan, frame_);
  } else if (output_.layout == CloudLayout::kOuster) {
    cloud = ousterCloud(scan, number, ouster_, misses_, frame_);
  } else {
    cloud = makeCloud(fields, countPoints(scan), 1, frame_);
    if (misses_ == MissEncoding::kNan) cloud.is_dense = false;
    const ShotWriter write{output_.layout, epoch_ + scan.stamp, toSeconds(scan.stamp - stamp),
                           output_.time_unit};
    std::uint8_t* data = cloud.data.data();
    forEachPoint(scan, [&](const ScanShot& shot) {
      write(shot, data);
      data += cloud.point_step;
    });
  }
  cloud.stamp = stamp;
  return cloud;
}

LivoxCloud CloudEncoder::custom(const lidar::Scan& scan) const {
  LivoxCloud cloud{scan.stamp, frame_, output_.layout == CloudLayout::kLivoxCustom2, {}};
  cloud.points.reserve(countPoints(scan));
  forEachPoint(scan, [&](const ScanShot& shot) {
    cloud.points.push_back({toNanoseconds(shot.time), shot.p_S.x(), shot.p_S.y(), shot.p_S.z(),
                            toByte(shot.intensity), livoxTag(shot), shot.line});
  });
  return cloud;
}

PlanarScan CloudEncoder::laserScan(const lidar::Scan& scan) const {
  PlanarScan planar;
  planar.stamp = scan.stamp;
  planar.frame_id = frame_;
  planar.range_min = static_cast<float>(range_min_);
  planar.range_max = static_cast<float>(range_max_);
  planar.scan_time = static_cast<float>(scan_period_);
  const Sweep sweep = sweepOf(scan);
  if (sweep.columns == 0) return planar;
  planar.angle_increment = static_cast<float>(sweep.angle / sweep.columns);
  planar.angle_min =
      static_cast<float>(sweep.azimuth) - planar.angle_increment * static_cast<float>(sweep.column);
  planar.angle_max =
      planar.angle_min + planar.angle_increment * static_cast<float>(scan.columns - 1);
  planar.time_increment = static_cast<float>(sweep.time / sweep.columns);
  planar.ranges.assign(scan.columns, kNan);
  planar.intensities.assign(scan.columns, 0.0F);
  forEachShot(scan, MissEncoding::kNan, [&](const ScanShot& shot) {
    if (shot.column >= scan.columns) return;
    planar.ranges[shot.column] = shot.range;
    planar.intensities[shot.column] = shot.intensity;
  });
  return planar;
}

Cloud worldCloud(const lidar::Scan& scan, const std::string& frame) {
  static const CloudFields fields = xyzAnd(16, {{"intensity", kF32, 12}});
  Cloud cloud = makeCloud(fields, scan.points.size(), 1, frame);
  cloud.stamp = scan.stamp;
  std::uint8_t* data = cloud.data.data();
  for (const lidar::ScanPoint& point : scan.points) {
    putPosition(data, point.p_W);
    put(data, 12, point.intensity);
    data += cloud.point_step;
  }
  return cloud;
}

Cloud mapCloud(const map::PointCloud& source, const std::string& frame) {
  static const CloudFields fields = xyzAnd(12, {});
  Cloud cloud = makeCloud(fields, source.size(), 1, frame);
  std::uint8_t* data = cloud.data.data();
  for (const Eigen::Vector3f& point : source.points) {
    putPosition(data, point);
    data += cloud.point_step;
  }
  return cloud;
}

}  // namespace marsim::layouts
