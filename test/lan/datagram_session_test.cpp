// SPDX-License-Identifier: BSD-3-Clause
#include "lan/datagram_session.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "marsim/common/error.hpp"
#include "marsim/common/random.hpp"

namespace marsim {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Verdict = DatagramSession::Verdict;

const HmacKey kKey("what only these machines know, 32+");

Bytes bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

std::string hexOf(const HmacKey::Tag& tag) {
  std::string hex;
  for (const std::uint8_t byte : tag) {
    for (const unsigned digit : {byte / 16U, byte % 16U}) hex += "0123456789abcdef"[digit];
  }
  return hex;
}

// RFC 4231, test cases 2 and 6, the first 16 bytes.
TEST(HmacKey, TagsAreThoseOfTheStandard) {
  EXPECT_EQ(hexOf(HmacKey("Jefe").tag("what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c7");
  EXPECT_EQ(hexOf(HmacKey(std::string(131, static_cast<char>(0xaa)))
                      .tag("Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f");
}

TEST(HmacKey, FilesAreReadAndBadOnesNamed) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "marsim_hmac_key_test.key";
  const auto written = [&](const std::string& text) {
    std::ofstream(path) << text;
    return path;
  };
  const std::string secret = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(HmacKey::read(written("  " + secret + "\n")).tag("x"), HmacKey(secret).tag("x"));
  EXPECT_TRUE(HmacKey::read(path).isSecret());
  EXPECT_FALSE(HmacKey().isSecret());
  std::filesystem::permissions(path, std::filesystem::perms{0600});
  EXPECT_FALSE(isReadableByOthers(path));
  std::filesystem::permissions(path, std::filesystem::perms{0640});
  EXPECT_TRUE(isReadableByOthers(path));
  try {
    HmacKey::read(written("short\n"));
    ADD_FAILURE() << "a short key is taken";
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(), path.string() + ": a key of 5 characters, allowed: 32 to 4096");
  }
  EXPECT_THROW(HmacKey::read(written(std::string(4097, 'x'))), FileError);
  std::filesystem::remove(path);
  EXPECT_THROW(HmacKey::read(path), FileError);
}

// Against a set of all that was seen.
TEST(ReplayWindow, AcceptsEveryNumberOnceAndNoneTooOld) {
  RandomStream random(3);
  ReplayWindow window;
  std::set<std::uint32_t> seen;
  std::uint32_t newest = 0;
  for (int i = 0; i < 50'000; ++i) {
    const auto back = static_cast<std::uint32_t>(random.index(1100));
    const auto ahead = static_cast<std::uint32_t>(random.index(i % 1000 == 0 ? 5000 : 3));
    const std::uint32_t sequence = newest + ahead > back ? newest + ahead - back : 1;
    const bool is_new =
        seen.count(sequence) == 0 && (sequence > newest || newest - sequence < 1024);
    ASSERT_EQ(window.accept(sequence), is_new) << sequence << " after " << newest;
    seen.insert(sequence);
    newest = std::max(newest, sequence);
  }
}

/// Two machines' ends of one session.
struct Ends {
  DatagramSession alpha{kKey, "alpha", "beta"}, beta{kKey, "beta", "alpha"};
  std::uint64_t alpha_run = 100, beta_run = 7;

  Bytes fromAlpha(const std::string& text) { return alpha.seal(bytesOf(text), alpha_run); }
  Verdict atBeta(Bytes datagram) { return beta.open(datagram, beta_run); }
  /// As bridges do every second: a greeting, answered at once, until the other one answers.
  void greet() {
    Bytes greeting =
        alpha.isConfirmed() ? fromAlpha("hello") : alpha.sealGreeting(bytesOf("hello"), alpha_run);
    if (beta.open(greeting, beta_run) != Verdict::kGreeting) return;
    Bytes answer = beta.seal(bytesOf("hello"), beta_run);
    EXPECT_EQ(alpha.open(answer, alpha_run), Verdict::kAccepted);
    EXPECT_EQ(answer, bytesOf("hello"));
  }
};

TEST(DatagramSession, CarriesPayloadsOnceMachinesHaveGreeted) {
  Ends ends;
  ends.greet();
  EXPECT_EQ(ends.alpha.otherRun(), 7U);
  EXPECT_EQ(ends.beta.otherRun(), 100U);
  Bytes datagram = ends.fromAlpha("state");
  EXPECT_EQ(datagram.size(), 5 + DatagramSession::kTrailer);
  EXPECT_EQ(ends.beta.open(datagram, ends.beta_run), Verdict::kAccepted);
  EXPECT_EQ(datagram, bytesOf("state"));
  EXPECT_EQ(ends.atBeta(ends.fromAlpha("")), Verdict::kAccepted);
}

TEST(DatagramSession, NothingIsTakenTwice) {
  Ends ends;
  const Bytes greeting = ends.alpha.sealGreeting({}, ends.alpha_run);
  EXPECT_EQ(ends.atBeta(greeting), Verdict::kGreeting);
  EXPECT_EQ(ends.atBeta(greeting), Verdict::kReplayed);
  ends.greet();
  const Bytes first = ends.fromAlpha("1"), second = ends.fromAlpha("2");
  EXPECT_EQ(ends.atBeta(second), Verdict::kAccepted) << "order does not count";
  EXPECT_EQ(ends.atBeta(first), Verdict::kAccepted);
  EXPECT_EQ(ends.atBeta(first), Verdict::kReplayed);
  EXPECT_EQ(ends.atBeta(second), Verdict::kReplayed);
}

TEST(DatagramSession, NothingOfAnEarlierRunIsTaken) {
  Ends ends;
  ends.greet();
  const Bytes old_greeting =
      DatagramSession(kKey, "alpha", "beta").sealGreeting({}, ends.alpha_run);
  const Bytes old = ends.fromAlpha("old");
  // The sender begins anew.
  ends.alpha = DatagramSession(kKey, "alpha", "beta");
  ends.alpha_run = 200;
  ends.greet();
  EXPECT_EQ(ends.atBeta(old), Verdict::kReplayed);
  EXPECT_EQ(ends.atBeta(old_greeting), Verdict::kReplayed);
  // The receiver begins anew, and knows of nobody.
  const Bytes recorded = ends.fromAlpha("recorded");
  ends.beta = DatagramSession(kKey, "beta", "alpha");
  ends.beta_run = 8;
  EXPECT_EQ(ends.atBeta(recorded), Verdict::kForged) << "it was made for the earlier run";
  EXPECT_EQ(ends.atBeta(old_greeting), Verdict::kGreeting) << "cannot be told from a fresh one";
  EXPECT_EQ(ends.atBeta(old), Verdict::kForged);
  // It is not confirmed, so beta goes on greeting, and alpha's answer puts that right.
  EXPECT_FALSE(ends.beta.isConfirmed());
  Bytes hello = ends.beta.sealGreeting(bytesOf("hello"), ends.beta_run);
  EXPECT_EQ(ends.alpha.open(hello, ends.alpha_run), Verdict::kGreeting);
  EXPECT_EQ(ends.atBeta(ends.fromAlpha("hello")), Verdict::kAccepted);
  EXPECT_TRUE(ends.beta.isConfirmed());
  EXPECT_EQ(ends.atBeta(recorded), Verdict::kForged);
}

// A machine without a clock of its own may begin anew with a lower run; the other one's greeting
// says what to exceed.
TEST(DatagramSession, ALowerRunIsToldWhatToExceed) {
  Ends ends;
  ends.greet();
  ends.greet();
  EXPECT_EQ(ends.atBeta(ends.fromAlpha("state")), Verdict::kAccepted);
  ends.alpha = DatagramSession(kKey, "alpha", "beta");
  ends.alpha_run = 50;
  EXPECT_EQ(ends.atBeta(ends.alpha.sealGreeting({}, ends.alpha_run)), Verdict::kReplayed);
  Bytes bound = ends.beta.seal({}, ends.beta_run);
  EXPECT_EQ(ends.alpha.open(bound, ends.alpha_run), Verdict::kForged)
      << "made for its run of before";
  Bytes greeting = ends.beta.sealGreeting({}, ends.beta_run);  // sent to one that fell silent
  EXPECT_EQ(ends.alpha.open(greeting, ends.alpha_run), Verdict::kGreeting);
  ends.alpha_run = ends.beta.otherRun() + 1;
  EXPECT_EQ(ends.atBeta(ends.fromAlpha("state")), Verdict::kAccepted);
}

/// One end as a bridge has it: it greets every second, answers greetings, and counts the other
/// machine as silent until a datagram of its is accepted.
struct Bridge {
  DatagramSession session;
  std::uint64_t run;
  bool is_silent = true;

  Bytes greeting() {
    Bytes payload(sizeof(std::uint64_t));
    const std::uint64_t known = session.otherRun();
    std::memcpy(payload.data(), &known, sizeof(known));
    return session.isConfirmed() && !is_silent ? session.seal(payload, run)
                                               : session.sealGreeting(payload, run);
  }
  /// Returns the answer; empty: none.
  Bytes take(Bytes datagram) {
    const Verdict verdict = session.open(datagram, run);
    if (verdict == Verdict::kReplayed && is_silent) session.doubt();
    if (verdict == Verdict::kAccepted) is_silent = false;
    if (verdict != Verdict::kGreeting && verdict != Verdict::kAccepted) return {};
    std::uint64_t known = 0;
    std::memcpy(&known, datagram.data(), sizeof(known));
    run = DatagramSession::runAbove(known, run, 12345);
    return verdict == Verdict::kGreeting ? session.seal(datagram, run) : Bytes();
  }
};

/// Seconds after which two bridges hear each other, at most 10, once somebody has forged the
/// newest datagrams of both, with a run and a sequence number as large as it likes.
int secondsUntilHeard(const HmacKey& key, std::uint64_t forged_run, std::uint32_t sequence) {
  constexpr std::uint64_t kUsual = 1'700'000'000'000'000;  // [us] of a clock
  Bridge alpha{{key, "alpha", "beta"}, kUsual}, beta{{key, "beta", "alpha"}, kUsual + 1'000'000};
  const auto forge = [&](const char* from, const char* to, Bridge& at) {
    DatagramSession forger(key, from, to);
    Bytes greeting;
    for (std::uint32_t i = 0; i < sequence; ++i) {
      greeting = forger.sealGreeting(Bytes(sizeof(std::uint64_t)), forged_run);
    }
    EXPECT_EQ(at.session.open(greeting, at.run), Verdict::kGreeting);
  };
  forge("alpha", "beta", beta);
  forge("beta", "alpha", alpha);
  for (int second = 1; second <= 10; ++second) {
    const Bytes of_beta = alpha.take(beta.greeting());
    const Bytes of_alpha = beta.take(alpha.greeting());
    if (!of_beta.empty()) beta.take(of_beta);
    if (!of_alpha.empty()) alpha.take(of_alpha);
    if (!alpha.is_silent && !beta.is_silent) return second;
  }
  return 11;
}

TEST(DatagramSession, WithoutAKeyAMachineIsHeardAgainWhateverWasForged) {
  constexpr std::uint64_t kUsual = 1'700'000'000'000'000, kHalf = std::uint64_t{1} << 63U;
  for (const std::uint64_t run : {~std::uint64_t{0}, ~std::uint64_t{0} - 1, kUsual + kHalf - 1,
                                  kUsual + kHalf, kUsual + kHalf + 1, kUsual}) {
    EXPECT_LE(secondsUntilHeard(HmacKey(), run, 1), 5) << run;
  }
  EXPECT_LE(secondsUntilHeard(HmacKey(), kUsual, 5000), 5) << "a sequence number ahead";
}

TEST(DatagramSession, WithAKeyNothingIsForgotten) {
  Ends ends;
  ends.greet();
  const Bytes state = ends.fromAlpha("state");
  EXPECT_EQ(ends.atBeta(state), Verdict::kAccepted);
  EXPECT_EQ(ends.atBeta(state), Verdict::kReplayed);
  ends.beta.doubt();
  EXPECT_EQ(ends.atBeta(state), Verdict::kReplayed);
  EXPECT_EQ(ends.beta.otherRun(), ends.alpha_run);
}

TEST(DatagramSession, ARunNeverBeginsAgainAtZero) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  for (const std::uint64_t known : {kLast, kLast - 1, kLast - ~std::uint32_t{0}}) {
    EXPECT_EQ(DatagramSession::runAbove(known, 100, ~std::uint32_t{0}), 100U) << known;
  }
  EXPECT_EQ(DatagramSession::runAbove(kLast - ~std::uint32_t{0} - 1, 100, ~std::uint32_t{0}),
            kLast);
  EXPECT_EQ(DatagramSession::runAbove(100, 100, 7), 100U);
  EXPECT_EQ(DatagramSession::runAbove(101, 100, 7), 109U);
}

TEST(DatagramSession, NobodyElsesIsTaken) {
  Ends ends;
  ends.greet();
  const auto verdictOf = [&](HmacKey key, const char* from, const char* to) {
    DatagramSession session(std::move(key), from, to);
    Bytes hello = ends.beta.seal({}, ends.beta_run);
    session.open(hello, ends.alpha_run);
    return ends.atBeta(session.seal(bytesOf("state"), ends.alpha_run + 1));
  };
  EXPECT_EQ(verdictOf(HmacKey(), "alpha", "beta"), Verdict::kForged);
  EXPECT_EQ(verdictOf(HmacKey("another"), "alpha", "beta"), Verdict::kForged);
  EXPECT_EQ(verdictOf(kKey, "gamma", "beta"), Verdict::kForged);
  EXPECT_EQ(verdictOf(kKey, "alpha", "gamma"), Verdict::kForged);
  EXPECT_EQ(ends.atBeta(ends.beta.seal({}, ends.beta_run)), Verdict::kForged) << "sent back to it";
  EXPECT_EQ(verdictOf(kKey, "alpha", "beta"), Verdict::kAccepted);
}

TEST(DatagramSession, DamageIsFoundInEveryBit) {
  Ends ends;
  ends.greet();
  const Bytes datagram = ends.fromAlpha("some state");
  for (std::size_t bit = 0; bit < 8 * datagram.size(); ++bit) {
    Bytes damaged = datagram;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    ASSERT_EQ(ends.atBeta(damaged), Verdict::kForged) << "bit " << bit;
  }
  for (std::size_t size = 0; size < datagram.size(); ++size) {
    ASSERT_EQ(ends.atBeta({datagram.begin(), datagram.begin() + static_cast<long>(size)}),
              Verdict::kForged);
  }
  RandomStream random(9);
  for (int i = 0; i < 20'000; ++i) {
    Bytes any(random.index(200));
    for (std::uint8_t& byte : any) byte = static_cast<std::uint8_t>(random.index(256));
    ASSERT_EQ(ends.atBeta(any), Verdict::kForged);
  }
  EXPECT_EQ(ends.atBeta(datagram), Verdict::kAccepted);
}

}  // namespace
}  // namespace marsim
