#include "base/interruption.hpp"

#include <signal.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace ndt::harness {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
std::array<struct sigaction, kSignals.size()> before;

void note(int signal) { noted = signal; }

}  // namespace

Interruption::Interruption() {
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // a second one does what it always did
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    ::sigaction(kSignals[k], nullptr, &before[k]);
    if (before[k].sa_handler != SIG_IGN) ::sigaction(kSignals[k], &action, nullptr);  // nohup stays
  }
}

Interruption::~Interruption() {
  for (std::size_t k = 0; k < kSignals.size(); ++k) ::sigaction(kSignals[k], &before[k], nullptr);
  noted = 0;
}

void Interruption::check() {
  if (noted != 0) throw Interrupted(noted);
}

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  std::_Exit(128 + signal);  // where the signal is blocked
}

}  // namespace ndt::harness
