#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/json_struct.hpp"
#include "io/json_file.hpp"
#include "ndt/core/error.hpp"
#include "run/column.hpp"
#include "run/measurement.hpp"
#include "run/measurement_columns.hpp"

namespace ndt::harness {

namespace {

/// Known before the search runs.
constexpr std::tuple kPlannedSearchColumns{
    Column{"name", &SearchRecord::name, "", Null::never, "name of the setting, unique in a preset"},
    Column{"strategy", &SearchRecord::strategy, "", Null::never,
           "how the particles are aligned; own: a peer's search"},
    Column{"method", &SearchRecord::method, "", Null::never,
           "what proposes the particles; own: a peer's search"},
    Column{"particles", &SearchRecord::particles, "", Null::never,
           "alignments of the search; 0 for a peer's"},
    Column{"startup", &SearchRecord::startup, "", Null::never, "particles before results guide the method"},
    Column{"at_once", &SearchRecord::at_once, "", Null::never,
           "proposals of a guided round; 1 unless the strategy makes rounds"},
    Column{"candidates", &SearchRecord::candidates, "", Null::later,
           "places considered for each guided proposal"},
    Column{"reliable_nvtl", &SearchRecord::reliable_nvtl, "", Null::later,
           "bound of the best particle's NVTL; null if the map is too thin"},
    Column{"reliable_matched", &SearchRecord::reliable_matched, "", Null::later,
           "bound of matched; null likewise"},
    Column{"seed", &SearchRecord::seed, "", Null::never, "seed of the proposals"},
    Column{"prior", &SearchRecord::prior, "", Null::later,
           "map = anywhere in the map; null = about guess, within sigma"},
    Column{"sigma", &SearchRecord::sigma, "m, rad", Null::never,
           "standard deviations of the prior: x, y, z (0 with prior map), roll, pitch"}};

/// Null with an error.
constexpr std::tuple kFoundColumns{
    Column{"best_particle", &SearchRecord::best_particle, "", Null::with_error,
           "particle at rest with the largest NVTL"},
    Column{"reliable", &SearchRecord::reliable, "", Null::may,
           "whether the verdict is reliable, a peer's in its own word; null if unknown"},
    Column{"ambiguous", &SearchRecord::ambiguous, "", Null::with_error, "the verdict is ambiguous"},
    Column{"verdict", &SearchRecord::verdict, "", Null::later,
           "reliable, ambiguous, not_found or unknown; null for a peer"},
    Column{"doubts", &SearchRecord::doubts, "", Null::later, "what speaks against the answer, with commas"},
    Column{"overlap", &SearchRecord::overlap, "", Null::later,
           "share of the scan's points with a voxel at the answer; null unless it converged"},
    Column{"matched", &SearchRecord::matched, "", Null::later, "as matched of a row; null as overlap"},
    Column{"spread_m", &SearchRecord::spread_m, "m", Null::later,
           "largest distance from the answer to where alignments from 1 m beside it ended; null as overlap, "
           "and if one gave no pose"},
    Column{"spread_deg", &SearchRecord::spread_deg, "deg", Null::later, "largest angle likewise"},
    Column{"agreeing", &SearchRecord::agreeing, "", Null::later,
           "proposed particles that came to the answer's mode"},
    Column{"seen_through", &SearchRecord::seen_through, "", Null::later,
           "share of the map's points in the way of the scan's rays that the scan looks through; null unless "
           "it came to rest"},
    Column{"unmapped", &SearchRecord::unmapped, "", Null::later,
           "share of the scan's points in front of all that the map has there; null as seen_through"},
    Column{"interrupted", &SearchRecord::interrupted, "", Null::later,
           "cancelled or timeout; null if all particles are finished"},
    Column{"place_cell_m", PartOf{&SearchRecord::coarse, &CoarseRecord::place_cell_m}, "m", Null::later,
           "edge of the coarse score's cells; null, as the next five, unless the method is anywhere"},
    Column{"pyramid_us", PartOf{&SearchRecord::coarse, &CoarseRecord::pyramid_us}, "us", Null::later,
           "time of building the map's pyramid, once per map, not part of align_us"},
    Column{"pyramid_bytes", PartOf{&SearchRecord::coarse, &CoarseRecord::pyramid_bytes}, "bytes", Null::later,
           "memory of the pyramid"},
    Column{"coarse_us", PartOf{&SearchRecord::coarse, &CoarseRecord::coarse_us}, "us", Null::later,
           "part of the last align_us that looked for places"},
    Column{"coverage", PartOf{&SearchRecord::coarse, &CoarseRecord::coverage}, "", Null::later,
           "share of the prior's lattice that was scored or excluded"},
    Column{"places", PartOf{&SearchRecord::coarse, &CoarseRecord::places}, "", Null::later,
           "places found and aligned"},
    Column{"runner_up_ratio", &SearchRecord::runner_up_ratio, "", Null::may,
           "NVTL or transform probability of the best particle of another mode over the answer's, the "
           "smaller"},
    Column{"runner_up_pose", &SearchRecord::runner_up_pose, "", Null::may, "pose of that particle"},
    Column{"improvements", &SearchRecord::improvements, "us, m, deg", Null::with_error,
           "every particle better than all before it, with its errors; empty for a peer's search"},
    Column{"paths", &SearchRecord::paths, "m, rad", Null::may,
           "x, y, yaw of every particle's start and end, and its NVTL"}};

}  // namespace

constexpr auto fields_of(const GuessOffset*) {
  return std::tuple{Field{"x_m", &GuessOffset::x_m}, Field{"y_m", &GuessOffset::y_m},
                    Field{"z_m", &GuessOffset::z_m}, Field{"yaw_deg", &GuessOffset::yaw_deg}};
}
constexpr auto fields_of(const Improvement*) {
  return std::tuple{Field{"particle", &Improvement::particle}, Field{"us", &Improvement::us},
                    Field{"nvtl", &Improvement::nvtl},
                    Field{"translation_error_m", &Improvement::translation_error_m},
                    Field{"rotation_error_deg", &Improvement::rotation_error_deg}};
}

namespace {

using json = nlohmann::ordered_json;

bool may_be_null(Null rule) { return rule == Null::may || rule == Null::later; }

template <class T>
inline constexpr bool kIsCount = std::is_same_v<T, int> || std::is_same_v<T, std::int64_t>;

/// Whether it stands for nothing, in a column that may be null.
template <class T>
bool is_nothing(const T& value) {
  if constexpr (NamedEnum<T>)
    return value == T{};
  else if constexpr (kIsCount<T>)
    return value == kNotCounted;
  else if constexpr (requires { value.empty(); })
    return value.empty();
  else
    return false;
}
template <class T>
void set_to_nothing(T& value) {
  if constexpr (kIsCount<T>)
    value = kNotCounted;
  else if constexpr (std::is_same_v<T, double>)
    value = std::nan("");
  else if constexpr (!std::is_array_v<T>)
    value = T{};
}

json search_json(const SearchRecord& search, bool found);
SearchRecord search_from(const json& j, bool found);

json trace_json(const Measurement& m) {
  if (m.trace.empty()) return {};
  json j = {{"score", json::array()},
            {"nvtl", json::array()},
            {"step_m", json::array()},
            {"translation_error_m", json()},
            {"rotation_error_deg", json()}};
  if (has_radii(m.trace)) j["level"] = j["radius_m"] = json::array();
  for (const TracePoint& point : m.trace) {
    j["score"].push_back(point.score);
    j["nvtl"].push_back(point.nvtl);
    j["step_m"].push_back(point.step_m);
    if (has_radii(m.trace)) j["level"].push_back(point.level), j["radius_m"].push_back(point.radius_m);
    if (!m.truth) continue;
    const PoseDifference error = pose_difference(point.map_from_scan, *m.truth);
    j["translation_error_m"].push_back(error.translation_m);
    j["rotation_error_deg"].push_back(error.rotation_deg);
  }
  return j;
}

template <class Struct, class Value>
json column_json(const Struct& s, const Column<Value Struct::*>& column) {
  const Value& value = s.*column.place;
  if (may_be_null(column.null) && is_nothing(value)) return {};
  return value_json(value);
}
template <class Struct, class Whole, class Value>
json column_json(const Struct& s, const Column<PartOf<Struct, Whole, Value>>& column) {
  const std::optional<Whole>& whole = s.*column.place.whole;
  return whole ? value_json((*whole).*column.place.part) : json();
}
json column_json(const Measurement& m, const Column<std::vector<TracePoint> Measurement::*>&) {
  return trace_json(m);
}
json column_json(const Measurement& m, const Column<std::optional<SearchRecord> Measurement::*>&) {
  return m.search ? search_json(*m.search, m.error.empty()) : json();
}

template <class Struct, class... Columns>
void write_columns(json& j, const Struct& s, const std::tuple<Columns...>& table) {
  for_each_column(table, [&](const auto& column) { j[std::string(column.name)] = column_json(s, column); });
}
template <class... Columns>
void write_nulls(json& j, const std::tuple<Columns...>& table) {
  for_each_column(table, [&](const auto& column) { j[std::string(column.name)] = nullptr; });
}

/// Reads the columns of one object.
template <class Struct, class Table>
class Reader {
 public:
  Reader(const json& j, Struct& s, const Table& table) : j_(j), s_(s), table_(table) {}
  void read_all() {
    for_each_column(table_, [&](const auto& column) { read(column); });
  }

