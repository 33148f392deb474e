#include "lidar_gl/image_hits.hpp"

#include <algorithm>

#include "lidar/cast/leaf_blocks.hpp"

namespace marsim::lidar_gl {

using lidar::CompactLeaves;
using lidar::FloatLeaves;
using lidar::Hit;
using lidar::ImageDirections;
using lidar::PlacedSurfels;

HitMaker::HitMaker(const TileLists& lists, map::SurfelStorage storage, const Pose& X_WS)
    : compact_(storage == map::SurfelStorage::kCompact),
      lists_(lists),
      R_WS_(X_WS.q.toRotationMatrix().cast<float>()) {}

void HitMaker::makeRow(const ImageCell* cells, int row, Hit* hits) {
  const auto& strips = lists_.strips();
  const auto strip = std::find_if(strips.begin(), strips.end(), [&](const auto& one) {
    return row < one.end_row * TileLists::kSide;
  });
  for (int column = 0; column < lists_.grid().width; ++column, ++cells, ++hits) {
    if (cells->code == lidar::kNoSurfel) {
      *hits = Hit{};
      continue;
    }
    Met& met = (*met_)[(cells->code ^ cells->code >> 9) % kMet];
    if (met.code != cells->code) meet(*strip, cells->code, met);
    *hits = met.hit;
    hits->range = cells->range;
    if (!met.planar) hits->normal = backAlong(row, column);
  }
}

void HitMaker::meet(const TileLists::Strip& strip, std::uint32_t code, Met& met) const {
  int pass = lists_.made() - 1;
  while (strip.parts[pass].surfels_before > code) --pass;
  const TileLists::Part& part = strip.parts[pass];
  const std::size_t number = code - part.surfels_before;
  std::uint32_t words[PlacedSurfels::kFields - PlacedSurfels::kWords];
  const int count = compact_ ? CompactLeaves::kPlacedWords : FloatLeaves::kPlacedWords;
  for (int k = 0; k < count; ++k) words[k] = part.field(PlacedSurfels::kWords + k)[number];
  const lidar::OneSurfel surfel =
      compact_ ? CompactLeaves::ofPlacedWords(words) : FloatLeaves::ofPlacedWords(words);
  const Eigen::Map<const Eigen::Vector3f> n(surfel.n), v(surfel.v);
  met.code = code;
  met.planar = surfel.planar;
  met.hit.surfel = part.surfel(number);
  // The ray meets the side that the sensor is on.
  met.hit.normal = n * ((n.dot(v) > 0.0F ? -1.0F : 1.0F) / n.norm());
}

Eigen::Vector3f HitMaker::backAlong(int row, int column) const {
  const ImageDirections& directions = lists_.directions();
  const std::size_t cell = directions.cell(row, column);
  return -(R_WS_ *
           Eigen::Vector3f(directions.x()[cell], directions.y()[cell], directions.z()[cell]));
}

}  // namespace marsim::lidar_gl
