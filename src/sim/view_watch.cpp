// SPDX-License-Identifier: BSD-3-Clause
#include "sim/view_watch.hpp"

#include <fmt/format.h>

#include "common/text.hpp"

namespace marsim::sim {

std::optional<std::string> ViewWatch::add(const lidar::Scan& scan, std::size_t returned) {
  if (scan.end <= last_) {  // it belongs to another run
    told_ = -1;
    good_ = true;
    begin_ = -1;
  }
  if (scan.stamp - last_ > kWindow) begin_ = -1;  // scans were missing for a while
  last_ = scan.end;
  if (begin_ < 0) {
    begin_ = scan.stamp;
    shots_ = returned_ = too_near_ = too_dark_ = 0;
  }
  shots_ += scan.rays;
  returned_ += returned;
  too_near_ += scan.too_near;
  too_dark_ += scan.too_dark;
  if (scan.end - begin_ < kWindow) return std::nullopt;
  const double seconds = toSeconds(scan.end - begin_);
  begin_ = -1;
  if (shots_ == 0) return std::nullopt;
  const auto share = [this](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(shots_);
  };
  if (share(returned_) >= kFew) {
    good_ = true;
    return std::nullopt;
  }
  const bool told_lately = told_ >= 0 && scan.end - told_ < kSilence;
  if (!good_ || told_lately) return std::nullopt;
  good_ = false;
  told_ = scan.end;
  std::string reason = fmt::format(
      "the map may end here, or lie farther than the sensor's range of {:g} m", range_max_);
  if (share(too_near_) > 0.5) {
    reason = "most meet a surface nearer than its least range: it is inside something";
  } else if (share(too_dark_) > 0.5) {
    reason = "most are lost to low reflectivity or in the weather";
  }
  return fmt::format("{}: {:.1f} % of {} shots returned in the last {:.1f} s: {}", name_,
                     100.0 * share(returned_), withThousands(shots_), seconds, reason);
}

}  // namespace marsim::sim
