// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "marsim/lidar/beam.hpp"

namespace marsim::lidar {

/// Light of one pulse reflected at one place. Energies are relative to those of a surface of 100 %
/// at 1 m that the whole pulse meets squarely.
struct Reflection {
  static constexpr std::uint32_t kNoRay = std::numeric_limits<std::uint32_t>::max();

  float range;   ///< [m] above 0
  float energy;  ///< [1/m^2] weight * reflectivity along the beam / range^2 if nothing is lost on
                 ///< the way
  float weight;  ///< share of the pulse that met the place
  float cosine;  ///< of the angle of incidence
  std::uint32_t ray;  ///< number of the ray that met it; kNoRay: none did
};

/// Reflections of a pulse that a receiver cannot tell apart.
struct Echo {
  float range;        ///< [m] mean of the reflections', weighted with their energies
  float nearest;      ///< [m] range of the nearest reflection
  float energy;       ///< [1/m^2] sum
  float cosine;       ///< of the strongest reflection
  std::uint32_t ray;  ///< of the strongest reflection
  std::uint8_t rank;  ///< by energy among the reported echoes; 0: the strongest

  /// The reflectivity of a surface across the whole beam with this energy.
  float reflectivity() const { return energy * range * range; }
};

/// Groups a pulse's reflections into echoes. Sorted by range, a reflection nearer to the one before
/// than light travels in half a pulse belongs to that one's echo: their waveforms overlap.
class EchoReceiver {
 public:
  /// `pulse_length` [s].
  EchoReceiver(const ReturnsConfig& config, double pulse_length);

  /// Replaces `echoes` by the reported ones, the nearest first; reorders the reflections. An echo
  /// has to pass the threshold and `detected(const Echo&)`.
  template <class Detected>
  void receive(std::vector<Reflection>& reflections, std::vector<Echo>& echoes,
               const Detected& detected) const {
    merge(reflections, echoes);
    std::size_t kept = 0;
    for (const Echo& echo : echoes) {
      if (echo.energy > threshold_ && detected(echo)) echoes[kept++] = echo;
    }
    echoes.resize(kept);
    if (!echoes.empty()) choose(reflections, echoes);
  }

 private:
  void merge(std::vector<Reflection>& reflections, std::vector<Echo>& echoes) const;
  void choose(const std::vector<Reflection>& reflections, std::vector<Echo>& echoes) const;
  void averageFirst(const std::vector<Reflection>& reflections, Echo& echo) const;
  void separate(std::vector<Echo>& echoes) const;

  ReturnMode mode_;
  float resolution_;  // [m] nearer reflections are one echo
  float signal_cutoff_, threshold_, separation_;
};

}  // namespace marsim::lidar