 private:
  template <class Value>
  void read(const Column<Value Struct::*>& column) {
    const std::string name(column.name);
    if (column.null == Null::later && !j_.contains(name)) return;
    const json& value = j_.at(name);
    if (value.is_null() && may_be_null(column.null))
      set_to_nothing(s_.*column.place);
    else
      read_value(value, column.name, s_.*column.place);
  }
  template <class Whole, class Value>
  void read(const Column<PartOf<Struct, Whole, Value>>& column) {
    std::optional<Whole>& whole = s_.*column.place.whole;
    if (!any_part_of(column.place.whole)) return;
    const json& value = j_.at(std::string(column.name));
    if (!whole) whole.emplace();
    read_value(value, column.name, (*whole).*column.place.part);
  }
  void read(const Column<std::vector<TracePoint> Measurement::*>&) {}  // its poses are not written
  void read(const Column<std::optional<SearchRecord> Measurement::*>& column) {
    const auto found = j_.find(std::string(column.name));
    if (found != j_.end() && !found->is_null()) s_.search = search_from(*found, j_.at("error").is_null());
  }

  template <class Whole>
  bool any_part_of(std::optional<Whole> Struct::*whole) const {
    bool any = false;
    for_each_column(table_, [&]<class Place>(const Column<Place>& column) {
      if constexpr (requires { column.place.whole == whole; })
        if (column.place.whole == whole) any |= !j_.value(std::string(column.name), json()).is_null();
    });
    return any;
  }

