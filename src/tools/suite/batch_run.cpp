// SPDX-License-Identifier: BSD-3-Clause
#include "tools/suite/batch_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "common/data_dir.hpp"
#include "common/input_file.hpp"
#include "common/output_file.hpp"
#include "common/result_folder.hpp"
#include "common/text.hpp"
#include "config/study.hpp"
#include "dataset/format.hpp"
#include "marsim/common/error.hpp"
#include "tools/dataset/dataset_run.hpp"
#include "tools/process/command_line.hpp"
#include "tools/process/interrupts.hpp"
#include "tools/process/orphans.hpp"
#include "tools/process/process_pool.hpp"
#include "tools/suite/run_inputs.hpp"
#include "tools/suite/scenario_flight.hpp"

namespace marsim::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kManyRuns = 10'000;  // so many runs need --yes
constexpr double kMostRuns = 1e7;
constexpr std::size_t kLargestFile = 1U << 24U;  // bytes
constexpr char kIndex[] = "index.csv";
constexpr char kInputs[] = "inputs.txt";

/// A text as a field of CSV (RFC 4180).
std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

std::string csvLine(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted;
  for (const std::string& field : fields) quoted.push_back(csvField(field));
  return join(quoted, ",") + "\n";
}

/// A word of a shell's command.
std::string shellWord(const std::string& text) {
  constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

/// The summary of a data set.
Json objectOf(const fs::path& file) {
  Json json = Json::parse(readFile(file, kLargestFile), nullptr, false);
  if (json.is_object()) return json;
  throw FileError(file.string(),
                  "is no JSON object, allowed: what 'marsim dataset' writes; without its folder "
                  "the run is made again");
}

/// A study with its folder: `runs/NUMBER.yaml` describes a run, `data/NUMBER/` is its data set.
class Batch {
 public:
  explicit Batch(const BatchOptions& options)
      : options_(options),
        study_(config::loadStudy(options.study)),
        results_(options.out, "marsim batch") {
    const double count = study_.count();
    const Validator validator(options.study.string());
    validator.require(count <= kMostRuns, "vary", fmt::format("{:.0f} runs", count),
                      fmt::format("up to {:.0f}", kMostRuns));
    validator.require(count <= kManyRuns || options.yes, "vary", fmt::format("{:.0f} runs", count),
                      fmt::format("up to {:.0f}, more with --yes", kManyRuns));
    requireKnown();
    rows_ = study_.expanded();
  }

  std::size_t size() const { return rows_.size(); }
  std::string number(std::size_t i) const { return fmt::format("{:06}", i); }
  fs::path runFile(std::size_t i) const { return options_.out / "runs" / (number(i) + ".yaml"); }
  fs::path dataFolder(std::size_t i) const { return options_.out / "data" / number(i); }
  bool isComplete(std::size_t i) const { return fs::exists(dataFolder(i) / "summary.json"); }

  /// Writes the files of the runs, and keeps other processes from making them. Throws FileError if
  /// the folder holds another study, runs of files that have changed since, or other files; nothing
  /// is written then.
  void prepare() {
    const std::vector<std::string> inputs = inputLines();
    const bool only_reads = options_.table || options_.print;
    if (isPrepared(inputs) && only_reads) return;  // also while another batch makes the runs
    results_.begin({kIndex, kInputs, "runs", "data", "table.csv", ".snakemake"});
    if (isPrepared(inputs)) return;
    makeFolder(options_.out / "runs");
    for (std::size_t i = 0; i < size(); ++i) writeFile(runFile(i), runText(i));
    writeFile(options_.out / kInputs, join(inputs, "\n") + "\n");
    writeFile(options_.out / kIndex, indexText());
  }

  /// Writes the factors and results of the complete runs.
  void writeTable() const {
    std::vector<std::string> head = headOf();
    for (const auto& [name, pointer] : kColumns) head.emplace_back(name);
    std::string text = csvLine(head);
    for (std::size_t i = 0; i < size(); ++i) {
      if (isComplete(i)) text += csvLine(figuresOf(i));
    }
    writeFile(options_.out / "table.csv", text);
  }

 private:
  /// Columns of the table, from summary.json and quality.json.
  static const std::vector<std::pair<std::string, std::string>> kColumns;

  std::vector<std::string> headOf() const {
    std::vector<std::string> head = {"run"};
    for (const config::Factor& factor : study_.factors) head.push_back(factor.name);
    return head;
  }
  std::vector<std::string> rowOf(std::size_t i) const {
    std::vector<std::string> row = {number(i)};
    row.insert(row.end(), rows_[i].begin(), rows_[i].end());
    return row;
  }
  // Checks settings that would make every run fail.
  void requireKnown() const {
    const std::string where = options_.study.string();
    dataset::formatsOf(study_.common.format, where, "formats");
    dataset::axesOf(study_.common.frame, where, "frame");
    for (const auto& [name, value] : study_.common.arguments) {
      ScenarioFlight::requireArgument(where, name);
    }
    for (const config::Factor& factor : study_.factors) {
      const std::string& name = factor.name;
      if (name == "seed" || name == "scenario" || name == "trajectory") continue;
      ScenarioFlight::requireArgument(where, name);
    }
  }
  /// Whether the folder holds the files of this study's runs. Throws if they are another study's.
  bool isPrepared(const std::vector<std::string>& inputs) const {
    const fs::path index = options_.out / kIndex, inputs_file = options_.out / kInputs;
    if (!fs::exists(index)) return false;
    bool is_same = fs::exists(inputs_file) && readFile(index, kLargestFile * 64) == indexText();
    for (std::size_t i = 0; is_same && i < size(); ++i) {
      is_same = fs::exists(runFile(i)) && readFile(runFile(i), kLargestFile) == runText(i);
    }
    if (!is_same) refuse("holds another study (index.csv, inputs.txt, runs/)");
    requireSame(inputs, split(readFile(inputs_file, kLargestFile), '\n'));
    return true;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(options_.out.string(), what +
                                               ", allowed: an empty folder, a new one, or that of "
                                               "the same study");
  }
  /// Digests of the files that determine the runs, a line each. The runs report unreadable files.
  std::vector<std::string> inputLines() const {
    std::set<std::pair<std::string, std::string>> given(study_.common.arguments.begin(),
                                                        study_.common.arguments.end());
    given.emplace("scenario", study_.common.scenario);
    if (!study_.common.trajectory.empty()) given.emplace("replay", study_.common.trajectory);
    for (const config::Factor& factor : study_.factors) {
      const std::string& name = factor.name == "trajectory" ? "replay" : factor.name;
      for (const std::string& value : factor.values) given.emplace(name, value);
    }
    std::vector<std::string> lines;
    for (const auto& [name, value] : given) {
      if (value.empty()) continue;
      try {
        for (const std::string& file :
             name == "scenario" ? inputsOfScenario(value) : inputsOf(name, value)) {
          lines.push_back(fmt::format("{} {}: {}", name, value, file));
          std::replace(lines.back().begin(), lines.back().end(), '\n', ' ');
        }
      } catch (const Error&) {
      }
    }
    return lines;
  }
  void requireSame(const std::vector<std::string>& now,
                   const std::vector<std::string>& before) const {
    for (const std::string& line : now) {
      if (std::find(before.begin(), before.end(), line) != before.end()) continue;
      refuse(fmt::format("holds runs of another {} (inputs.txt)", line.substr(0, line.rfind(' '))));
    }
  }
  std::string runText(std::size_t i) const { return textOf(study_.runOf(rows_[i])); }
  std::string indexText() const {
    std::string text = csvLine(headOf());
    for (std::size_t i = 0; i < size(); ++i) text += csvLine(rowOf(i));
    return text;
  }
  std::vector<std::string> figuresOf(std::size_t i) const {
    std::vector<std::string> row = rowOf(i);
    Json figures = objectOf(dataFolder(i) / "summary.json");
    figures.update(objectOf(dataFolder(i) / "quality.json"));
    for (const auto& [name, pointer] : kColumns) {
      const Json::json_pointer at(pointer);
      row.push_back(figures.contains(at) ? figures.at(at).dump() : "");
    }
    return row;
  }

  const BatchOptions& options_;
  config::Study study_;
  ResultFolder results_;
  std::vector<std::vector<std::string>> rows_;
};

const std::vector<std::pair<std::string, std::string>> Batch::kColumns = {
    {"duration_s", "/duration"},
    {"goals", "/flight/goals"},
    {"reached", "/flight/reached"},
    {"contacts", "/flight/contacts"},
    {"distance_m", "/motion/distance_m"},
    {"scans", "/streams/lidar/count"},
    {"points_a_scan", "/lidar/points/mean"},
    {"empty_scans", "/lidar/empty_scans"},
    {"coverage", "/coverage/share"}};

/// Makes the runs in parallel processes.
class BatchRunner {
 public:
  BatchRunner(const Batch& batch, int jobs)
      : batch_(batch), jobs_(static_cast<std::size_t>(jobs)) {}

  int run() {
    while (mayStart() || workers_.running() > 0) {
      while (mayStart()) startNext();
      const auto ends =
          workers_.serve([this](std::size_t i, const std::string& line) { last_[i] = line; });
      for (const ProcessPool::End& end : ends) take(end);
      live_.show(
          fmt::format("{} of {} runs, {} under way", done_, batch_.size(), workers_.running()));
      if (InterruptGuard::count() > asked_) {
        ++asked_;
        workers_.ask();
      }
    }
    live_.clear();
    if (InterruptGuard::count() > 0) return kInterrupted;
    return failed_ > 0 ? 1 : 0;
  }
  std::size_t failed() const { return failed_; }
  std::size_t kept() const { return kept_; }

 private:
  bool mayStart() const {
    return InterruptGuard::count() == 0 && next_ < batch_.size() && workers_.running() < jobs_;
  }
  void startNext() {
    const std::size_t i = next_++;
    if (batch_.isComplete(i)) {
      ++done_;
      ++kept_;
      return;
    }
    workers_.start(i, [this, i] {
      DatasetRequest request = requestOf(batch_.runFile(i));
      request.out = batch_.dataFolder(i);
      request.threads = 1;
      return makeDataset(request).interrupted ? kInterrupted : 0;
    });
  }
  void take(const ProcessPool::End& end) {
    ++done_;
    if (end.exit_code == 0 && end.failure.empty()) return;
    if (InterruptGuard::count() > 0) return;
    ++failed_;
    const std::string why = !end.failure.empty() ? end.failure
                            : last_[end.id].empty()
                                ? fmt::format("ended with code {}", end.exit_code)
                                : last_[end.id];
    live_.print(fmt::format("{}: {}", batch_.number(end.id), why));
  }

  const Batch& batch_;
  std::size_t jobs_;
  const InterruptGuard guard_;
  const OrphanKeeper orphans_;
  ProcessPool workers_;
  LiveLine live_;
  std::map<std::size_t, std::string> last_;  // each run's last line
  std::size_t next_ = 0, done_ = 0, kept_ = 0, failed_ = 0;
  int asked_ = 0;
};

/// Becomes Snakemake with the package's workflow.
[[noreturn]] void becomeSnakemake(const BatchOptions& options) {
  const fs::path marsim = fs::read_symlink("/proc/self/exe").parent_path() / "marsim";
  // Quoted, since Snakemake reads values as YAML.
  const auto setting = [](const std::string& name, const fs::path& path) {
    return name + "=" + Json(path.string()).dump();
  };
  std::vector<std::string> words = {"snakemake",
                                    "-s",
                                    (dataDir() / "config" / "batch" / "Snakefile").string(),
                                    "-j",
                                    std::to_string(options.jobs),
                                    "--directory",
                                    fs::absolute(options.out).string(),
                                    "--config",
                                    setting("study", fs::absolute(options.study)),
                                    setting("marsim", marsim)};
  words.insert(words.end(), options.engine.begin(), options.engine.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  throw Error(errno == ENOENT
                  ? std::string("snakemake is not installed: apt-get install snakemake")
                  : fmt::format("snakemake cannot be started: {}", std::strerror(errno)));
}

}  // namespace

int runBatch(const BatchOptions& options) {
  BatchOptions::kJobs.require("command line", "--jobs", options.jobs);
  Validator("command line")
      .require(options.engine.empty() || options.snakemake, "argument",
               options.engine.empty() ? "" : fmt::format("'{}'", clipped(options.engine.front())),
               "further arguments with --snakemake only");
  Validator("command line").require(!options.out.empty(), "--out", "empty", "a folder");
  Batch batch(options);
  batch.prepare();
  if (options.print) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      fmt::print("marsim dataset --threads 1 --run {} --out {}\n",
                 shellWord(batch.runFile(i).string()), shellWord(batch.dataFolder(i).string()));
    }
    return 0;
  }
  if (options.snakemake) becomeSnakemake(options);
  int code = 0;
  if (!options.table) {
    BatchRunner runner(batch, options.jobs);
    code = runner.run();
    if (code == kInterrupted) {
      fmt::print(stderr, "marsim batch: interrupted; the same command goes on\n");
      return code;
    }
    fmt::print("{}: {} runs, {} of them made before, {} failed\n", options.out.string(),
               batch.size(), runner.kept(), runner.failed());
  }
  batch.writeTable();
  return code;
}

}  // namespace marsim::tools
