#include "marsim/ros/node_main.hpp"
#include "marsim/ros/sim_clock_node.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::SimClockNode>(argc, argv, "sim_clock");
}
