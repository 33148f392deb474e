#include "lidar_gl/list_textures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lidar/image/image_directions.hpp"
#include "lidar_gl/project_program.hpp"

namespace marsim::lidar_gl {
namespace {

using lidar::ImageDirections;
using lidar::PlacedSurfels;

// work(strip, part of a pass) for those of some passes, by the renderer's threads.
template <class Work>
void forParts(const lidar::Workers& workers, const TileLists& lists, int first, int end,
              const Work& work) {
  const auto& strips = lists.strips();
  workers.forRanges(strips.size() * static_cast<std::size_t>(end - first), 1,
                    [&](std::size_t begin, std::size_t stop) {
                      for (std::size_t i = begin; i < stop; ++i) {
                        const TileLists::Strip& strip = strips[i % strips.size()];
                        work(strip,
                             strip.parts[static_cast<std::size_t>(first) + i / strips.size()]);
                      }
                    });
}

struct Texel {
  std::uint32_t words[4];
};

void writeCompact(const TileLists::Part& part, Texel* to) {
  const std::uint32_t* words[4];
  for (int k = 0; k < 4; ++k) words[k] = part.field(PlacedSurfels::kWords + k);
  const std::size_t count = part.surfelCount();
  for (std::size_t i = 0; i < count; ++i) {
    *to++ = {{words[0][i], words[1][i], words[2][i], words[3][i]}};
  }
}
void writeFloat(const TileLists::Part& part, Texel* to) {
  const std::uint32_t* words[6];
  for (int k = 0; k < 6; ++k) words[k] = part.field(PlacedSurfels::kWords + k);
  const std::size_t count = part.surfelCount();
  for (std::size_t i = 0; i < count; ++i) {
    *to++ = {{words[0][i], words[1][i], words[2][i], words[3][i]}};
    *to++ = {{words[4][i], words[5][i], 0, 0}};
  }
}

}  // namespace

void ListTextures::writeShares(const lidar::ImageGrid& grid) {
  struct Share {
    float sine, cosine, slope, unused;
  };
  const auto count = static_cast<std::size_t>(grid.height + grid.width);
  shares_.fill<Share>(count, GL_RGBA32F, [&](Share* to) {
    const auto put = [&](const ImageDirections::Share& share) {
      *to++ = {static_cast<float>(share.sine), static_cast<float>(share.cosine),
               static_cast<float>(share.slope), 0.0F};
    };
    for (int row = 0; row < grid.height; ++row) put(ImageDirections::shareOfRow(grid, row));
    for (int column = 0; column < grid.width; ++column) {
      put(ImageDirections::shareOfColumn(grid, column));
    }
  });
}

void ListTextures::writeLists(const TileLists& lists, int first, int end,
                              const lidar::Workers& workers) {
  const std::size_t surfels = lists.surfelsBefore(first), fours = lists.foursBefore(first);
  const std::size_t texels = compact_ ? 1 : 2;
  surfels_.fill<Texel>(texels * (lists.surfelsBefore(end) - surfels), GL_RGBA32UI, [&](Texel* to) {
    forParts(workers, lists, first, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
      Texel* own = to + texels * (part.surfels_before - surfels);
      texels == 1 ? writeCompact(part, own) : writeFloat(part, own);
    });
  });
  lists_.fill<std::uint32_t>(
      TileLists::kFour * (lists.foursBefore(end) - fours), GL_RGBA32UI, [&](std::uint32_t* to) {
        forParts(workers, lists, first, end,
                 [&](const TileLists::Strip&, const TileLists::Part& part) {
                   const auto before = static_cast<std::uint32_t>(part.surfels_before - surfels);
                   std::uint32_t* own = to + TileLists::kFour * (part.fours_before - fours);
                   for (const std::uint32_t number : part.numbers) *own++ = number + before;
                 });
      });
  // Of every pass those of all tiles, and the end.
  const auto tiles = static_cast<std::size_t>(lists.rows() * lists.columns());
  begins_.fill<std::uint32_t>(
      static_cast<std::size_t>(end - first) * tiles + 1, GL_R32UI, [&](std::uint32_t* to) {
        forParts(workers, lists, first, end,
                 [&](const TileLists::Strip& strip, const TileLists::Part& part) {
                   const auto before = static_cast<std::uint32_t>(part.fours_before - fours);
                   const auto pass = static_cast<std::size_t>(&part - strip.parts - first);
                   std::uint32_t* own = to + pass * tiles +
                                        static_cast<std::size_t>(strip.first_row * lists.columns());
                   std::transform(part.begins.begin(), part.begins.end() - 1, own,
                                  [&](std::uint32_t begin) { return begin + before; });
                 });
        to[static_cast<std::size_t>(end - first) * tiles] =
            static_cast<std::uint32_t>(lists.foursBefore(end) - fours);
      });
}

void ListTextures::writeCells(const TileLists& lists, const lidar::Workers& workers) {
  const int end = lists.made();
  cells_.fill<std::uint8_t>(
      TileLists::kFour * lists.foursBefore(end), GL_R32UI, [&](std::uint8_t* to) {
        forParts(workers, lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
          std::copy(part.cells.begin(), part.cells.end(),
                    to + TileLists::kFour * part.fours_before);
        });
      });
}

void ListTextures::writeSources(const TileLists& lists, const lidar::Workers& workers) {
  const int end = lists.made();
  sources_.fill<std::uint32_t>(lists.surfelsBefore(end), GL_R32UI, [&](std::uint32_t* to) {
    forParts(workers, lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
      const std::uint32_t* sources = part.field(PlacedSurfels::kNumber);
      const auto before = static_cast<std::uint32_t>(part.leaves_before) << 4;
      std::transform(sources, sources + part.surfelCount(), to + part.surfels_before,
                     [&](std::uint32_t source) { return source + before; });
    });
  });
  leaves_.fill<LeafRecord>(lists.leavesBefore(end), GL_RGBA32UI, [&](LeafRecord* to) {
    forParts(workers, lists, 0, end, [&](const TileLists::Strip&, const TileLists::Part& part) {
      std::copy(part.leaves().begin(), part.leaves().end(), to + part.leaves_before);
    });
  });
}

void ListTextures::bind() const {
  surfels_.bind(ProjectVariant::kSurfels);
  lists_.bind(ProjectVariant::kLists);
  begins_.bind(ProjectVariant::kBegins);
  shares_.bind(ProjectVariant::kShares);
  sources_.bind(ProjectVariant::kSources);
  leaves_.bind(ProjectVariant::kLeaves);
  cells_.bind(ProjectVariant::kCellMasks);
}

}  // namespace marsim::lidar_gl
