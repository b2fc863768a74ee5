#include "base/project_folder.hpp"

#include <gmock/gmock.h>

#include "ndt/core/error.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(ProjectFolder, PlacesFollowTheProgramAndNotWhereItWasBuilt) {
  const ProjectPlaces places = project_places("/home/a/ndt/build/release/bin/ndt-bench", nullptr);
  EXPECT_EQ(places.around_build, "/home/a/ndt");
  EXPECT_EQ(places.installed, "/home/a/ndt/build/release/share/ndt");
  EXPECT_EQ(places.named, "");
  EXPECT_EQ(project_places("/p/build/release/bin/tests/any_test", nullptr).around_build, "/p");
  EXPECT_EQ(project_places("/usr/bin/ndt-bench", "").installed, "/usr/share/ndt");
  EXPECT_EQ(project_places("/usr/bin/ndt-bench", "/srv/ndt").named, "/srv/ndt");
  EXPECT_EQ(project_places("/ndt-bench", nullptr).around_build, "/");
}

TEST(ProjectFolder, TheFirstPlaceThatHasTheFolderIsTaken) {
  const TemporaryFolder folder;
  const ProjectPlaces places{folder.path() / "a", folder.path() / "b", folder.path() / "c"};
  for (const fs::path& place : {places.named, places.installed, places.around_build}) {
    fs::create_directories(place / "harness" / "presets");
    EXPECT_EQ(project_folder("harness/presets", places), place / "harness" / "presets");
  }
}

std::string refusal(const ProjectPlaces& places) {
  try {
    return project_folder("harness/presets", places).string();
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ProjectFolder, WhatWasTriedIsSaid) {
  EXPECT_EQ(refusal({"/none/a", "/none/b", ""}),
            "harness/presets was not found: tried /none/a (around the build), /none/b (installed) and "
            "NDT_SHARE, which is "
            "not set; set NDT_SHARE to a folder of the project");
  EXPECT_THAT(refusal({"/none/a", "/none/b", "/none/c"}),
              HasSubstr("(installed) and /none/c (NDT_SHARE); set"));
}

}  // namespace
}  // namespace ndt::harness
