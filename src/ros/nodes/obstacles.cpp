#include "marsim/ros/obstacles_node.hpp"
#include "marsim/ros/node_main.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::ObstaclesNode>(argc, argv, "obstacles");
}
