// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/seconds_text.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/image_stream.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

/// The three lines of the benchmark's lists; ORB-SLAM skips as many.
std::string header(const char* what, const char* columns) {
  return fmt::format("# {}\n# file: 'marsim dataset'\n# timestamp {}\n", what, columns);
}

class TumWriter final : public Writer {
 public:
  explicit TumWriter(const Destination& to)
      : axes_(to.axes),
        X_BR_(to.sensors.X_BR),
        is_R_optical_(to.sensors.is_R_optical),
        truth_(to.folder / "groundtruth.txt"),
        accelerometer_(to.folder / "accelerometer.txt") {
    truth_.write(header("ground truth trajectory", "tx ty tz qx qy qz qw"));
    accelerometer_.write(header("accelerometer data", "ax ay az"));
    const std::vector<ImageStream> streams = imageStreams(to.sensors);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!tumHolds(to.sensors, streams[i])) continue;
      folders_.try_emplace(i, to.folder, streams[i].isDepth() ? "depth" : "rgb", streams[i]);
    }
    if (folders_.size() == 2) associations_.emplace(to.folder / "associations.txt");
  }

  void addTruth(const Truth& truth) override {
    const Pose X_WR = truth.state.X_WB * X_BR_;
    truth_.write(tumLine(truth.state.stamp,
                         is_R_optical_ ? cameraInWorld(axes_, X_WR) : sensorInWorld(axes_, X_WR)));
  }
  void addImu(const vehicle::ImuSample& sample) override {
    const Eigen::Vector3d force = inSensor(axes_, sample.specific_force);
    accelerometer_.write(secondsText(sample.stamp) + " " + vectorText(force, " ") + "\n");
  }
  void addImage(const Image& image) override {
    const auto found = folders_.find(image.stream);
    if (found == folders_.end()) return;
    found->second.add(image);
    if (associations_) associate(image.stamp);
  }
  void finish() override {
    truth_.close();
    accelerometer_.close();
    for (auto& [stream, folder] : folders_) folder.close();
    if (associations_) associations_->close();
  }

 private:
  /// The folder of a stream's images and their list.
  class Folder {
   public:
    Folder(const std::filesystem::path& folder, std::string name, ImageStream stream)
        : name_(std::move(name)),
          folder_(folder / name_),
          stream_(std::move(stream)),
          list_(folder / (name_ + ".txt")) {
      makeFolder(folder_);
      list_.write(header(stream_.isDepth() ? "depth maps" : "color images", "filename"));
    }
    void add(const Image& image) {
      const std::string stamp = secondsText(image.stamp);
      writeNewFile(folder_ / (stamp + ".png"), pngOf(image, stream_, kStepsAMetre));
      last_ = image.stamp;
      line_ = fmt::format("{} {}/{}.png", stamp, name_, stamp);
      list_.write(line_ + "\n");
    }
    void close() { list_.close(); }
    bool isDepth() const { return stream_.isDepth(); }
    TimeNs last() const { return last_; }
    const std::string& line() const { return line_; }

   private:
    static constexpr double kStepsAMetre = 5000.0;  // the benchmark's

    std::string name_;
    std::filesystem::path folder_;
    ImageStream stream_;
    GrowingFile list_;
    TimeNs last_ = -1;
    std::string line_;
  };

  // The pairs that the benchmark's associate.py finds, in ORB-SLAM's order: colour, depth.
  void associate(TimeNs stamp) {
    const Folder *first = &folders_.begin()->second, *second = &folders_.rbegin()->second;
    if (first->last() != stamp || second->last() != stamp) return;
    if (first->isDepth()) std::swap(first, second);
    associations_->write(first->line() + " " + second->line() + "\n");
  }

  Axes axes_;
  Pose X_BR_;
  bool is_R_optical_;
  GrowingFile truth_, accelerometer_;
  std::map<std::size_t, Folder> folders_;  ///< by number of the stream
  std::optional<GrowingFile> associations_;
};

}  // namespace

std::unique_ptr<Writer> makeTumWriter(const Destination& to) {
  return std::make_unique<TumWriter>(to);
}

}  // namespace marsim::dataset
