// SPDX-License-Identifier: BSD-3-Clause
#include "config/yaml_document.hpp"

#include <sstream>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include "common/text.hpp"
#include "marsim/common/error.hpp"

namespace marsim::config {
namespace {

/// Walks through a text as written, before aliases are replaced.
class Inspector : public YAML::EventHandler {
 public:
  explicit Inspector(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { refuse(mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string&) override {
    refuse(mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void enter(const YAML::Mark& mark, YAML::anchor_t anchor) {
    constexpr int kDeepest = 64;
    refuse(mark, anchor);
    if (++depth_ <= kDeepest) return;
    throw FileError(file_,
                    fmt::format("line {}: is nested more than {} deep", mark.line + 1, kDeepest));
  }
  void refuse(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor == 0) return;
    throw FileError(file_, fmt::format("line {}: an anchor (&) or alias (*), which are not "
                                       "allowed: write the value where it is wanted",
                                       mark.line + 1));
  }

  const std::string& file_;
  int depth_ = 0;
};

void refuseRepeatedKeys(const std::string& file, const YAML::Node& node) {
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) refuseRepeatedKeys(file, item);
  }
  if (!node.IsMap()) return;
  std::unordered_set<std::string> keys;
  for (const auto& entry : node) {
    const int line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar()) {
      throw FileError(
          file, fmt::format("line {}: a key is {}, a word is wanted", line, shown(entry.first)));
    }
    const std::string& key = entry.first.Scalar();
    if (!keys.insert(key).second) {
      throw FileError(file, fmt::format("line {}: the key '{}' comes twice", line, clipped(key)));
    }
    refuseRepeatedKeys(file, entry.second);
  }
}

std::vector<YAML::Node> documentsOf(const std::string& file, const std::string& text) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Inspector inspector(file);
    while (parser.HandleNextDocument(inspector)) {
    }
    return YAML::LoadAll(text);
  } catch (const YAML::Exception& error) {
    throw FileError(file, fmt::format("line {}, column {}: {}", error.mark.line + 1,
                                      error.mark.column + 1, clipped(error.msg, 160)));
  }
}

}  // namespace

std::string shown(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return fmt::format("'{}'", clipped(node.Scalar()));
    case YAML::NodeType::Sequence:
      return fmt::format("a list of {}", node.size());
    case YAML::NodeType::Map:
      return "a map";
    default:
      return "empty";
  }
}

YAML::Node loadDocument(const std::string& file, const std::string& text) {
  const std::vector<YAML::Node> documents = documentsOf(file, text);
  if (documents.empty() || documents.front().IsNull()) throw FileError(file, "is empty");
  if (documents.size() > 1) throw FileError(file, "holds several YAML documents, one is wanted");
  if (!documents.front().IsMap()) {
    throw FileError(file,
                    fmt::format("holds {}, a map of keys is wanted", shown(documents.front())));
  }
  refuseRepeatedKeys(file, documents.front());
  return documents.front();
}

}  // namespace marsim::config
