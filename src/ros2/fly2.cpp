// SPDX-License-Identifier: BSD-3-Clause
#include "ros2/fly2.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "clock/sim_clock.hpp"
#include "common/bounds.hpp"
#include "common/text.hpp"
#include "config/defaults.hpp"
#include "marsim/common/error.hpp"
#include "marsim/config/load.hpp"
#include "marsim/sim/swarm.hpp"
#include "ros2/uav_commands.hpp"
#include "ros2/uav_topics.hpp"
#include "ros2/world_topics.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/suite/scenario_flight.hpp"

namespace marsim::ros2 {
namespace {

constexpr char kWhere[] = "command line";
constexpr char kHost[] = "marsim";  // grants the clock all time at pace:=max
constexpr std::chrono::milliseconds kLongestSleep{10};
constexpr std::chrono::microseconds kPauseWhenLate{300};  // a period of 2 ms then takes 0.4 ms
constexpr double kFastestPaceWithPauses = 2.0;
constexpr std::chrono::seconds kDiagnosticPeriod{1};
constexpr TimeNs kEver = std::numeric_limits<TimeNs>::max();
constexpr char kNode[] = "marsim", kRoot[] = "/";
/// Arguments beside those of a flight.
const std::vector<std::string> kOwn = split(
    "x y z yaw n swarm seed threads pace paused odom_twist_frame publish_ground_truth_tf transport "
    "wait_for patience",
    ' ');
/// Defaults that sim.launch lacks.
const std::map<std::string, std::string> kDefaults = {
    {"n", "1"}, {"swarm", "grid"}, {"transport", "shared_memory"}};
/// Arguments that the UAVs of a swarm cannot share.
const std::vector<std::string> kOfOne = {"x", "y", "z", "yaw", "replay"};

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
    const auto own = kDefaults.find(name);
    return own != kDefaults.end() ? own->second : config::defaultOf(name);
  }
  bool isGiven(const std::string& name) const { return given_.count(name) > 0; }
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

sim::Start startOf(const Arguments& arguments) {
  const sim::Start start{
      {arguments.number("x", Quantity::kLength), arguments.number("y", Quantity::kLength),
       arguments.number("z", Quantity::kLength)},
      arguments.number("yaw", Quantity::kAngle)};
  requirePlace(kWhere, "start (x, y, z)", start.p_WB);
  requireAngle(kWhere, "yaw", start.yaw);
  return start;
}

using Flight = std::unique_ptr<tools::ScenarioFlight>;

Flight flightOf(const Arguments& arguments, const std::string& uav, const sim::Start& start,
                const sim::SwarmMember* member = nullptr) {
  scenario::Scenario scenario;
  scenario.name = "fly2";
  scenario.file = kWhere;
  scenario.start = start.p_WB;
  scenario.yaw = start.yaw;
  tools::GivenArguments given{kWhere, arguments.ofFlight()};
  given.uav = uav;
  if (member != nullptr && !member->vehicle.empty()) given.values["vehicle"] = member->vehicle;
  if (member != nullptr && !member->lidar.empty()) given.values["lidar"] = member->lidar;
  const std::uint64_t seed = arguments.whole("seed", std::numeric_limits<std::uint64_t>::max());
  return std::make_unique<tools::ScenarioFlight>(scenario, seed, given);
}

std::string nameOf(std::size_t number) { return fmt::format("uav{}", number); }

/// A flight for each UAV; the first one's world has room for the others.
std::vector<Flight> flightsOf(const Arguments& arguments) {
  std::vector<Flight> flights;
  if (!arguments.isGiven("n") && !arguments.isGiven("swarm")) {
    flights.push_back(flightOf(arguments, nameOf(0), startOf(arguments)));
    return flights;
  }
  for (const std::string& name : kOfOne) {
    Validator(kWhere).require(!arguments.isGiven(name), name, arguments.text(name),
                              "nothing with n or swarm");
  }
  const std::string file = arguments.text("swarm");
  const sim::SwarmConfig swarm = config::loadSwarm(file);
  const auto count = static_cast<int>(arguments.whole("n", kMostUavs));
  std::vector<sim::StartingUav> starting;
  for (const sim::Start& start : sim::swarmStarts(swarm, count, file)) {
    const auto id = static_cast<int>(flights.size());
    flights.push_back(flightOf(arguments, nameOf(flights.size()), start, swarm.member(id)));
    starting.push_back({id, start.p_WB, flights.back()->config().vehicle.radius});
  }
  sim::requireApart(starting, file);
  return flights;
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

UavTopicsConfig topicsOf(const Arguments& arguments, TimeNs epoch) {
  UavTopicsConfig config;
  config.epoch = epoch;
  config.twist_in_world =
      arguments.choice("odom_twist_frame", {"child", "body", "world"}) == "world";
  config.truth_tf = arguments.flag("publish_ground_truth_tf");
  return config;
}

/// A UAV, its topics and its commands.
struct Member {
  Member(std::size_t number, const UavTopicsConfig& config, const sim::UavConfig& setup,
         sim::Uav& flying, const tools::ScenarioFlight& flight, Participant& participant,
         WorldTopics& world, Inbox& inbox)
      : name(nameOf(number)),
        uav(flying),
        topics(config, name, setup, flying, participant, world.tf()),
        commands(name, setup, flying, inbox, boxOf(flight), flight.groundZ()) {}

  std::string name;
  sim::Uav& uav;
  UavTopics topics;
  UavCommands commands;

 private:
  static Eigen::AlignedBox3d boxOf(const tools::ScenarioFlight& flight) {
    return flight.map().map->bounds().cast<double>();
  }
};

/// The flight, its topics and its clock.
class Simulation {
 public:
  explicit Simulation(const Arguments& arguments)
      : clock_config_(clockOf(arguments)),
        environment_(Environment::read([](const char* name) { return std::getenv(name); })),
        transport_{0, arguments.choice("transport", {"shared_memory", "udp"}) == "shared_memory"},
        flights_(flightsOf(arguments)),
        topics_config_(topicsOf(arguments, flight().epoch())),
        threads_(static_cast<int>(arguments.whole("threads", 1024))) {}

  void run(std::optional<TimeNs> duration) {
    flight().enter(threads_);
    for (const Flight& each : flights_) {
      transport_.largest += UavTopics::largestMessage(each->config());
    }
    Participant participant(environment_, transport_);
    Inbox inbox(participant);
    WorldTopics world(participant, flight().epoch());
    world.publishMap(*flight().map().map);
    addMembers(participant, world, inbox);
    SimClock clock(clock_config_, SimClock::WallClock::now());
    if (clock.inLockstep()) clock.grant(kHost, kEver);
    takePauses(clock, inbox);
    const auto answered = hearAnswers(clock, participant, inbox);
    announce(participant);
    tell(clock);
    // Time that waits for answers, or runs as fast as it can, has each message before it goes on.
    if (!clock.inLockstep() && clock.answers().empty()) measureInBackground();
    const Finish finish{*this};
    while (tools::InterruptGuard::count() == 0 && !(duration && flight().now() >= *duration)) {
      const auto now = SimClock::WallClock::now();
      inbox.take();
      for (std::size_t i = 0; i < answered.size(); ++i) {
        clock.answers()[i].setOffered(
            participant.subscribeOffered(clock.answers()[i].rule().output, answered[i]));
      }
      for (const auto& member : members_) member->topics.followReaders();
      if (clock.advance(now)) {
        while (flight().now() < clock.now()) flight().step();
        world.publishClock(flight().now());
        for (const auto& member : members_) member->commands.watchTracking();
        for (const std::string& warning : clock.takeWarnings()) fmt::print(stderr, "{}\n", warning);
        pauseWhenLate(clock);
      } else {
        std::this_thread::sleep_until(std::min(clock.wakeAt(now), now + kLongestSleep));
      }
      if (now - diagnosed_at_ < kDiagnosticPeriod) continue;
      world.publishDiagnostics(diagnose(now, participant, inbox), flight().now());
    }
  }

 private:
  /// Waits a little while time catches up, for readers with short queues; not at a fast pace.
  static void pauseWhenLate(const SimClock& clock) {
    const auto now = SimClock::WallClock::now();
    const bool is_late = clock.wakeAt(now) < now;
    if (is_late && clock.pace() <= kFastestPaceWithPauses)
      std::this_thread::sleep_for(kPauseWhenLate);
  }
  tools::ScenarioFlight& flight() const { return *flights_.front(); }
  /// Finishes the measurements before their topics end.
  struct Finish {
    const Simulation& simulation;
    ~Finish() { simulation.finishMeasurements(); }
  };
  void measureInBackground() const {
    for (const auto& member : members_) member->uav.measureInBackground();
  }
  void finishMeasurements() const {
    for (const auto& member : members_) {
      try {
        member->uav.finishMeasurements();
      } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", member->name, error.what());
      }
    }
  }
  void addMembers(Participant& participant, WorldTopics& world, Inbox& inbox) {
    std::vector<Transform> transforms;
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      const sim::UavConfig& setup = flights_[i]->config();
      sim::Uav& uav = i == 0 ? flight().uav() : addUav(i);
      members_.push_back(std::make_unique<Member>(i, topics_config_, setup, uav, flight(),
                                                  participant, world, inbox));
      for (Transform& transform : members_.back()->topics.staticTransforms()) {
        transforms.push_back(std::move(transform));
      }
    }
    world.publishStatic(transforms);
  }
  sim::Uav& addUav(std::size_t number) const {
    try {
      return flight().addUav(flights_[number]->config());
    } catch (const Error& error) {
      throw Error(nameOf(number) + ": " + error.what());
    }
  }
  /// Pauses and resumes by the topic and the service.
  void takePauses(SimClock& clock, Inbox& inbox) {
    const std::string name = "/sim_clock/pause";
    const auto pause = [&clock](dataset::CdrReader& reader) {
      const bool is_paused = reader.read<std::uint8_t>() != 0;
      reader.finish();
      const SimClock::Reply reply = clock.pause(is_paused, SimClock::WallClock::now());
      if (!reply.done) throw Error(reply.text);
      return reply.text;
    };
    inbox.on(name, dataset::ros2_types::kBool, true, pause, refusing(name));
    inbox.serve(name, dataset::ros2_types::kSetBool, pause, refusing(name));
  }
  static Inbox::Refuse refusing(const std::string& topic) {
    return [topic, told = std::string()](const std::string& reason) mutable {
      if (std::exchange(told, reason) != reason)
        fmt::print(stderr, "{} ignored: {}\n", topic, reason);
    };
  }
  void announce(Participant& participant) const {
    std::vector<std::string> namespaces = {kRoot};
    for (const auto& member : members_) namespaces.push_back(kRoot + member->name);
    participant.announce(kNode, namespaces);
  }
  void tell(const SimClock& clock) const {
    fmt::print(stderr,
               "{} UAV{}, ROS 2 topics in domain {} ({}), {}, node names of {}, {}; Ctrl-C ends\n",
               members_.size(), members_.size() == 1 ? "" : "s", environment_.domain,
               environment_.is_local ? "this machine alone" : "network",
               transport_.shares_memory ? "shared memory and UDP" : "UDP",
               environment_.has_wide_gids ? "Humble and older" : "Iron and later",
               clock.paused() ? "paused" : "pace " + paceText(clock.pace()));
  }
  /// Gives the clock the inputs of its rules; returns what takes their outputs.
  std::vector<Participant::OnMessage> hearAnswers(SimClock& clock, Participant& participant,
                                                  Inbox& inbox) const {
    std::vector<Participant::OnMessage> answered;
    for (AnswerWait& answer : clock.answers()) {
      const TimeNs epoch = flight().epoch();
      participant.watch(answer.rule().input, [&answer, epoch](const std::string& cdr) {
        answer.onInput(dataset::CdrReader(cdr).time() - epoch);
      });
      const auto hear = [&answer, epoch](dataset::CdrReader& reader) {
        answer.onOutput(reader.time() - epoch);
      };
      answered.push_back(inbox.queueFor(hear, refusing(answer.rule().output)));
    }
    return answered;
  }
  std::vector<Status> diagnose(SimClock::WallTime now, const Participant& participant,
                               Inbox& inbox) {
    const double wall = std::chrono::duration<double>(now - diagnosed_at_).count();
    const double factor = toSeconds(flight().now() - diagnosed_) / wall;
    diagnosed_at_ = now;
    diagnosed_ = flight().now();
    std::vector<Status> all;
    for (const auto& member : members_) {
      all.push_back({false,
                     member->name + ": dynamics",
                     "running",
                     {{"real-time factor", fmt::format("{:.3f}", factor)},
                      {"simulated time [s]", fmt::format("{:.3f}", toSeconds(diagnosed_))},
                      {"contacts", std::to_string(member->topics.contacts())}}});
      all.push_back(member->commands.status());
    }
    Status drops{false, "marsim: topics", "messages dropped, by topic", {}};
    for (const auto& [topic, count] : participant.dropped()) {
      drops.values.emplace_back(topic, std::to_string(count));
    }
    if (inbox.lost() > 0) drops.values.emplace_back("commands lost", std::to_string(inbox.lost()));
    all.push_back(drops);
    return all;
  }

  SimClockConfig clock_config_;
  Environment environment_;
  Transport transport_;
  std::vector<Flight> flights_;  ///< the first one's world has all UAVs
  UavTopicsConfig topics_config_;
  int threads_;
  std::vector<std::unique_ptr<Member>> members_;
  SimClock::WallTime diagnosed_at_ = SimClock::WallClock::now();
  TimeNs diagnosed_ = 0;
};

}  // namespace

void fly2(const std::map<std::string, std::string>& arguments, std::optional<TimeNs> duration) {
  const tools::InterruptGuard guard;
  Simulation(Arguments(arguments)).run(duration);
}

}  // namespace marsim::ros2
