#include "marsim/ros/node_main.hpp"
#include "marsim/ros/swarm_node.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::SwarmNode>(argc, argv, "swarm");
}
