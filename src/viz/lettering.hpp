// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <cairo.h>

#include "viz/palette.hpp"

/// Colours and text on a cairo context.
namespace marsim::viz {

inline void setColour(cairo_t* context, const Rgb& colour, double alpha = 1.0) {
  cairo_set_source_rgba(context, colour.r, colour.g, colour.b, alpha);
}

inline void setFont(cairo_t* context, double size, bool bold = false) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, size);
}

inline double textWidth(cairo_t* context, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  return extents.x_advance;
}

/// Left end and middle height of the text at (x, y).
inline void showText(cairo_t* context, double x, double y, const std::string& text) {
  cairo_font_extents_t font;
  cairo_font_extents(context, &font);
  cairo_move_to(context, x, y + 0.5 * (font.ascent - font.descent));
  cairo_show_text(context, text.c_str());
}

inline void showCentred(cairo_t* context, double x, double y, const std::string& text) {
  showText(context, x - 0.5 * textWidth(context, text), y, text);
}

}  // namespace marsim::viz
