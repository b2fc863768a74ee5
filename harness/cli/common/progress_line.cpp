#include "cli/common/progress_line.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"

namespace ndt::harness {
namespace {

constexpr double kPlainEveryS = 10;

std::string minutes(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress_text(const Progress& progress, double elapsed_s, std::size_t already_done) {
  constexpr std::size_t kWidth = 20;
  const std::size_t total = progress.total == 0 ? 1 : progress.total;
  const std::size_t filled = kWidth * progress.done / total;
  const std::size_t now = progress.done - already_done;
  const std::string left = now == 0
                               ? ""
                               : minutes(elapsed_s * static_cast<double>(progress.total - progress.done) /
                                         static_cast<double>(now)) +
                                     " left  ";
  return fmt::format("[{:#<{}}{:-<{}}] {:3} %  {}/{}  {}{}", "", filled, "", kWidth - filled,
                     100 * progress.done / total, progress.done, progress.total, left,
                     printable_name(progress.now));
}

ProgressLine::ProgressLine(std::size_t already_done, Stopwatch since)
    : terminal_(columns_of(stderr) > 0), already_done_(already_done), since_(since) {}

ProgressLine::~ProgressLine() { end_live_line(); }

void ProgressLine::show(const Progress& progress) {
  const bool last = progress.done == progress.total;
  if (last && ended_) return;
  ended_ = last;
  if (!terminal_ && !first_ && !last && last_.elapsed_us() < kPlainEveryS * 1e6) return;
  const std::string text = progress_text(progress, since_.elapsed_us() * 1e-6, already_done_);
  if (!terminal_)
    notice("{}\n", text);
  else if (last)
    end_live_line();  // what comes next is the answer
  else
    draw_live_line(text);
  first_ = false;
  last_ = Stopwatch();
}

}  // namespace ndt::harness
