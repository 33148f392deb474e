// SPDX-License-Identifier: BSD-3-Clause
#include "config/epoch.hpp"

#include "config/defaults.hpp"
#include "support.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim::config {
namespace {

TEST(EpochOf, NumbersToTheNanosecond) {
  EXPECT_EQ(epochOf(defaultOf("epoch"), "x"), 1'700'000'000'000'000'000);
  EXPECT_EQ(epochOf("0", "x"), 0);
  EXPECT_EQ(epochOf(" 1403636579.763555527 ", "x"), 1'403'636'579'763'555'527);
  EXPECT_EQ(epochOf("1.7e9", "x"), 1'700'000'000'000'000'000);
  EXPECT_EQ(epochOf("4.29e9", "x"), 4'290'000'000'000'000'000);
}

TEST(EpochOf, FirstStampOfATrajectory) {
  const tools::TemporaryFolder folder;
  const std::string poses = ".5 0 0 1 0 0 0 1\n1403636580 0 0 1 0 0 0 1\n";
  EXPECT_EQ(epochOf(folder.write("a.tum", "1403636579" + poses).string(), "x"),
            1'403'636'579'500'000'000);
  EXPECT_EQ(epochOf(folder.write("b.tum", "-1 0 0 1 0 0 0 1\n2 0 0 1 0 0 0 1\n").string(), "x"), 0)
      << "no stamp of ROS is negative";
}

TEST(EpochOf, BadTextIsNamed) {
  for (const std::string wrong :
       {"-1", "-0.000000001", "4290000000.1", "4.3e9", "nan", "", "no.tum"}) {
    EXPECT_EQ(complaint([&] { epochOf(wrong, "/"); }),
              "/: epoch is '" + wrong + "', allowed: 0 to 4.29e+09 s, or a trajectory file");
  }
}

}  // namespace
}  // namespace marsim::config
