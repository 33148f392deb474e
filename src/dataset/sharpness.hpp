#pragma once

#include <cstdint>
#include <vector>

namespace marsim::dataset {

/// What there is to be tracked in an image, of means of 2 x 2 pixels, which noise shows less in.
struct Look {
  double contrast = 0.0;  ///< [grey levels] standard deviation
  /// [grey levels^2] variance of the Laplacian (Pech-Pacheco et al., ICPR 2000): small where the
  /// image is blurred, or has no edges.
  double sharpness = 0.0;
};
/// Of an image of so many bytes a pixel; of three the middle one counts, green.
Look lookOf(const std::vector<std::uint8_t>& pixels, int width, int bytes);

}  // namespace marsim::dataset
