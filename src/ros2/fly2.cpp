// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/fly2.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "clock/sim_clock.hpp"
#include "common/bounds.hpp"
#include "common/text.hpp"
#include "config/defaults.hpp"
#include "marsim/common/error.hpp"
#include "ros2/uav_commands.hpp"
#include "ros2/uav_topics.hpp"
#include "tools/process/interrupts.hpp"

namespace marsim::ros2 {
namespace {

constexpr char kWhere[] = "command line";
constexpr char kHost[] = "marsim";  // grants the clock all time at pace:=max
constexpr std::chrono::milliseconds kLongestSleep{10};
constexpr std::chrono::seconds kDiagnosticPeriod{1};
constexpr TimeNs kEver = std::numeric_limits<TimeNs>::max();
/// Arguments beside those of a flight.
const std::vector<std::string> kOwn = {"x",
                                       "y",
                                       "z",
                                       "yaw",
                                       "seed",
                                       "threads",
                                       "pace",
                                       "paused",
                                       "odom_twist_frame",
                                       "publish_ground_truth_tf",
                                       "transport",
                                       "wait_for",
                                       "patience"};

class Arguments {
 public:
  explicit Arguments(const std::map<std::string, std::string>& given) : given_(given) {
    for (const auto& [name, value] : given) {
      tools::ScenarioFlight::requireArgument(kWhere, name, kOwn);
    }
  }
  std::string text(const std::string& name) const {
    const auto found = given_.find(name);
    if (found != given_.end()) return found->second;
    return name == "transport" ? "shared_memory" : config::defaultOf(name);
  }
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) const {
    const std::string word = text(name);
    const bool is_known = std::find(allowed.begin(), allowed.end(), word) != allowed.end();
    Validator(kWhere).require(is_known, name, fmt::format("'{}'", clipped(word)), join(allowed));
    return word;
  }
  bool flag(const std::string& name) const { return choice(name, {"true", "false"}) == "true"; }
  double number(const std::string& name, Quantity quantity) const {
    try {
      return parseQuantity(text(name), quantity);
    } catch (const Error&) {
      throw ConfigError(kWhere, name, fmt::format("'{}'", clipped(text(name))),
                        fmt::format("a number in {}", unitList(quantity)));
    }
  }
  std::uint64_t whole(const std::string& name, std::uint64_t most) const {
    const std::optional<std::uint64_t> value = parseWhole(text(name));
    Validator(kWhere).require(value && *value <= most, name,
                              fmt::format("'{}'", clipped(text(name))),
                              fmt::format("a whole number from 0 to {}", most));
    return *value;
  }
  /// The arguments that the flight itself takes.
  std::map<std::string, std::string> ofFlight() const {
    std::map<std::string, std::string> rest = given_;
    for (const std::string& name : kOwn) rest.erase(name);
    return rest;
  }

 private:
  std::map<std::string, std::string> given_;
};

scenario::Scenario scenarioOf(const Arguments& arguments) {
  scenario::Scenario scenario;
  scenario.name = "fly2";
  scenario.file = kWhere;
  scenario.start = Eigen::Vector3d(arguments.number("x", Quantity::kLength),
                                   arguments.number("y", Quantity::kLength),
                                   arguments.number("z", Quantity::kLength));
  scenario.yaw = arguments.number("yaw", Quantity::kAngle);
  requirePlace(kWhere, "start (x, y, z)", *scenario.start);
  requireAngle(kWhere, "yaw", scenario.yaw);
  return scenario;
}

SimClockConfig clockOf(const Arguments& arguments) {
  SimClockConfig config;
  config.pace = parsePace(arguments.text("pace"), kWhere);
  config.paused = arguments.flag("paused");
  if (config.pace == kPaceMax) config.participants = {kHost};
  config.answers = parseAnswerRules(arguments.text("wait_for"), kWhere, "wait_for");
  if (arguments.text("patience") != "auto") {
    config.answer_patience = arguments.number("patience", Quantity::kTime);
    Validator(kWhere).positive("patience", config.answer_patience, "s");
  }
  for (AnswerRule& rule : config.answers) {
    for (std::string* topic : {&rule.input, &rule.output}) {
      if (topic->front() != '/') topic->insert(0, "/");
    }
  }
  return config;
}

UavTopicsConfig topicsOf(const Arguments& arguments) {
  UavTopicsConfig config;
  config.twist_in_world =
      arguments.choice("odom_twist_frame", {"child", "body", "world"}) == "world";
  config.truth_tf = arguments.flag("publish_ground_truth_tf");
  return config;
}

/// The flight, its topics and its clock.
class Simulation {
 public:
  explicit Simulation(const Arguments& arguments)
      : clock_config_(clockOf(arguments)),
        topics_config_(topicsOf(arguments)),
        environment_(Environment::read([](const char* name) { return std::getenv(name); })),
        transport_{0, arguments.choice("transport", {"shared_memory", "udp"}) == "shared_memory"},
        flight_(scenarioOf(arguments),
                arguments.whole("seed", std::numeric_limits<std::uint64_t>::max()),
                {kWhere, arguments.ofFlight()}),
        threads_(static_cast<int>(arguments.whole("threads", 1024))) {}

