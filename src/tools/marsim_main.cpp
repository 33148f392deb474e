#include <filesystem>

#include "tools/launcher.hpp"

int main(int argc, char** argv) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return marsim::tools::launch(argc, argv, self.parent_path());
}
