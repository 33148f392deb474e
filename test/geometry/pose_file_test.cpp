#include "marsim/geometry/pose_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

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
  // What is said of a file, without its path.
  std::string refusal(const std::string& text) {
    try {
      read(text);
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
        "line 2: stamp is '" + std::string(stamp) + "', allowed: a finite number up to 4e+09 s");
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

TEST_F(PoseFile, MissingFileAndFolder) {
  EXPECT_THROW(readPoseFile(folder_.path() / "none.tum"), FileError);
  EXPECT_THROW(readPoseFile(folder_.path()), FileError);
}

}  // namespace
}  // namespace marsim
