#include "marsim/lidar/scan_pattern.hpp"

#include "patterns.hpp"

namespace marsim::lidar {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

void validatePattern(const PatternConfig& config, const std::string& where) {
  std::visit(Overloaded{
                 [&](const RisleyPatternConfig& risley) { validateRisley(risley, where); },
                 [&](const Mid360PatternConfig& mid360) { validateMid360(mid360, where); },
                 [&](const SpinningPatternConfig& spinning) { validateSpinning(spinning, where); },
             },
             config);
}

std::unique_ptr<ScanPattern> makePattern(const PatternConfig& config) {
  return std::visit(
      Overloaded{
          [](const RisleyPatternConfig& risley) { return makeRisleyPattern(risley); },
          [](const Mid360PatternConfig& mid360) { return makeMid360Pattern(mid360); },
          [](const SpinningPatternConfig& spinning) { return makeSpinningPattern(spinning); },
      },
      config);
}

}  // namespace marsim::lidar
