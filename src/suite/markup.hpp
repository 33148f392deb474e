#pragma once

#include <string>
#include <string_view>

/// Text of users fit for HTML and XML.
namespace marsim::suite {

/// The text with everything that is no UTF-8, and control characters but tab and line feed,
/// replaced by '?'. Escape sequences of terminals lose their first character only.
std::string cleaned(std::string_view text);

/// A text with & < > " ' as entities: fit for content and for attributes.
std::string escaped(std::string_view text);

}  // namespace marsim::suite
