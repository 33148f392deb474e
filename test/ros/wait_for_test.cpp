// SPDX-License-Identifier: BSD-3-Clause
// Simulated time waits for the answers of a client that knows nothing of it, at every pace; and the
// services of the clock: steps, run until, pace.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <rosgraph_msgs/Log.h>
#include <sensor_msgs/PointCloud2.h>
#include <std_msgs/String.h>
#include <std_srvs/SetBool.h>

#include "marsim/RunUntil.h"
#include "marsim/SetPace.h"
#include "marsim/StepTime.h"
#include "ros/messages/conversions.hpp"
#include "wait_for.hpp"

namespace marsim {
namespace {

using test::waitFor;

constexpr TimeNs kAhead = kNsPerSecond * 12 / 100;  // as the launch file says

/// A program like others that read clouds: answers each after some wall time, 0 to 0.15 s, with
/// odometry of its stamp. Has a queue and a thread of its own.
class Client {
 public:
  struct Answer {
    TimeNs stamp, clock;  ///< of the cloud; the latest time that /clock showed until the answer
  };

  explicit Client(const std::atomic<TimeNs>& clock) : clock_(clock) {
    nh_.setCallbackQueue(&queue_);
    publisher_ = nh_.advertise<nav_msgs::Odometry>("/odometry", 10);
    subscriber_ = nh_.subscribe("/uav0/points", 100, &Client::onCloud, this,
                                ros::TransportHints().tcpNoDelay());
    spinner_.start();
  }
  ~Client() { spinner_.stop(); }

  std::vector<Answer> answers() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return answers_;
  }
  /// How many times as long it takes; < 0: it takes clouds and answers none.
  void setSlowness(double factor) { slowness_ = factor; }

 private:
  void onCloud(const sensor_msgs::PointCloud2ConstPtr& cloud) {
    if (slowness_ < 0.0) return;
    const double seconds = slowness_ * std::uniform_real_distribution<double>(0.0, 0.15)(random_);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      answers_.push_back({ros_nodes::fromRos(cloud->header.stamp), clock_});
    }
    nav_msgs::Odometry odometry;
    odometry.header.stamp = ros::Time(cloud->header.stamp.toSec());  // through a double
    publisher_.publish(odometry);
  }

  const std::atomic<TimeNs>& clock_;
  std::atomic<double> slowness_{1.0};
  std::mutex mutex_;
  std::vector<Answer> answers_;
  std::mt19937 random_{1};
  ros::CallbackQueue queue_;
  ros::NodeHandle nh_;
  ros::Publisher publisher_;
  ros::Subscriber subscriber_;
  ros::AsyncSpinner spinner_{1, &queue_};
};

bool setPace(double pace) {
  marsim::SetPace service;
  service.request.pace = pace;
  return ros::service::call("/sim_clock/set_pace", service) && service.response.success;
}

bool pause(bool paused) {
  std_srvs::SetBool service;
  service.request.data = paused;
  return ros::service::call("/sim_clock/pause", service) && service.response.success;
}

/// The client, and who looks at what comes of it: the clock in a thread of its own.
struct Session {
  Session() {
    clock_handle.setCallbackQueue(&clock_queue);
    clock_subscriber = clock_handle.subscribe<rosgraph_msgs::Clock>(
        "/clock", 1000,
        [this](const rosgraph_msgs::ClockConstPtr& m) { clock = ros_nodes::fromRos(m->clock); },
        ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());
    clock_spinner.start();
  }
  ~Session() { clock_spinner.stop(); }

  bool waitForAnswers(std::size_t more) {
    const std::size_t before = client.answers().size();
    return waitFor([&] { return client.answers().size() >= before + more; });
  }
  /// Whether the log says so within a while.
  bool isSaid(const std::string& text) {
    const auto has = [&](const std::string& one) { return one.find(text) != std::string::npos; };
    return waitFor([&] { return std::any_of(said.begin(), said.end(), has); });
  }

  std::atomic<TimeNs> clock{0};
  std::vector<std::string> said;
  ros::NodeHandle nh;
  ros::Publisher no_header = nh.advertise<std_msgs::String>("/no_header", 1, true);
  ros::Subscriber log_subscriber = nh.subscribe<rosgraph_msgs::Log>(
      "/rosout", 1000, [this](const rosgraph_msgs::LogConstPtr& m) { said.push_back(m->msg); });
  ros::CallbackQueue clock_queue;
  ros::NodeHandle clock_handle;
  ros::Subscriber clock_subscriber;
  ros::AsyncSpinner clock_spinner{1, &clock_queue};
  Client client{clock};
};

/// Tests of one run of the simulator, in this order.
class WaitFor : public testing::Test {
 protected:
  static void SetUpTestSuite() { session_ = std::make_unique<Session>(); }
  static void TearDownTestSuite() { session_.reset(); }
  void SetUp() override { ASSERT_TRUE(session_->waitForAnswers(2)); }

  // Expects that the promise was kept from an answer on and no cloud was left out.
  static void expectKept(std::size_t first) {
    const auto answers = session_->client.answers();
    for (std::size_t i = first; i < answers.size(); ++i) {
      EXPECT_LE(answers[i].clock, answers[i].stamp + kAhead) << "cloud " << i;
      if (i > first) {
        EXPECT_NEAR(toSeconds(answers[i].stamp - answers[i - 1].stamp), 0.1, 0.001) << i;
      }
    }
  }

