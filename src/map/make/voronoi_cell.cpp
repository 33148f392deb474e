// SPDX-License-Identifier: BSD-3-Clause
#include "map/make/voronoi_cell.hpp"

#include <algorithm>

namespace marsim::map {

void VoronoiCell::reset(float half) {
  corners_ = {{-half, -half, kSquare, kSquare},
              {half, -half, kSquare, kSquare},
              {half, half, kSquare, kSquare},
              {-half, half, kSquare, kSquare}};
}

void VoronoiCell::cut(float x, float y, int neighbour) {
  const float limit = 0.5F * (x * x + y * y);
  kept_.clear();
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Corner& from = corners_[i];
    const Corner& to = corners_[i + 1 < corners_.size() ? i + 1 : 0];
    const float beyond_from = from.x * x + from.y * y - limit;
    const float beyond_to = to.x * x + to.y * y - limit;
    if (beyond_from <= 0.0F) kept_.push_back(from);
    if ((beyond_from <= 0.0F) == (beyond_to <= 0.0F)) continue;
    const float share = beyond_from / (beyond_from - beyond_to);
    Corner crossing{from.x + share * (to.x - from.x), from.y + share * (to.y - from.y), from.after,
                    neighbour};
    if (beyond_from > 0.0F) {
      crossing.before = neighbour;
      crossing.after = from.after;
    }
    kept_.push_back(crossing);
  }
  corners_.swap(kept_);
}

float VoronoiCell::farthestSquare() const {
  float most = 0.0F;
  for (const Corner& corner : corners_) most = std::max(most, corner.square());
  return most;
}

}  // namespace marsim::map
