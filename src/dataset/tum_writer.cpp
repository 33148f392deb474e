#include "common/output_file.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/png.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

class TumWriter final : public Writer {
 public:
  explicit TumWriter(const Destination& to)
      : axes_(to.axes),
        X_BR_(to.sensors.X_BR),
        is_R_optical_(to.sensors.is_R_optical),
        truth_(to.folder / "groundtruth.txt"),
        accelerometer_(to.folder / "accelerometer.txt") {
    truth_.write(kTumHeader);
    accelerometer_.write("# timestamp ax ay az\n");
    if (to.sensors.images.empty()) return;
    depth_folder_ = to.folder / "depth";
    camera_ = to.sensors.images.front();
    makeFolder(depth_folder_);
    depth_.emplace(to.folder / "depth.txt");
    depth_->write("# timestamp filename\n");
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
    if (image.stream != 0) return;
    const std::string name = secondsText(image.stamp) + ".png";
    writeNewFile(depth_folder_ / name, depthPng(image.depth, camera_.width, kStepsAMetre));
    depth_->write(secondsText(image.stamp) + " depth/" + name + "\n");
  }
  void finish() override {
    truth_.close();
    accelerometer_.close();
    if (depth_) depth_->close();
  }

 private:
  static constexpr double kStepsAMetre = 5000.0;  // of the benchmark

  Axes axes_;
  Pose X_BR_;
  bool is_R_optical_;
  GrowingFile truth_, accelerometer_;
  std::optional<GrowingFile> depth_;
  std::filesystem::path depth_folder_;
  ImageStream camera_;
};

}  // namespace

std::unique_ptr<Writer> makeTumWriter(const Destination& to) {
  return std::make_unique<TumWriter>(to);
}

}  // namespace marsim::dataset
