// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace marsim::dataset {

/// Trackable content of an image, from means of 2 x 2 pixels, which have less noise.
struct Look {
  double contrast = 0.0;  ///< [grey levels] standard deviation
  /// [grey levels^2] variance of the Laplacian (Pech-Pacheco et al., ICPR 2000): small if the image
  /// is blurred or has no edges.
  double sharpness = 0.0;
};
/// From an image with so many bytes a pixel; for three, from the middle one, green.
Look lookOf(const std::vector<std::uint8_t>& pixels, int width, int bytes);

}  // namespace marsim::dataset
