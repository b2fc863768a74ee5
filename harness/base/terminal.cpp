#include "base/terminal.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace ndt::harness {
namespace {

constexpr std::size_t kUsualColumns = 80;  // of a terminal that does not tell
bool live = false;

void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_colour(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  return ::isatty(::fileno(stream)) != 0 && !is_set("NO_COLOR") && !dumb;
}

fmt::terminal_color colour_of(Tone tone) {
  if (tone == Tone::good) return fmt::terminal_color::green;
  return tone == Tone::doubtful ? fmt::terminal_color::yellow : fmt::terminal_color::red;
}

}  // namespace

std::size_t columns_of(std::FILE* stream) {
  const int descriptor = ::fileno(stream);
  if (::isatty(descriptor) == 0) return 0;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

void draw_live_line(std::string_view text) {
  const std::size_t columns = columns_of(stderr);
  if (columns == 0) return;
  write(fmt::format("\r\x1b[K{:.{}}", text, columns - 1));
  live = true;
}

void end_live_line() {
  if (!live) return;
  live = false;
  write("\r\x1b[K");
}

std::string toned(std::string_view word, Tone tone, std::FILE* stream) {
  if (!wants_colour(stream)) return std::string(word);
  return fmt::format(fmt::fg(colour_of(tone)), "{}", word);
}

std::string toned_verdict(std::string_view text, bool ok, Tone otherwise) {
  const std::size_t end = std::min(text.find_first_of(" :,;"), text.size());
  return toned(text.substr(0, end), ok ? Tone::good : otherwise) + std::string(text.substr(end));
}

}  // namespace ndt::harness
