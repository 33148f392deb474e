// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "common/output_file.hpp"
#include "common/seconds_text.hpp"
#include "dataset/growing_file.hpp"
#include "dataset/scan_points.hpp"
#include "dataset/text.hpp"
#include "dataset/writer.hpp"

namespace marsim::dataset {
namespace {

class PcdWriter final : public Writer {
 public:
  explicit PcdWriter(const Destination& to)
      : axes_(to.axes),
        scans_(to.folder / "scans"),
        poses_(to.folder / "poses.txt"),
        times_(to.folder / "times.txt"),
        labels_(to.sensors.things) {
    makeFolder(scans_);
    poses_.write(kTumHeader);
  }

  void addScan(const lidar::Scan& scan) override {
    writeNewFile(scans_ / fmt::format("{:06}.pcd", count_++), pcdBytes(scan, axes_, labels_));
    poses_.write(tumLine(scan.stamp, sensorInWorld(axes_, scan.X_WS)));
    times_.write(secondsText(scan.stamp) + "\n");
  }
  void finish() override {
    poses_.close();
    times_.close();
  }

 private:
  Axes axes_;
  std::filesystem::path scans_;
  GrowingFile poses_, times_;
  Labels labels_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Writer> makePcdWriter(const Destination& to) {
  return std::make_unique<PcdWriter>(to);
}

}  // namespace marsim::dataset
