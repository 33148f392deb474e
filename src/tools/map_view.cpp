#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/text.hpp"
#include "marsim/config/load.hpp"
#include "marsim/map/cloud_io.hpp"
#include "marsim/viz/picture.hpp"
#include "tools/map_commands.hpp"

namespace marsim::tools {
namespace {

/// The command line of `marsim map view`.
struct ViewOptions {
  std::string name, out;
  viz::PictureConfig picture;
};

// hall.png -> hall_top.png
std::filesystem::path withSide(const std::filesystem::path& out, const char* side) {
  return out.parent_path() / (out.stem().string() + "_" + side + out.extension().string());
}

int runView(const ViewOptions& options) {
  requireExtension(options.out, {".png"});
  options.picture.validate("command line");
  const std::array<std::pair<viz::View, const char*>, 3> sides{
      {{viz::View::kTop, "top"}, {viz::View::kSide, "side"}, {viz::View::kOblique, "oblique"}}};
  for (const auto& [view, side] : sides) requireWritable(withSide(options.out, side));
  Progress progress("view");
  const std::filesystem::path path = config::resolveMap(options.name);
  const map::LoadedCloud loaded = map::loadCloud(path, progress);
  viz::FlightScene scene;
  scene.map = &loaded.cloud;
  scene.title = clipped(path.filename().string());
  progress.phase("drawing", sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    viz::drawFlight(scene, sides[i].first, options.picture, withSide(options.out, sides[i].second));
    progress.update(i + 1);
  }
  progress.finish();
  for (const auto& [view, side] : sides) {
    printLine("written", withSide(options.out, side).string());
  }
  return 0;
}

}  // namespace

MapCommand addMapView(CLI::App& app) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* sub = app.add_subcommand("view", "Draws a map from above, from the side and obliquely");
  sub->add_option("map", options->name, "forest, building or a PCD, PLY or place file")->required();
  sub->add_option("--out", options->out,
                  "hall.png writes hall_top.png, hall_side.png, hall_oblique.png")
      ->required();
  sub->add_option("--width", options->picture.width, "[px]")->capture_default_str();
  sub->add_option("--height", options->picture.height, "[px]")->capture_default_str();
  return {sub, [options] { return runView(*options); }};
}

}  // namespace marsim::tools
