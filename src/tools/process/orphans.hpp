// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>

#include <sys/types.h>

/// Processes that outlive the one that started them.
namespace marsim::tools {

/// [s] for a child's orphans to end cleanly.
constexpr double kOrphansPatience = 3.0;

/// During its life, processes whose parent has ended become children of this process, in whatever
/// session or process group, so that they can be found and ended.
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