  void run(std::optional<TimeNs> duration) {
    flight_.enter(threads_);
    transport_.largest = UavTopics::largestMessage(flight_.config());
    Participant participant(environment_, transport_);
    UavTopics topics(topics_config_, flight_, participant);
    const Eigen::AlignedBox3f box = flight_.map().map->bounds();
    UavCommands commands(flight_.config(), flight_.uav(), participant,
                         {box.min().cast<double>(), box.max().cast<double>()}, flight_.groundZ());
    SimClock clock(clock_config_, SimClock::WallClock::now());
    if (clock.inLockstep()) clock.grant(kHost, kEver);
    commands.on("/sim_clock/pause", dataset::ros2_types::kBool, true,
                [&clock](dataset::CdrReader& reader) {
                  const bool is_paused = reader.read<std::uint8_t>() != 0;
                  reader.finish();
                  clock.pause(is_paused, SimClock::WallClock::now());
                });
    const auto answered = hearAnswers(clock, participant, commands);
    participant.announce("marsim");
    tell(clock);
    while (tools::InterruptGuard::count() == 0 && !(duration && flight_.now() >= *duration)) {
      const auto now = SimClock::WallClock::now();
      commands.take();
      for (std::size_t i = 0; i < answered.size(); ++i) {
        clock.answers()[i].setOffered(
            participant.subscribeOffered(clock.answers()[i].rule().output, answered[i]));
      }
      topics.followReaders();
      if (clock.advance(now)) {
        while (flight_.now() < clock.now()) flight_.step();
        topics.publishClock(flight_.now());
        commands.watchTracking();
        for (const std::string& warning : clock.takeWarnings()) fmt::print(stderr, "{}\n", warning);
      } else {
        std::this_thread::sleep_until(std::min(clock.wakeAt(now), now + kLongestSleep));
      }
      if (now - diagnosed_at_ < kDiagnosticPeriod) continue;
      topics.publishDiagnostics({dynamics(now), commands.status(), drops(participant)},
                                flight_.now());
    }
  }

 private:
  void tell(const SimClock& clock) const {
    fmt::print(stderr, "ROS 2 topics in domain {} ({}), {}, node names of {}, {}; Ctrl-C ends\n",
               environment_.domain, environment_.is_local ? "this machine alone" : "network",
               transport_.shares_memory ? "shared memory and UDP" : "UDP",
               environment_.has_wide_gids ? "Humble and older" : "Iron and later",
               clock.paused() ? "paused" : "pace " + paceText(clock.pace()));
  }
  /// Gives the clock the inputs of its rules; returns what takes their outputs.
  std::vector<Participant::OnMessage> hearAnswers(SimClock& clock, Participant& participant,
                                                  UavCommands& commands) const {
    std::vector<Participant::OnMessage> answered;
    for (AnswerWait& answer : clock.answers()) {
      const TimeNs epoch = flight_.epoch();
      participant.watch(answer.rule().input, [&answer, epoch](const std::string& cdr) {
        answer.onInput(dataset::CdrReader(cdr).time() - epoch);
      });
      answered.push_back(
          commands.queueFor(answer.rule().output, [&answer, epoch](dataset::CdrReader& reader) {
            answer.onOutput(reader.time() - epoch);
          }));
    }
    return answered;
  }
  Status dynamics(SimClock::WallTime now) {
    const double wall = std::chrono::duration<double>(now - diagnosed_at_).count();
    const double factor = toSeconds(flight_.now() - diagnosed_) / wall;
    diagnosed_at_ = now;
    diagnosed_ = flight_.now();
    return {false,
            "uav0: dynamics",
            "running",
            {{"real-time factor", fmt::format("{:.3f}", factor)},
             {"simulated time [s]", fmt::format("{:.3f}", toSeconds(diagnosed_))},
             {"contacts", std::to_string(flight_.contacts())}}};
  }
  static Status drops(const Participant& participant) {
    Status status{false, "marsim: topics", "messages dropped, by topic", {}};
    for (const auto& [topic, count] : participant.dropped()) {
      status.values.emplace_back(topic, std::to_string(count));
    }
    return status;
  }

  SimClockConfig clock_config_;
  UavTopicsConfig topics_config_;
  Environment environment_;
  Transport transport_;
  tools::ScenarioFlight flight_;
  int threads_;
  SimClock::WallTime diagnosed_at_ = SimClock::WallClock::now();
  TimeNs diagnosed_ = 0;
};

}  // namespace

void fly2(const std::map<std::string, std::string>& arguments, std::optional<TimeNs> duration) {
  const tools::InterruptGuard guard;
  Simulation(Arguments(arguments)).run(duration);
}

}  // namespace marsim::ros2
