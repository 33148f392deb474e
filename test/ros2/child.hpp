// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace marsim {

/// A domain of DDS that no other run of these tests uses.
inline int testDomain() {
  static const int domain = 100 + getpid() % 100;
  return domain;
}

/// A program that ends with its owner.
class Child {
 public:
  explicit Child(std::vector<std::string> words, int domain = testDomain()) {
    setenv("ROS_DOMAIN_ID", std::to_string(domain).c_str(), 1);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }
  ~Child() {
    if (pid_ > 0) end(SIGINT);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal(int number) const { kill(pid_, number); }
  /// Its status; signal 0 waits for its own end.
  int end(int number) {
    signal(number);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  pid_t pid_;
};

}  // namespace marsim
