#include "marsim/ros/node_main.hpp"
#include "marsim/ros/peer_bridge_node.hpp"

int main(int argc, char** argv) {
  return marsim::ros_nodes::runNode<marsim::ros_nodes::PeerBridgeNode>(argc, argv, "peer_bridge");
}
