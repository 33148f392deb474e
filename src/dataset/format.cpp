// SPDX-License-Identifier: BSD-3-Clause
#include "dataset/format.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/text.hpp"
#include "dataset/bag_library.hpp"
#include "dataset/image_stream.hpp"
#include "marsim/common/error.hpp"

namespace marsim::dataset {
namespace {

/// A format and the streams it can hold.
struct Layout {
  const char* name;
  bool holds_scans, has_axes_of_its_own;
  bool needs_frames;  ///< it needs scans or images
  bool has_stamps;    ///< of day, else times since the start
  bool (*holdsImages)(const Sensors& sensors, const ImageStream& stream);
  std::unique_ptr<Writer> (*make)(const Destination& to);
};

bool all(const Sensors& /*sensors*/, const ImageStream& /*stream*/) { return true; }
bool none(const Sensors& /*sensors*/, const ImageStream& /*stream*/) { return false; }

constexpr char kAslByItsDataSet[] = "euroc";

// In the order of the enumeration.
constexpr Layout kLayouts[] = {{"tum", false, false, false, true, tumHolds, makeTumWriter},
                               {"asl", true, false, false, true, all, makeAslWriter},
                               {"kitti", true, true, true, false, kittiHolds, makeKittiWriter},
                               {"pcd", true, false, true, true, none, makePcdWriter},
                               {"rosbag", true, true, false, true, all, makeBagWriter},
                               {"mcap", true, true, false, true, all, makeMcapWriter}};

/// Hands samples to another writer with the epoch added to their times.
class DatedWriter final : public Writer {
 public:
  DatedWriter(std::unique_ptr<Writer> writer, TimeNs epoch)
      : writer_(std::move(writer)), epoch_(epoch) {}

  void addTruth(const Truth& truth) override {
    Truth dated = truth;
    dated.state.stamp += epoch_;
    writer_->addTruth(dated);
  }
  void addImu(const vehicle::ImuSample& sample) override {
    vehicle::ImuSample dated = sample;
    dated.stamp += epoch_;
    writer_->addImu(dated);
  }
  void addScan(const lidar::Scan& scan) override {
    lidar::Scan dated = scan;
    dated.stamp += epoch_;
    dated.end += epoch_;
    writer_->addScan(dated);
  }
  void addImage(const Image& image) override {
    Image dated = image;
    dated.stamp += epoch_;
    writer_->addImage(dated);
  }
  bool needsMisses() const override { return writer_->needsMisses(); }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<Writer> writer_;
  TimeNs epoch_;
};

const Layout& layoutOf(Format format) { return kLayouts[static_cast<std::size_t>(format)]; }

template <class Holds>
std::vector<std::string> namesWhere(const Holds& holds) {
  std::vector<std::string> names;
  for (const Layout& layout : kLayouts) {
    if (holds(layout)) names.emplace_back(layout.name);
  }
  return names;
}

/// Whether one of the formats can hold a stream.
template <class Holds>
bool anyOf(const std::vector<Format>& formats, const Holds& holds) {
  return std::any_of(formats.begin(), formats.end(),
                     [&holds](Format format) { return holds(layoutOf(format)); });
}

std::string quoted(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(nameOf(format));
  return "'" + join(names, ",") + "'";
}

}  // namespace

const char* nameOf(Format format) { return layoutOf(format).name; }

std::unique_ptr<Writer> makeWriter(Format format, const Destination& to) {
  constexpr TimeNs kLastOfMcap = 2'147'397'247;  // [s] a day before int32 ends
  if (format == Format::kMcap && to.epoch > kLastOfMcap * kNsPerSecond) {
    throw ConfigError("mcap", "epoch", fmt::format("{} s", to.epoch / kNsPerSecond),
                      fmt::format("at most {} s: stamps of ROS 2 end in 2038", kLastOfMcap));
  }
  std::unique_ptr<Writer> writer = layoutOf(format).make(to);
  if (!layoutOf(format).has_stamps) return writer;
  return std::make_unique<DatedWriter>(std::move(writer), to.epoch);
}

std::vector<Format> formatsOf(const std::string& words, const std::string& where,
                              const std::string& field) {
  std::vector<Format> formats;
  const std::vector<std::string> known = namesWhere([](const Layout&) { return true; });
  for (const std::string& part : split(words, ',')) {
    std::string word(trimmed(part));
    if (word == kAslByItsDataSet) word = nameOf(Format::kAsl);
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

bool takesAxes(const std::vector<Format>& formats) {
  return anyOf(formats, [](const Layout& layout) { return !layout.has_axes_of_its_own; });
}

void requireCarried(const std::vector<Format>& formats, const Sensors& sensors, Axes axes,
                    const Asked& asked) {
  const Validator validator(asked.where);
  if (std::find(formats.begin(), formats.end(), Format::kRosbag) != formats.end()) {
    const std::string problem = whyNoBags();
    validator.require(problem.empty(), asked.formats, quoted(formats),
                      fmt::format("no rosbag in this build, which has no ROS or no "
                                  "librosbag-storage-dev ({})",
                                  problem));
  }
  const std::vector<ImageStream> streams = imageStreams(sensors);
  const auto holds_scans = [](const Layout& layout) { return layout.holds_scans; };
  if (sensors.lidar) {
    validator.require(
        anyOf(formats, holds_scans), asked.formats, quoted(formats),
        fmt::format("one that holds the LiDAR's scans beside it ({}), or no LiDAR: none",
                    join(namesWhere(holds_scans))));
  }
  const auto has_something = [&](const Layout& layout) {
    const auto holds = [&](const ImageStream& stream) {
      return layout.holdsImages(sensors, stream);
    };
    return sensors.lidar || !layout.needs_frames ||
           std::any_of(streams.begin(), streams.end(), holds);
  };
  for (const Format format : formats) {
    validator.require(has_something(layoutOf(format)), asked.formats, quoted(formats),
                      fmt::format("without a LiDAR {} only", join(namesWhere(has_something))));
  }
  for (const ImageStream& stream : streams) {
    const auto holds = [&](const Layout& layout) { return layout.holdsImages(sensors, stream); };
    validator.require(anyOf(formats, holds), asked.formats, quoted(formats),
                      fmt::format("one that holds the images of {} ({}) beside it ({})",
                                  stream.name, stream.topic, join(namesWhere(holds))));
  }
  if (axes == Axes::kNed) {
    validator.require(takesAxes(formats), asked.frame, "'ned'",
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
