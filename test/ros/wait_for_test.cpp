// Simulated time waits for the answers of a client that knows nothing of it, at every pace; and the
// services of the clock: steps, run until, pace.
#include <atomic>
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

class WaitFor : public testing::Test {
 protected:
  void SetUp() override {
    clock_handle_.setCallbackQueue(&clock_queue_);
    clock_subscriber_ = clock_handle_.subscribe<rosgraph_msgs::Clock>(
        "/clock", 1000,
        [this](const rosgraph_msgs::ClockConstPtr& m) { clock_ = ros_nodes::fromRos(m->clock); },
        ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());
    clock_spinner_.start();
    ASSERT_TRUE(waitForAnswers(3, 90.0));
  }
  void TearDown() override { clock_spinner_.stop(); }

  bool waitForAnswers(std::size_t more, double wall_seconds) {
    const std::size_t before = client_.answers().size();
    return waitFor([&] { return client_.answers().size() >= before + more; }, wall_seconds);
  }
  // That the promise was kept from an answer on, and no cloud was left out.
  void expectKept(std::size_t first) {
    const auto answers = client_.answers();
    for (std::size_t i = first; i < answers.size(); ++i) {
      EXPECT_LE(answers[i].clock, answers[i].stamp + kAhead) << "cloud " << i;
      if (i > first) {
        EXPECT_NEAR(toSeconds(answers[i].stamp - answers[i - 1].stamp), 0.1, 0.001) << i;
      }
    }
  }
  bool isSaid(const std::string& text) const {
    return std::any_of(said_.begin(), said_.end(),
                       [&](const std::string& one) { return one.find(text) != std::string::npos; });
  }
  template <class Service>
  static bool call(const std::string& name, Service& service) {
    return ros::service::call("/sim_clock/" + name, service) && service.response.success;
  }
  static bool setPace(const std::string& pace) {
    marsim::SetPace service;
    service.request.pace = pace;
    return call("set_pace", service);
  }
  static bool pause(bool paused) {
    std_srvs::SetBool service;
    service.request.data = paused;
    return call("pause", service);
  }

  std::atomic<TimeNs> clock_{0};
  std::vector<std::string> said_;
  ros::NodeHandle nh_;
  ros::Publisher no_header_ = nh_.advertise<std_msgs::String>("/no_header", 1, true);
  ros::Subscriber log_subscriber_ = nh_.subscribe<rosgraph_msgs::Log>(
      "/rosout", 1000, [this](const rosgraph_msgs::LogConstPtr& m) { said_.push_back(m->msg); });
  ros::CallbackQueue clock_queue_;
  ros::NodeHandle clock_handle_;
  ros::Subscriber clock_subscriber_;
  ros::AsyncSpinner clock_spinner_{1, &clock_queue_};
  Client client_{clock_};
};

// One test, since time, and the client's place in it, go on from one part to the next.
TEST_F(WaitFor, AnUnmodifiedClient) {
  // A topic without stamps rules nothing.
  ASSERT_TRUE(waitFor([&] { return no_header_.getNumSubscribers() > 0; }, 20.0));
  no_header_.publish(std_msgs::String());
  EXPECT_TRUE(waitFor(
      [&] { return isSaid("/no_header: std_msgs/String does not begin with a std_msgs/Header"); },
      20.0));

  // As fast as it can, and as in real time.
  for (const char* pace : {"max", "1"}) {
    ASSERT_TRUE(setPace(pace));
    ASSERT_TRUE(waitForAnswers(1, 30.0));
    const std::size_t first = client_.answers().size();
    ASSERT_TRUE(waitForAnswers(15, 60.0));
    expectKept(first);
  }

  // One that falls silent is named and let go, and waited for when it is there again.
  ASSERT_TRUE(setPace("max"));
  client_.setSlowness(-1.0);
  ASSERT_TRUE(waitFor(
      [&] { return isSaid("/odometry has not answered /uav0/points of ") && isSaid(" for 3.0 s"); },
      30.0));
  const TimeNs let_go = clock_;
  EXPECT_TRUE(waitFor([&] { return clock_ > let_go + kNsPerSecond; }, 30.0));
  client_.setSlowness(1.0);
  ASSERT_TRUE(waitForAnswers(3, 30.0));
  const std::size_t again = client_.answers().size();
  ASSERT_TRUE(waitForAnswers(8, 30.0));
  expectKept(again);
}

TEST_F(WaitFor, TimeGoesInSteps) {
  marsim::StepTime step;
  step.request.duration = ros::Duration(0.25);
  EXPECT_FALSE(call("step_time", step)) << "it runs";
  ASSERT_TRUE(pause(true));
  ASSERT_TRUE(call("step_time", step)) << step.response.message;
  const TimeNs paused = ros_nodes::fromRos(step.response.reached);
  ASSERT_TRUE(call("step_time", step)) << step.response.message;
  EXPECT_EQ(ros_nodes::fromRos(step.response.reached), paused + kNsPerSecond / 4);
  EXPECT_TRUE(waitFor([&] { return clock_ == paused + kNsPerSecond / 4; }, 10.0));
  step.request.duration = ros::Duration(-0.1);
  EXPECT_FALSE(call("step_time", step));
  EXPECT_NE(step.response.message.find("duration is -0.1 s"), std::string::npos);

  marsim::RunUntil run;
  run.request.time = ros_nodes::toRos(paused);
  EXPECT_FALSE(call("run_until", run));
  EXPECT_NE(run.response.message.find("allowed: past the present"), std::string::npos);
  const TimeNs goal = paused + kNsPerSecond;
  run.request.time = ros_nodes::toRos(goal);
  EXPECT_TRUE(call("run_until", run)) << run.response.message;
  EXPECT_TRUE(waitFor([&] { return clock_ >= goal; }, 30.0));
  EXPECT_FALSE(waitFor([&] { return clock_ > goal; }, 0.5));

  for (const char* bad : {"0", "nan", "-1", "fast"}) EXPECT_FALSE(setPace(bad)) << bad;
  EXPECT_TRUE(pause(false));
  EXPECT_TRUE(waitFor([&] { return clock_ > goal; }, 30.0));
}

}  // namespace
}  // namespace marsim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "wait_for_test");
  return RUN_ALL_TESTS();
}
