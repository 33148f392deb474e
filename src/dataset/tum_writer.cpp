#include "dataset/growing_file.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

class TumWriter final : public Writer {
 public:
  explicit TumWriter(const Destination& to)
      : axes_(to.axes),
        X_BR_(to.sensors.X_BR),
        truth_(to.folder / "groundtruth.txt"),
        accelerometer_(to.folder / "accelerometer.txt") {
    truth_.write(kTumHeader);
    accelerometer_.write("# timestamp ax ay az\n");
  }

  void addTruth(const Truth& truth) override {
    truth_.write(tumLine(truth.state.stamp, sensorInWorld(axes_, truth.state.X_WB * X_BR_)));
  }
  void addImu(const vehicle::ImuSample& sample) override {
    const Eigen::Vector3d force = inSensor(axes_, sample.specific_force);
    accelerometer_.write(secondsText(sample.stamp) + " " + vectorText(force, " ") + "\n");
  }
  void finish() override {
    truth_.close();
    accelerometer_.close();
  }

 private:
  Axes axes_;
  Pose X_BR_;
  GrowingFile truth_, accelerometer_;
};

}  // namespace

std::unique_ptr<Writer> makeTumWriter(const Destination& to) {
  return std::make_unique<TumWriter>(to);
}

}  // namespace marsim::dataset
