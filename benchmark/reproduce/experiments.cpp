// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/experiment.hpp"

namespace marsim::reproduce {
namespace {

constexpr char kKong[] = "Kong et al., MARSIM, RA-L 2023, ";
constexpr char kGoodin[] =
    "Goodin et al., LiDAR simulator for vegetation, Electronics 2018, 7(9):154, ";

#ifdef MARSIM_HAS_AUTONOMY
constexpr auto *kSwarm = &reproduceSwarm, *kExploration = &reproduceExploration;
#else
constexpr Reproduction (*kSwarm)(Extent, Progress&) = nullptr;
constexpr Reproduction (*kExploration)(Extent, Progress&) = nullptr;
#endif

}  // namespace

const std::vector<PaperExperiment>& paperExperiments() {
  static const std::vector<PaperExperiment> experiments = {
      {"scans", "Time and memory of a scan", std::string(kKong) + "Figs. 7 and 8, Table II",
       "An Avia's window of 77 x 70 degrees as 385 x 350 cells, up to 30 m, at ten random "
       "places and yaws; maps of 0.05 and 0.2 m on a NUC10 i7-10710U. The simulator keeps 10 "
       "Hz, in less memory than Gazebo.",
       "The places are generated after the paper's Table I, since its maps are scans of real "
       "places. The window is the Avia's 77.2 x 70.4 degrees. Memory is that of the whole "
       "process, with what earlier maps left in it: an upper bound. Times are processor times "
       "of one thread, which other programs affect less than wall times. The times of Figs. 7 "
       "and 8 are bars without numbers, so the criterion is the scan period at 10 Hz.",
       1, reproduceScans},
      {"stands", "Ranges in stands of stems", std::string(kGoodin) + "3.4.1, Fig. 5",
       "A beam of 1 mrad before stands of 2500 and 5000 random stems, 10 x 5 m, 20 and 30 m "
       "away. Mean ranges over the spot follow a gamma distribution better than an exponential "
       "one.",
       "Equations 2 to 5 are reconstructed from the text around them; the stems' diameters are "
       "ours. The stand ends after 5 m, so all curves are cut there, and the gamma curve has "
       "the mean of a thin ray's depth within 5 m. Published values of the histograms are not "
       "at hand.",
       1, reproduceStands},
      {"mixed_pixels", "Mixed pixels of an LMS-291", std::string(kGoodin) + "3.4.2",
       "Nine rods, 12.7 cm apart, 0.8 m before the sensor, a wall behind them. Mixed pixels "
       "appear where the wall is nearer than 1.6 m behind the rods, and none farther away.",
       "The thick rod stands in the middle, as the paper does not say where. 1.6 m is the "
       "signal cutoff that the paper derives from its measurement, so the limit is its input, "
       "and the count of mixed beams is not published. Nothing is random.",
       0, reproduceMixedPixels},
      {"shrub", "Ranges of a shrub", std::string(kGoodin) + "3.4.3",
       "An HDL-64E at 5 Hz on a quarter circle of 8 m around a small potted shrub. The "
       "histogram of some 1500 ranges is broad and has two modes, trunk and foliage.",
       "The shrub's shape is not published. A potted shrub of 0.3 m, made for this test and bare "
       "below its crown, must be broad and have two modes. It has about twice the paper's ranges; "
       "the sensor stands 0.27 m above its foot. Two modes: a dip of 4.5 standard deviations in "
       "bins of 2 cm. The shipped config/species/shrub.yaml, 1.2 m tall, must be broad. Its twigs "
       "fill the dip between leaves and trunk: 15 of 20 seeds have two modes, and their ranges "
       "together have one. Without twigs, each of four seeds had two modes.",
       1, reproduceShrub},
      {"courtyard", "Four sensors in a courtyard", std::string(kGoodin) + "3.3, Fig. 3",
       "A courtyard of 300 x 300 m with 50 trees and nearly two million blades; 6.8 s simulated "
       "in 4.7 s with an LMS-291 on 4 processors and with an HDL-64E on 40.",
       "The same number of trees and blades, as surfels of 0.1 m and single blades in place of "
       "triangles. Our threads share one process. HDL-32E and VLP-16 take the paper's authors' "
       "divergence where their file has none.",
       1, reproduceCourtyard},
      {"rows", "Accuracy of three ways to cast", std::string(kKong) + "VI-C, Table III",
       "A walk with an Avia through a place of large planes, repeated in the map of it. Mean "
       "nearest distance between both maps: 0.0523 m by culling only, 0.0323 m with plane "
       "correction, both at 0.1 m.",
       "The hall is made of planes with noise of 1 cm, so that the truth is known, and the "
       "distance is that from the true surfaces. The paper compares with a recording, whose "
       "noise and poses add to its figures; `marsim map fidelity` measures on a recording. The "
       "paper's third row, 0.0136 m at 0.01 m, is not repeated.",
       1, reproduceRows},
      {"flights", "Recorded and simulated flight", std::string(kKong) + "VI-D, Fig. 9",
       "A planner's flight with a Mid-360 in a wood, repeated in the scanned map from the same "
       "start to the same goal: the paths nearly coincide (a picture, no figures).",
       "The recording and the map are not published. Both flights are ours, without a planner "
       "and in the generated forest: one in calm air with the default controller stands for the "
       "recording, the others differ by seed, wind or controller. The largest rmse of 0.1 m is "
       "that of config/suites/forest_waypoints.yaml. The default controller yields to wind, so "
       "that it has no bound in moderate gusts; the other two have. With a recording of your own: "
       "`marsim "
       "compare-flights`.",
       1, reproduceFlights},
      {"swarm", "Five UAVs that see each other", std::string(kKong) + "VI-E, Fig. 12",
       "Several UAVs cross a realistic forest map by a planner; a picture of the paths, no "
       "figures.",
       "Five UAVs, each with the planner of examples/autonomy on its own Mid-360 scans, in which "
       "it sees the others. They start 2 m apart before 20 x 20 m of posts 3 m tall, 0.1 a square "
       "metre, and change their order on the way. The paper tells neither number, planner nor "
       "speed. Flights in which the UAVs announce velocities or nothing, in place of their "
       "planned paths, are not judged.",
       1, kSwarm},
      {"exploration", "Exploration of a building", std::string(kKong) + "VI-F, Fig. 13",
       "One UAV with an Avia explores the map Indoor-2 by FUEL; pictures of the area scanned after "
       "several times, no figures.",
       "Not FUEL: the UAV flies to the nearest place from which it can see 20 unknown cells "
       "beside free ones, at 1.5 m/s by the planner of examples/autonomy. It carries a Mid-360, "
       "since this planner turns it along its path only, and an Avia sees 70 degrees. indoor_2 is "
       "generated after the paper's Table I; the buildings are two rooms and a door. Poses are "
       "true. A voxel of 0.25 m is seen once a ray to a return has crossed it. The criteria are "
       "ours.",
       1, kExploration},
      {"plants", "Plants on a fine ground", std::string(kGoodin) + "3.6",
       "24,564 instanced plants on a root step of 2 x 3 x 0.4 m that was measured from "
       "photographs: 604,488,350 triangles.",
       "The ground is made by a formula, with points 1 mm apart and surfels of 5 mm. The plants "
       "are the shipped shrub, 4 to 12 cm tall, with trunk, twigs and 1,200 leaves each. The "
       "criterion is that they load and are scanned within 8 GB.",
       1, reproducePlants},
      {"ground_robot", "Cost maps of a ground robot", std::string(kGoodin) + "3.5.3, Fig. 10",
       "A skid-steered robot of at most 2 m/s, its sensor 2 m above the ground, plans by A* on a "
       "cost map of 400 x 400 cells of 0.5 m from heights, towards a goal 130 m away in 300 x 300 "
       "m. Maps after 10 s (pictures): the LMS-291's slice finds trees but hardly grass, the "
       "VLP-16 "
       "tall things at middle range, the HDL-64E small near ones.",
       "The robot is a Clearpath Jackal, the place the courtyard's ground, trees, bushes and "
       "plants at random places. The paper's cost and greatest negotiable height are not at hand: "
       "ours are in benchmark/reproduce/cost_map.hpp, with 0.5 m. Scans are registered by true "
       "poses, in place of a simulated GPS and compass. Grass does not hold the wheels. The "
       "criteria "
       "are ours.",
       1, reproduceGroundRobot},
      {"keyboard", "Flight by keyboard as a data set", "Post on stereo, IMU and LiDAR from AirSim",
       "Captured live, cameras give 7 to 8 uneven images a second. So a flight by hand is "
       "recorded as poses, about 300 a second, and replayed: even stereo at 20 Hz, scans at 10 "
       "Hz. The post prints three extrinsic matrices of its sensors.",
       "Scripted keys of `marsim fly` fly a UAV through the building; 250 poses a second are "
       "kept and replayed by the code of `marsim dataset --trajectory --airsim` with the post's "
       "sensors, as EuRoC in north, east, down. Time is simulated, so rates do not depend on "
       "the machine. The post's rates are from another simulator.",
       1, reproduceKeyboard},
  };
  return experiments;
}

}  // namespace marsim::reproduce
