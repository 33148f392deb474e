// SPDX-License-Identifier: BSD-3-Clause
#include "ros/uav/flight_services.hpp"

namespace marsim::ros_nodes {

FlightServices::FlightServices(ros::NodeHandle& handle, CommandGate& gate) : gate_(gate) {
  using marsim::TakeOff;
  using std_srvs::SetBool;
  using std_srvs::Trigger;
  const boost::function<bool(TakeOff::Request&, TakeOff::Response&)> onTakeOff =
      [this](TakeOff::Request& request, TakeOff::Response& response) {
        gate_.hasState();  // ends a wait; without a state the pilot reports it
        answer("take_off", gate_.pilot().takeOff(request.height), response);
        return true;
      };
  const boost::function<bool(Trigger::Request&, Trigger::Response&)> onLand =
      [this](Trigger::Request&, Trigger::Response& response) {
        gate_.hasState();
        answer("land", gate_.pilot().land(), response);
        return true;
      };
  const boost::function<bool(SetBool::Request&, SetBool::Response&)> onArm =
      [this](SetBool::Request& request, SetBool::Response& response) {
        gate_.hasState();
        answer("arm", gate_.pilot().arm(request.data), response);
        return true;
      };
  take_off_service_ =
      handle.advertiseService<TakeOff::Request, TakeOff::Response>("take_off", onTakeOff);
  land_service_ = handle.advertiseService<Trigger::Request, Trigger::Response>("land", onLand);
  arm_service_ = handle.advertiseService<SetBool::Request, SetBool::Response>("arm", onArm);
}

template <class Response>
void FlightServices::answer(const char* service, const sim::Pilot::Outcome& outcome,
                            Response& response) {
  response.success = outcome.done;
  response.message = outcome.text;
  if (outcome.done) gate_.taken(service);
}

}  // namespace marsim::ros_nodes
