// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/data_dir.hpp"
#include "common/file_descriptor.hpp"
#include "common/input_file.hpp"
#include "map_tools/import_pipe.hpp"
#include "marsim/common/error.hpp"

// assimp, liboctomap and rosbag end their program, or use up all memory, for some damaged files.
// They therefore run in the program map_importer, whose end is an error like others. Programs of
// several threads may not go on after fork(), so it is started by posix_spawn().
namespace marsim::map_tools {
namespace {

using Clock = std::chrono::steady_clock;

/// Starts map_importer for one file and reads its output. The process ends with this object.
class ImportProcess {
 public:
  /// `words`: "mesh"; "octomap" and the resolution, see readOctoMap; or "bag", the topic of the
  /// clouds and, if the bag has the poses, that of the poses, each empty for the only one.
  ImportProcess(const std::filesystem::path& path, std::vector<std::string> words,
                const ImportLimits& limits, Progress& progress)
      : path_(path), limits_(limits), progress_(progress) {
    progress.phase("reading " + path.filename().string());
    std::size_t size = 0;
    openRegularFile(path, size);  // refuses what this process is to replace
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(fmt::format("no pipe to map_importer: {}", std::strerror(errno)));
    }
    pipe_ = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    words.insert(words.begin(), {programFile("map_importer").string(), path.string(),
                                 fmt::format("{}", limits.memory), std::to_string(getpid())});
    start(std::move(words), theirs.get());
  }
  ~ImportProcess() { end(); }
  ImportProcess(const ImportProcess&) = delete;
  ImportProcess& operator=(const ImportProcess&) = delete;

  /// Returns the kind of the next part, after any parts about opened files. Throws the error in an
  /// error part.
  ImportPart next() {
    for (;;) {
      ImportPart part{};
      value(part);
      budget_ = memoryLimit(limits_, opened_);
      if (part == ImportPart::kError) throwSaid();
      if (part != ImportPart::kFile) return part;
      std::uint64_t size = 0;
      value(size);
      opened_ += size;
    }
  }
  /// Tells how many units of the phase are done.
  void update(std::size_t done) {
    done_ = done;
    progress_.update(done);
  }
  template <class T>
  void value(T& number) {
    read(&number, sizeof(number));
  }
  /// The number of a list's items, which follow.
  template <class List>
  void count(List& list) {
    constexpr std::size_t kItem = sizeof(typename List::value_type);
    std::uint64_t items = 0;
    value(items);
    if (static_cast<double>(items) * kItem > budget_) throwDamaged();
    budget_ -= static_cast<double>(items) * kItem;
    list.resize(items);
  }
  template <class List>
  void array(List& list) {
    count(list);
    read(list.data(), list.size() * sizeof(typename List::value_type));
  }
  [[noreturn]] void throwDamaged() const {
    throw FileError(path_.string(), "cannot be read: map_importer's answer is damaged");
  }

 private:
  void start(std::vector<std::string> words, int pipe) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe, kImportPipe);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failure =
        posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return;
    process_ = -1;
    throw Error(fmt::format("{} cannot be started: {}", words[0], std::strerror(failure)));
  }

  void read(void* to, std::size_t size) {
    auto* bytes = static_cast<char*>(to);
    while (size > 0) {
      wait();
      const ssize_t got = ::read(pipe_.get(), bytes, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throwEnded();
      bytes += got;
      size -= static_cast<std::size_t>(got);
    }
  }

  /// Waits until there is something to read. The caller's own working time does not count.
  void wait() {
    constexpr int kSliceMs = 100;
    const double limit = timeLimit(limits_, opened_);
    pollfd ready{pipe_.get(), POLLIN, 0};
    for (int events = 0; events <= 0; progress_.update(done_)) {
      if (waited_ > limit) {
        throw FileError(path_.string(),
                        fmt::format("takes more than {:.3g} s to read, which is the limit "
                                    "(--time-limit sets another)",
                                    limit));
      }
      const Clock::time_point before = Clock::now();
      events = poll(&ready, 1, kSliceMs);
      waited_ += std::chrono::duration<double>(Clock::now() - before).count();
    }
  }

  /// Ends the process and returns its status, -1 if a handler of SIGCHLD has taken it.
  int end() {
    int status = -1;
    if (process_ < 0) return status;
    pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) {
      kill(process_, SIGKILL);
      do {
        ended = waitpid(process_, &status, 0);
      } while (ended < 0 && errno == EINTR);
    }
    const bool known = ended == process_;
    process_ = -1;
    return known ? status : -1;
  }

  [[noreturn]] void throwSaid() {
    std::string text;
    array(text);
    const std::string begin = path_.string() + ": ";
    throw FileError(path_.string(), text.rfind(begin, 0) == 0 ? text.substr(begin.size()) : text);
  }

  [[noreturn]] void throwEnded() {
    const int status = end();
    std::string reason = "it ended without an answer";
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
      throw FileError(
          path_.string(),
          fmt::format("takes more than {:.3g} GiB of memory to read, which is the limit "
                      "(--memory-limit sets another)",
                      memoryLimit(limits_, opened_) / (1U << 30U)));
    }
    if (status >= 0 && WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGINT || signal == SIGTERM) {
        throw FileError(path_.string(), "reading was interrupted");
      }
      reason = strsignal(signal);
    }
    throw FileError(
        path_.string(),
        fmt::format("cannot be read: it ends the library that reads it ({}): damaged?", reason));
  }

  const std::filesystem::path& path_;
  const ImportLimits& limits_;
  Progress& progress_;
  FileDescriptor pipe_;
  pid_t process_ = -1;
  std::uint64_t opened_ = 0;  // [bytes] of the opened files
  double budget_ = 0.0;       // [bytes] that the part may still use
  double waited_ = 0.0;       // [s]
  std::size_t done_ = 0;
};

