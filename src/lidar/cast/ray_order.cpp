// SPDX-License-Identifier: BSD-3-Clause
#include "lidar/cast/ray_order.hpp"

#include <algorithm>
#include <cmath>

namespace marsim::lidar {
namespace {

constexpr int kCellBits = 8;  // cells along a side of an octant
constexpr std::size_t kDigit = 10;
constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
static_assert(2 * kDigit >= 2 * kCellBits + 4, "two digits hold a key");

// Places on a Hilbert curve through 16 x 16 cells, and the state for the curve inside a cell.
struct HilbertTable {
  static constexpr int kBits = 4;  // bits of x and y per step
  struct Cell {
    std::uint8_t place, next;
  };
  Cell cells[4][1 << (2 * kBits)]{};  // [state][x + 16 y]

  constexpr HilbertTable() {
    // States: 0 the curve, 1 transposed, 2 turned by half, 3 turned and transposed.
    for (unsigned state = 0; state < 4; ++state) {
      for (unsigned cell = 0; cell < 1U << (2 * kBits); ++cell) {
        unsigned place = 0, now = state;
        for (int bit = kBits - 1; bit >= 0; --bit) {
          const unsigned order = step(now, cell >> bit & 1U, cell >> (kBits + bit) & 1U);
          place = place << 2 | order;
          now ^= order == 0 ? 1U : order == 3 ? 3U : 0U;
        }
        cells[state][cell] = {static_cast<std::uint8_t>(place), static_cast<std::uint8_t>(now)};
      }
    }
  }

 private:
  // The order of a quadrant: (0,0) (0,1) (1,1) (1,0), first transposed inside, then twice the
  // curve itself, then anti-transposed.
  static constexpr unsigned step(unsigned state, unsigned x, unsigned y) {
    if (state >= 2) {
      x = 1 - x;
      y = 1 - y;
    }
    if ((state & 1U) != 0) {
      const unsigned swapped = x;
      x = y;
      y = swapped;
    }
    return x == 0 ? y : 3 - y;
  }
};
constexpr HilbertTable kHilbert;
static_assert(kCellBits == 2 * HilbertTable::kBits, "placeOnCurve takes two steps");

std::uint32_t placeOnCurve(std::uint32_t x, std::uint32_t y) {
  const HilbertTable::Cell outer = kHilbert.cells[0][x >> 4 | (y & 0xf0U)];
  const HilbertTable::Cell inner = kHilbert.cells[outer.next][(x & 15U) | (y & 15U) << 4];
  return std::uint32_t{outer.place} << 8 | inner.place;
}

float sizeOf(const Eigen::Vector3f& d) {
  return std::abs(d.x()) + std::abs(d.y()) + std::abs(d.z());
}

__attribute__((always_inline)) inline std::uint32_t octantOf(const Ray& ray) {
  const Eigen::Vector3f& d = ray.direction;
  const float reach = ray.origin.sum() * 0.0F + sizeOf(d);  // NaN if any value is not finite
  if (!(reach > 0.0F && reach < 10.0F && ray.range_max > 0.0F && ray.range_min <= ray.range_max)) {
    return RayOrder::kUnusable;
  }
  return (std::signbit(d.x()) ? 1U : 0U) | (std::signbit(d.y()) ? 2U : 0U) |
         (std::signbit(d.z()) ? 4U : 0U);
}

// Octant, then the place of the direction's central projection to the octant's triangle.
__attribute__((always_inline)) inline std::uint32_t keyOf(const Ray& ray) {
  constexpr std::uint32_t kLast = (1U << kCellBits) - 1;
  const std::uint32_t octant = octantOf(ray);
  if (octant == RayOrder::kUnusable) return RayOrder::kUnusable << (2 * kCellBits);
  const Eigen::Vector3f& d = ray.direction;
  const float scale = static_cast<float>(kLast) / sizeOf(d);
  const auto x = static_cast<std::uint32_t>(std::abs(d.x()) * scale);
  const auto y = static_cast<std::uint32_t>(std::abs(d.y()) * scale);
  return octant << (2 * kCellBits) | placeOnCurve(x, y);
}

using Item = RayOrder::Item;

constexpr std::size_t kPieceSize = 4096;  // rays of one piece
constexpr std::size_t kMostPieces = 16;

// A radix sort of items cut into pieces that several threads count and move, digit by digit of the
// key (least significant first; stable, so the result does not depend on the cuts).
class RadixSort {
 public:
  RadixSort(std::size_t size, const Workers& workers, std::vector<std::uint32_t>& places)
      : size_(size),
        pieces_(std::min(kMostPieces, size / kPieceSize + 1)),
        workers_(workers),
        places_(places) {
    places_.resize(pieces_ * kBuckets);
  }

  /// Calls work(begin, end, piece) for every piece.
  template <class Work>
  void forPieces(const Work& work) const {
    workers_.forRanges(pieces_, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t piece = first; piece < last; ++piece) {
        work(size_ * piece / pieces_, size_ * (piece + 1) / pieces_, piece);
      }
    });
  }

  /// Places of a piece, one for each value of the digit.
  std::uint32_t* placesOf(std::size_t piece) { return places_.data() + piece * kBuckets; }

  void count(const Item* begin, const Item* end, std::size_t shift, std::size_t piece) {
    std::uint32_t* const places = placesOf(piece);
    std::fill_n(places, kBuckets, 0U);
    for (const Item* item = begin; item != end; ++item) ++places[digitOf(*item, shift)];
  }

