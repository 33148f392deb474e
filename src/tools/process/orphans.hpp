#pragma once

#include <set>

#include <sys/types.h>

/// Processes that outlive the one that started them.
namespace marsim::tools {

/// [s] for what a child leaves behind to end in good order.
constexpr double kOrphansPatience = 3.0;

/// While it lives, processes whose parent has ended become children of this process, whatever
/// session or process group they are in, so that they can be found and ended.
class OrphanKeeper {
 public:
  OrphanKeeper();
  ~OrphanKeeper();
  OrphanKeeper(const OrphanKeeper&) = delete;
  OrphanKeeper& operator=(const OrphanKeeper&) = delete;

  /// Ends all children that did not exist at construction, and their descendants: SIGINT, then
  /// SIGTERM, then SIGKILL, `patience` [s] apart. Returns their number.
  int end(double patience) const;

 private:
  std::set<pid_t> before_;
  int was_subreaper_ = 0;
};

}  // namespace marsim::tools
