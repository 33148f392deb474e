// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/flight_services.hpp"

#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "marsim/TakeOff.h"

namespace marsim::ros_nodes {
namespace {

template <class Service, class Act>
ros::ServiceServer offer(ros::NodeHandle& handle, const char* name, CommandGate& gate,
                         const Act& act) {
  using Request = typename Service::Request;
  using Response = typename Service::Response;
  const boost::function<bool(Request&, Response&)> answer = [&gate, name, act](Request& request,
                                                                               Response& response) {
    gate.hasState();  // ends a wait; without a state the pilot reports it
    const sim::Pilot::Outcome outcome = act(gate.pilot(), request);
    response.success = outcome.done;
    response.message = outcome.text;
    if (outcome.done) gate.taken(name);
    return true;
  };
  return handle.advertiseService<Request, Response>(name, answer);
}

}  // namespace

std::vector<ros::ServiceServer> offerFlightServices(ros::NodeHandle& handle, CommandGate& gate) {
  return {offer<marsim::TakeOff>(
              handle, "take_off", gate,
              [](sim::Pilot& pilot, const auto& request) { return pilot.takeOff(request.height); }),
          offer<std_srvs::Trigger>(handle, "land", gate,
                                   [](sim::Pilot& pilot, const auto&) { return pilot.land(); }),
          offer<std_srvs::SetBool>(handle, "arm", gate, [](sim::Pilot& pilot, const auto& request) {
            return pilot.arm(request.data);
          })};
}

}  // namespace marsim::ros_nodes
