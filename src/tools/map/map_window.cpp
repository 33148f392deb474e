// SPDX-License-Identifier: BSD-3-Clause
#include "tools/map/map_window.hpp"

#include <fmt/format.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

#ifdef MARSIM_HAS_WINDOW
#include <cmath>
#include <cstdlib>

#include <GL/glew.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "map_tools/survey.hpp"
#include "tools/map/orbit.hpp"
#include "viz/palette.hpp"
#endif

namespace marsim::tools {
namespace {

constexpr const char* kInstead = "; --out hall.png draws pictures without one";

}  // namespace

#ifdef MARSIM_HAS_WINDOW

namespace {

constexpr std::size_t kMostShown = 10'000'000;  // points

constexpr const char* kVertexShader = R"(#version 330 core
uniform mat4 projection;
uniform float size;  // [px m] of a point
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 colour;
out vec3 shade;
void main() {
  gl_Position = projection * vec4(position, 1.0);
  gl_PointSize = clamp(size / gl_Position.w, 1.0, 24.0);
  shade = colour;
})";
constexpr const char* kFragmentShader = R"(#version 330 core
in vec3 shade;
out vec4 pixel;
void main() { pixel = vec4(shade, 1.0); })";

[[noreturn]] void refuse(const std::string& what) {
  const char* why = nullptr;
  glfwGetError(&why);
  throw Error(fmt::format("{}{}{}", what, why == nullptr ? "" : fmt::format(": {}", clipped(why)),
                          kInstead));
}

/// Initialises GLFW during its life.
class Glfw {
 public:
  Glfw() {
    if (glfwInit() == GLFW_FALSE) refuse("the display cannot be opened");
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;
};

GLuint shaderOf(GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  return shader;
}

/// Every n-th point of a cloud of more than kMostShown.
map::PointCloud shownOf(const map::PointCloud& cloud) {
  const std::size_t step = (cloud.size() + kMostShown - 1) / kMostShown;
  if (step <= 1) return cloud;
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cloud.size(); i += step) {
    numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return map::selectPoints(cloud, numbers);
}

Eigen::AlignedBox3f boxOf(const map::PointCloud& cloud) {
  Eigen::AlignedBox3f box;
  for (const Eigen::Vector3f& p : cloud.points) box.extend(p);
  return box;
}

std::vector<map::Colour> byHeight(const map::PointCloud& cloud) {
  const Eigen::AlignedBox3f box = boxOf(cloud);
  const float low = box.min().z(), rise = std::max(box.sizes().z(), 1e-3F);
  std::vector<map::Colour> colours;
  colours.reserve(cloud.size());
  for (const Eigen::Vector3f& p : cloud.points) {
    const viz::Rgb shade = viz::ramp(viz::kRanges, 1.0F - (p.z() - low) / rise);
    const auto byte = [](float part) { return static_cast<std::uint8_t>(std::lround(255 * part)); };
    colours.push_back({byte(shade.r), byte(shade.g), byte(shade.b)});
  }
  return colours;
}

/// A window that shows a cloud.
class MapWindow {
 public:
  MapWindow(const map::PointCloud& cloud, map_tools::Paint paint, std::string title)
      : title_(std::move(title)),
        total_(cloud.size()),
        cloud_(shownOf(cloud)),
        orbit_(boxOf(cloud)) {
    spacing_ = map_tools::medianSpacing(cloud_);
    open();
    makeProgram();
    upload();
    colour(paint);
  }
  ~MapWindow() { glfwDestroyWindow(window_); }
  MapWindow(const MapWindow&) = delete;
  MapWindow& operator=(const MapWindow&) = delete;

  void run() {
    while (glfwWindowShouldClose(window_) == GLFW_FALSE) {
      draw();
      glfwWaitEvents();
    }
  }

 private:
  static MapWindow& of(GLFWwindow* window) {
    return *static_cast<MapWindow*>(glfwGetWindowUserPointer(window));
  }

