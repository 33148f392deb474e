#include "marsim/lidar/weather.hpp"

#include <cmath>

#include <fmt/format.h>

#include "marsim/common/error.hpp"

namespace marsim::lidar {
namespace {

const double kLn20 = std::log(20.0);
constexpr double kDecibelsPerKm = 4342.9;  // equal to 1/m
constexpr double kWavelengths = 905.0 / 550.0;

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

void Weather::validate(const std::string& where) const {
  const Validator check(where);
  const auto isRate = [&](const char* field, double rate, double most) {
    check.require(rate > 0.0 && rate <= most, field, fmt::format("{} mm/h", rate),
                  fmt::format("more than 0 mm/h, up to {}", most));
  };
  const auto isVisibility = [&](const char* field, double visibility) {
    check.within(field, visibility, 1.0, 1e5, "m");
  };
  if (rain) isRate("rain.rate", rain->rate, 300.0);
  if (snow) {
    isRate("snow.rate", snow->rate, 30.0);
    check.within("snow.reflectivity", snow->reflectivity, 0.0, 1.0);
  }
  if (fog) {
    isVisibility("fog.visibility", fog->visibility);
    check.within("fog.backscatter", fog->backscatter, 0.0, 1.0, "1/sr");
  }
  if (!dust) return;
  check.require(dust->visibility.has_value() != dust->extinction.has_value(), "dust",
                dust->visibility ? "given by visibility and extinction" : "empty",
                "visibility or extinction");
  if (dust->visibility) isVisibility("dust.visibility", *dust->visibility);
  if (dust->extinction) check.within("dust.extinction", *dust->extinction, 0.0, 3.0, "1/m");
  check.within("dust.backscatter", dust->backscatter, 0.0, 1.0, "1/sr");
}

const std::vector<std::pair<std::string, Rain::Model>>& rainModels() {
  static const std::vector<std::pair<std::string, Rain::Model>> models = {
      {"marshall_palmer", Rain::Model::kMarshallPalmer},
      {"carbonneau", Rain::Model::kCarbonneau},
      {"goodin", Rain::Model::kGoodin}};
  return models;
}

const std::vector<std::pair<std::string, Fog::Model>>& fogModels() {
  static const std::vector<std::pair<std::string, Fog::Model>> models = {
      {"koschmieder", Fog::Model::kKoschmieder},
      {"kruse", Fog::Model::kKruse},
      {"kim", Fog::Model::kKim}};
  return models;
}

const std::vector<std::pair<std::string, Snow::Model>>& snowModels() {
  static const std::vector<std::pair<std::string, Snow::Model>> models = {
      {"gunn_marshall", Snow::Model::kGunnMarshall},
      {"dry", Snow::Model::kDry},
      {"wet", Snow::Model::kWet}};
  return models;
}

}  // namespace marsim::lidar