  /// Turns counts into the places of the pieces' first items of each value.
  void place() {
    std::uint32_t sum = 0;
    for (std::size_t value = 0; value < kBuckets; ++value) {
      for (std::size_t piece = 0; piece < pieces_; ++piece) {
        std::uint32_t& place = placesOf(piece)[value];
        const std::uint32_t count = place;
        place = sum;
        sum += count;
      }
    }
  }

  static std::size_t digitOf(const Item& item, std::size_t shift) {
    return item.key >> shift & (kBuckets - 1);
  }

 private:
  const std::size_t size_, pieces_;
  const Workers& workers_;
  std::vector<std::uint32_t>& places_;
};

// Sorts `count` items by key(i), unusable ones last.
template <class Key>
void sortByKey(std::size_t count, const Key& key, const Workers& workers, RayOrder& order) {
  std::vector<Item>&items = order.items, &half_sorted = order.other_items;
  items.resize(count);
  half_sorted.resize(count);
  order.index.resize(count);
  RadixSort sort(count, workers, order.places);
  sort.forPieces([&](std::size_t begin, std::size_t end, std::size_t piece) {
    for (std::size_t i = begin; i < end; ++i) {
      items[i] = {key(i), static_cast<std::uint32_t>(i)};
    }
    sort.count(items.data() + begin, items.data() + end, 0, piece);
  });
  sort.place();
  sort.forPieces([&](std::size_t begin, std::size_t end, std::size_t piece) {
    std::uint32_t* const places = sort.placesOf(piece);
    for (std::size_t i = begin; i < end; ++i) {
      half_sorted[places[RadixSort::digitOf(items[i], 0)]++] = items[i];
    }
  });
  sort.forPieces([&](std::size_t begin, std::size_t end, std::size_t piece) {
    sort.count(half_sorted.data() + begin, half_sorted.data() + end, kDigit, piece);
  });
  sort.place();
  constexpr std::size_t kBucketsAnOctant = std::size_t{1} << (2 * kCellBits - kDigit);
  for (std::size_t octant = 0; octant < RayOrder::kUnusable; ++octant) {
    order.octant_end[octant] = sort.placesOf(0)[(octant + 1) * kBucketsAnOctant];
  }
  sort.forPieces([&](std::size_t begin, std::size_t end, std::size_t piece) {
    std::uint32_t* const places = sort.placesOf(piece);
    for (std::size_t i = begin; i < end; ++i) {
      order.index[places[RadixSort::digitOf(half_sorted[i], kDigit)]++] = half_sorted[i].index;
    }
  });
}

// Whether all rays of a beam are of one octant and may be cast in one group.
bool isOfOneOctant(const Ray* beam, std::size_t rays_a_beam) {
  const std::uint32_t octant = octantOf(beam[0]);
  for (std::size_t i = 1; i < rays_a_beam; ++i) {
    if (octantOf(beam[i]) != octant) return false;
  }
  return true;
}

}  // namespace

void sortByDirection(const std::vector<Ray>& rays, const Workers& workers, RayOrder& order) {
  sortByKey(
      rays.size(), [&](std::size_t i) { return keyOf(rays[i]); }, workers, order);
}

// Sorts beams and writes out their rays. Beams with rays of several octants are sorted last; their
// rays go one by one to the ends of their octants.
void sortBeams(const std::vector<Ray>& rays, std::size_t rays_a_beam, const Workers& workers,
               RayOrder& order) {
  const std::size_t beams = rays.size() / rays_a_beam;
  constexpr std::uint32_t kApart = RayOrder::kUnusable << (2 * kCellBits);
  sortByKey(
      beams,
      [&](std::size_t i) {
        const Ray* const beam = &rays[i * rays_a_beam];
        return isOfOneOctant(beam, rays_a_beam) ? keyOf(*beam) : kApart;
      },
      workers, order);
  const std::vector<std::uint32_t> sorted(order.index);
  std::vector<std::uint32_t> apart[RayOrder::kUnusable + 1];
  const auto setApart = [&](std::size_t ray) {
    apart[octantOf(rays[ray])].push_back(static_cast<std::uint32_t>(ray));
  };
  for (std::size_t i = order.octant_end[RayOrder::kUnusable - 1]; i < beams; ++i) {
    for (std::size_t ray = 0; ray < rays_a_beam; ++ray) setApart(sorted[i] * rays_a_beam + ray);
  }
  for (std::size_t ray = beams * rays_a_beam; ray < rays.size(); ++ray) setApart(ray);
  order.index.clear();
  order.index.reserve(rays.size());
  std::size_t next = 0;
  for (std::size_t octant = 0; octant <= RayOrder::kUnusable; ++octant) {
    for (; octant < RayOrder::kUnusable && next < order.octant_end[octant]; ++next) {
      const std::size_t first = sorted[next] * rays_a_beam;
      for (std::size_t ray = first; ray < first + rays_a_beam; ++ray) {
        order.index.push_back(static_cast<std::uint32_t>(ray));
      }
    }
    order.index.insert(order.index.end(), apart[octant].begin(), apart[octant].end());
    if (octant < RayOrder::kUnusable) order.octant_end[octant] = order.index.size();
  }
}

}  // namespace marsim::lidar
