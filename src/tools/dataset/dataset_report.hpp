// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dataset/quality.hpp"

/// Reports on a data set's quality, for programs and for people.
namespace marsim::tools {

/// Streams with their intervals, motion, IMU, scans and coverage.
nlohmann::ordered_json qualityJson(const dataset::QualityMeter& quality);

/// The report as an HTML file that needs only the preview*.png beside it, and no network. `title`
/// and `about` are any texts.
std::string qualityHtml(const dataset::QualityMeter& quality, const std::string& title,
                        const std::string& about);

}  // namespace marsim::tools
