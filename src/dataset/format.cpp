#include "dataset/format.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/text.hpp"
#include "dataset/bag_library.hpp"
#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

/// A format with what it has room for.
struct Layout {
  const char* name;
  bool holds_scans, needs_scans, holds_images, has_axes_of_its_own;
  std::unique_ptr<Writer> (*make)(const Destination& to);
};

// In the order of the enumeration.
constexpr Layout kLayouts[] = {{"tum", false, false, true, false, makeTumWriter},
                               {"asl", true, false, true, false, makeAslWriter},
                               {"kitti", true, true, false, true, makeKittiWriter},
                               {"pcd", true, true, false, false, makePcdWriter},
                               {"rosbag", true, false, true, true, makeBagWriter},
                               {"mcap", true, false, true, true, makeMcapWriter}};

const Layout& layoutOf(Format format) { return kLayouts[static_cast<std::size_t>(format)]; }

std::vector<std::string> namesWhere(bool (*holds)(const Layout&)) {
  std::vector<std::string> names;
  for (const Layout& layout : kLayouts) {
    if (holds(layout)) names.emplace_back(layout.name);
  }
  return names;
}

std::string quoted(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(nameOf(format));
  return "'" + join(names, ",") + "'";
}

}  // namespace

const char* nameOf(Format format) { return layoutOf(format).name; }

std::unique_ptr<Writer> makeWriter(Format format, const Destination& to) {
  return layoutOf(format).make(to);
}

std::vector<Format> formatsOf(const std::string& words, const std::string& where,
                              const std::string& field) {
  std::vector<Format> formats;
  const std::vector<std::string> known = namesWhere([](const Layout&) { return true; });
  for (const std::string& part : split(words, ',')) {
    const std::string word(trimmed(part));
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) throw UnknownNameError(where, field, word, known);
    formats.push_back(static_cast<Format>(found - known.begin()));
  }
  std::sort(formats.begin(), formats.end());
  const auto twice = std::adjacent_find(formats.begin(), formats.end());
  Validator(where).require(twice == formats.end(), field, fmt::format("'{}'", clipped(words)),
                           "each format once");
  return formats;
}

void requireCarried(const std::vector<Format>& formats, const Sensors& sensors, Axes axes,
                    const std::string& where) {
  const Validator validator(where);
  const auto any = [&formats](bool (*holds)(const Layout&)) {
    return std::any_of(formats.begin(), formats.end(),
                       [holds](Format format) { return holds(layoutOf(format)); });
  };
  if (std::find(formats.begin(), formats.end(), Format::kRosbag) != formats.end()) {
    const std::string problem = whyNoBags();
    validator.require(problem.empty(), "--format", quoted(formats),
                      fmt::format("no rosbag in this build, which has no ROS or no "
                                  "librosbag-storage-dev ({})",
                                  problem));
  }
  const auto holds_scans = [](const Layout& layout) { return layout.holds_scans; };
  if (sensors.lidar) {
    validator.require(any(holds_scans), "--format", quoted(formats),
                      fmt::format("one that holds the LiDAR's scans beside it ({}), or "
                                  "'--lidar none'",
                                  join(namesWhere(holds_scans))));
  } else {
    validator.require(!any([](const Layout& layout) { return layout.needs_scans; }), "--format",
                      quoted(formats), "without a LiDAR tum, asl, rosbag and mcap only");
  }
  const auto holds_images = [](const Layout& layout) { return layout.holds_images; };
  validator.require(sensors.images.empty() || any(holds_images), "--format", quoted(formats),
                    fmt::format("one that holds images beside it ({}), or 'depth:=none'",
                                join(namesWhere(holds_images))));
  if (axes == Axes::kNed) {
    const auto takes_axes = [](const Layout& layout) { return !layout.has_axes_of_its_own; };
    validator.require(any(takes_axes), "--frame", "'ned'",
                      fmt::format("enu: {} has axes of its own", quoted(formats)));
  }
}

Axes axesOf(const std::string& word, const std::string& where, const std::string& field) {
  if (word == "enu") return Axes::kEnu;
  Validator(where).require(word == "ned", field, fmt::format("'{}'", clipped(word)), "enu, ned");
  return Axes::kNed;
}

const char* nameOf(Axes axes) { return axes == Axes::kEnu ? "enu" : "ned"; }

}  // namespace marsim::dataset
