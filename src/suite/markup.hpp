// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

/// Users' text for HTML and XML.
namespace marsim::suite {

/// The text with invalid UTF-8 and control characters except tab and line feed replaced by '?'.
/// Terminal escape sequences lose their first character only.
std::string cleaned(std::string_view text);

/// A text with & < > " ' as entities: fit for content and for attributes.
std::string escaped(std::string_view text);

}  // namespace marsim::suite
