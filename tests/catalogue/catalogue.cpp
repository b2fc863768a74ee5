#include "catalogue.hpp"

#include <fstream>
#include <memory>
#include <utility>

namespace ndt::catalogue {
namespace {

Entry with_bytes(Format format, std::string name, std::string bytes, std::variant<Refused, Accepted> answer) {
  // Shared: entries are copied, and some are large.
  auto content = std::make_shared<const std::string>(std::move(bytes));
  auto make = [content](const std::filesystem::path& file) {
    std::ofstream(file, std::ios::binary)
        .write(content->data(), static_cast<std::streamsize>(content->size()));
  };
  return {std::move(name), format, std::move(make), std::move(answer)};
}

}  // namespace

Entry refused(Format format, std::string name, std::string bytes, std::string message) {
  return with_bytes(format, std::move(name), std::move(bytes), Refused{std::move(message)});
}

Entry accepted(Format format, std::string name, std::string bytes, Accepted answer) {
  return with_bytes(format, std::move(name), std::move(bytes), std::move(answer));
}

std::string file_name(const Entry& entry) {
  switch (entry.format) {
    case Format::pcd: return entry.name + ".pcd";
    case Format::ply: return entry.name + ".ply";
    case Format::kitti_bin: return entry.name + ".bin";
    case Format::tum:
    case Format::kitti_poses: break;
  }
  return entry.name + ".txt";
}

bool is_cloud(Format format) { return format != Format::tum && format != Format::kitti_poses; }

Entries entries() {
  Entries all;
  for (const auto& group : {places, pcd_headers, pcd_counts, pcd_ascii, pcd_binary, pcd_compressed,
                            pcd_values, ply_headers, ply_bodies, kitti_bin, tum, kitti_poses})
    for (Entry& entry : group()) all.push_back(std::move(entry));
  // A build without liblzf refuses them all alike, which pcd_test checks.
  if (!NDT_HAVE_LZF)
    std::erase_if(all, [](const Entry& entry) { return entry.name.find("compressed") != std::string::npos; });
  return all;
}

}  // namespace ndt::catalogue
