// SPDX-License-Identifier: BSD-3-Clause
#include "suite/page.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "suite/page_html.hpp"

namespace marsim::suite {

std::string htmlPage(const nlohmann::ordered_json& data) {
  constexpr std::string_view kPlace = "@DATA@", kPage = kPageHtml;
  constexpr std::size_t kAt = kPage.find(kPlace);
  const std::string json =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string page(kPage.substr(0, kAt));
  for (const char letter : json) {
    if (letter == '&') {
      page += "&amp;";
    } else if (letter == '<') {
      page += "&lt;";
    } else {
      page += letter;
    }
  }
  return page.append(kPage.substr(kAt + kPlace.size()));
}

}  // namespace marsim::suite
