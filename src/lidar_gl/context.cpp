// SPDX-License-Identifier: BSD-3-Clause
#include "marsim/lidar_gl/context.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lidar_gl/fault.hpp"
#include "lidar_gl/gl.hpp"
#include "lidar_gl/native_context.hpp"
#include "lidar_gl/resources.hpp"

namespace marsim::lidar_gl {
namespace {

constexpr const char* kLost = "OpenGL: the graphics device was reset, the context is lost";

// GLEW's functions belong to the process, through the dispatch library that EGL and GLX share: once
// loaded they serve every context.
void loadFunctions() {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  static bool loaded = false;
  if (loaded) return;
  glewExperimental = GL_TRUE;
  const GLenum result = glewInit();
  // Without an X display GLEW loads everything and then reports this.
  constexpr GLenum kNoGlxDisplay = 4;
  if (result != GLEW_OK && result != kNoGlxDisplay) {
    throw GlError(fmt::format("functions cannot be loaded: {}",
                              reinterpret_cast<const char*>(glewGetErrorString(result))));
  }
  glGetError();  // clears the errors of GLEW's own queries
  loaded = GLEW_VERSION_4_3 != 0 || (glDispatchCompute != nullptr && glBufferStorage != nullptr);
}

std::string textOf(GLenum name) {
  const GLubyte* text = glGetString(name);
  return text == nullptr ? "unknown" : reinterpret_cast<const char*>(text);
}

bool isSoftware(const std::string& renderer) {
  for (const char* name : {"llvmpipe", "softpipe", "swrast", "Software Rasterizer", "SWR",
                           "Apple Software Renderer", "GDI Generic", "SwiftShader", "lavapipe"}) {
    if (renderer.find(name) != std::string::npos) return true;
  }
  return false;
}

bool hasExtension(const char* name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* text = glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
    if (text != nullptr && std::strcmp(reinterpret_cast<const char*>(text), name) == 0) return true;
  }
  return false;
}

ContextInfo readInfo(ContextSource source) {
  loadFunctions();
  ContextInfo info;
  info.source = source;
  info.vendor = textOf(GL_VENDOR);
  info.renderer = textOf(GL_RENDERER);
  info.version = textOf(GL_VERSION);
  info.software = isSoftware(info.renderer);
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major < kMajor || (major == kMajor && minor < kMinor)) {
    throw GlError(fmt::format("{} has OpenGL {}.{}, needed: 4.3", info.renderer, major, minor));
  }
  GLint64 bytes = 0;
  glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
  info.block_bytes = static_cast<std::size_t>(std::max<GLint64>(bytes, 0));
  GLint compute = 0, all = 0;
  glGetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &compute);
  glGetIntegerv(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, &all);
  info.blocks = std::min(compute, all);
  info.persistent = (major > 4 || minor >= 4 || hasExtension("GL_ARB_buffer_storage")) &&
                    glBufferStorage != nullptr;
  return info;
}

struct Opened {
  std::unique_ptr<NativeContext> native;
  ContextInfo info;
};

// Opens the first graphics card of one source, else a software renderer if one will do. Adds to
// `said` why others are skipped.
Opened openBy(ContextSource source, bool software, std::string& said) {
  const auto candidates = source == ContextSource::kWindow ? windowCandidates() : eglCandidates();
  const auto say = [&](const std::string& name, const std::string& what) {
    said += fmt::format("{}{}{}: {}", said.empty() ? "" : "; ", nameOf(source), name, what);
  };
  if (candidates.empty()) {
    const bool window = source == ContextSource::kWindow;
    say("", window ? "no display (DISPLAY is not set)" : "no platform is known");
  }
  for (const Candidate& candidate : candidates) {
    try {
      Opened opened{candidate.open(), {}};
      opened.info = readInfo(source);
      if (!opened.info.software || software) return opened;
      say(candidate.name, opened.info.renderer + " runs in software");
    } catch (const GlError& error) {
      say(candidate.name, error.what());
    }
  }
  return {};
}

// A graphics card by any source is better than software by the first.
Opened open(const ContextOptions& options) {
  std::vector<ContextSource> sources = {ContextSource::kWindow, ContextSource::kEgl};
  if (options.source != ContextSource::kAuto) {
    sources = {options.source};
  } else if (windowCandidates().empty()) {
    sources = {ContextSource::kEgl};
  }
  std::string said;
  for (const bool software : {false, true}) {
    if (software && !options.software) continue;
    if (software) said.clear();
    for (const ContextSource source : sources) {
      Opened opened = openBy(source, software, said);
      if (opened.native != nullptr) return opened;
    }
  }
  throw GlError("no OpenGL 4.3: " + said);
}

}  // namespace

