// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/geometry/pose_file.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "marsim/common/error.hpp"
#include "tools/temporary_folder.hpp"

namespace marsim {
namespace {

/// A trajectory file that goes with the test.
class PoseFile : public ::testing::Test {
 protected:
  std::vector<StampedPose> read(const std::string& text, const std::string& name = "flight.tum") {
    path_ = folder_.path() / name;
    std::ofstream(path_) << text;
    return readPoseFile(path_);
  }
  ScanPoses scans(const std::string& text) {
    path_ = folder_.path() / "poses.txt";
    std::ofstream(path_) << text;
    return readScanPoses(path_);
  }
  // The error on reading a file, without its path.
  std::string refusal(const std::string& text) {
    return refusalBy([&] { read(text); });
  }
  std::string scansRefusal(const std::string& text) {
    return refusalBy([&] { scans(text); });
  }
  template <class Read>
  std::string refusalBy(const Read& read) {
    try {
      read();
    } catch (const FileError& error) {
      return std::string(error.what()).substr(path_.string().size() + 2);
    }
    return {};
  }

  tools::TemporaryFolder folder_;
  std::filesystem::path path_;
};

TEST_F(PoseFile, TumWithComments) {
  const auto poses = read(
      "# stamp x y z qx qy qz qw\n\n"
      "1403636579.758555392 1 -2 3e-1 0 0 0 1\n"
      "  1403636579.763555527\t1.5 -2.5 +0.25 0 0 0.6 0.8 \r\n");
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[0].stamp, 1'403'636'579'758'555'392);
  EXPECT_EQ(poses[1].stamp, 1'403'636'579'763'555'527);
  EXPECT_EQ(poses[0].X_WB.p, Eigen::Vector3d(1.0, -2.0, 0.3));
  EXPECT_EQ(poses[1].X_WB.p, Eigen::Vector3d(1.5, -2.5, 0.25));
  EXPECT_EQ(poses[1].X_WB.q.z(), 0.6);
  EXPECT_EQ(poses[1].X_WB.q.w(), 0.8);
}

TEST_F(PoseFile, CsvInAnyOrderWithOtherColumns) {
  const auto poses = read(
      "qw,name,x,y,z,qx,qy,qz,t\n"
      "0.8,start,1,2,3,0.6,0,0,0.5\n"
      "0.8,end,4,5,6,0.6,0,0,1.25\n",
      "flight.csv");
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[0].stamp, 500'000'000);
  EXPECT_EQ(poses[1].stamp, 1'250'000'000);
  EXPECT_EQ(poses[1].X_WB.p, Eigen::Vector3d(4.0, 5.0, 6.0));
  EXPECT_EQ(poses[1].X_WB.q.x(), 0.6);
}

// The columns of `marsim demo`.
TEST_F(PoseFile, CsvOfTheDemo) {
  const auto poses = read(
      "stamp,x,y,z,qx,qy,qz,qw,vx,vy,vz,ref_x,ref_y,ref_z\n"
      "0.100000000,0,0,1.5,0,0,0,1,0,0,0,0,0,1.5\n"
      "0.120000000,0.1,0,1.5,0,0,0,1,0,0,0,0,0,1.5\n");
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_EQ(poses[1].stamp, 120'000'000);
  EXPECT_EQ(poses[1].X_WB.p.x(), 0.1);
}

TEST_F(PoseFile, GroundTruthOfEuRoC) {
  for (const char* time : {"#timestamp", "#timestamp [ns]"}) {
    const auto poses = read(
        std::string(time) +
        ", p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], "
        "v_RS_R_x [m s^-1]\n"
        "1403636580838555648,4.688319,-1.786938,0.783338,0.534108,-0.153029,-0.827383,-0.082152,0\n"
        "1403636580843555328,4.688177,-1.786770,0.787350,0.534640,-0.152990,-0.826976,-0.082863,"
        "0\n");
    ASSERT_EQ(poses.size(), 2u);
    EXPECT_EQ(poses[0].stamp, 1'403'636'580'838'555'648);
    EXPECT_EQ(poses[0].X_WB.p.z(), 0.783338);
    EXPECT_EQ(poses[1].X_WB.q.w(), 0.534640);
    EXPECT_EQ(poses[1].X_WB.q.x(), -0.152990);
  }
}

TEST_F(PoseFile, RefusesNamingLineFieldAndValue) {
  const std::string good = "0.0 0 0 1 0 0 0 1\n";
  const std::string csv = "stamp,x,y,z,qx,qy,qz,qw\n";
  EXPECT_EQ(refusal(""), "number of poses is 0, allowed: 2 or more");
  EXPECT_EQ(refusal(good), "number of poses is 1, allowed: 2 or more");
  EXPECT_EQ(refusal(good + "0.1 0 zero 1 0 0 0 1\n"),
            "line 2: y is 'zero', allowed: a finite number");
  EXPECT_EQ(refusal(good + "0.1 0 nan 1 0 0 0 1\n"),
            "line 2: y is 'nan', allowed: a finite number");
  for (const char* stamp : {"now", "9e9", "9000000000", "-9000000000.5"}) {
    EXPECT_EQ(
        refusal("-3999999999 0 0 1 0 0 0 1\n" + std::string(stamp) + " 0 0 1 0 0 0 1\n"),
        "line 2: stamp is '" + std::string(stamp) + "', allowed: a finite number up to 4.29e+09 s");
  }
  EXPECT_EQ(refusal("-3999999999 0 0 1 0 0 0 1\n3999999999 0 0 1 0 0 0 1\n"),
            "line 2: stamp is 8e+09 s after that of the pose before, allowed: up to 5 s");
  EXPECT_EQ(refusal(good + "0.1 0 0 1 0 0 0\n"),
            "line 2: qw is missing, allowed: stamp, x, y, z, qx, qy, qz, qw");
  EXPECT_EQ(refusal("# first\n" + good + "0.0 0 0 1 0 0 0 1\n"),
            "line 3: stamp is 0.000000000 s after that of the pose before, allowed: more than 0");
  EXPECT_EQ(refusal(good + "-0.5 0 0 1 0 0 0 1\n"),
            "line 2: stamp is -0.500000000 s after that of the pose before, allowed: more than 0");
  EXPECT_EQ(refusal(good + "7 0 0 1 0 0 0 1\n"),
            "line 2: stamp is 7 s after that of the pose before, allowed: up to 5 s");
  EXPECT_EQ(refusal(good + "0.1 0 0 1 0 0 0 0.9\n"),
            "line 2: quaternion is of length 0.9, allowed: 1 within 1 %");
  EXPECT_EQ(refusal(csv + "0.0,0,0,1,0,0,0\n"),
            "line 2: qw is missing, allowed: stamp, x, y, z, qx, qy, qz, qw");
  EXPECT_EQ(refusal("stamp,x,y,z,qx,qy,qz,x\n"), "line 1: two columns hold x, allowed: one");
  EXPECT_NE(refusal("stamp,x,y\n0,1,2\n").find("line 1: no column z, allowed: a line that names"),
            std::string::npos);
  EXPECT_NE(refusal("0,0,0,1,0,0,0,1\n").find("line 1: no column stamp"), std::string::npos);
  EXPECT_EQ(refusal("t [min],x,y,z,qx,qy,qz,qw\n"),
            "line 1: t has the unit 'min', allowed: s, ms, us, ns");
}

// As MATLAB, C++ programs and editors of Windows write them.
TEST_F(PoseFile, CommentsAndBlanksOfOtherPrograms) {
  const auto poses = read(
      "\xef\xbb\xbf% made on Monday, 3 May, by t, x and y\r\n"
      "// second\r\n \r\n"
      "0 1 2 3 0 0 0.6 0.8\t\r\n"
      "# between, two\r\n"
      "0.5   4\t5 6 0 0 0.6 0.8\r\n\n");
  ASSERT_EQ(poses.size(), 2U);
  EXPECT_EQ(poses[0].X_WB.p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(poses[1].X_WB.p, Eigen::Vector3d(4, 5, 6));
  const auto csv = read(
      "# stamp, x, y, z, qx, qy, qz, qw\n# made on Monday, 3 May, by t, x and y\n"
      "0,1,2,3,0,0,0.6,0.8,\n0.5,4,5,6,0,0,0.6,0.8,\n");
  ASSERT_EQ(csv.size(), 2U);
  EXPECT_EQ(csv[1].X_WB.p, Eigen::Vector3d(4, 5, 6));
  const auto after = read(
      "# made on Monday, 3 May\nstamp,x,y,z,qx,qy,qz,qw\n0,1,2,3,0,0,0.6,0.8\n"
      "0.5,4,5,6,0,0,0.6,0.8\n");
  ASSERT_EQ(after.size(), 2U);
}

TEST_F(PoseFile, NamesGiveTheOrderBetweenBlanksToo) {
  for (const char* names : {"# timestamp tx ty tz qw qx qy qz\n", "stamp x y z qw qx qy qz\n",
                            "#t [s] px [m] py [m] pz [m] q_w q_x q_y q_z\n"}) {
    const auto poses = read(std::string(names) + "0 1 2 3 0.8 0 0 0.6\n1 1 2 3 0.8 0 0 0.6\n");
    ASSERT_EQ(poses.size(), 2U);
    EXPECT_EQ(poses[0].X_WB.q.w(), 0.8) << names;
    EXPECT_EQ(poses[0].X_WB.q.z(), 0.6) << names;
    EXPECT_EQ(poses[1].stamp, 1'000'000'000) << names;
  }
  const auto nanoseconds = read(
      "#timestamp(ns), pos_x, pos_y, pos_z, quat_x, quat_y, quat_z, quat_w\n"
      "1500000000, 1, 2, 3, 0, 0, 0.6, 0.8\n1600000000, 1, 2, 3, 0, 0, 0.6, 0.8\n");
  EXPECT_EQ(nanoseconds[0].stamp, 1'500'000'000);
}

TEST_F(PoseFile, RefusesOtherNumbersOfColumns) {
  EXPECT_EQ(refusal("0 0 0 1 0 0 0 1 7\n"),
            "line 1: 9 columns, allowed: stamp, x, y, z, qx, qy, qz, qw");
  EXPECT_EQ(refusal("stamp,x,y,z,qx,qy,qz,qw\n0,0,0,1,0,0,0,1,7\n"),
            "line 2: 9 columns, allowed: the 8 that are named");
  EXPECT_EQ(refusal("0 0 1 0 0 0 1\n"),
            "line 1: qw is missing, allowed: stamp, x, y, z, qx, qy, qz, qw");
}

TEST_F(PoseFile, RefusesWhatHasNoEnd) {
  EXPECT_EQ(refusal("0 0 0 1 0 0 0 1\n" + std::string((1U << 20U) + 1, ' ')),
            "line 2 is longer than 1,048,576 bytes, which is the limit");
  const std::filesystem::path fifo = folder_.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(readPoseFile(fifo), FileError);
  EXPECT_THROW(readScanPoses(fifo), FileError);
}

/// A pose and the numbers of its matrix, row by row.
const Pose kPose{Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5), {1.5, -2.0, 3.25}};
std::vector<double> matrixOf(const Pose& X, double corner) {
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> T;
  T << X.q.toRotationMatrix(), X.p, 0, 0, 0, corner;
  return {T.data(), T.data() + 16};
}

void expectPoses(const ScanPoses& scans, std::size_t count) {
  ASSERT_EQ(scans.poses.size(), count);
  for (const StampedPose& pose : scans.poses) {
    EXPECT_TRUE(pose.X_WB.p.isApprox(kPose.p, 1e-12));
    EXPECT_LT(pose.X_WB.q.angularDistance(kPose.q), 1e-9);
  }
}

// KITTI's 12 numbers, 16 numbers, and blocks of four lines between blanks or commas.
TEST_F(PoseFile, MatricesOfScans) {
  const std::vector<double> matrix = matrixOf(kPose, 1.0);
  const std::vector<double> kitti(matrix.begin(), matrix.begin() + 12);
  const std::string row = fmt::format("{}\n", fmt::join(kitti, " "));
  expectPoses(scans("# poses\n" + row + "\n" + row), 2);
  const std::string whole = fmt::format("{}\n", fmt::join(matrix, " "));
  expectPoses(scans(whole + whole + whole), 3);
  const auto block = [&](const std::vector<double>& of, const char* between, const char* end) {
    std::string text;
    for (auto at = of.begin(); at != of.end(); at += 4) {
      text += fmt::format("{}{}", fmt::join(at, at + 4, between), end);
    }
    return text;
  };
  const std::string plain = block(matrix, " ", "\n");
  expectPoses(scans(plain + "\n" + plain), 2);
  expectPoses(scans("0 0 1\n" + plain + "1 1 2\n" + plain), 2);  // Open3D
  const ScanPoses without = scans(plain);
  expectPoses(without, 1);
  EXPECT_FALSE(without.has_stamps);
  // BALM: stamps [s] in the corner.
  const ScanPoses stamped = scans(block(matrixOf(kPose, 1650000000.25), ",", ",\n") +
                                  block(matrixOf(kPose, 1650000000.5), ",", ",\n"));
  expectPoses(stamped, 2);
  EXPECT_TRUE(stamped.has_stamps);
  EXPECT_EQ(stamped.poses[0].stamp, 1'650'000'000'250'000'000);
  EXPECT_EQ(stamped.poses[1].stamp, 1'650'000'000'500'000'000);
}

TEST_F(PoseFile, RefusesMatricesThatAreNoPoses) {
  const std::string row = "1 0 0 0 0 1 0 0 0 0 1 0\n";
  EXPECT_EQ(scansRefusal(row + "1 0 0 0 0 1 0 0 0 0 1\n"),
            "line 2: 11 numbers, allowed: 12 as in the first line");
  EXPECT_EQ(scansRefusal(row + "1 0 0 0 0 1 0 x 0 0 1 0\n"),
            "line 2: 'x', allowed: a finite number");
  EXPECT_EQ(scansRefusal("2 0 0 0 0 1 0 0 0 0 1 0\n"),
            "line 1: no pose, allowed: a rotation matrix and finite numbers");
  EXPECT_EQ(scansRefusal("1 0 0 0\n0 1 0 0\n0 0 1 0\n"),
            "line 3: a matrix ends after 12 of 16 numbers");
  EXPECT_EQ(
      scansRefusal("1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 2 1\n"),
      "line 4: the last row is 0 0 2 1, allowed: 0 0 0 and 1 or a stamp [s] after that of the "
      "matrix before");
  const std::string stamped = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 ";
  EXPECT_NE(scansRefusal(stamped + "7\n" + stamped + "7\n").find("line 2: the last row"),
            std::string::npos);
  EXPECT_NE(scansRefusal(stamped + "1\n" + stamped + "1\n" + stamped + "2\n").find("all of one"),
            std::string::npos);
}

TEST_F(PoseFile, SevenColumnsOfScans) {
  const ScanPoses tum = scans("1.5 -2 3.25 -0.5 0.5 0.5 0.5\n1.5 -2 3.25 0.5 -0.5 -0.5 -0.5\n");
  expectPoses(tum, 2);
  EXPECT_FALSE(tum.has_stamps);
  expectPoses(scans("# x y z qw qx qy qz\n1.5 -2 3.25 0.5 -0.5 0.5 0.5\n"), 1);
  expectPoses(scans("qw,qx,qy,qz,x,y,z\n0.5,-0.5,0.5,0.5,1.5,-2,3.25\n"), 1);
  // A vehicle that stands level, in either order.
  EXPECT_EQ(scans("0 0 0 0 0 0 1\n").poses[0].X_WB.q.w(), 1.0);
  EXPECT_NE(scansRefusal("0 0 0 1 0 0 0\n")
                .find("line 1: as x y z qx qy qz qw the first pose is "
                      "upside down, as x y z qw qx qy qz it is not"),
            std::string::npos);
  EXPECT_EQ(scans("# x y z qx qy qz qw\n0 0 0 1 0 0 0\n").poses[0].X_WB.q.x(), 1.0);
  EXPECT_NE(scansRefusal("0 0 0 0 0 1\n").find("line 1: qz is missing"), std::string::npos);
}

TEST_F(PoseFile, ScansHaveStampsWhereTheFileHasThem) {
  const ScanPoses tum = scans("5 1.5 -2 3.25 -0.5 0.5 0.5 0.5\n99 1.5 -2 3.25 -0.5 0.5 0.5 0.5\n");
  expectPoses(tum, 2);
  EXPECT_TRUE(tum.has_stamps);
  EXPECT_EQ(tum.poses[1].stamp, 99'000'000'000);
  EXPECT_EQ(scansRefusal("5 0 0 0 0 0 0 1\n5 0 0 0 0 0 0 1\n"),
            "line 2: stamp is not after that of the pose before");
  EXPECT_EQ(scansRefusal("# nothing\n"), "number of poses is 0, allowed: 1 or more");
}

TEST_F(PoseFile, MissingFileAndFolder) {
  EXPECT_THROW(readPoseFile(folder_.path() / "none.tum"), FileError);
  EXPECT_THROW(readPoseFile(folder_.path()), FileError);
}

}  // namespace
}  // namespace marsim
