// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace marsim {

/// Values that all users in a process share: made at the first request for a key, deleted with the
/// last holder. Keys are kept for good.
template <class Key, class Value>
class SharedByKey {
 public:
  /// Returns the value of a key, or make() (a std::shared_ptr<const Value>) if there is none. Waits
  /// for a value in the making. Safe from any thread.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    Entry& entry = entryOf(key);
    const std::lock_guard<std::mutex> lock(entry.mutex);
    std::shared_ptr<const Value> value = entry.value.lock();
    if (!value) {
      value = make();
      entry.value = value;
    }
    return value;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::weak_ptr<const Value> value;
  };
  Entry& entryOf(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_[key];  // entries of a std::map do not move
  }

  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

}  // namespace marsim
