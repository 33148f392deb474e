// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_reader.hpp"

#include <limits>

#include <fmt/format.h>
#include <sys/stat.h>

#include "support.hpp"

namespace marsim::config {
namespace {

class YamlReaderTest : public ConfigTest {
 protected:
  /// The error on reading a text, without the folder's name.
  std::string complaintOf(const std::string& text, const YamlReader::ReadMap& read) const {
    const std::string path = write("x.yaml", text);
    const std::string message = complaint([&] { YamlReader::readFile(path, read); });
    const std::size_t at = message.find("x.yaml");
    return at == std::string::npos ? message : message.substr(at);
  }
};

const auto kNothing = [](YamlReader&) {};

TEST_F(YamlReaderTest, ReadsValuesWithUnits) {
  double angle = 0.0, length = 0.0, absent = 7.0, low = 0.0, high = 0.0;
  Eigen::Vector3d position;
  std::vector<double> times;
  std::string name;
  bool flag = false;
  int spin = 0;
  std::uint64_t seed = 0;
  std::vector<double> nested;
  EXPECT_EQ(complaintOf("name: Avia\nangle: 90deg\nlength: 5 cm\nview: [-10deg, '20deg']\n"
                        "position: [1, 20cm, -3e2]\ntimes: [1us, 2ms]\nflag: true\nspin: cw\n"
                        "seed: 42\nitems: [{v: 1}, {v: 2}]\n",
                        [&](YamlReader& reader) {
                          reader.required("name", name);
                          reader.optional("angle", angle, "rad");
                          reader.required("length", length, "m");
                          reader.optional("absent", absent);
                          reader.optional("view", low, high, "rad");
                          reader.required("position", position, "m");
                          reader.required("times", times, "s");
                          reader.optional("flag", flag);
                          reader.required("spin", spin, {{"ccw", 1}, {"cw", -1}});
                          reader.optional("seed", seed);
                          reader.requireMaps("items", [&](YamlReader& item) {
                            item.required("v", nested.emplace_back());
                          });
                        }),
            "no error");
  EXPECT_EQ(name, "Avia");
  EXPECT_DOUBLE_EQ(angle, kPi / 2.0);
  EXPECT_DOUBLE_EQ(length, 0.05);
  EXPECT_EQ(absent, 7.0);
  EXPECT_DOUBLE_EQ(low, radians(-10.0));
  EXPECT_DOUBLE_EQ(high, radians(20.0));
  EXPECT_EQ(position, Eigen::Vector3d(1.0, 0.2, -300.0));
  EXPECT_EQ(times, (std::vector<double>{1e-6, 2e-3}));
  EXPECT_TRUE(flag);
  EXPECT_EQ(spin, -1);
  EXPECT_EQ(seed, 42U);
  EXPECT_EQ(nested, (std::vector<double>{1.0, 2.0}));
}

TEST_F(YamlReaderTest, UnknownKeySuggestsTheNearest) {
  double value = 0.0;
  const auto read = [&](YamlReader& reader) {
    reader.readMap("range", [&](YamlReader& range) {
      range.optional("min", value);
      range.optional("max", value);
    });
  };
  EXPECT_EQ(complaintOf("range: {min: 1, mxa: 2}", read),
            "x.yaml: range.mxa is an unknown key (did you mean 'max'?), allowed: min, max");
  EXPECT_EQ(complaintOf("colour: red", read), "x.yaml: colour is an unknown key, allowed: range");
}

TEST_F(YamlReaderTest, MissingKey) {
  double value = 0.0;
  const auto read = [&](YamlReader& reader) {
    reader.requireMap("range", [&](YamlReader& range) { range.required("max", value); });
  };
  EXPECT_EQ(complaintOf("range: {}", read),
            "x.yaml: range.max is missing, allowed: this key is required");
  EXPECT_EQ(complaintOf("range: {mx: 3}", read),
            "x.yaml: range.max is missing (is it 'mx'?), allowed: this key is required");
  EXPECT_EQ(complaintOf("{}", read), "x.yaml: range is missing, allowed: this key is required");
}

TEST_F(YamlReaderTest, WrongType) {
  double value = 0.0;
  Eigen::Vector3d vector;
  std::uint64_t seed = 0;
  bool flag = false;
  int word = 0;
  std::vector<double> list;
  const auto complaintAt = [&](const std::string& text) {
    return complaintOf(text, [&](YamlReader& reader) {
      reader.optional("length", value, "m");
      reader.optional("number", value);
      reader.optional("vector", vector);
      reader.optional("interval", value, value, "rad");
      reader.optional("seed", seed);
      reader.optional("flag", flag);
      reader.optional("word", word, {{"ccw", 1}, {"cw", -1}});
      reader.readMap("map", kNothing);
      if (reader.has("maps")) reader.requireMaps("maps", kNothing);
    });
  };
  const std::string length =
      "allowed: a finite number, bare in m, or with one of the units m, cm, mm, km";
  EXPECT_EQ(complaintAt("length: far"), "x.yaml: length is 'far', " + length);
  EXPECT_EQ(complaintAt("length: 3deg"), "x.yaml: length is '3deg', " + length);
  EXPECT_EQ(complaintAt("length: .nan"), "x.yaml: length is '.nan', " + length);
  EXPECT_EQ(complaintAt("length: nan"), "x.yaml: length is 'nan', " + length);
  EXPECT_EQ(complaintAt("length: inf"), "x.yaml: length is 'inf', " + length);
  EXPECT_EQ(complaintAt("length: [1, 2]"), "x.yaml: length is a list of 2, " + length);
  EXPECT_EQ(complaintAt("length:"), "x.yaml: length is empty, " + length);
  EXPECT_EQ(complaintAt("number: 3m"),
            "x.yaml: number is '3m', allowed: a finite number without a unit");
  EXPECT_EQ(complaintAt("vector: [1, 2]"),
            "x.yaml: vector is a list of 2, allowed: a list of three numbers, [x, y, z]");
  EXPECT_EQ(complaintAt("vector: [1, 2, x]"),
            "x.yaml: vector[2] is 'x', allowed: a finite number without a unit");
  EXPECT_EQ(complaintAt("interval: 3"),
            "x.yaml: interval is '3', allowed: a list of two numbers, [min, max]");
  const std::string seeds = "allowed: a whole number from 0 to 18446744073709551615";
  EXPECT_EQ(complaintAt("seed: 18446744073709551615"), "no error");
  EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(complaintAt("seed: -1"), "x.yaml: seed is '-1', " + seeds);
  EXPECT_EQ(complaintAt("seed: 99999999999999999999999"),
            "x.yaml: seed is '99999999999999999999999', " + seeds);
  EXPECT_EQ(complaintAt("flag: maybe"), "x.yaml: flag is 'maybe', allowed: true, false");
  EXPECT_EQ(complaintAt("word: cww"),
            "x.yaml: word is 'cww' (did you mean 'ccw'?), allowed: ccw, cw");
  EXPECT_EQ(complaintAt("map: 3"), "x.yaml: map is '3', allowed: a map of keys");
  EXPECT_EQ(complaintAt("maps: 3"), "x.yaml: maps is '3', allowed: a list of maps");
  EXPECT_EQ(complaintAt("maps: [3]"), "x.yaml: maps[0] is '3', allowed: a map of keys");
  EXPECT_EQ(complaintAt("maps: [{a: 1}]"), "x.yaml: maps[0].a is an unknown key, allowed: none");
}

TEST_F(YamlReaderTest, FilesThatAreNoMaps) {
  EXPECT_EQ(complaintOf("", kNothing), "x.yaml: is empty");
  EXPECT_EQ(complaintOf("# only a comment\n", kNothing), "x.yaml: is empty");
  EXPECT_EQ(complaintOf("- 1\n- 2\n", kNothing),
            "x.yaml: holds a list of 2, a map of keys is wanted");
  EXPECT_EQ(complaintOf("hello", kNothing), "x.yaml: holds 'hello', a map of keys is wanted");
  EXPECT_EQ(complaintOf("a: 1\n---\nb: 2\n", kNothing),
            "x.yaml: holds several YAML documents, one is wanted");
  EXPECT_EQ(complaintOf("a: 1\nb: [1, 2\nc: 3\n", kNothing).substr(0, 14), "x.yaml: line 3");
  EXPECT_EQ(complaintOf("a: {b: 1, b: 2}\n", kNothing), "x.yaml: line 1: the key 'b' comes twice");
  EXPECT_EQ(complaintOf("[1, 2]: 3\n", kNothing),
            "x.yaml: line 1: a key is a list of 2, a word is wanted");
  EXPECT_EQ(complaint([&] { YamlReader::readFile(folder_, kNothing); }),
            folder_.string() + ": is a folder");
  EXPECT_EQ(complaint([&] { YamlReader::readFile(folder_ / "no.yaml", kNothing); }),
            (folder_ / "no.yaml").string() + ": no such file");
}

TEST_F(YamlReaderTest, AnchorsAndAliasesAreRefused) {
  const std::string refused =
      ": an anchor (&) or alias (*), which are not allowed: write the value where it is wanted";
  EXPECT_EQ(complaintOf("a: &x [*x]\n", kNothing), "x.yaml: line 1" + refused);
  EXPECT_EQ(complaintOf("a: 1\nb: &x {c: *x}\n", kNothing), "x.yaml: line 2" + refused);
  EXPECT_EQ(complaintOf("a: &x 1\n", kNothing), "x.yaml: line 1" + refused);
  EXPECT_EQ(complaintOf("a: &x\n", kNothing), "x.yaml: line 1" + refused);
  // Nine lists of nine of the one before, as often as it goes: 9^9 numbers.
  std::string bomb = "a0: &a0 [0]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int k = 0; k < 9; ++k) bomb += fmt::format("{}*a{}", k == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  EXPECT_EQ(complaintOf(bomb, kNothing), "x.yaml: line 1" + refused);
}

TEST_F(YamlReaderTest, HostileFilesAreRefusedAtOnce) {
  const std::string deep(1 << 19, '[');
  EXPECT_EQ(complaintOf("a: " + deep, kNothing), "x.yaml: line 1: is nested more than 64 deep");
  std::string lists;
  for (int i = 0; i < 100'000; ++i) lists += "- ";
  EXPECT_EQ(complaintOf(lists, kNothing), "x.yaml: line 1: is nested more than 64 deep");
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += fmt::format("k{}: 1\n", i);
  EXPECT_EQ(complaintOf(keys, kNothing), "x.yaml: k0 is an unknown key, allowed: none");
  const std::string shown = std::string(57, 'k') + "...";
  const std::string key(1 << 19, 'k');
  double value = 0.0;
  EXPECT_EQ(complaintOf("a: " + key, [&](YamlReader& reader) { reader.optional("a", value); }),
            "x.yaml: a is '" + shown + "', allowed: a finite number without a unit");
  EXPECT_EQ(complaintOf(std::string(2 << 20, ' '), kNothing),
            "x.yaml: is larger than 1 MiB, which is the limit");
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(complaint([&] { YamlReader::readFile(folder_ / "fifo", kNothing); }),
            (folder_ / "fifo").string() + ": is no regular file");
  EXPECT_EQ(complaint([&] { YamlReader::readFile("/dev/zero", kNothing); }),
            "/dev/zero: is no regular file");
}

TEST_F(YamlReaderTest, AsksOnceAFileWhetherDegreesWereMeant) {
  double first = 0.0, second = 0.0;
  testing::internal::CaptureStderr();
  const auto read = [&](YamlReader& reader) {
    reader.readMap("pose", [&](YamlReader& pose) {
      pose.optional("yaw", first, "rad");
      pose.optional("roll", second, "rad");
    });
  };
  EXPECT_EQ(complaintOf("pose: {yaw: 90, roll: 45}", read), "no error");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("warning: {}: pose.yaw: 90 rad is more than a turn: were degrees meant "
                        "(90deg)?\n",
                        (folder_ / "x.yaml").string()));
  EXPECT_EQ(first, 90.0);
}

}  // namespace
}  // namespace marsim::config
