#include "ray_order.hpp"

#include <array>
#include <cmath>

namespace marsim::lidar {
namespace {

constexpr int kCellBits = 8;  // cells of a side of an octant
constexpr std::size_t kDigit = 10;
constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
static_assert(2 * kDigit >= 2 * kCellBits + 4, "two digits hold a key");

// Places on a Hilbert curve through 16 x 16 cells, and the state in which it goes on inside a cell.
struct HilbertTable {
  static constexpr int kBits = 4;  // of x and y at a time
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

using Item = RayOrder::Item;

void sortByDigit(const std::vector<Item>& from, std::size_t shift, std::vector<Item>& to) {
  std::array<std::uint32_t, kBuckets> place{};
  const auto digit = [shift](const Item& item) { return item.key >> shift & (kBuckets - 1); };
  for (const Item& item : from) ++place[digit(item)];
  std::uint32_t sum = 0;
  for (std::uint32_t& count : place) {
    const std::uint32_t size = count;
    count = sum;
    sum += size;
  }
  for (const Item& item : from) to[place[digit(item)]++] = item;
}

}  // namespace

void sortByDirection(const std::vector<Ray>& rays, const Workers& workers, RayOrder& order) {
  std::vector<Item>& items = order.items;
  items.resize(rays.size());
  order.other_items.resize(rays.size());
  workers.forRanges(rays.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      items[i] = {keyOf(rays[i]), static_cast<std::uint32_t>(i)};
    }
  });
  sortByDigit(items, 0, order.other_items);
  sortByDigit(order.other_items, kDigit, items);

  order.index.resize(rays.size());
  std::size_t octant = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    order.index[i] = items[i].index;
    const std::size_t own = items[i].key >> (2 * kCellBits);
    for (; octant < own; ++octant) order.octant_end[octant] = i;
  }
  for (; octant < RayOrder::kUnusable; ++octant) order.octant_end[octant] = items.size();
}

}  // namespace marsim::lidar
