// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "map/test_files.hpp"
#include "map_tools/importer_parts.hpp"
#include "map_tools/sources.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_OCTOMAP
#include <octomap/OcTree.h>
#endif

namespace marsim::map_tools {
namespace {

const std::string kObj = "v 0 0 1\nv 4 0 1\nv 4 3 1\nf 1 2 3\n";

Mesh meshOf(const std::filesystem::path& path, const ImportLimits& limits = {}) {
  return readMesh(path, Progress::none(), limits);
}

/// The error of a failing import, one line, less the file's name at its begin.
std::string errorOf(const std::filesystem::path& path, const ImportLimits& limits = {}) {
  try {
    meshOf(path, limits);
  } catch (const FileError& error) {
    const std::string text = error.what(), begin = path.string() + ": ";
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.rfind(begin, 0), 0U) << text;
    return text.substr(std::min(begin.size(), text.size()));
  }
  return "no error";
}

std::string collada(const std::string& nodes, const std::string& scene) {
  return fmt::format(
      R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset></asset>
<library_nodes>{}</library_nodes>
<library_visual_scenes><visual_scene id="s">{}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)",
      nodes, scene);
}

/// The processes that a process has started.
std::set<pid_t> childrenOf(pid_t process) {
  std::set<pid_t> children;
  for (const auto& task :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process))) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.insert(child);
  }
  return children;
}

/// Whether the kernel lists the children of a process.
bool listsChildren() {
  return std::filesystem::exists(fmt::format("/proc/self/task/{}/children", getpid()));
}

