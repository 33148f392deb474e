#include "marsim/ros/controller_node.hpp"
#include "marsim/ros/node_main.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::ControllerNode>(argc, argv, "controller");
}
