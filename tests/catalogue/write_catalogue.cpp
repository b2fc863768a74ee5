// write_catalogue <folder>: writes the point clouds of the catalogue, and answers.tsv: file, exit code of
// `ndt-bench align` of the file onto itself, and what it prints. Writes misuse/ beside them: the clouds of
// the misuse cases, and misuse.json with their answers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/io_names.hpp"
#include "catalogue.hpp"
#include "misuse_cases.hpp"
#include "ndt/io/cloud_file.hpp"

namespace {

using namespace ndt::catalogue;
namespace fs = std::filesystem;
namespace misuse = ndt::misuse;
using nlohmann::json;

/// The answer of the command line: "exit code<tab>text".
std::string answer(const Entry& entry, const fs::path& file) {
  if (const auto* refused = std::get_if<Refused>(&entry.answer))
    return "2\tndt-bench: " + file.string() + ": " + refused->message;
  const std::string& align = std::get<Accepted>(entry.answer).align;
  return (align.starts_with("stop ") ? "0\t" : "2\t") + align;
}

bool write_files(const fs::path& folder) {
  std::ofstream answers(folder / "answers.tsv");
  for (const Entry& entry : entries()) {
    if (!is_cloud(entry.format)) continue;
    const fs::path file = folder / file_name(entry);
    entry.make(file);
    answers << file.filename().string() << '\t' << answer(entry, file) << '\n';
  }
  return answers.flush().good();
}

/// A matrix as --guess takes it. JSON has no NaN.
std::string guess_text(const ndt::Transform& guess) { return fmt::format("{}", fmt::join(guess.m, ",")); }

json written_case(const misuse::Case& c, const fs::path& folder) {
  const misuse::Scene scene = c.scene();
  const fs::path map = folder / (c.name + "_map.pcd"), scan = folder / (c.name + "_scan.pcd");
  ndt::harness::write_pcd(map, scene.map);
  ndt::harness::write_pcd(scan, scene.scan);
  json stops = json::array();
  for (const ndt::Stop stop : c.stops) stops.push_back(to_string(stop));
  return {{"name", c.name},
          {"map", map},
          {"scan", scan},
          {"guess", guess_text(scene.guess)},
          {"stops", stops},
          {"map_error", c.map_error},
          {"scan_error", c.scan_error},
          {"dropped_points", c.dropped_scan},
          {"pose_of_base", c.pose_of_base}};
}

bool write_misuse(const fs::path& folder) {
  fs::create_directory(folder);
  json all = {{"cases", json::array()}, {"bad_options", json::array()}, {"bad_guesses", json::array()}};
  for (const misuse::Case& c : misuse::cases()) all["cases"].push_back(written_case(c, folder));
  for (const misuse::BadOption& bad : misuse::bad_options())
    all["bad_options"].push_back({{"flag", "--" + bad.name + "=" + bad.value}, {"error", bad.error()}});
  for (const misuse::BadGuess& bad : misuse::bad_guesses())
    all["bad_guesses"].push_back(
        {{"guess", guess_text(bad.guess)}, {"error", bad.flag_error.empty() ? bad.error : bad.flag_error}});
  std::ofstream file(folder / "misuse.json");
  file << all.dump(1);
  return file.flush().good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_catalogue FOLDER\n";
    return 1;
  }
  const fs::path folder = argv[1];
  return write_files(folder) && write_misuse(folder / "misuse") ? 0 : 1;
}
