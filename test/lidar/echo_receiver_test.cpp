// SPDX-License-Identifier: BSD-3-Clause
// Echoes and the choice among them, against a slow receiver in double precision.
#include "lidar/measure/echo_receiver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "marsim/common/random.hpp"

namespace marsim::lidar {
namespace {

constexpr double kPulse = 5e-9;                            // [s]
constexpr double kHalfPulse = 0.5 * 299'792'458 * kPulse;  // [m] 0.749

/// A surface across `weight` of the beam.
Reflection surface(double range, double reflectivity, double weight = 1.0, std::uint32_t ray = 0) {
  return {static_cast<float>(range), static_cast<float>(weight * reflectivity / (range * range)),
          static_cast<float>(weight), 1.0F, ray};
}

bool any(const Echo&) { return true; }

std::vector<Echo> received(const ReturnsConfig& config, std::vector<Reflection> reflections) {
  std::vector<Echo> echoes;
  EchoReceiver(config, kPulse).receive(reflections, echoes, any);
  return echoes;
}

std::vector<float> rangesOf(const std::vector<Echo>& echoes) {
  std::vector<float> ranges;
  for (const Echo& echo : echoes) ranges.push_back(echo.range);
  return ranges;
}

ReturnsConfig of(ReturnMode mode) {
  ReturnsConfig config;
  config.mode = mode;
  return config;
}

TEST(EchoReceiver, TwoPlanesNearerThanHalfAPulseAreOneEcho) {
  const double below = kHalfPulse - 0.002, above = kHalfPulse + 0.002;
  const auto planes = [](double apart) {
    return std::vector<Reflection>{surface(10.0, 0.4, 0.5), surface(10.0 + apart, 0.4, 0.5)};
  };
  EXPECT_EQ(received(of(ReturnMode::kDual), planes(above)).size(), 2U);
  const std::vector<Echo> one = received(of(ReturnMode::kDual), planes(below));
  ASSERT_EQ(one.size(), 1U);
  const double e1 = 0.2 / 100.0, e2 = 0.2 / std::pow(10.0 + below, 2);
  EXPECT_NEAR(static_cast<double>(one[0].range), (10.0 * e1 + (10.0 + below) * e2) / (e1 + e2),
              1e-5);
  EXPECT_NEAR(static_cast<double>(one[0].energy), e1 + e2, 1e-9);
  EXPECT_EQ(one[0].ray, 0U);
  EXPECT_EQ(one[0].nearest, 10.0F);
}

TEST(EchoReceiver, OneReflectionKeepsItsRangeToTheBit) {
  for (const float range : {0.1F, 1.2345678F, 33.333332F, 199.99F}) {
    for (const auto& [word, mode] : returnModes()) {
      const auto echoes = received(of(mode), {surface(static_cast<double>(range), 0.3)});
      ASSERT_EQ(echoes.size(), 1U) << word;
      EXPECT_EQ(echoes[0].range, range) << word;
      EXPECT_NEAR(echoes[0].reflectivity(), 0.3F, 1e-6F) << word;
    }
  }
}

// Three planes 5 m apart, whose energies are in every order.
TEST(EchoReceiver, ModesAreRightForAllOrdersOfEnergy) {
  std::vector<int> order = {1, 2, 3};  // energy of the first, second and third plane
  do {
    std::vector<Reflection> planes;
    for (int i = 0; i < 3; ++i) {
      const double range = 10.0 + 5.0 * i;
      planes.push_back(surface(range, 1e-3 * order[static_cast<std::size_t>(i)] * range * range));
    }
    const auto placeOf = [&](int energy) {
      return static_cast<float>(
          10 + 5 * (std::find(order.begin(), order.end(), energy) - order.begin()));
    };
    using Ranges = std::vector<float>;
    EXPECT_EQ(rangesOf(received(of(ReturnMode::kFirst), planes)), Ranges{10.0F});
    EXPECT_EQ(rangesOf(received(of(ReturnMode::kLast), planes)), Ranges{20.0F});
    EXPECT_EQ(rangesOf(received(of(ReturnMode::kStrongest), planes)), Ranges{placeOf(3)});
    const bool coincide = placeOf(3) == 20.0F;
    const float other = coincide ? placeOf(2) : placeOf(3);
    const auto dual = received(of(ReturnMode::kDual), planes);
    EXPECT_EQ(rangesOf(dual), (Ranges{other, 20.0F}));
    EXPECT_EQ(
        dual[1].rank,
        coincide || order[2] > order[static_cast<std::size_t>((other - 10.0F) / 5.0F)] ? 0 : 1);
    const auto triple = received(of(ReturnMode::kTriple), planes);
    EXPECT_EQ(rangesOf(triple), (Ranges{10.0F, 15.0F, 20.0F}));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(triple[i].rank, 3 - order[i]);
    const auto two = received(of(ReturnMode::kTwoStrongest), planes);
    EXPECT_EQ(rangesOf(two),
              (Ranges{std::min(placeOf(2), placeOf(3)), std::max(placeOf(2), placeOf(3))}));
    EXPECT_EQ(two[0].rank, placeOf(3) < placeOf(2) ? 0 : 1);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(EchoReceiver, FirstAveragesUpToItsCutoff) {
  ReturnsConfig config = of(ReturnMode::kFirst);
  config.signal_cutoff = 1.6;
  // Nearest at 3.0; 4.6 is within the cutoff, 4.7 is not. Means do not ask how bright things are.
  const auto echoes = received(config, {surface(4.7, 0.9, 0.25), surface(3.0, 0.1, 0.25),
                                        surface(4.6, 0.9, 0.25), surface(3.4, 0.2, 0.25)});
  ASSERT_EQ(echoes.size(), 1U);
  EXPECT_NEAR(echoes[0].range, (3.0F + 3.4F + 4.6F) / 3.0F, 1e-6F);
}

TEST(EchoReceiver, EchoesBelowTheThresholdAreNotReported) {
  ReturnsConfig config = of(ReturnMode::kFirst);
  config.threshold = 0.1 / (50.0 * 50.0);  // 10 % at 50 m
  EXPECT_TRUE(received(config, {surface(50.1, 0.1)}).empty());
  EXPECT_EQ(received(config, {surface(49.9, 0.1)}).size(), 1U);
  EXPECT_EQ(rangesOf(received(config, {surface(20.0, 0.1, 0.1), surface(30.0, 0.5, 0.9)})),
            std::vector<float>{30.0F});
  EXPECT_TRUE(received(of(ReturnMode::kLast), {surface(5.0, 0.0)}).empty()) << "black";
}

TEST(EchoReceiver, TheStrongerOfEchoesWithinTheSeparationIsReported) {
  for (const auto mode : {ReturnMode::kDual, ReturnMode::kTriple}) {
    ReturnsConfig config = of(mode);
    config.separation = 2.0;
    const std::vector<Reflection> near = {surface(10.0, 0.2), surface(11.9, 0.9)};
    EXPECT_EQ(rangesOf(received(config, near)), std::vector<float>{11.9F});
    const std::vector<Reflection> apart = {surface(10.0, 0.2), surface(12.1, 0.9)};
    EXPECT_EQ(rangesOf(received(config, apart)), (std::vector<float>{10.0F, 12.1F}));
  }
  ReturnsConfig last = of(ReturnMode::kLast);
  last.separation = 2.0;
  EXPECT_EQ(rangesOf(received(last, {surface(10.0, 0.9), surface(11.0, 0.1)})),
            std::vector<float>{11.0F});
}

// --- random pulses against the definition ---

struct SlowEcho {
  double range = 0.0, energy = 0.0;
};

/// Connected sets of reflections, of which any two nearer than half a pulse are connected.
std::vector<SlowEcho> slowEchoes(const std::vector<Reflection>& reflections) {
  std::vector<std::size_t> set(reflections.size());
  std::iota(set.begin(), set.end(), 0U);
  for (std::size_t round = 0; round < reflections.size(); ++round) {
    for (std::size_t i = 0; i < reflections.size(); ++i) {
      for (std::size_t j = 0; j < reflections.size(); ++j) {
        const double apart =
            static_cast<double>(reflections[i].range) - static_cast<double>(reflections[j].range);
        if (std::abs(apart) < kHalfPulse) set[i] = set[j] = std::min(set[i], set[j]);
      }
    }
  }
  std::vector<SlowEcho> echoes;
  for (std::size_t number = 0; number < reflections.size(); ++number) {
    SlowEcho echo;
    for (std::size_t i = 0; i < reflections.size(); ++i) {
      if (set[i] != number) continue;
      const auto energy = static_cast<double>(reflections[i].energy);
      echo.range += energy * static_cast<double>(reflections[i].range);
      echo.energy += energy;
    }
    if (echo.energy > 0.0) echoes.push_back({echo.range / echo.energy, echo.energy});
  }
  std::sort(echoes.begin(), echoes.end(),
            [](const SlowEcho& a, const SlowEcho& b) { return a.range < b.range; });
  return echoes;
}

/// The echoes that a mode reports, by its words.
std::vector<SlowEcho> slowChoice(ReturnMode mode, std::vector<SlowEcho> echoes) {
  if (echoes.empty()) return echoes;
  std::vector<SlowEcho> by_energy = echoes;
  std::sort(by_energy.begin(), by_energy.end(),
            [](const SlowEcho& a, const SlowEcho& b) { return a.energy > b.energy; });
  const SlowEcho first = echoes.front(), last = echoes.back(), strongest = by_energy.front();
  if (mode == ReturnMode::kFirst) return {first};
  if (mode == ReturnMode::kLast) return {last};
  if (mode == ReturnMode::kStrongest) return {strongest};
  if (mode == ReturnMode::kDual && strongest.range < last.range) return {strongest, last};
  by_energy.resize(std::min<std::size_t>(by_energy.size(), mode == ReturnMode::kTriple ? 3 : 2));
  std::sort(by_energy.begin(), by_energy.end(),
            [](const SlowEcho& a, const SlowEcho& b) { return a.range < b.range; });
  return by_energy;
}

TEST(EchoReceiver, AgreesWithASlowReceiverOnRandomPulses) {
  RandomStream random(1, "pulses");
  for (int pulse = 0; pulse < 3000; ++pulse) {
    std::vector<Reflection> reflections;
    const auto count = static_cast<std::uint32_t>(1 + random.uniform() * 12.0);
    for (std::uint32_t i = 0; i < count; ++i) {
      reflections.push_back(surface(1.0 + 12.0 * random.uniform(), random.uniform(), 0.1, i));
    }
    for (const auto& [word, mode] : returnModes()) {
      const std::vector<SlowEcho> expected = slowChoice(mode, slowEchoes(reflections));
      const std::vector<Echo> echoes = received(of(mode), reflections);
      ASSERT_EQ(echoes.size(), expected.size()) << word << " " << pulse;
      for (std::size_t i = 0; i < echoes.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(echoes[i].range), expected[i].range, 1e-5) << word;
        ASSERT_NEAR(static_cast<double>(echoes[i].energy) / expected[i].energy, 1.0, 1e-5) << word;
      }
    }
  }
}

}  // namespace
}  // namespace marsim::lidar
