// A terminal: its width, the one line that changes, and colour. A pipe or a file gets neither.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace ndt::harness {

/// The width of the terminal behind a stream; 0 if it is none.
std::size_t columns_of(std::FILE* stream);

/// Draws the line of stderr that changes, cut to the terminal's width: a broken line cannot be drawn again.
void draw_live_line(std::string_view text);
/// Takes that line away. Every notice() does so first; do it before an answer on stdout.
void end_live_line();

enum class Tone { good, doubtful, bad };

/// The word in colour where the stream is a terminal, unless NO_COLOR is set (https://no-color.org) or the
/// terminal is "dumb".
std::string toned(std::string_view word, Tone tone, std::FILE* stream = stdout);
/// The text with its first word toned: good if `ok`, else `otherwise`.
std::string toned_verdict(std::string_view text, bool ok, Tone otherwise = Tone::doubtful);

}  // namespace ndt::harness
