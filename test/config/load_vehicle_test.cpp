// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "common/data_dir.hpp"
#include "config/load_multirotor.hpp"
#include "control/loops/cascaded_pid.hpp"
#include "marsim/common/units.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/world.hpp"
#include "support.hpp"

namespace marsim::config {
namespace {

class LoadVehicleTest : public ConfigTest {};

// Shipped ones that fly.
std::vector<std::string> multirotors() {
  std::vector<std::string> names = knownNames("vehicle");
  const auto drives = [](const std::string& name) {
    return loadVehicle(name).differential_drive.has_value();
  };
  names.erase(std::remove_if(names.begin(), names.end(), drives), names.end());
  return names;
}

TEST_F(LoadVehicleTest, EveryShippedVehicleCanHoverUnderTheDefaultController) {
  const std::vector<std::string> names = multirotors();
  for (const char* name :
       {"crazyflie", "firefly", "hummingbird", "iris", "uzh_5inch", "zhong_2023"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  const control::ControllerConfig controller = loadController("default");
  for (const std::string& name : names) {
    const vehicle::VehicleConfig loaded = loadVehicle(name);
    EXPECT_GT(loaded.maxThrust(), 1.5 * loaded.mass * kGravity) << name;
    EXPECT_GT(loaded.hoverSpeed(), loaded.motor.speed_min) << name;
    EXPECT_LT(loaded.hoverSpeed(), loaded.motor.speed_max) << name;
    EXPECT_DOUBLE_EQ(loaded.imu.rate, 200.0) << name;
    EXPECT_EQ(complaint([&] { control::CascadedPid(controller, sim::vehicleModel(loaded)); }),
              "no error")
        << name;
  }
}

// Computed performance of the published vehicle on 4 x 3.7 V and 2.3 Ah: it hovers for 6.4 min, and
// flies 5.16 km at 14.1 m/s.
TEST_F(LoadVehicleTest, ThePublishedVehicleFliesAsLongAsComputed) {
  const vehicle::VehicleConfig config = loadVehicle("zhong_2023");
  const double charge = 4.0 * 3.7 * 2.3 * 3600.0;  // [J]
  EXPECT_NEAR(charge / config.powerAt(config.hoverSpeeds()) / 60.0, 6.4, 0.03);
  const double speed = 14.1, drag = config.linear_drag.x() * speed;
  const double tilted = std::sqrt(std::hypot(1.2 * kGravity, drag) / (1.2 * kGravity));
  const double power = config.powerAt(tilted * config.hoverSpeeds());
  EXPECT_NEAR(charge / power * speed, 5160.0, 80.0);
}

// All four directions, up and a turn, with the vehicle's own file and the default controller.
TEST_F(LoadVehicleTest, EveryShippedVehicleFliesAFewMetres) {
  constexpr double kNoGround = -std::numeric_limits<double>::infinity();
  for (const std::string& name : multirotors()) {
    sim::UavConfig config;
    config.vehicle = loadVehicle(name);
    config.controller = loadController("default");
    config.start_p_WB = {0.0, 0.0, 2.0};
    sim::Uav uav(config, {}, kNoGround);
    for (const Eigen::Vector3d& goal :
         {Eigen::Vector3d(3.0, 1.0, 2.5), Eigen::Vector3d(-1.0, -2.0, 2.0)}) {
      uav.setGoal(goal, goal.x());
      double farthest = 0.0;
      for (int i = 0; i < 8000; ++i) {
        uav.step();
        if (i % 2 == 1) {
          farthest = std::max(farthest, (uav.state().X_WB.p - uav.reference().p_WB).norm());
        }
      }
      EXPECT_LT(farthest, 0.1) << name;
      EXPECT_LT((uav.state().X_WB.p - goal).norm(), 0.01) << name;
      EXPECT_LT(uav.state().v_WB.norm(), 0.01) << name;
      EXPECT_NEAR(wrapAngle(yawOf(uav.state().X_WB.q) - goal.x()), 0.0, 0.02) << name;
    }
  }
}

TEST_F(LoadVehicleTest, ReadsEveryField) {
  const vehicle::VehicleConfig iris = loadVehicle("iris");
  EXPECT_EQ(iris.name, "Iris");
  EXPECT_DOUBLE_EQ(iris.mass, 1.535);
  EXPECT_EQ(iris.inertia, Eigen::Vector3d(0.029125, 0.029125, 0.055225));
  ASSERT_EQ(iris.rotors.size(), 4U);
  EXPECT_EQ(iris.rotors[1].position, Eigen::Vector3d(-0.13, 0.20, 0.023));
  EXPECT_EQ(iris.rotors[1].spin, 1);
  EXPECT_EQ(iris.rotors[2].spin, -1);
  EXPECT_DOUBLE_EQ(iris.thrust_coefficient, 5.84e-6);
  EXPECT_DOUBLE_EQ(iris.torque_coefficient, 0.06 * 5.84e-6);
  EXPECT_DOUBLE_EQ(iris.motor.natural_frequency_up, 160.0);
  EXPECT_DOUBLE_EQ(iris.motor.natural_frequency_down, 80.0);
  EXPECT_DOUBLE_EQ(iris.motor.speed_max, 1100.0);
  EXPECT_DOUBLE_EQ(iris.rotor_drag_coefficient, 1.75e-4);
  EXPECT_DOUBLE_EQ(iris.imu.gyroscope.noise_density, 1.6968e-4);
  EXPECT_DOUBLE_EQ(iris.imu.accelerometer.random_walk, 3.0e-3);
  EXPECT_EQ(loadVehicle("uzh_5inch").linear_drag, Eigen::Vector3d(0.26, 0.26, 0.30));
  // The thesis: 42.4 N for 1.2 kg, neighbouring motors 18 cm apart.
  const vehicle::VehicleConfig zhong = loadVehicle("zhong_2023");
  EXPECT_DOUBLE_EQ(zhong.mass, 1.2);
  EXPECT_NEAR(zhong.maxThrust(), 42.4, 0.05);
  EXPECT_NEAR((zhong.rotors[0].position - zhong.rotors[2].position).norm(), 0.18, 1e-12);
  EXPECT_EQ(loadVehicle("firefly").rotors.size(), 6U);
  EXPECT_DOUBLE_EQ(loadVehicle("crazyflie").torque_coefficient, 7.8e-10);
}

TEST_F(LoadVehicleTest, BadInputIsNamed) {
  const std::string good = contents(dataDir() / "config/vehicle/hummingbird.yaml");
  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const std::string path = write("x.yaml", replaced(good, part, by));
    const std::string message = complaint([&] { loadVehicle(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("mass: 0.716kg", "mass: 716g"), "no error");
  EXPECT_EQ(complaintOf("mass: 0.716kg", "mass: -1kg"),
            "x.yaml: mass is -1, allowed: more than 0 kg");
  EXPECT_EQ(complaintOf("mass: 0.716kg", "mass: heavy"),
            "x.yaml: mass is 'heavy', allowed: a finite number, bare in kg, or with one of the "
            "units kg, g");
  EXPECT_EQ(complaintOf("mass: 0.716kg", ""),
            "x.yaml: mass is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("spin: ccw", "spin: left"),
            "x.yaml: rotors[1].spin is 'left', allowed: ccw, cw");
  EXPECT_EQ(
      complaintOf("moment_constant: 0.016m", "moment_constant: 0.016m\ntorque_coefficient: 1"),
      "x.yaml: moment_constant is given beside torque_coefficient, allowed: one of the two");
  EXPECT_EQ(complaintOf("  damping: 1", "  dampign: 1"),
            "x.yaml: motor.dampign is an unknown key (did you mean 'damping'?), allowed: "
            "natural_frequency_up, natural_frequency_down, damping, speed_min, speed_max");
  EXPECT_EQ(complaintOf("  position: [0, 0, 0]\n  rpy", "  rate: nan\n  rpy").substr(0, 25),
            "x.yaml: imu.rate is 'nan'");
  EXPECT_NE(
      complaintOf("  position: [0, 0, 0]\n  rpy", "  rate: 0Hz\n  rpy").find("imu: rate is 0"),
      std::string::npos);
  EXPECT_NE(complaintOf("model: euroc_adis16448", "model: euroc")
                .find("imu.model is 'euroc', allowed: a path, "),
            std::string::npos);
  EXPECT_NE(complaintOf("mass: 0.716kg", "mass: 7kg"), "no error") << "it cannot hover";
  const std::string no_body = complaintOf("radius: 0.27m", "radius: 0.27m\nbody: body.pcd");
  EXPECT_EQ(no_body.substr(0, 14), "x.yaml: body i");
  EXPECT_NE(no_body.find("body.pcd, allowed: a .pcd or .ply file"), std::string::npos);
}

TEST_F(LoadVehicleTest, AVehicleOnWheelsHasNoRotors) {
  const vehicle::VehicleConfig jackal = loadVehicle("jackal");
  ASSERT_TRUE(jackal.differential_drive);
  EXPECT_EQ(jackal.motorCount(), 2);
  EXPECT_DOUBLE_EQ(jackal.differential_drive->wheelbase, 0.262);
  EXPECT_DOUBLE_EQ(jackal.differential_drive->slope_max, radians(30.0));
  EXPECT_EQ(complaint([] { loadMultirotor("jackal"); }),
            "vehicle is 'jackal', allowed: a multirotor, not one on wheels");
  const std::string good = contents(dataDir() / "config/vehicle/jackal.yaml");
  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const std::string path = write("x.yaml", replaced(good, part, by));
    const std::string message = complaint([&] { loadVehicle(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("track: 0.37559m", "track: 0"),
            "x.yaml: differential_drive.track is 0, allowed: more than 0 m");
  EXPECT_EQ(complaintOf("slope_max: 30deg", "slope_max: 80deg").substr(0, 41),
            "x.yaml: differential_drive.slope_max is 1");
  EXPECT_EQ(complaintOf("radius: 0.35m", "radius: 0.35m\nrotors: []").substr(0, 36),
            "x.yaml: rotors is an unknown key, al");
}

TEST_F(LoadVehicleTest, AnEstimateIsAWordOrTheSettingsOfASlam) {
  const std::string good = contents(dataDir() / "config/vehicle/hummingbird.yaml");
  const auto with = [&](const std::string& value) {
    return loadVehicle(write("x.yaml", good + "estimate: " + value + "\n")).estimate;
  };
  EXPECT_FALSE(loadVehicle("hummingbird").estimate);
  EXPECT_FALSE(with("none"));
  const auto realistic = with("realistic");
  ASSERT_TRUE(realistic);
  EXPECT_EQ(realistic->rate, 10.0);
  EXPECT_EQ(realistic->delay, 0.05);
  const auto own = with("{rate: 20Hz, attitude_noise: 5mrad, delay: 80ms, lost_at: 60s}");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->rate, 20.0);
  EXPECT_EQ(own->position_noise, 0.01);
  EXPECT_DOUBLE_EQ(own->attitude_noise, 0.005);
  EXPECT_DOUBLE_EQ(own->delay, 0.08);
  EXPECT_EQ(own->lost_at, 60.0);
  const auto complaintOf = [&](const std::string& value) {
    const std::string message = complaint([&] { with(value); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("good"), "x.yaml: estimate is 'good', allowed: realistic, none");
  EXPECT_EQ(complaintOf("{rate: 0}"), "x.yaml: estimate.rate is 0, allowed: 0.1 to 1000 Hz");
  EXPECT_EQ(complaintOf("{position_noise: -1cm}"),
            "x.yaml: estimate.position_noise is -0.01, allowed: 0 or more m");
  EXPECT_EQ(complaintOf("{delay: 2s}"), "x.yaml: estimate.delay is 2, allowed: 0 to 1 s");
  EXPECT_EQ(complaintOf("{dealy: 50ms}").substr(0, 70),
            "x.yaml: estimate.dealy is an unknown key (did you mean 'delay'?), allo");
}

TEST_F(LoadVehicleTest, BodyIsAFileBesideItsOwn) {
  const std::string good = contents(dataDir() / "config/vehicle/hummingbird.yaml");
  const std::string body = write("body.pcd", "only its name is read here");
  const std::string path =
      write("x.yaml", replaced(good, "radius: 0.27m", "radius: 0.27m\nbody: body.pcd"));
  EXPECT_EQ(loadVehicle(path).body, body);
}

TEST_F(LoadVehicleTest, CarriesFurtherSensorsWhereItsFileSaysSo) {
  const vehicle::VehicleConfig bare = loadVehicle("hummingbird");
  EXPECT_FALSE(bare.magnetometer || bare.barometer || bare.gnss);
  const std::string good =
      contents(dataDir() / "config/vehicle/hummingbird.yaml") +
      "magnetometer: {field: [1.0e-6, 21.0e-6, -43.0e-6], noise: 1.0e-7}\n"
      "barometer: {origin_altitude: 450m, drift: {sigma: 5, "
      "correlation_time: 60s}}\n"
      "gnss: {origin: {latitude: 47.4deg, longitude: 8.55deg, altitude: 450m}, "
      "horizontal_noise: 50cm}\n";
  const vehicle::VehicleConfig vehicle = loadVehicle(write("x.yaml", good));
  ASSERT_TRUE(vehicle.magnetometer && vehicle.barometer && vehicle.gnss);
  EXPECT_DOUBLE_EQ(vehicle.magnetometer->field_W.y(), 21e-6);
  EXPECT_DOUBLE_EQ(vehicle.barometer->drift.correlation_time, 60.0);
  EXPECT_DOUBLE_EQ(vehicle.gnss->latitude, radians(47.4));
  EXPECT_DOUBLE_EQ(vehicle.gnss->horizontal_noise, 0.5);

  const auto complaintOf = [&](const std::string& part, const std::string& by) {
    const std::string path = write("x.yaml", replaced(good, part, by));
    const std::string message = complaint([&] { loadVehicle(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("field: [1.0e-6, 21.0e-6, -43.0e-6], ", ""),
            "x.yaml: magnetometer.field is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("latitude: 47.4deg", "latitude: 90deg").substr(0, 30),
            "x.yaml: gnss: latitude is 1.57");
}

TEST_F(LoadVehicleTest, PhysicsThatFewVehiclesHave) {
  const std::string good = contents(dataDir() / "config/vehicle/hummingbird.yaml");
  const auto loaded = [&](const std::string& lines) {
    return loadVehicle(write("x.yaml", lines + good));
  };
  const auto complaintOf = [&](const std::string& lines) {
    const std::string message = complaint([&] { loaded(lines); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  const auto config = loaded(
      "parasitic_drag: [0.01, 0.02, 0.03]\nrotor_radius: 10cm\nground_effect: true\n"
      "payload: {mass: 100g, position: [1cm, 0, -5cm], known: true}\n"
      "battery: {sag: 0.9, duration: 300s}\n");
  EXPECT_EQ(config.parasitic_drag, Eigen::Vector3d(0.01, 0.02, 0.03));
  EXPECT_TRUE(config.ground_effect);
  EXPECT_DOUBLE_EQ(config.rotor_radius, 0.1);
  EXPECT_DOUBLE_EQ(config.payload.mass, 0.1);
  EXPECT_EQ(config.payload.position, Eigen::Vector3d(0.01, 0.0, -0.05));
  EXPECT_TRUE(config.payload.known);
  EXPECT_DOUBLE_EQ(config.battery.sag, 0.9);
  EXPECT_DOUBLE_EQ(config.battery.duration, 300.0);
  EXPECT_EQ(complaintOf("parasitic_drag: [0, 0, -1]\n"),
            "x.yaml: parasitic_drag[2] is -1, allowed: 0 or more N/(m/s)^2");
  EXPECT_EQ(complaintOf("ground_effect: true\n"),
            "x.yaml: rotor_radius is 0, allowed: more than 0 m with ground_effect");
  EXPECT_EQ(complaintOf("payload: {mass: 5kg, position: [0, 0, 0]}\n").substr(0, 33),
            "x.yaml: mass with payload is 5.71");
  EXPECT_EQ(complaintOf("payload: {mass: nan, position: [0, 0, 0]}\n").substr(0, 30),
            "x.yaml: payload.mass is 'nan',");
  EXPECT_EQ(complaintOf("payload: {mass: 1g}\n"),
            "x.yaml: payload.position is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("battery: {sag: 2, duration: 1s}\n"),
            "x.yaml: battery.sag is 2, allowed: 0.1 to 1");
}

TEST_F(LoadVehicleTest, UnknownNamesListTheKnownOnes) {
  EXPECT_EQ(complaint([] { loadVehicle("humingbird"); }),
            "unknown vehicle 'humingbird' (did you mean 'hummingbird'?), known: crazyflie, "
            "firefly, hummingbird, iris, jackal, uzh_5inch, zhong_2023");
}

// A default lives once, in the struct: the written-out file only shows it.
TEST_F(LoadVehicleTest, DefaultControllerFileHoldsTheStructsDefaults) {
  const control::ControllerConfig file = loadController("default"), built_in;
  const auto values = [](const control::ControllerConfig& c) {
    return std::vector<double>{c.position.natural_frequency,
                               c.position.damping,
                               c.attitude.natural_frequency,
                               c.attitude.damping,
                               c.yaw.natural_frequency,
                               c.yaw.damping,
                               c.position_integral,
                               c.attitude_integral,
                               c.integral_limit,
                               c.tilt_max,
                               c.speed_max,
                               c.acceleration_max,
                               c.yaw_rate_max,
                               c.thrust_min_ratio,
                               c.thrust_max_ratio,
                               c.goal.speed,
                               c.goal.acceleration,
                               c.goal.yaw_rate,
                               c.warn.reference_distance,
                               c.warn.tracking_error};
  };
  EXPECT_EQ(values(file), values(built_in));
  EXPECT_EQ(file.type, built_in.type);
  EXPECT_EQ(file.feedback.accelerations, built_in.feedback.accelerations);
  EXPECT_EQ(file.feedback.motor_model, built_in.feedback.motor_model);
  EXPECT_EQ(file.drag_model, built_in.drag_model);
}

TEST_F(LoadVehicleTest, ControllersAreOfATypeAndReadItsKeysOnly) {
  EXPECT_EQ(loadController("geometric").type, control::ControllerType::kGeometric);
  EXPECT_FALSE(loadController("onboard").feedback.accelerations);
  EXPECT_FALSE(loadController("onboard").feedback.motor_model);
  EXPECT_FALSE(loadController("onboard").drag_model);
  const auto complaintOf = [&](const std::string& text) {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { loadController(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("{type: geometric, feedback: {motor_model: false}}"), "no error");
  EXPECT_EQ(complaintOf("type: lqr"), "x.yaml: type is 'lqr', allowed: cascaded_pid, geometric");
  for (const auto& [text, key] : {std::pair{"feedback: {accelerations: true}", "accelerations"},
                                  std::pair{"attitude_integral: 0.1", "attitude_integral"},
                                  std::pair{"yaw_rate_max: 1", "yaw_rate_max"}}) {
    const std::string message = complaintOf(std::string("{type: geometric, ") + text + "}");
    EXPECT_NE(message.find("unknown key"), std::string::npos) << message;
    EXPECT_NE(message.find(key), std::string::npos) << message;
  }
  EXPECT_EQ(complaintOf("feedback: {motor_model: false}"),
            "x.yaml: feedback.motor_model is false, allowed: true where feedback.accelerations is");
  EXPECT_EQ(complaintOf("feedback: {accelerations: 2}"),
            "x.yaml: feedback.accelerations is '2', allowed: true, false");
}

TEST_F(LoadVehicleTest, ControllerKeysAreOptionalAndChecked) {
  EXPECT_EQ(loadController(write("a.yaml", "{goal: {speed: 3m/s}}")).goal.speed, 3.0);
  const auto complaintOf = [&](const std::string& text) {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { loadController(path); });
    return message == "no error" ? message : message.substr(message.find("x.yaml"));
  };
  EXPECT_EQ(complaintOf("tilt_max: 40deg"), "no error");
  EXPECT_EQ(complaintOf("tilt_max: 200deg").substr(0, 28), "x.yaml: tilt_max is 3.490658");
  EXPECT_EQ(complaintOf("position: {dampin: 1}"),
            "x.yaml: position.dampin is an unknown key (did you mean 'damping'?), allowed: "
            "natural_frequency, damping");
  EXPECT_EQ(complaint([] { loadController("defualt"); }),
            "unknown control 'defualt' (did you mean 'default'?), known: agile, default, "
            "geometric, onboard, onboard_slow");
}

}  // namespace
}  // namespace marsim::config
