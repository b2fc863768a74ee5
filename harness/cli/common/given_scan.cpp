#include "cli/common/given_scan.hpp"

#include "base/standard_streams.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {

constexpr const char* kWhat =
    "points that drivers write for missing returns: zeros, huge numbers, one point many times, the largest "
    "range";

void add_drop_no_returns_flag(CLI::App& command, bool& drop) {
  command.add_flag("--drop-no-returns", drop, std::string("leave out ") + kWhat);
}

void add_keep_no_returns_flag(CLI::App& command, bool& keep) {
  command.add_flag("--keep-no-returns", keep, std::string("keep ") + kWhat);
}

GivenScan::GivenScan(const std::string& file, BinFields fields, const ScanPreparation& filters,
                     bool drop_no_returns)
    : dropped_(drop_no_returns) {
  PointCloud cloud = read_cloud(file, nullptr, fields);
  points_ = static_cast<std::int64_t>(cloud.size());
  no_returns = dropped_ ? ndt::drop_no_returns(cloud) : counted(find_no_returns(cloud));
  prepared = prepare(std::move(cloud), filters);
}

void GivenScan::tell_no_returns() const {
  if (no_returns.total() == 0) return;
  notice("ndt-bench: {} of {} scan points are no returns ({}) and were {}\n", no_returns.total(), points_,
         to_text(no_returns),
         dropped_ ? "left out; --keep-no-returns keeps them" : "used; --drop-no-returns leaves them out");
}

}  // namespace ndt::harness