  const json& j_;
  Struct& s_;
  const Table& table_;
};

template <class Struct, class Table>
void read_columns(const json& j, Struct& s, const Table& table) {
  Reader<Struct, Table>(j, s, table).read_all();
}

json search_json(const SearchRecord& search, bool found) {
  json j;
  write_columns(j, search, kPlannedSearchColumns);
  found ? write_columns(j, search, kFoundColumns) : write_nulls(j, kFoundColumns);
  return j;
}

SearchRecord search_from(const json& j, bool found) {
  SearchRecord search;
  read_columns(j, search, kPlannedSearchColumns);
  if (found) read_columns(j, search, kFoundColumns);
  return search;
}

Measurement parse(const json& j) {
  Measurement m;
  read_columns(j, m, kPlannedColumns);
  read_columns(j, m, kOutcomeColumns);
  const bool has_error = !j.at("error").is_null();
  if (has_error && m.error.empty()) throw FieldError("its error is empty; null means none");
  if (has_error && m.failure == Failure::none) throw FieldError("its error has no kind");
  if (has_error) return m;
  m.failure = Failure::none;
  read_columns(j, m, kMeasuredColumns);
  return m;
}

template <class... Columns>
void describe(json& list, const std::tuple<Columns...>& table) {
  for_each_column(table, [&](const auto& column) {
    list.push_back({{"name", column.name},
                    {"unit", column.unit},
                    {"kind", column.kind},
                    {"null", ndt::to_string(column.null)},
                    {"meaning", column.meaning}});
  });
}

}  // namespace

std::string measurement_key(const Measurement& m) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", m.dataset, m.variant, m.threads, m.implementation, m.frame,
                     m.guess_name, m.poses, m.search ? m.search->name : "", in_words(m));
}

std::string to_json_line(const Measurement& m) {
  json j;
  write_columns(j, m, kPlannedColumns);
  m.error.empty() ? write_columns(j, m, kMeasuredColumns) : write_nulls(j, kMeasuredColumns);
  write_columns(j, m, kOutcomeColumns);
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Measurement parse_measurement(std::string_view line) {
  constexpr const char* kWhat = "not a line of results.jsonl: {}";
  const ParsedJson parsed = parse_json(line);
  if (parsed.fault) throw InputError(fmt::format(kWhat, fmt::format("it {}", parsed.fault)));
  try {
    return parse(parsed.value);
  } catch (const FieldError& error) {
    throw InputError(fmt::format(kWhat, printable(error.what(), 300)));
  } catch (const json::exception& error) {
    throw InputError(fmt::format(kWhat, printable(error.what(), 300)));  // it quotes the line
  }
}

std::string columns_json() {
  json list = json::array();
  describe(list, kPlannedColumns);
  describe(list, kMeasuredColumns);
  describe(list, kOutcomeColumns);
  return list.dump(1);
}

std::string row_schema_json() {
  json row = json::array(), search = json::array();
  describe(row, kPlannedColumns);
  describe(row, kMeasuredColumns);
  describe(row, kOutcomeColumns);
  describe(search, kPlannedSearchColumns);
  describe(search, kFoundColumns);
  return json{{"row", row}, {"search", search}}.dump(1);
}

}  // namespace ndt::harness
