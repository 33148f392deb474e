#pragma once

/// Reflectivities near 905 nm of what generated places are made of: spectra of the JHU and NEF
/// libraries as HELIOS++ ships them (at 900 nm), and tables of scanner makers where these lack one.
namespace marsim::scene::material {

constexpr double kGrass = 0.508;       ///< green rye grass
constexpr double kLeaf = 0.554;        ///< deciduous leaf
constexpr double kNeedle = 0.515;      ///< conifer needles
constexpr double kRoughWood = 0.25;    ///< rough wood (makers' tables); for bark, which is in none
constexpr double kPlanedWood = 0.919;  ///< pine lumber
constexpr double kStone = 0.189;       ///< weathered slate
constexpr double kConcrete = 0.24;     ///< smooth concrete (makers' tables)
constexpr double kWhiteWall = 0.85;    ///< white masonry (makers' tables)

}  // namespace marsim::scene::material
