#include "marsim/lidar/scan_pattern.hpp"

#include <array>

#include "lidar/patterns/patterns.hpp"

namespace marsim::lidar {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

const char* nameOf(const PatternConfig& config) {
  constexpr std::array<const char*, std::variant_size_v<PatternConfig>> kNames = {
      "risley", "mid360", "spinning", "csv", "grid"};
  return kNames[config.index()];
}

void validatePattern(const PatternConfig& config, const std::string& where) {
  std::visit(Overloaded{
                 [&](const RisleyPatternConfig& risley) { validateRisley(risley, where); },
                 [&](const Mid360PatternConfig& mid360) { validateMid360(mid360, where); },
                 [&](const SpinningPatternConfig& spinning) { validateSpinning(spinning, where); },
                 [&](const CsvPatternConfig& csv) { validateCsv(csv, where); },
                 [&](const GridPatternConfig& grid) { validateGrid(grid, where); },
             },
             config);
}

std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config) {
  return std::visit(
      Overloaded{
          [](const RisleyPatternConfig& risley) { return makeRisleyPattern(risley); },
          [](const Mid360PatternConfig& mid360) { return makeMid360Pattern(mid360); },
          [](const SpinningPatternConfig& spinning) { return makeSpinningPattern(spinning); },
          [](const CsvPatternConfig& csv) { return makeCsvPattern(csv); },
          [](const GridPatternConfig& grid) { return makeGridPattern(grid); },
      },
      config);
}

}  // namespace marsim::lidar