/// Whether the parts of a mesh match.
bool isWhole(const Mesh& mesh) {
  const std::size_t vertices = mesh.vertices.size(), triangles = mesh.triangles.size();
  const auto fits = [](std::size_t size, std::size_t wanted) {
    return size == 0 || size == wanted;
  };
  bool whole = fits(mesh.colours.size(), vertices) && fits(mesh.texture_at.size(), vertices) &&
               fits(mesh.texture_of.size(), triangles) && mesh.unit > 0.0;
  for (const std::array<std::uint32_t, 3>& corners : mesh.triangles) {
    for (const std::uint32_t corner : corners) {
      whole = whole && corner < vertices && mesh.vertices[corner].allFinite();
    }
  }
  for (const std::uint16_t texture : mesh.texture_of) {
    whole = whole && texture <= mesh.textures.size();
    whole = whole && (texture == 0 || mesh.texture_at.size() == vertices);
  }
  for (const Texture& texture : mesh.textures) {
    whole = whole && texture.width > 0 && texture.height > 0 &&
            texture.pixels.size() ==
                static_cast<std::size_t>(texture.width) * static_cast<std::size_t>(texture.height);
  }
  return whole;
}

/// Whether the parts of a scan fit each other.
bool isWhole(const RawScan& scan) {
  const std::size_t points = scan.cloud.size();
  bool whole = scan.times.empty() || scan.times.size() == points;
  map::forEachChannel(
      [&](const auto& channel) { whole = whole && (channel.empty() || channel.size() == points); },
      scan.cloud);
  return whole;
}

ScanPoses posesOf(const RecordingConfig& config, BagContents& contents) {
  ScanPoses poses;
  poses.poses = std::move(contents.poses);
  if (config.poses.empty()) return poses;
  poses = readScanPoses(config.poses);
  if (poses.has_stamps) return poses;
  throw FileError(config.poses.string(),
                  fmt::format("has {}, allowed for a bag: TUM, CSV or 4 x 4 matrices with stamps",
                              poses.format));
}

}  // namespace

Mesh readMesh(const std::filesystem::path& path, Progress& progress, const ImportLimits& limits) {
  ImportProcess process(path, {"mesh"}, limits, progress);
  Mesh mesh;
  if (process.next() != ImportPart::kMesh) process.throwDamaged();
  carry(process, mesh);
  if (!isWhole(mesh)) process.throwDamaged();
  return mesh;
}

Notes readOctoMap(const std::filesystem::path& path, double resolution, Progress& progress,
                  const TakePoints& take, const ImportLimits& limits) {
  ImportProcess process(path, {"octomap", fmt::format("{}", resolution)}, limits, progress);
  map::PointBlock block;
  double points = 0.0;
  ImportPart part = process.next();
  for (; part == ImportPart::kPoints; part = process.next()) {
    process.array(block.points);
    points += static_cast<double>(block.size());
    if (points > kMostLeafPoints) process.throwDamaged();
    take(block);
  }
  Notes notes;
  if (part != ImportPart::kNotes) process.throwDamaged();
  carry(process, notes);
  return notes;
}

void readBag(const RecordingConfig& config, Progress& progress, RecordingReport& report,
             const std::function<void(const Keyframe& keyframe)>& take) {
  std::vector<std::string> words{"bag", config.clouds};
  if (config.poses.empty()) words.push_back(config.odometry);
  ImportProcess process(config.source, std::move(words), config.limits, progress);
  BagContents contents;
  if (process.next() != ImportPart::kBag) process.throwDamaged();
  carry(process, contents);
  ScanPoses poses = posesOf(config, contents);
  if (poses.poses.empty()) process.throwDamaged();
  ScanPlacer placer(config, std::move(poses), take);
  progress.phase("reading scans", contents.messages);
  ImportPart part = process.next();
  for (std::size_t done = 0; part == ImportPart::kScan; part = process.next()) {
    RawScan scan;
    scan.name = contents.clouds;
    carry(process, scan);
    if (!isWhole(scan)) process.throwDamaged();
    placer.add(std::move(scan));
    process.update(++done);
  }
  if (part != ImportPart::kNotes) process.throwDamaged();
  report = placer.finish();
  report.source = contents.clouds;
  report.odometry = config.poses.empty() ? contents.odometry : config.poses.string();
}

}  // namespace marsim::map_tools
