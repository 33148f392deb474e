#include "ray_order.hpp"

#include <array>
#include <cmath>

namespace marsim::lidar {
namespace {

constexpr int kCellBits = 8;  // cells of a side of an octant
constexpr std::size_t kDigit = 10;
constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
static_assert(2 * kDigit >= 2 * kCellBits + 4, "two digits hold a key");

// Places on a Hilbert curve through 16 x 16 cells, and the state it goes on in: curve[state][cell].
struct HilbertTable {
  // Of the four basic steps: the order of the quadrants (x + 2 y) and the states inside.
  std::array<std::array<std::uint8_t, 4>, 4> place{}, next{};

  constexpr HilbertTable() {
    // States: 0 the curve, 1 transposed, 2 turned by half, 3 turned and transposed.
    for (std::size_t state = 0; state < 4; ++state) {
      for (std::size_t cell = 0; cell < 4; ++cell) {
        std::size_t x = cell & 1, y = cell >> 1;
        if (state >= 2) {
          x = 1 - x;
          y = 1 - y;
        }
        if ((state & 1) != 0) {
          const std::size_t swapped = x;
          x = y;
          y = swapped;
        }
        // (0,0) (0,1) (1,1) (1,0): first transposed, then twice itself, then anti-transposed.
        const std::size_t order = x == 0 ? y : 3 - y;
        place[state][cell] = static_cast<std::uint8_t>(order);
        const std::size_t change = order == 0 ? 1 : order == 3 ? 3 : 0;
        next[state][cell] = static_cast<std::uint8_t>(state ^ change);
      }
    }
  }
};
constexpr HilbertTable kHilbert;

std::uint32_t placeOnCurve(std::uint32_t x, std::uint32_t y) {
  std::uint32_t place = 0;
  std::size_t state = 0;
  for (int bit = kCellBits - 1; bit >= 0; --bit) {
    const std::size_t cell = (x >> bit & 1U) | (y >> bit & 1U) << 1;
    place = place << 2 | kHilbert.place[state][cell];
    state = kHilbert.next[state][cell];
  }
  return place;
}

// Octant, then the place of the direction's central projection to the octant's triangle.
std::uint32_t keyOf(const Ray& ray) {
  constexpr std::uint32_t kLast = (1U << kCellBits) - 1;
  const Eigen::Vector3f& d = ray.direction;
  const float size = std::abs(d.x()) + std::abs(d.y()) + std::abs(d.z());
  const float reach = ray.origin.sum() * 0.0F + size;  // NaN if anything is not finite
  if (!(reach > 0.0F && reach < 10.0F && ray.range_max > 0.0F && ray.range_min <= ray.range_max)) {
    return RayOrder::kUnusable << (2 * kCellBits);
  }
  const float scale = static_cast<float>(kLast) / size;
  const auto x = static_cast<std::uint32_t>(std::abs(d.x()) * scale);
  const auto y = static_cast<std::uint32_t>(std::abs(d.y()) * scale);
  const std::uint32_t octant = (std::signbit(d.x()) ? 1U : 0U) | (std::signbit(d.y()) ? 2U : 0U) |
                               (std::signbit(d.z()) ? 4U : 0U);
  return octant << (2 * kCellBits) | placeOnCurve(x, y);
}

struct Item {
  std::uint32_t key, index;
};

void sortByDigit(const std::vector<Item>& from, std::size_t shift, std::vector<Item>& to) {
  std::array<std::size_t, kBuckets> place{};
  const auto digit = [shift](const Item& item) { return item.key >> shift & (kBuckets - 1); };
  for (const Item& item : from) ++place[digit(item)];
  std::size_t sum = 0;
  for (std::size_t& count : place) {
    const std::size_t size = count;
    count = sum;
    sum += size;
  }
  for (const Item& item : from) to[place[digit(item)]++] = item;
}

}  // namespace

RayOrder sortByDirection(const std::vector<Ray>& rays, const Workers& workers) {
  std::vector<Item> items(rays.size()), sorted(rays.size());
  workers.forRanges(rays.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      items[i] = {keyOf(rays[i]), static_cast<std::uint32_t>(i)};
    }
  });
  sortByDigit(items, 0, sorted);
  sortByDigit(sorted, kDigit, items);

  RayOrder order{};
  order.index.resize(rays.size());
  std::size_t octant = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    order.index[i] = items[i].index;
    const std::size_t own = items[i].key >> (2 * kCellBits);
    for (; octant < own; ++octant) order.octant_end[octant] = i;
  }
  for (; octant < RayOrder::kUnusable; ++octant) order.octant_end[octant] = items.size();
  return order;
}

}  // namespace marsim::lidar
