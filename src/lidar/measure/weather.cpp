// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar/weather.hpp"

#include <cmath>

namespace marsim::lidar {
namespace {

const double kLn20 = std::log(20.0);
constexpr double kDecibelsPerKm = 4342.9;  // equal to 1/m
constexpr double kWavelengths = 905.0 / 550.0;
constexpr Bounds kVisibilities{1.0, 1e5};  // [m]

// Kruse, McGlauchlin and McQuistan, Elements of Infrared Technology, 1962; visibility in km.
double kruseExponent(double visibility) {
  return visibility > 50.0 ? 1.6 : visibility > 6.0 ? 1.3 : 0.585 * std::cbrt(visibility);
}

// Kim, McArthur and Korevaar, Proc. SPIE 4214, 2001.
double kimExponent(double visibility) {
  return visibility > 6.0   ? kruseExponent(visibility)
         : visibility > 1.0 ? 0.16 * visibility + 0.34
         : visibility > 0.5 ? visibility - 0.5
                            : 0.0;
}

}  // namespace

// Geometric optics: particles remove twice the light that meets them, so that the integral over
// their sizes is pi N0 / slope^3 [mm^2/m^3].
double extinctionOf(const Rain& rain) {
  switch (rain.model) {
    case Rain::Model::kMarshallPalmer:
      return 3.65e-4 * std::pow(rain.rate, 0.63);
    case Rain::Model::kCarbonneau:
      return 1.076 * std::pow(rain.rate, 0.67) / kDecibelsPerKm;
    case Rain::Model::kGoodin:
      return 0.01 * std::pow(rain.rate, 0.6);
  }
  return 0.0;
}

double extinctionOf(const Fog& fog) {
  if (fog.model == Fog::Model::kKoschmieder) return kLn20 / fog.visibility;
  const double visibility = 1e-3 * fog.visibility;
  const double exponent =
      fog.model == Fog::Model::kKruse ? kruseExponent(visibility) : kimExponent(visibility);
  return 17.334 / visibility * std::pow(kWavelengths, -exponent) / kDecibelsPerKm;
}

double extinctionOf(const Snow& snow) {
  switch (snow.model) {
    case Snow::Model::kGunnMarshall:
      return 1.44e-3 * std::pow(snow.rate, 0.57);
    case Snow::Model::kDry:
      return 5.545 * std::pow(snow.rate, 1.38) / kDecibelsPerKm;
    case Snow::Model::kWet:
      return 3.878 * std::pow(snow.rate, 0.72) / kDecibelsPerKm;
  }
  return 0.0;
}

double extinctionOf(const Dust& dust) { return dust.extinction.value_or(kLn20 / *dust.visibility); }

double Weather::extinction() const {
  return (rain ? extinctionOf(*rain) : 0.0) + (fog ? extinctionOf(*fog) : 0.0) +
         (snow ? extinctionOf(*snow) : 0.0) + (dust ? extinctionOf(*dust) : 0.0);
}

void Rain::declare(Settings& settings) {
  settings.required("rate", rate, "mm/h", {0.0, 300.0, true});
  settings.optional("model", model,
                    {{"marshall_palmer", Model::kMarshallPalmer},
                     {"carbonneau", Model::kCarbonneau},
                     {"goodin", Model::kGoodin}});
}

void Fog::declare(Settings& settings) {
  settings.required("visibility", visibility, "m", kVisibilities);
  settings.optional(
      "model", model,
      {{"koschmieder", Model::kKoschmieder}, {"kruse", Model::kKruse}, {"kim", Model::kKim}});
  settings.optional("backscatter", backscatter, "1/sr", kShare);
}

void Snow::declare(Settings& settings) {
  settings.required("rate", rate, "mm/h", {0.0, 30.0, true});
  settings.optional(
      "model", model,
      {{"gunn_marshall", Model::kGunnMarshall}, {"dry", Model::kDry}, {"wet", Model::kWet}});
  settings.optional("reflectivity", reflectivity, "", kShare);
}

void Dust::declare(Settings& settings) {
  settings.optional("visibility", visibility, "m", kVisibilities);
  settings.optional("extinction", extinction, "1/m", {0.0, 3.0});
  settings.optional("backscatter", backscatter, "1/sr", kShare);
}

void Weather::declare(Settings& settings) {
  settings.optional("rain", rain);
  settings.optional("fog", fog);
  settings.optional("snow", snow);
  settings.optional("dust", dust);
  settings.optional("wet_ground", wet_ground);
  if (dust && dust->visibility.has_value() == dust->extinction.has_value()) {
    settings.fail("dust", dust->visibility ? "given by visibility and extinction" : "empty",
                  "visibility or extinction");
  }
}

}  // namespace marsim::lidar
