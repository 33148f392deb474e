// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/common/error.hpp"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace marsim {
namespace {

std::string messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Validator, NamesFileFieldValueAndBound) {
  const Validator validator("avia.yaml");
  EXPECT_EQ(messageOf([&] { validator.positive("range.max", -3.0, "m"); }),
            "avia.yaml: range.max is -3, allowed: more than 0 m");
  EXPECT_EQ(messageOf([&] { validator.within("tilt_max", 2.0, 0.1, 1.2, "rad"); }),
            "avia.yaml: tilt_max is 2, allowed: 0.1 to 1.2 rad");
  EXPECT_EQ(messageOf([&] { validator.positive("mass", std::nan(""), "kg"); }),
            "avia.yaml: mass is nan, allowed: more than 0 kg");
  EXPECT_EQ(messageOf([&] { validator.finite("x", INFINITY); }),
            "avia.yaml: x is inf, allowed: a finite number");
  EXPECT_EQ(messageOf([&] { validator.notNegative("sigma", 0.0); }), "no error");
}

TEST(UnknownNameError, ListsKnownNamesAndSuggests) {
  EXPECT_EQ(std::string(UnknownNameError("", "lidar", "avai", {"avia", "mid360"}).what()),
            "unknown lidar 'avai' (did you mean 'avia'?), known: avia, mid360");
}

TEST(ConfigError, QuotesNoMoreThan60CharactersOfAValue) {
  const std::string text(1000, 'a'), shown = std::string(57, 'a') + "...";
  EXPECT_EQ(std::string(ConfigError("x.yaml", "rate", "'" + text + "'", "a number").what()),
            "x.yaml: rate is '" + shown + "', allowed: a number");
  EXPECT_EQ(std::string(ConfigError("", "kind", "'" + text + "' (did you mean 'x'?)", "x").what()),
            "kind is '" + shown + "' (did you mean 'x'?), allowed: x");
  EXPECT_EQ(std::string(ConfigError("", "kind", "'", "x").what()), "kind is ', allowed: x");
  EXPECT_EQ(std::string(UnknownNameError("", "lidar", text, {"avia"}).what()),
            "unknown lidar '" + shown + "', known: avia");
}

TEST(FileError, NamesTheFile) {
  EXPECT_STREQ(FileError("a.pcd", "is empty").what(), "a.pcd: is empty");
}

}  // namespace
}  // namespace marsim
