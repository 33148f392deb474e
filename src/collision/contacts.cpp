// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/collision/contacts.hpp"

#include <limits>

namespace marsim::collision {

using Eigen::Vector3d;

std::vector<FastestTouch> fastestTouches(const std::vector<Touch>& touches, const BodyVoxels& body,
                                         const KinematicState& state) {
  std::vector<FastestTouch> hits;
  const Vector3d w_W = state.X_WB.q * state.w_WB_B;
  for (std::size_t begin = 0, end = 0; begin < touches.size(); begin = end) {
    FastestTouch hit;
    hit.identity = touches[begin].identity;
    Vector3d normals = Vector3d::Zero();
    double fastest = -std::numeric_limits<double>::infinity();
    for (; end < touches.size() && touches[end].identity == hit.identity; ++end) {
      const Touch& touch = touches[end];
      const Vector3d v = state.v_WB + w_W.cross(touch.p_W - state.X_WB.p) - touch.v_W;
      const double approach = -v.dot(touch.normal_W);
      normals += touch.normal_W;
      if (!(approach > fastest)) continue;
      fastest = approach;
      hit.p_W = touch.p_W;
      hit.normal_W = touch.normal_W;
      hit.v_rel_W = v;
      hit.p_BV = body.centre(touch.cell);
    }
    // Normals of a thin wall or a pole may cancel out; the fastest point's normal is used then.
    const double length = normals.norm();
    if (length > 1e-3 * static_cast<double>(end - begin)) hit.normal_W = normals / length;
    hits.push_back(hit);
  }
  return hits;
}

void ContactTracker::update(TimeNs stamp, const std::vector<FastestTouch>& hits,
                            std::vector<ContactEvent>& events) {
  for (const FastestTouch& hit : hits) {
    const auto [contact, is_new] = contacts_.try_emplace(hit.identity);
    contact->second = {stamp, hit};
    if (!is_new) continue;
    ++begun_;
    events.push_back({true, stamp, hit});
  }
  for (auto it = contacts_.begin(); it != contacts_.end();) {
    if (stamp - it->second.last < release_ || it->second.last == stamp) {
      ++it;
      continue;
    }
    events.push_back({false, it->second.last, it->second.hit});
    it = contacts_.erase(it);
  }
}

void ContactTracker::clear(std::vector<ContactEvent>& events) {
  for (const auto& [identity, contact] : contacts_) {
    events.push_back({false, contact.last, contact.hit});
  }
  contacts_.clear();
}

}  // namespace marsim::collision
