#include "run/child_process.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace ndt::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void send(const std::string& text) {
  ASSERT_EQ(::write(kMeasurementsDescriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

// The work of a child of this very program: run_child starts it with one of these tests alone.
TEST(DISABLED_Child, Answers) {
  send("one\ntwo\n");
  send("cut off");
}
TEST(DISABLED_Child, Crashes) {
  send("one\n");
  std::fprintf(stderr, "last words\n");
  ::signal(SIGSEGV, SIG_DFL);  // sanitizers would answer in their own way
  ::raise(SIGSEGV);
}
TEST(DISABLED_Child, Hangs) {
  send("one\n");
  std::this_thread::sleep_for(std::chrono::minutes(5));
}
TEST(DISABLED_Child, Eats) {
  std::vector<char> much;
  for (int k = 0; k < 1000; ++k) {
    much.resize(much.size() + (4 << 20), 'x');
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}
TEST(DISABLED_Child, Fails) { FAIL() << "with exit code 1"; }

/// Starts a process in a session of its own whose parent ends at once, and says which it is.
TEST(DISABLED_Child, LeavesOneBehind) {
  if (::fork() == 0) {
    ::setsid();
    const pid_t left = ::fork();
    if (left == 0) {
      for (const int stream : {STDOUT_FILENO, STDERR_FILENO, kMeasurementsDescriptor}) ::close(stream);
      ::pause();
      ::_exit(0);
    }
    send(std::to_string(left) + "\n");
    ::_exit(0);
  }
  ::wait(nullptr);
}

struct Watched {
  ChildEnd end;
  std::vector<std::string> lines;
};

Watched watched(const std::string& what, ChildLimits limits = {60, std::int64_t{1} << 50}) {
  Watched out;
  out.end = run_child({"--gtest_also_run_disabled_tests", "--gtest_filter=DISABLED_Child." + what}, limits,
                      [&](const std::string& line) { out.lines.push_back(line); });
  return out;
}

TEST(ChildProcess, WhatForkedTwiceEndsWithIt) {
  const Watched got = watched("LeavesOneBehind");
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::finished);
  ASSERT_EQ(got.lines.size(), 1u);
  EXPECT_EQ(::kill(std::stoi(got.lines[0]), 0), -1) << "it was waited for, too";
}

TEST(ChildProcess, LinesAreHandedOverWhole) {
  const Watched got = watched("Answers");
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::finished);
  EXPECT_THAT(got.lines, ElementsAre("one", "two"));
}

TEST(ChildProcess, ACrashIsNamedWithItsSignalAndLastWords) {
  const Watched got = watched("Crashes");
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::crashed);
  EXPECT_THAT(got.end.reason, testing::AllOf(HasSubstr("signal 11 (SEGV)"), HasSubstr("last words")));
  EXPECT_THAT(got.lines, ElementsAre("one"));
}

TEST(ChildProcess, AHangEndsAtTheLimit) {
  const Watched got = watched("Hangs", {2, std::int64_t{1} << 50});
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::silent);
  EXPECT_THAT(got.end.reason, HasSubstr("no result within 2 s"));
  EXPECT_THAT(got.lines, ElementsAre("one"));
}

TEST(ChildProcess, TooMuchMemoryEndsIt) {
  const Watched got = watched("Eats", {60, std::int64_t{600} << 20});
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::too_large);
  EXPECT_THAT(got.end.reason, HasSubstr("more than 600 MiB"));
}

TEST(ChildProcess, AnExitCodeIsAFailure) {
  const Watched got = watched("Fails");
  EXPECT_EQ(got.end.kind, ChildEnd::Kind::crashed);
  EXPECT_THAT(got.end.reason, HasSubstr("exit code 1"));
}

TEST(ChildProcess, TheChildIsEndedWhenNobodyCanTakeItsLines) {
  EXPECT_THROW(
      run_child({"--gtest_also_run_disabled_tests", "--gtest_filter=DISABLED_Child.Hangs"},
                {60, std::int64_t{1} << 50}, [](const std::string&) { throw std::runtime_error("full"); }),
      std::runtime_error);
}

}  // namespace
}  // namespace ndt::harness
