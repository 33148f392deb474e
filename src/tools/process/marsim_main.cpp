// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include <fmt/format.h>

#include "tools/process/launcher.hpp"

int main(int argc, char** argv) {
  try {
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    return marsim::tools::launch(argc, argv, self.parent_path());
  } catch (const std::exception& error) {
    fmt::print(stderr, "marsim: {}\n", error.what());
    return 1;
  }
}
