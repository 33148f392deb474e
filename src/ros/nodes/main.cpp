// SPDX-License-Identifier: BSD-3-Clause
// The program of every node; the build names its kind.
#include "ros/nodes/node_main.hpp"

int main(int argc, char** argv) { return marsim::ros_nodes::runNode(MARSIM_NODE, argc, argv); }
