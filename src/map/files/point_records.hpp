// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

#include "map/files/record_layout.hpp"
#include "marsim/common/progress.hpp"
#include "marsim/map/point_cloud.hpp"

/// Tables of numbers for the PCD and PLY readers, one row (record) per point, as text or bytes.
/// Headers are not trusted: sizes are compared with the file before memory is taken.
namespace marsim::map {

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
  /// The next line without its end, or none at the end of the text.
  std::optional<std::string_view> next();
  /// Number, from 1, of the line that next() gave last.
  std::size_t number() const { return number_; }
  /// Byte after the line that next() gave last.
  std::uint64_t position() const { return position_; }

 private:
  std::string text_;
  std::size_t position_ = 0;
  std::size_t number_ = 0;
};

/// The number in some bytes; `swap`: their order is not this machine's.
double decode(const char* bytes, NumberType type, bool swap);

/// Words of a line separated by blanks.
std::vector<std::string_view> words(std::string_view line);
void splitWords(std::string_view line, std::vector<std::string_view>& words);

/// A number as C writes it, whatever the program's locale, or as old Windows programs write
/// infinity and NaN (-1.#IND); none if the text is not exactly a number.
std::optional<double> numberOf(std::string_view text);

/// Part of a file's text fit for a one-line message: at most 24 characters, the unprintable shown
/// as '?'.
std::string excerpt(std::string_view text);

/// Consecutive points of a file, including those that are not finite. The intensity is the file's
/// own or the luma of its colours, and may be not finite.
struct PointBlock : PointChannels {
  std::vector<Eigen::Vector3d> points;  ///< [m] in the file's coordinates
  std::vector<double> times;            ///< the file's; empty: it has none
  bool is_luma = false;                 ///< intensity is luma; NaN for points without colour

  std::size_t size() const { return points.size(); }
  /// Makes room for points with the layout's channels.
  void resize(std::size_t size, const RecordLayout& layout);
};

/// Reserves room for points with the layout's channels.
void reserveChannels(const RecordLayout& layout, std::size_t size, PointChannels& channels);
/// [bytes] of a point's channels.
std::size_t bytesOfChannels(const RecordLayout& layout);

/// Points of a block; the file's last block may have fewer.
constexpr std::size_t kBlockPoints = 65536;

/// Appends the point of a record's values.
void appendRecord(const RecordLayout& layout, const std::vector<double>& values, PointBlock& block);

/// Takes the points of a file in order, block by block, so that no reader holds them all.
struct PointSink {
  /// Called once, before the first block, when the file has proved large enough for `count`.
  std::function<void(const RecordLayout& layout, std::uint64_t count)> begin;
  std::function<void(const PointBlock& block)> take;
  std::string phase = "reading";  ///< of the progress
};

/// Reads points by read(layout, sink); twice if only the largest of all colours tells their depth.
void readWithDepth(
    RecordLayout layout, const PointSink& sink,
    const std::function<void(const RecordLayout& layout, const PointSink& sink)>& read);

/// Reads a binary record without its lists into `record`; false where the file ends.
bool readRecord(InputFile& file, const RecordLayout& layout, char* record);

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
