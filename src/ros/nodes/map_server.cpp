#include "marsim/ros/map_server_node.hpp"
#include "marsim/ros/node_main.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::MapServerNode>(argc, argv, "map_server");
}
