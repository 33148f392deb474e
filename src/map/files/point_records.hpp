#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "marsim/common/progress.hpp"
#include "marsim/geometry/pose.hpp"
#include "marsim/map/point_cloud.hpp"

/// Tables of numbers for the PCD and PLY readers, a row (record) a point, as text or bytes.
/// Nothing here trusts a header: sizes are held against the file before memory is taken.
namespace marsim::map {

/// Type of a number in a file.
struct NumberType {
  enum class Kind { kFloat, kSigned, kUnsigned };
  Kind kind = Kind::kFloat;
  std::uint32_t size = 4;  ///< [bytes] 1, 2, 4, 8
};

/// One column of the table that is read.
struct Column {
  NumberType type;
  std::size_t offset = 0;  ///< [bytes] inside a binary record
  std::size_t value = 0;   ///< position among the values of an ascii record
};

/// Layout of a record.
struct RecordLayout {
  std::size_t record_size = 0;  ///< [bytes] of a binary record
  std::size_t values = 0;       ///< in an ascii record
  std::array<Column, 3> xyz;
  std::optional<Column> intensity;
  /// Red, green and blue; the same column three times where one value holds them (PCL's packed
  /// 0x00RRGGBB, also as the bits of a float32).
  std::optional<std::array<Column, 3>> colour;
  std::optional<Column> label;    ///< of a class
  std::optional<Column> time;     ///< of a point, see timeRank()
  std::string time_field;         ///< its name
  std::optional<Pose> viewpoint;  ///< of a PCD file where it is not the identity

  /// Whether points come with an intensity: their own, or the luma of their colours.
  bool hasIntensity() const { return intensity.has_value() || colour.has_value(); }
  bool big_endian = false;
};

/// Fields of a record in file order, by which a reader assembles the layout.
struct Field {
  std::string name;
  NumberType type;
  std::size_t count = 1;
};

/// How surely a field of that name is the time of a point; 0: it is none. Drivers of Velodyne and
/// RoboSense, Ouster, Livox, Hesai have one each.
int timeRank(std::string_view name);

/// Finds x, y, z, intensity, colour, class and time among the fields. Throws FileError where a
/// coordinate is missing, no float32 or float64, or a vector.
RecordLayout makeLayout(const std::string& path, const std::vector<Field>& fields);

/// An open file.
struct InputFile {
  std::string path;
  std::ifstream stream;
  std::uint64_t size = 0;  ///< [bytes]
};

/// Lines of a file's text header: reads at most the first mebibyte, so that a binary file under a
/// wrong name is not swallowed whole.
class HeaderLines {
 public:
  explicit HeaderLines(InputFile& file);
  /// The next line without its end, or nothing where the text ends.
  std::optional<std::string_view> next();
  /// Number of the line that next() gave last, from 1.
  std::size_t number() const { return number_; }
  /// Byte after the line that next() gave last.
  std::uint64_t position() const { return position_; }

 private:
  std::string text_;
  std::size_t position_ = 0;
  std::size_t number_ = 0;
};

/// Words of a line separated by blanks.
std::vector<std::string_view> words(std::string_view line);

/// Part of a file's text fit for a one-line message: at most 24 characters, the unprintable shown
/// as '?'.
std::string excerpt(std::string_view text);

/// Points that follow one another in a file, those that are not finite included. The intensity is
/// the file's own or the luma of its colours, and may be not finite.
struct PointBlock : PointChannels {
  std::vector<Eigen::Vector3d> points;  ///< [m] as the file has them
  std::vector<double> times;            ///< as the file has them; empty: it has none

  std::size_t size() const { return points.size(); }
  /// Room for as many points with what the layout says that they carry.
  void resize(std::size_t size, const RecordLayout& layout);
};

/// Reserves room for points with what the layout says that they carry.
void reserveChannels(const RecordLayout& layout, std::size_t size, PointChannels& channels);
/// [bytes] that a point carries beside its place.
std::size_t bytesOfChannels(const RecordLayout& layout);

/// The class of a label: its lower 16 bits, as SemanticKITTI keeps an instance above them. What it
/// numbers above 255 moves, and is taken as the same at rest; others are 0, none.
std::uint8_t classOfLabel(double label);

/// Points of a block, but for the file's last.
constexpr std::size_t kBlockPoints = 65536;

/// Takes the points of a file in its order, block by block, so that none need hold them all.
struct PointSink {
  /// Called once, before the first block, when the file has proved large enough for `count`.
  std::function<void(const RecordLayout& layout, std::uint64_t count)> begin;
  std::function<void(const PointBlock& block)> take;
  std::string phase = "reading";  ///< of the progress
};

/// Gives the sink `count` binary records, which follow each other from the stream's position on.
void readBinary(InputFile& file, const RecordLayout& layout, std::uint64_t count,
                Progress& progress, const PointSink& sink);

/// Gives the sink `count` records stored column by column in `bytes` (all x, then all y, ...), as
/// binary_compressed PCD holds them.
void readColumns(const std::vector<char>& bytes, const RecordLayout& layout, std::uint64_t count,
                 const PointSink& sink);

/// Gives the sink `count` records of text, one a line (blank lines skipped) from the stream's
/// position on; `first_line` is the number of the next line. Where `to_end`, nothing may follow.
void readAscii(InputFile& file, const RecordLayout& layout, std::uint64_t count,
               std::size_t first_line, bool to_end, Progress& progress, const PointSink& sink);

/// Bytes from the stream's position to the file's end.
std::uint64_t bytesLeft(InputFile& file);

/// Reads all points of an opened PCD file.
void readPcd(InputFile& file, Progress& progress, const PointSink& sink);

/// Reads all vertices of an opened PLY file.
void readPly(InputFile& file, Progress& progress, const PointSink& sink);

/// Reads all points of a PCD or PLY file. Throws FileError; see loadCloud.
void readPoints(const std::filesystem::path& path, Progress& progress, const PointSink& sink);

}  // namespace marsim::map
