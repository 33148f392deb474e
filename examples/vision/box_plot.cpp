// SPDX-License-Identifier: BSD-3-Clause
#include "box_plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <opencv2/imgproc.hpp>

namespace vision {
namespace {

// An axis of errors [m], logarithmic, in pixels.
constexpr int kAxis = 170, kAxisLength = 420, kTop = 50, kRowHeight = 44, kBelow = 40;
constexpr double kLeastError = 1e-4, kDecades = 4.0;
int pixelOf(double error) {
  const double decades = std::log10(std::max(error, kLeastError) / kLeastError);
  return kAxis + cvRound(kAxisLength * std::min(decades / kDecades, 1.0));
}

double quantileOf(std::vector<double> values, double share) {
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

void drawBox(cv::Mat& panel, int y, const std::vector<double>& errors, const cv::Scalar& colour) {
  if (errors.empty()) return;
  const auto at = [&](double share, int dy) {
    return cv::Point(pixelOf(quantileOf(errors, share)), y + dy);
  };
  cv::line(panel, at(0.05, 0), at(0.95, 0), {60, 60, 60}, 1);
  cv::rectangle(panel, at(0.25, -6), at(0.75, 6), colour, cv::FILLED);
  cv::line(panel, at(0.5, -7), at(0.5, 7), {0, 0, 0}, 2);
}

void drawPanel(cv::Mat panel, const std::string& title, const std::vector<Errors>& rows) {
  const cv::Scalar ink(30, 30, 30), grid(215, 215, 215), grey(170, 170, 170), green(90, 190, 110);
  const auto text = [&](const std::string& words, int x, int y) {
    cv::putText(panel, words, {x, y}, cv::FONT_HERSHEY_SIMPLEX, 0.45, ink, 1, cv::LINE_AA);
  };
  text(title, 12, 24);
  const int bottom = panel.rows - kBelow;
  const std::vector<std::pair<double, std::string>> marks = {
      {1e-4, "0.1 mm"}, {1e-3, "1 mm"}, {1e-2, "1 cm"}, {1e-1, "10 cm"}, {1.0, "1 m"}};
  for (const auto& [error, label] : marks) {
    cv::line(panel, {pixelOf(error), kTop - 10}, {pixelOf(error), bottom}, grid, 1);
    text(label, pixelOf(error) - 22, bottom + 20);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int y = kTop + kRowHeight * static_cast<int>(i) + kRowHeight / 2;
    text(rows[i].name, 12, y + 4);
    drawBox(panel, y - 9, rows[i].without, grey);
    drawBox(panel, y + 9, rows[i].with_removal, green);
  }
}

}  // namespace

cv::Mat boxPlots(const std::vector<Errors>& absolute, const std::vector<Errors>& relative) {
  const int width = kAxis + kAxisLength + 40;
  const int height = kTop + kRowHeight * static_cast<int>(absolute.size()) + kBelow;
  cv::Mat picture(height, 2 * width, CV_8UC3, cv::Scalar(255, 255, 255));
  drawPanel(picture.colRange(0, width), "Absolute errors (grey: all points, green: static ones)",
            absolute);
  drawPanel(picture.colRange(width, 2 * width), "Relative errors over 1 s", relative);
  return picture;
}

}  // namespace vision
