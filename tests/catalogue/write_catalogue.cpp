// write_catalogue <folder>: puts every point cloud of the catalogue there, and answers.tsv: file, exit code
// of `ndt-bench align` of the file onto itself, and what it prints.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "catalogue.hpp"

namespace {

using namespace ndt::catalogue;

/// The answer of the command line: "exit code<tab>text".
std::string answer(const Entry& entry, const std::filesystem::path& file) {
  if (const auto* refused = std::get_if<Refused>(&entry.answer))
    return "2\tndt-bench: " + file.string() + ": " + refused->message;
  const std::string& align = std::get<Accepted>(entry.answer).align;
  return (align.starts_with("stop ") ? "0\t" : "2\t") + align;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_catalogue FOLDER\n";
    return 1;
  }
  const std::filesystem::path folder = argv[1];
  std::ofstream answers(folder / "answers.tsv");
  for (const Entry& entry : entries()) {
    if (!is_cloud(entry.format)) continue;
    const std::filesystem::path file = folder / file_name(entry);
    entry.make(file);
    answers << file.filename().string() << '\t' << answer(entry, file) << '\n';
  }
  return answers.flush() ? 0 : 1;
}
