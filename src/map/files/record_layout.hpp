// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "marsim/geometry/pose.hpp"
#include "marsim/map/point_cloud.hpp"

/// Meaning of a record's columns, from their names and types; the same for PCD, PLY and tables.
namespace marsim::map {

/// Type of a number in a file.
struct NumberType {
  /// kPackedFloat: a colour as the bits of a float32.
  enum class Kind { kFloat, kSigned, kUnsigned, kPackedFloat };
  Kind kind = Kind::kFloat;
  std::uint32_t size = 4;  ///< [bytes] 1, 2, 4, 8
};

/// "float32", "uint8", ...
std::string typeName(NumberType type);

/// One column of the table.
struct RecordColumn {
  NumberType type;
  std::size_t offset = 0;  ///< [bytes] inside a binary record
  std::size_t value = 0;   ///< position among the values of an ascii record
};

/// A list of any length inside a record (PLY), which is skipped.
struct List {
  NumberType length;
  std::size_t item = 0;  ///< [bytes] of one of its items
  RecordColumn next;     ///< where the list lies in the record
};

/// The range of colours in a file: 0 to 1, 0 to 255 or 0 to 65535.
enum class ColourDepth { kUnit, kByte, kWord };

/// The depth of colours whose largest value is `most`.
ColourDepth depthOf(double most, bool are_floats);

/// A file's colour value as 0 to 255.
double shadeOf(double raw, ColourDepth depth);

/// Layout of a record.
struct RecordLayout {
  std::size_t record_size = 0;  ///< [bytes] of a binary record, without its lists
  std::size_t values = 0;       ///< in an ascii record, without its lists
  std::vector<List> lists;      ///< in the order of the file
  std::array<RecordColumn, 3> xyz;
  std::optional<RecordColumn> intensity;
  /// Red, green and blue; the same column three times if one value holds them (PCL's packed
  /// 0x00RRGGBB).
  std::optional<std::array<RecordColumn, 3>> colour;
  ColourDepth depth = ColourDepth::kByte;             ///< of the colours
  std::optional<RecordColumn> label;                  ///< of a class
  std::optional<RecordColumn> time;                   ///< of a point
  std::string time_field;                             ///< its name
  std::optional<std::array<RecordColumn, 3>> sensor;  ///< place of it when it measured the point
  std::optional<Pose> viewpoint;                      ///< of a PCD file; none: the identity
  bool big_endian = false;

  /// Whether points have an intensity: their own, or the luma of their colours.
  bool hasIntensity() const { return intensity.has_value() || colour.has_value(); }
  /// Whether labels have room for an instance above the class.
  bool hasInstances() const { return label && label->type.size >= 4; }
  bool isPacked() const { return colour && (*colour)[0].offset == (*colour)[1].offset; }
  /// Whether only the largest value of all colours tells their depth: bytes and packed colours have
  /// a fixed one.
  bool needsDepth() const;
  /// The depth of colours of these types whose largest value is `most`.
  ColourDepth depthFor(double most) const;
};

/// Fields of a record in file order, by which a reader assembles the layout.
struct Field {
  std::string name;
  NumberType type;
  std::size_t count = 1;
  std::optional<NumberType> length;  ///< of a list: type of its length
};

/// Adds a field to a record's sizes and returns its column.
RecordColumn addField(const Field& field, RecordLayout& layout);

/// Whether names of fields tell x, y and z.
bool nameAPlace(const std::vector<std::string>& names);

/// Whether makeLayout() knows a name in text, times aside.
bool isKnownName(const std::string& name);

/// Confidence that a field of that name is the time of a point; 0: it is not.
int timeRank(const std::string& name);

/// Finds x, y, z, intensity, colour, class and time among the fields, by the names that programs
/// give them in upper or lower case, with or without a unit in brackets. Throws FileError if a
/// coordinate is missing, duplicate or a vector.
RecordLayout makeLayout(const std::string& path, const std::vector<Field>& fields);

/// The class of a label: its lower 16 bits, as SemanticKITTI keeps an instance above them. Moving
/// classes (numbers above 255) become the static class; others are 0, none.
std::uint8_t classOfLabel(double label);
/// The instance of a label with a class: its upper 16 bits.
std::uint16_t instanceOfLabel(double label);

/// The bits of a packed colour that text gives as a float32. Text does not tell the bits of a NaN:
/// the result is then the standard NaN, see unpackedColour().
std::uint32_t packedBits(double number);

/// The colour of PCL's packed 0x00RRGGBB. Black for a float with the bits of the standard NaN;
/// opaque colours (0xFFRRGGBB) have others.
Colour unpackedColour(std::uint32_t bits, bool is_float);

/// Red, green and blue (0 to 255) from the numbers of a file; NaN if one is not a number.
std::array<double, 3> coloursOf(const RecordLayout& layout, const std::array<double, 3>& raw);
/// The nearest colour; black for NaN.
Colour roundedColour(const std::array<double, 3>& rgb);

}  // namespace marsim::map
