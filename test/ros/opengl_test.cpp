// SPDX-License-Identifier: BSD-3-Clause
// renderer:=opengl publishes what renderer:=cpu does: the same topics, and in them the same scans
// and images of the same states.
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <sensor_msgs/PointCloud2.h>
#include <sensor_msgs/point_cloud2_iterator.h>

#include "wait_for.hpp"

namespace marsim::test {
namespace {

using sensor_msgs::Image;
using sensor_msgs::PointCloud2;

template <class Message>
using ByStamp = std::map<ros::Time, boost::shared_ptr<const Message>>;

// Topics of a UAV's LiDAR and depth camera, without its namespace.
std::set<std::string> topicsOf(const std::string& uav) {
  XmlRpc::XmlRpcValue request, response, state;
  request[0] = ros::this_node::getName();
  std::set<std::string> topics;
  if (!ros::master::execute("getSystemState", request, response, state, true)) return topics;
  for (int i = 0; i < state[0].size(); ++i) {
    const std::string topic = state[0][i][0];
    if (topic.compare(0, uav.size() + 1, uav + "/") != 0) continue;
    for (int k = 0; k < state[0][i][1].size(); ++k) {
      const std::string node = state[0][i][1][k];
      if (node == uav + "/lidar" || node == uav + "/depth_camera") {
        topics.insert(topic.substr(uav.size()));
      }
    }
  }
  return topics;
}

// Stamps that both have.
template <class Message>
std::size_t shared(const ByStamp<Message>& a, const ByStamp<Message>& b) {
  std::size_t count = 0;
  for (const auto& [stamp, message] : a) count += b.count(stamp);
  return count;
}

struct Agreement {
  std::size_t cells = 0, hits = 0, wrong = 0;

  // Ranges or depths [m]; a miss is no number. Steps of a millimetre may fall to either side.
  void add(double a, double b) {
    ++cells;
    hits += std::isfinite(b) ? 1 : 0;
    if (std::isfinite(a) != std::isfinite(b)) {
      ++wrong;
    } else if (std::isfinite(a)) {
      wrong += std::abs(a - b) <= 0.0031 ? 0 : 1;
    }
  }
  void expectGood() const {
    EXPECT_GT(hits, cells / 3);
    EXPECT_LE(wrong, cells / 500) << "of " << cells;
  }
};

void compare(const PointCloud2& a, const PointCloud2& b, Agreement& agreement) {
  ASSERT_EQ(a.data.size(), b.data.size());
  sensor_msgs::PointCloud2ConstIterator<float> range(a, "range"), expected(b, "range");
  for (; range != range.end(); ++range, ++expected) {
    agreement.add(static_cast<double>(*range), static_cast<double>(*expected));
  }
}

void compare(const Image& a, const Image& b, Agreement& agreement) {
  ASSERT_EQ(a.data.size(), b.data.size());
  const auto depth = [](const Image& image, std::size_t i) {
    std::uint16_t mm = 0;
    std::memcpy(&mm, &image.data[2 * i], sizeof(mm));
    return mm == 0 ? std::nan("") : 1e-3 * mm;
  };
  for (std::size_t i = 0; i < a.data.size() / 2; ++i) agreement.add(depth(a, i), depth(b, i));
}

TEST(OpenGl, PublishesWhatTheProcessorDoes) {
  ros::NodeHandle nh;
  ByStamp<PointCloud2> clouds[2];
  ByStamp<Image> images[2];
  const auto keep = [](auto& kept) {
    return [&kept](const auto& message) { kept[message->header.stamp] = message; };
  };
  const ros::Subscriber subscribers[] = {
      nh.subscribe<PointCloud2>("/uav0/points", 20, keep(clouds[0])),
      nh.subscribe<PointCloud2>("/cpu/points", 20, keep(clouds[1])),
      nh.subscribe<Image>("/uav0/depth/image_rect_raw", 20, keep(images[0])),
      nh.subscribe<Image>("/cpu/depth/image_rect_raw", 20, keep(images[1]))};
  ASSERT_TRUE(waitFor([&] {
    return shared(clouds[0], clouds[1]) >= 3 && shared(images[0], images[1]) >= 2;
  })) << clouds[0].size()
      << " and " << clouds[1].size() << " clouds, " << images[0].size() << " and "
      << images[1].size() << " images";
  EXPECT_EQ(topicsOf("/uav0"), topicsOf("/cpu"));
  EXPECT_EQ(topicsOf("/uav0").count("/points_world"), 1U);
  Agreement of_clouds, of_images;
  for (const auto& [stamp, cloud] : clouds[0]) {
    if (clouds[1].count(stamp) != 0) compare(*cloud, *clouds[1][stamp], of_clouds);
  }
  for (const auto& [stamp, image] : images[0]) {
    if (images[1].count(stamp) != 0) compare(*image, *images[1][stamp], of_images);
  }
  of_clouds.expectGood();
  of_images.expectGood();
}

}  // namespace
}  // namespace marsim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ros::init(argc, argv, "opengl_test");
  return RUN_ALL_TESTS();
}
