// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace marsim::suite {

/// Returns page.html with its data: one HTML file that needs no network and nothing beside it but
/// the pictures that the data name. Its script draws a suite, or a data set where the data have the
/// key "quality". Texts of the data may hold any bytes.
std::string htmlPage(const nlohmann::ordered_json& data);

}  // namespace marsim::suite