  static inline std::unique_ptr<Session> session_;
};

TEST_F(WaitFor, ATopicWithoutStampsRulesNothing) {
  session_->no_header.publish(std_msgs::String());
  EXPECT_TRUE(
      session_->isSaid("wait_for: /uav0/points>/no_header+0.12:5 holds no time: /no_header: "
                       "std_msgs/String does not "
                       "begin with a std_msgs/Header"));
}

TEST_F(WaitFor, ThePromiseIsKeptAtEveryPace) {
  for (const double pace : {std::numeric_limits<double>::infinity(), 1.0}) {
    ASSERT_TRUE(setPace(pace));
    ASSERT_TRUE(session_->waitForAnswers(1));
    const std::size_t first = session_->client.answers().size();
    ASSERT_TRUE(session_->waitForAnswers(12));
    expectKept(first);
  }
  for (const double bad : {0.0, std::nan(""), -1.0}) EXPECT_FALSE(setPace(bad)) << bad;
  EXPECT_TRUE(setPace(std::numeric_limits<double>::infinity()));
}

TEST_F(WaitFor, TimeGoesInSteps) {
  marsim::StepTime step;
  const auto stepBy = [&](double seconds) {
    step.request.duration = ros::Duration(seconds);
    EXPECT_TRUE(ros::service::call("/sim_clock/step_time", step));
    return step.response.success;
  };
  EXPECT_FALSE(stepBy(0.25)) << "it runs";
  ASSERT_TRUE(pause(true));
  ASSERT_TRUE(stepBy(0.25)) << step.response.message;
  const TimeNs before = ros_nodes::fromRos(step.response.reached);
  ASSERT_TRUE(stepBy(0.25)) << step.response.message;
  const TimeNs reached = ros_nodes::fromRos(step.response.reached);
  EXPECT_EQ(reached, before + kNsPerSecond / 4);
  EXPECT_TRUE(waitFor([&] { return session_->clock == reached; }));
  EXPECT_FALSE(stepBy(-0.1));
  EXPECT_NE(step.response.message.find("duration is -0.1 s"), std::string::npos);
  EXPECT_FALSE(waitFor([&] { return session_->clock != reached; }, 0.3));
  EXPECT_TRUE(pause(false));
}

TEST_F(WaitFor, AStepEndsWhereAnotherRequestComesFirst) {
  ASSERT_TRUE(pause(true));
  const TimeNs now = session_->clock;
  marsim::StepTime step;
  step.request.duration = ros::Duration(3600.0);
  bool called = false;
  std::thread caller([&] { called = ros::service::call("/sim_clock/step_time", step); });
  EXPECT_TRUE(waitFor([&] { return session_->clock > now; }));
  marsim::RunUntil run;
  run.request.time = ros_nodes::toRos(now + 7200 * kNsPerSecond);
  EXPECT_TRUE(ros::service::call("/sim_clock/run_until", run));
  EXPECT_TRUE(run.response.success) << run.response.message;
  caller.join();
  EXPECT_TRUE(called);
  EXPECT_FALSE(step.response.success);
  EXPECT_EQ(step.response.message, "another request came first");
  EXPECT_TRUE(pause(false));
}

TEST_F(WaitFor, TimeGoesUntilATime) {
  ASSERT_TRUE(pause(true));
  const TimeNs now = session_->clock, goal = now + kNsPerSecond;
  marsim::RunUntil run;
  run.request.time = ros_nodes::toRos(now / 2);
  ASSERT_TRUE(ros::service::call("/sim_clock/run_until", run));
  EXPECT_FALSE(run.response.success);
  EXPECT_NE(run.response.message.find("allowed: past the present"), std::string::npos);
  run.request.time = ros_nodes::toRos(goal);
  ASSERT_TRUE(ros::service::call("/sim_clock/run_until", run));
  EXPECT_TRUE(run.response.success) << run.response.message;
  EXPECT_TRUE(waitFor([&] { return session_->clock >= goal; }));
  EXPECT_FALSE(waitFor([&] { return session_->clock > goal + 2 * kNsPerSecond / 1000; }, 0.3));
  EXPECT_TRUE(pause(false));
}

TEST_F(WaitFor, OneThatFallsSilentIsNamedAndLetGoUntilItAnswers) {
  session_->client.setSlowness(-1.0);
  ASSERT_TRUE(session_->isSaid("/odometry has not answered /uav0/points of "));
  const TimeNs let_go = session_->clock;
  EXPECT_TRUE(waitFor([&] { return session_->clock > let_go + kNsPerSecond; }));
  session_->client.setSlowness(1.0);
  ASSERT_TRUE(session_->waitForAnswers(1));
  // Time stands until what has come without it is answered.
  const TimeNs gone = session_->clock;
  ASSERT_TRUE(waitFor([&] { return session_->client.answers().back().stamp > gone; }));
  const std::size_t again = session_->client.answers().size();
  ASSERT_TRUE(session_->waitForAnswers(5));
  expectKept(again);
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "wait_for_test");
  return RUN_ALL_TESTS();
}
