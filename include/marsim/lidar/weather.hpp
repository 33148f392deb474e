// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marsim/common/settings.hpp"

namespace marsim::lidar {

/// Rain. Drops are of Marshall and Palmer's sizes (J. Meteorology 5, 1948): 8000 exp(-4.1 R^-0.21
/// D) a cubic metre and millimetre of diameter D, R in mm/h.
struct Rain {
  /// Model of the light lost on the way, for pulses of 905 nm.
  enum class Model {
    kMarshallPalmer,  ///< "marshall_palmer": geometric optics of those drops
    kCarbonneau,      ///< "carbonneau": 1.076 R^0.67 dB/km (Al Naboulsi et al., 2005)
    kGoodin,  ///< "goodin": Goodin et al., Electronics 2019, 8(1):89, some 30 times as much; noise
              ///< of ranges in place of echoes of drops
  };
  double rate = 0.0;  ///< [mm/h] R, above 0
  Model model = Model::kMarshallPalmer;
  void declare(Settings& settings);
};

/// Fog.
struct Fog {
  enum class Model {
    kKoschmieder,  ///< "koschmieder": ln 20 / visibility, at all wavelengths
    kKruse,        ///< "kruse": falls with the wavelength, here 905 nm
    kKim,          ///< "kim": as Kruse, less so below 6 km and not at all below 0.5 km
  };
  double visibility = 0.0;  ///< [m] at which 5 % of the contrast is left, above 0
  Model model = Model::kKoschmieder;
  double backscatter = 0.046;  ///< [1/sr] backscatter coefficient by ln 20 / extinction
  void declare(Settings& settings);
};

/// Snow. Flakes are of Gunn and Marshall's sizes (J. Meteorology 15, 1958): 7600 S^-0.87
/// exp(-2.55 S^-0.48 D) a cubic metre and millimetre of melted diameter D, S in mm/h of water.
struct Snow {
  /// Model of the light lost on the way, for pulses of 905 nm.
  enum class Model {
    kGunnMarshall,  ///< "gunn_marshall": geometric optics of those flakes
    kDry,           ///< "dry": 5.545 S^1.38 dB/km (ITU-R P.1817)
    kWet,           ///< "wet": 3.878 S^0.72 dB/km (ITU-R P.1817)
  };
  double rate = 0.0;  ///< [mm/h] S, above 0
  Model model = Model::kGunnMarshall;
  double reflectivity = 0.9;  ///< of a flake, as Hahner et al. (CVPR 2022)
  void declare(Settings& settings);
};

/// Dust. No figures for pulses of 905 nm were found: the user gives visibility or extinction.
struct Dust {
  std::optional<double> visibility;  ///< [m] extinction is ln 20 / visibility
  std::optional<double> extinction;  ///< [1/m] in place of it
  double backscatter = 0.046;        ///< [1/sr] as Fog::backscatter
  void declare(Settings& settings);
};

/// The content of the air between a sensor and surfaces, the same everywhere.
struct Weather {
  std::optional<Rain> rain;
  std::optional<Fog> fog;
  std::optional<Snow> snow;
  std::optional<Dust> dust;
  bool wet_ground = false;  ///< surfaces of the map that face the sky have a film of water

  bool any() const { return rain || fog || snow || dust || wet_ground; }
  /// Extinction a [1/m], the sum: exp(-2 a R) of an echo's light is left.
  double extinction() const;
  void declare(Settings& settings);
  void validate(const std::string& where) const { checkSettings(where, *this); }
};

/// Extinction [1/m].
double extinctionOf(const Rain& rain);
double extinctionOf(const Fog& fog);
double extinctionOf(const Snow& snow);
double extinctionOf(const Dust& dust);

}  // namespace marsim::lidar
