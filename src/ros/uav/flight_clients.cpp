// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/flight_clients.hpp"

#include <fmt/format.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "marsim/TakeOff.h"

namespace marsim::ros_nodes {
namespace {

template <class Service>
std::string call(ros::ServiceClient& client, Service& service) {
  if (!client.call(service)) {
    return fmt::format("{} does not answer: is the controller there?", client.getService());
  }
  if (service.response.success != 0) return "";
  return fmt::format("{}: {}", client.getService(), service.response.message);
}

}  // namespace

FlightClients::FlightClients(ros::NodeHandle& handle)
    : take_off_(handle.serviceClient<marsim::TakeOff>("take_off")),
      land_(handle.serviceClient<std_srvs::Trigger>("land")),
      arm_(handle.serviceClient<std_srvs::SetBool>("arm")) {}

std::string FlightClients::takeOff(double height) {
  marsim::TakeOff service;
  service.request.height = height;
  return call(take_off_, service);
}

std::string FlightClients::land() {
  std_srvs::Trigger service;
  return call(land_, service);
}

std::string FlightClients::arm(bool armed) {
  std_srvs::SetBool service;
  service.request.data = armed;
  return call(arm_, service);
}

}  // namespace marsim::ros_nodes
