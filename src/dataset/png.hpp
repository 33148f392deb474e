#pragma once

#include <string>
#include <vector>

namespace marsim::dataset {

/// A depth image as a PNG file of 16-bit grey: whole steps, of which `steps_a_metre` make a metre,
/// 0 where nothing was measured or it does not fit. Rows of `width` from the top.
std::string depthPng(const std::vector<float>& depth, int width, double steps_a_metre);

}  // namespace marsim::dataset