/// Whether a process has not ended, as /proc says.
bool runs(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

class ImportProcess : public testing::Test {
 protected:
  map::TestFolder folder_;
};

TEST_F(ImportProcess, ACrashIsAnErrorOfTheFile) {
  if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  const std::string itself = collada(R"(<node id="a"><instance_node url="#a"/></node>)",
                                     R"(<node id="n"><instance_node url="#a"/></node>)");
  EXPECT_NE(errorOf(folder_.write("itself.dae", itself)).find("cannot be read: "),
            std::string::npos);
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "<node>";
  for (int i = 0; i < 20000; ++i) deep += "</node>";
  const std::string error = errorOf(folder_.write("deep.dae", collada("", deep)));
  EXPECT_TRUE(error.find("ends the library that reads it") != std::string::npos ||
              error.find("has no triangle") != std::string::npos)
      << error;
}

TEST_F(ImportProcess, MemoryIsLimited) {
  if (!kHasAssimp || !limitsMemory()) GTEST_SKIP() << "no assimp, or a sanitizer";
  // 4.8 GB of zeros but for one vertex (glTF 2.0, 3.6.2.3).
  const std::string hungry = R"({"asset": {"version": "2.0"}, "scene": 0,
 "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "buffers": [{"uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAA==", "byteLength": 16}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 16}],
 "accessors": [{"componentType": 5126, "count": 400000000, "type": "VEC3", "sparse": {"count": 1,
  "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}}]})";
  const std::string error = errorOf(folder_.write("hungry.gltf", hungry));
  EXPECT_NE(error.find("takes more than 1 GiB of memory to read, which is the limit "
                       "(--memory-limit sets another)"),
            std::string::npos)
      << error;
  std::string obj = kObj;
  for (int i = 0; i < 100000; ++i) obj += "v 1 2 3\n";
  EXPECT_EQ(errorOf(folder_.write("a.obj", obj)), "no error");
  ImportLimits limits;
  limits.memory = 0.01;
  EXPECT_NE(errorOf(folder_ / "a.obj", limits).find("takes more than 0.01 GiB"), std::string::npos);
}

TEST_F(ImportProcess, MemoryOfTexturesIsLimited) {
  if (!kHasTextures || !limitsMemory()) GTEST_SKIP() << "no libstb, or a sanitizer";
  folder_.write("huge.ppm", "P6\n20000 20000\n255\n");  // 1.2 GB of pixels
  const std::string error = errorOf(folder_.write(
      "a.ply",
      "ply\nformat ascii 1.0\ncomment TextureFile huge.ppm\nelement vertex 3\nproperty float x\n"
      "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n"
      "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
  EXPECT_NE(error.find("takes more than 1 GiB of memory"), std::string::npos) << error;
}

TEST_F(ImportProcess, TimeIsLimited) {
  ImportLimits limits;
  limits.time = 1e-6;
  EXPECT_EQ(errorOf(folder_.write("a.obj", kObj), limits),
            "takes more than 1e-06 s to read, which is the limit (--time-limit sets another)");
  EXPECT_TRUE(childrenOf(getpid()).empty());
}

// Programs may have told the kernel to forget their children.
TEST_F(ImportProcess, NeedsNoStatusOfItsChild) {
  if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(meshOf(folder_.write("a.obj", kObj)).triangles.size(), 1U);
  const std::string itself = collada(R"(<node id="a"><instance_node url="#a"/></node>)",
                                     R"(<node id="n"><instance_node url="#a"/></node>)");
  EXPECT_NE(errorOf(folder_.write("itself.dae", itself)), "no error");
  signal(SIGCHLD, before);
}

TEST_F(ImportProcess, RunsInSeveralThreads) {
  if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  const auto path = folder_.write("a.obj", kObj);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(meshOf(path).triangles.size(), 1U); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(childrenOf(getpid()).empty());
}

// Opening a FIFO waits for its writer.
TEST_F(ImportProcess, FilesNamedInAFileAreRegular) {
  if (!kHasAssimp) GTEST_SKIP() << "built without assimp";
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  const Mesh bare = meshOf(folder_.write("a.obj", "mtllib fifo\n" + kObj));
  ASSERT_EQ(bare.notes.size(), 1U);
  EXPECT_EQ(bare.notes[0], "warning: materials are left out: " + (folder_ / "fifo").string() +
                               ": is no regular file");
  folder_.write("a.mtl", "newmtl wall\nmap_Kd fifo\n");
  const Mesh plain = meshOf(folder_.write("b.obj",
                                          "mtllib a.mtl\nvt 0 0\nusemtl wall\nv 0 0 1\n"
                                          "v 4 0 1\nv 4 3 1\nf 1/1 2/1 3/1\n"));
  ASSERT_EQ(plain.notes.size(), 1U);
  EXPECT_NE(plain.notes[0].find("warning: texture 'fifo'"), std::string::npos);
  const std::string error = errorOf(folder_.write("a.gltf", R"({"asset": {"version": "2.0"},
 "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "buffers": [{"uri": "fifo", "byteLength": 36}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}]})"));
  EXPECT_NE(error.find("fifo: is no regular file"), std::string::npos) << error;
}

#ifdef MARSIM_HAS_OCTOMAP

/// An OctoMap whose points fill a pipe.
std::filesystem::path writeTree(const map::TestFolder& folder) {
  octomap::OcTree tree(0.8);
  tree.updateNode(octomap::point3d(0.4F, 0.4F, 0.4F), true);
  EXPECT_TRUE(tree.writeBinary((folder / "tree.bt").string()));
  return folder / "tree.bt";
}

TEST_F(ImportProcess, HoldsNoFileOfItsCaller) {
  if (!listsChildren()) GTEST_SKIP() << "/proc lists no children";
  const int mine = fcntl(STDIN_FILENO, F_DUPFD, 20);  // programs inherit it
  ASSERT_GE(mine, 20);
  std::vector<std::string> files;
  readOctoMap(writeTree(folder_), 0.01, Progress::none(), [&](const map::PointBlock&) {
    for (const pid_t child : childrenOf(getpid())) {
      for (const auto& file :
           std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", child))) {
        const std::string name = file.path().filename();
        files.push_back(name + " " + std::filesystem::read_symlink(file).string().substr(0, 9));
      }
    }
  });
  close(mine);
  std::set<std::string> found;
  for (const std::string& file : files) {
    if (file.find("/dev/null") == std::string::npos) found.insert(file.substr(0, 6));
  }
  EXPECT_EQ(found, (std::set<std::string>{"3 pipe"}));
}

// Even one that is stopped, so that it cannot notice that nobody reads.
TEST_F(ImportProcess, EndsWithItsCaller) {
  if (!listsChildren()) GTEST_SKIP() << "/proc lists no children";
  const std::filesystem::path path = writeTree(folder_);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t caller = fork();
  if (caller == 0) {
    readOctoMap(path, 0.01, Progress::none(), [&](const map::PointBlock&) {
      const std::set<pid_t> children = childrenOf(getpid());
      if (children.empty()) _exit(1);
      const pid_t child = *children.begin();
      if (write(ends[1], &child, sizeof(child)) > 0) pause();
    });
    _exit(0);
  }
  pid_t importer = 0;
  ASSERT_EQ(read(ends[0], &importer, sizeof(importer)), static_cast<ssize_t>(sizeof(importer)));
  close(ends[0]);
  close(ends[1]);
  kill(importer, SIGSTOP);
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  for (int i = 0; i < 10000 && runs(importer); ++i) usleep(1000);
  EXPECT_FALSE(runs(importer));
}

#endif

}  // namespace
}  // namespace marsim::map_tools