  void open() {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    window_ = glfwCreateWindow(1280, 800, title_.c_str(), nullptr, nullptr);
    if (window_ == nullptr) refuse("no window of OpenGL 3.3 can be opened");
    glfwMakeContextCurrent(window_);
    const GLenum error = glewInit();
    // GLEW asks for GLX first; Wayland has none, but the functions are found anyway.
    if (error != GLEW_OK && error != GLEW_ERROR_NO_GLX_DISPLAY) {
      refuse("OpenGL's functions are not found");
    }
    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int) {
      if (action == GLFW_PRESS) of(window).press(key);
    });
    glfwSetScrollCallback(
        window_, [](GLFWwindow* window, double, double steps) { of(window).orbit_.zoom(steps); });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
      of(window).drag({x, y});
    });
  }

  void makeProgram() {
    program_ = glCreateProgram();
    for (const auto& [kind, source] : {std::pair(GL_VERTEX_SHADER, kVertexShader),
                                       std::pair(GL_FRAGMENT_SHADER, kFragmentShader)}) {
      const GLuint shader = shaderOf(static_cast<GLenum>(kind), source);
      glAttachShader(program_, shader);
      glDeleteShader(shader);
    }
    glLinkProgram(program_);
    GLint linked = GL_FALSE;
    glGetProgramiv(program_, GL_LINK_STATUS, &linked);
    if (linked == GL_FALSE) refuse("the shaders do not compile");
    glUseProgram(program_);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glClearColor(0.063F, 0.082F, 0.106F, 1.0F);  // viz::kBackground
  }

  void upload() {
    GLuint array = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    std::array<GLuint, 2> buffers{};
    glGenBuffers(2, buffers.data());
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(12 * cloud_.size()), cloud_.points.data(),
                 GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);  // stays bound, for colour()
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 3, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
  }

  void colour(map_tools::Paint paint) try {
    setTitle("colouring");
    Progress progress("view");
    std::vector<map::Colour> colours = map_tools::coloursOf(cloud_, paint, progress);
    progress.finish();
    if (colours.empty()) colours = byHeight(cloud_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(3 * colours.size()), colours.data(),
                 GL_STATIC_DRAW);
    setTitle(fmt::format("by {}", map_tools::nameOf(paint)));
  } catch (const Error& error) {
    setTitle(error.what());
  }

  void setTitle(const std::string& what) {
    const std::string points =
        cloud_.size() == total_
            ? withThousands(total_)
            : fmt::format("{} of {}", withThousands(cloud_.size()), withThousands(total_));
    glfwSetWindowTitle(window_, fmt::format("{}: {} points, {} (1 height, 2 rgb, 3 intensity, 4 "
                                            "class, 5 normal; Esc ends)",
                                            title_, points, what)
                                    .c_str());
  }

  void press(int key) {
    if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(window_, GLFW_TRUE);
    const int number = key - GLFW_KEY_1 + static_cast<int>(map_tools::Paint::kHeight);
    if (key >= GLFW_KEY_1 && number <= static_cast<int>(map_tools::Paint::kNormal)) {
      colour(static_cast<map_tools::Paint>(number));
    }
  }

  void drag(const Eigen::Vector2d& cursor) {
    int width = 1, height = 1;
    glfwGetWindowSize(window_, &width, &height);
    const Eigen::Vector2d moved = (cursor - cursor_) / std::max(height, 1);
    cursor_ = cursor;
    const auto held = [&](int button) { return glfwGetMouseButton(window_, button) == GLFW_PRESS; };
    if (held(GLFW_MOUSE_BUTTON_LEFT)) orbit_.turn(moved.x(), moved.y());
    if (held(GLFW_MOUSE_BUTTON_RIGHT)) orbit_.move(moved.x(), moved.y());
  }

  void draw() {
    int width = 1, height = 1;
    glfwGetFramebufferSize(window_, &width, &height);
    if (width == 0 || height == 0) return;  // minimised
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const Eigen::Matrix4f projection = orbit_.projection(static_cast<double>(width) / height);
    glUniformMatrix4fv(glGetUniformLocation(program_, "projection"), 1, GL_FALSE,
                       projection.data());
    glUniform1f(glGetUniformLocation(program_, "size"),
                static_cast<float>(spacing_ * Orbit::focal(height)));
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(cloud_.size()));
    glfwSwapBuffers(window_);
  }

  std::string title_;
  std::size_t total_;
  map::PointCloud cloud_;
  Orbit orbit_;
  double spacing_ = 0.0;  // [m]
  GLFWwindow* window_ = nullptr;
  GLuint program_ = 0;
  Eigen::Vector2d cursor_ = Eigen::Vector2d::Zero();  // [px]
};

bool isSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

void requireWindows() {
  if (!isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY")) {
    throw Error(fmt::format("there is no display for a window (DISPLAY is not set){}", kInstead));
  }
  const Glfw glfw;
}

void showInWindow(const map::PointCloud& cloud, map_tools::Paint paint, const std::string& title) {
  const Glfw glfw;
  MapWindow(cloud, paint, title).run();
}

#else

void requireWindows() {
  throw Error(
      fmt::format("the program was built without a window: GLEW and GLFW 3.3 (libglew-dev, "
                  "libglfw3-dev) were not found{}",
                  kInstead));
}

void showInWindow(const map::PointCloud& /*cloud*/, map_tools::Paint /*paint*/,
                  const std::string& /*title*/) {
  requireWindows();
}

#endif

}  // namespace marsim::tools
