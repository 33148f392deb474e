// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "common/bounds.hpp"
#include "common/output_file.hpp"
#include "common/text.hpp"
#include "map_tools/paint.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/map/map_commands.hpp"
#include "tools/map/map_window.hpp"
#include "tools/process/command_line.hpp"

namespace marsim::tools {
namespace {

constexpr Bounds kThicknesses{0.0, 1000.0};  // [m] of a slice

/// The command line of `marsim map view`.
struct ViewOptions {
  std::string name, out, colour = "auto", slice;
  std::optional<double> below;  ///< [m] points above are left out
  double thickness = 0.0;       ///< [m] of the slice; 0: a fiftieth of the map's extent across it
  bool window = false;
  viz::PictureConfig picture;
};

/// Points of a slab normal to an axis.
map::PointCloud between(const map::PointCloud& cloud, int axis, double low, double high) {
  std::vector<std::uint32_t> inside;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const auto coordinate = static_cast<double>(cloud.points[i][axis]);
    if (coordinate >= low && coordinate <= high) inside.push_back(static_cast<std::uint32_t>(i));
  }
  return map::selectPoints(cloud, inside);
}

/// Points near a plane normal to an axis.
struct Slice {
  int axis;
  double at;  ///< [m]
};

/// A picture to be written.
struct Picture {
  viz::Viewpoint view;
  std::filesystem::path path;
};

// hall.png -> hall_top.png
std::filesystem::path withSide(const std::filesystem::path& out, const char* side) {
  return out.parent_path() / (out.stem().string() + "_" + side + out.extension().string());
}

Slice sliceOf(const std::string& text) {
  const std::size_t axis =
      text.size() > 2 && text[1] == '=' ? std::string("xyz").find(text[0]) : std::string::npos;
  if (axis == std::string::npos) {
    throw ConfigError("command line", "--slice", fmt::format("'{}'", text),
                      "x=, y= or z= and metres, as z=1.2");
  }
  return {static_cast<int>(axis),
          parseOption("--slice", text.substr(2), Quantity::kLength, kPlaces)};
}

map::PointCloud cut(const map::PointCloud& cloud, const Slice& slice, double thickness) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  if (thickness == 0.0) thickness = 0.02 * static_cast<double>(box.sizes()[slice.axis]);
  map::PointCloud inside =
      between(cloud, slice.axis, slice.at - 0.5 * thickness, slice.at + 0.5 * thickness);
  if (inside.empty()) {
    throw ConfigError("command line", "--slice", fmt::format("{:g} m", slice.at),
                      fmt::format("within the map's {:.2f} to {:.2f} m",
                                  static_cast<double>(box.min()[slice.axis]),
                                  static_cast<double>(box.max()[slice.axis])));
  }
  return inside;
}

std::vector<Picture> picturesOf(const ViewOptions& options, const std::optional<Slice>& slice) {
  const std::filesystem::path out = options.out;
  if (slice) {
    constexpr std::array<viz::Viewpoint, 3> kAlong = {viz::Viewpoint::kFront, viz::Viewpoint::kSide,
                                                      viz::Viewpoint::kTop};
    return {{kAlong[static_cast<std::size_t>(slice->axis)], out}};
  }
  return {{viz::Viewpoint::kTop, withSide(out, "top")},
          {viz::Viewpoint::kSide, withSide(out, "side")},
          {viz::Viewpoint::kOblique, withSide(out, "oblique")}};
}

int showWindow(const ViewOptions& options) {
  requireWindows();
  const std::filesystem::path path = config::resolveMap(options.name);
  Progress progress("view");
  const map::PointCloud cloud = map::loadCloud(path, progress).cloud;
  progress.finish();
  showInWindow(cloud, map_tools::paintOf(options.colour),
               std::filesystem::path(options.name).stem().string());
  return 0;
}

int drawPictures(const ViewOptions& options) {
  requireExtension(options.out, {".png"});
  const map_tools::Paint paint = map_tools::paintOf(options.colour);
  std::optional<Slice> slice;
  if (!options.slice.empty()) slice = sliceOf(options.slice);
  const std::vector<Picture> pictures = picturesOf(options, slice);
  for (const Picture& picture : pictures) requireWritable(picture.path);
  Progress progress("view");
  const std::filesystem::path path = config::resolveMap(options.name);
  map::PointCloud cloud = map::loadCloud(path, progress).cloud;
  viz::FlightScene scene;
  scene.title = clipped(std::filesystem::path(options.name).stem().string());
  if (options.below) {
    cloud = between(cloud, 2, -kFarthestPlace, *options.below);
    if (cloud.empty()) {
      throw ConfigError("command line", "--below", fmt::format("{:g} m", *options.below),
                        "above the map's lowest point");
    }
  }
  if (slice) {
    cloud = cut(cloud, *slice, options.thickness);
    scene.title += ", slice at " + options.slice + " m";
  }
  scene.map = &cloud;
  scene.map_colours = map_tools::coloursOf(cloud, paint, progress);
  progress.phase("drawing", pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    viz::drawFlight(scene, pictures[i].view, options.picture, pictures[i].path);
    progress.update(i + 1);
  }
  progress.finish();
  for (const Picture& picture : pictures) printLine("written", picture.path.string());
  return 0;
}

int runView(const ViewOptions& options) {
  if (options.out.empty() && !options.window) {
    throw ConfigError("command line", "--out", "absent", "hall.png, or --window in its place");
  }
  const int code = options.out.empty() ? 0 : drawPictures(options);
  return options.window ? showWindow(options) : code;
}

}  // namespace

MapCommand addMapView(CommandLine& line) {
  const auto options = std::make_shared<ViewOptions>();
  CommandLine sub = line.subcommand(
      "view", "Draws a map from above, from the side and obliquely, or shows it in a window");
  addMapName(sub, options->name);
  sub.option("--out", options->out, kOutput,
             "hall.png writes hall_top.png, hall_side.png, hall_oblique.png; a slice hall.png");
  sub.option("--colour", options->colour, kWord,
             "auto (the map's own, else height), height, rgb, intensity, class, normal");
  sub.option("--slice", options->slice, {"NUMBERS:z=metres"},
             "x=, y= or z= and metres: only points near that plane");
  sub.option("--below", options->below, number(Quantity::kLength, kPlaces),
             "[m] leaves out what is above: roofs and ceilings");
  sub.option("--thickness", options->thickness, number(Quantity::kLength, kThicknesses),
             "[m] of the slice; 0: a fiftieth of the map's extent");
  sub.flag("--window", options->window,
           "shows the points in a window: the left button orbits, the right one moves, the "
           "wheel zooms, keys 1 to 5 colour, Esc ends");
  sub.option("--width", options->picture.width, whole(viz::PictureConfig::kWidths), "[px]");
  sub.option("--height", options->picture.height, whole(viz::PictureConfig::kHeights), "[px]");
  return {sub, [options] { return runView(*options); }};
}

}  // namespace marsim::tools