const char* nameOf(ContextSource source) {
  switch (source) {
    case ContextSource::kWindow:
      return "glfw";
    case ContextSource::kEgl:
      return "egl";
    case ContextSource::kAuto:
      break;
  }
  return "auto";
}

std::string ContextInfo::text() const {
  return fmt::format("{}, OpenGL {}, through {}{}", renderer, version, nameOf(source),
                     software ? ", in software" : "");
}

void requireNoGlError(const char* doing) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  if (error == GL_OUT_OF_MEMORY) {
    throw GlError(fmt::format("OpenGL: {}: the device is out of memory", doing));
  }
  throw GlError(fmt::format("OpenGL: {}: error 0x{:04x}", doing, error));
}

class Context::Thread {
 public:
  explicit Thread(const ContextOptions& options) {
    std::promise<void> opened;
    std::future<void> result = opened.get_future();
    thread_ = std::thread([this, options, &opened] { work(options, opened); });
    try {
      result.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }

  ~Thread() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void run(const std::function<void()>& job) {
    std::packaged_task<void()> task(job);
    std::future<void> result = task.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    result.get();
  }

  void requireAlive() {
    if (!lost_) {
      const auto status = glGetGraphicsResetStatus != nullptr      ? glGetGraphicsResetStatus()
                          : glGetGraphicsResetStatusARB != nullptr ? glGetGraphicsResetStatusARB()
                                                                   : GLenum{GL_NO_ERROR};
      lost_ = status != GL_NO_ERROR;
    }
    if (lost_) throw GlError(kLost);
  }

  void lose() { lost_ = true; }
  bool lost() const { return lost_; }
  const ContextInfo& info() const { return info_; }
  Resources& resources() { return *resources_; }

 private:
  void work(const ContextOptions& options, std::promise<void>& opened) {
    Opened context;
    try {
      context = open(options);
      info_ = context.info;
    } catch (...) {
      opened.set_exception(std::current_exception());
      return;
    }
    Resources resources;
    resources_ = &resources;
    opened.set_value();
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;  // objects go before the context
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  ContextInfo info_;
  Resources* resources_ = nullptr;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

Context::Context(const ContextOptions& options) : thread_(std::make_unique<Thread>(options)) {}
Context::~Context() = default;

std::shared_ptr<Context> Context::shared(const ContextOptions& options) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<Context>> contexts;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const std::weak_ptr<Context>& known : contexts) {
    const std::shared_ptr<Context> context = known.lock();
    if (context == nullptr || context->lost()) continue;
    const ContextInfo& info = context->info();
    const bool fits = options.source == ContextSource::kAuto || options.source == info.source;
    if (fits && (options.software || !info.software)) return context;
  }
  auto context = std::make_shared<Context>(options);
  contexts.erase(std::remove_if(contexts.begin(), contexts.end(),
                                [](const auto& known) { return known.expired(); }),
                 contexts.end());
  contexts.push_back(context);
  return context;
}

const ContextInfo& Context::info() const { return thread_->info(); }
void Context::run(const std::function<void()>& job) {
  if (lost()) throw GlError(kLost);
  thread_->run(job);
}
void Context::release(const std::function<void()>& job) noexcept {
  try {
    thread_->run(job);
  } catch (const Error&) {  // objects that cannot be freed any more go with the context
  }
}
bool Context::lost() const { return thread_->lost(); }
Context::Resources& Context::resources() { return thread_->resources(); }
std::size_t Context::mapBytes() {
  std::size_t bytes = 0;
  run([&] { bytes = resources().treeBytes(); });
  return bytes;
}
std::size_t Context::castBufferBytes() {
  std::size_t bytes = 0;
  run([&] { bytes = resources().casts().bufferBytes(); });
  return bytes;
}
CastCounts Context::castCounts() const { return thread_->resources().casts().counts(); }
void Context::requireAlive() { thread_->requireAlive(); }
void loseOnPurpose(Context& context) { context.thread_->lose(); }

}  // namespace marsim::lidar_gl
