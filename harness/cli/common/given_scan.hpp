// The scan of a command as it was read and filtered, and what is said of its no-returns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/io_names.hpp"
#include "data/preparation.hpp"
#include "ndt/align/no_returns.hpp"
#include "ndt/io/clouds.hpp"

namespace ndt::harness {

/// For commands that use clouds as they are.
void add_drop_no_returns_flag(CLI::App& command, bool& drop);
/// For commands that leave no-returns out.
void add_keep_no_returns_flag(CLI::App& command, bool& keep);

struct GivenScan {
  /// Throws InputError as read_cloud does. No-returns are looked for in the file's points, before the
  /// filters.
  GivenScan(const std::string& file, BinFields fields, const ScanPreparation& filters, bool drop_no_returns);

  PreparedCloud prepared;
  NoReturns no_returns;  ///< found, and left out if asked for

  /// Says on stderr how many there are and what became of them; nothing if there are none.
  void tell_no_returns() const;

 private:
  std::int64_t points_ = 0;
  bool dropped_ = false;
};

}  // namespace ndt::harness
