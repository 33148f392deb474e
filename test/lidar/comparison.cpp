// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/comparison.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace marsim::lidar {
namespace {

// The renderers cast every ray in any build. Under a sanitizer the oracle, whose time is the
// test's, judges a share of many: what is looked for there is in the renderers.
std::size_t strideOf([[maybe_unused]] std::size_t rays) {
#ifdef __SANITIZE_ADDRESS__
  if (rays > 500) return 7;
#endif
  return 1;
}

}  // namespace

Agreement compare(const map::SurfelMap& map, const std::vector<OracleRay>& rays,
                  const std::vector<Hit>& hits, bool with_normals) {
  Agreement agreement;
  EXPECT_EQ(hits.size(), rays.size());
  if (hits.size() != rays.size()) return agreement;
  const Oracle oracle(map);
  for (std::size_t i = 0; i < rays.size(); i += strideOf(rays.size())) {
    const OracleResult expected = oracle.trace(rays[i]);
    const Hit& hit = hits[i];
    ++agreement.rays;
    agreement.hits += expected.hit() ? 1 : 0;
    agreement.ambiguous += expected.ambiguous ? 1 : 0;
    if (expected.ambiguous) continue;
    bool right = hit.valid() == expected.hit() && hit.valid() == std::isfinite(hit.range) &&
                 !differs(expected.range, hit.range);
    if (right && hit.valid()) right = oracle.explains(rays[i], expected, hit, with_normals);
    if (right) continue;
    if (++agreement.wrong <= 5) {
      ADD_FAILURE() << "ray " << i << " from " << rays[i].origin.transpose() << " along "
                    << rays[i].direction.transpose() << ": range " << hit.range << " of surfel "
                    << hit.surfel << " with normal " << hit.normal.transpose() << ", expected "
                    << expected.range;
    }
  }
  EXPECT_EQ(agreement.wrong, 0) << "of " << agreement.rays << " rays";
  return agreement;
}

}  // namespace marsim::lidar
