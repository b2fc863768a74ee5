#include "run/presets.hpp"

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "peers/peer_file.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Presets, TheProjectsOwnAreThereFromQuickToThorough) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  EXPECT_THAT(names,
              ElementsAre("smoke", "tracking", "basin", "scaling", "profiles", "iterations", "latency",
                          "batch", "transfers", "initial_pose", "prior_ladder", "pyramid", "pyramid_time",
                          "trust", "search_trust", "accuracy", "peers", "idle", "load", "full"));
}

TEST(Presets, TheirDatasetsAndOptionsExist) {
  std::vector<std::string> listed;
  for (const DatasetInfo& info : list_datasets()) listed.push_back(info.name);
  for (const Preset& preset : presets())
    for (const Study& study : preset.studies) {
      std::vector<std::string> known = listed;
      known.insert(known.end(), study.recordings.begin(), study.recordings.end());
      for (const std::string& name : study.datasets)
        EXPECT_TRUE(std::ranges::find(known, name.substr(0, name.find("_seed"))) != known.end() ||
                    name.starts_with("courtyard_") || name.starts_with("town_points_") ||
                    name.starts_with("scenes_") || name.starts_with("split:"))
            << name;
      for (const Variant& variant : study.variants) EXPECT_NO_THROW(resolve(variant.options)) << variant.name;
      for (const SearchSpec& search : study.searches)
        for (const std::string& implementation : search.implementations)
          EXPECT_TRUE(implementation == kAnyPeer ||
                      find_implementation(implementation).name == implementation);
    }
}

TEST(Presets, TransfersCountsWithAndWithoutLineSearchOnSeveralGuessesOfAScan) {
  const Preset preset = find_preset("transfers");
  EXPECT_LE(preset.timing.samples, 3);
  EXPECT_EQ(preset.timing.idle_samples, 0);
  ASSERT_EQ(preset.studies.size(), 2u);
  for (const Study& study : preset.studies) {
    std::vector<std::string> searches;
    for (const Variant& variant : study.variants)
      searches.push_back(variant.options[&AlignOptions::line_search].value_or("off"));
    EXPECT_THAT(searches, ElementsAre("off", "more_thuente", "batched"));
    EXPECT_THAT(study.threads, testing::SizeIs(1));
    EXPECT_TRUE(study.timed) << "one alignment alone says nothing about the next";
  }
  const auto full = find_preset("full").studies;
  EXPECT_TRUE(std::ranges::any_of(full, [](const Study& s) { return s.variants.size() == 3; }));
}

TEST(Presets, LoadIsMeasuredOnThreeScansAlsoWithinFull) {
  const Study study = find_preset("load").studies.at(0);
  EXPECT_THAT(study.datasets, ElementsAre("town", "kitti00", "handheld_a_map"));
  EXPECT_EQ(study.timing.value().load_s, 2);
  EXPECT_EQ(study.frames, 1);
  EXPECT_TRUE(study.timed);
  EXPECT_EQ(find_preset("full").studies.at(0).timing, study.timing)
      << "the first study of a scan measures it";
  EXPECT_EQ(find_preset("smoke").timing.load_s, std::nullopt);
}

TEST(Presets, FullIsAllOfThem) {
  std::size_t studies = 0;
  for (const Preset& preset : presets())
    if (preset.name != "full") studies += preset.studies.size();
  EXPECT_EQ(find_preset("full").studies.size(), studies);
}

TEST(Presets, AnUnknownNameIsAnsweredWithTheNames) {
  EXPECT_THAT([] { find_preset("smok"); },
              testing::ThrowsMessage<UsageError>(HasSubstr("did you mean 'smoke'?")));
}

class PresetFile : public ScratchFiles {
 protected:
  PresetFile() : ScratchFiles("mine.toml") {}
  std::string refusal_of(const std::string& text) {
    return input_error_of([&] { find_preset(put(text).string()); });
  }
};

TEST_F(PresetFile, AFileIsReadWithItsDefaults) {
  const Preset preset = find_preset(put("description = 'd'\n[[study]]\ndatasets = ['courtyard']\n"
                                        "variants = [{ name = 'a', line_search = 'batched', step = 0.5 }]\n")
                                        .string());
  EXPECT_EQ(preset.name, "mine");
  EXPECT_EQ(preset.timing.samples, 30);
  EXPECT_EQ(preset.timing.spread, 0.05);
  ASSERT_EQ(preset.studies.size(), 1u);
  EXPECT_THAT(preset.studies[0].threads, ElementsAre(1, 0));
  EXPECT_EQ(preset.studies[0].variants[0].options[&AlignOptions::line_search], "batched");
  EXPECT_EQ(preset.studies[0].variants[0].options[&AlignOptions::step_m], 0.5);
  EXPECT_TRUE(preset.studies[0].timed);
}

TEST_F(PresetFile, AStudyMayHaveBatchesATimingAndATargetOfItsOwn) {
  const Preset preset =
      find_preset(put("description = 'd'\n[timing]\nsamples = 7\n[limits]\ncall_s = 1.5\n"
                      "[[study]]\ndatasets = ['courtyard']\nposes = [1, 20]\n"
                      "variants = [{ name = 'r', reg_at_truth = true }]\n[study.timing]\nsamples = 9\n"
                      "[[study]]\ndatasets = ['courtyard']\n")
                      .string());
  EXPECT_EQ(preset.limits.call_s, 1.5);
  EXPECT_THAT(preset.studies[0].poses, ElementsAre(1, 20));
  EXPECT_EQ(preset.studies[0].timing.value().samples, 9);
  EXPECT_TRUE(preset.studies[0].variants[0].regularised_at_truth);
  EXPECT_THAT(preset.studies[1].poses, ElementsAre(1));
  EXPECT_FALSE(preset.studies[1].timing.has_value());
}

TEST_F(PresetFile, AStudyMayHaveRatesBesideBackToBack) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\n";
  const auto calls = find_preset(put(head + "rates_hz = [0, 12.5]\n").string()).studies[0].calls;
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].rate_hz, std::nullopt);
  EXPECT_EQ(calls[1].rate_hz, 12.5);
  EXPECT_EQ(find_preset(put(head).string()).studies[0].calls.size(), 1u);
  EXPECT_NO_THROW(find_preset(put(head + "rates_hz = [0]\nposes = [1, 20]\n").string()));
}

TEST_F(PresetFile, AStudyMayAnnounceItsAlignmentsAtARate) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\n";
  const Preset preset = find_preset(put(head + "rates_hz = [0, 10]\nannounced_ms = [0, 1]\n").string());
  std::vector<std::string> calls;
  for (const CallSetting& call : preset.studies[0].calls) calls.push_back(in_words(call));
  EXPECT_THAT(calls, ElementsAre("", "10 Hz", "10 Hz, 1 ms announced")) << "nothing back to back";
  EXPECT_EQ(find_preset(put(head + "announced_ms = [0, 1]\n").string()).studies[0].calls.size(), 1u);
  EXPECT_THAT(refusal_of(head + "rates_hz = [0, 10]\nannounced_ms = [0, 99]\n"), HasSubstr("announced_ms"));
}

TEST_F(PresetFile, AStudyMayHaveShiftsOfTheGridAlsoUntimed) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\ntimed = false\n";
  const auto calls = find_preset(put(head + "grid_shifts = [0, 0.2, 0.4]\n").string()).studies[0].calls;
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[2].grid_shift, 0.4);
  EXPECT_THAT(refusal_of(head + "grid_shifts = [0, 1]\n"), HasSubstr("grid_shifts"));
  EXPECT_THAT(refusal_of(head + "rates_hz = [0, 10]\n"), HasSubstr("given in a study that is not timed"));
}

TEST_F(PresetFile, AStudyMayHaveDensitiesAndPeers) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\n";
  const Study study = find_preset(put(head + "densities = ['own', '0.25m', 'raw']\nalso = ['exec:any:0.1']\n"
                                             "only = ['persistent_cpu']\n")
                                      .string())
                          .studies[0];
  EXPECT_THAT(study.densities, ElementsAre("", "0.25m", "raw"));
  EXPECT_THAT(study.also, ElementsAre("exec:any:0.1"));
  EXPECT_THAT(study.only, ElementsAre("persistent_cpu"));
  EXPECT_THAT(refusal_of(head + "only = ['persistent']\n"), HasSubstr("only: names 'persistent'"));
  EXPECT_THAT(refusal_of(head + "densities = ['0.25']\n"), HasSubstr("densities: holds '0.25'"));
}

TEST_F(PresetFile, AStudysSearchesShareItsPriors) {
  const Preset preset = find_preset(
      put("description = 'd'\n[[study]]\ndatasets = ['courtyard']\nseeds = 7\nsigma = [5, 4, 3, 0.2, 0.1]\n"
          "searches = [{ name = 'a', implementations = ['persistent_cpu'], strategy = 'sequential' },\n"
          "{ name = 'b', implementations = ['persistent_cpu'], particles = 30, startup = 10, at_once = 5 "
          "}]\n")
          .string());
  const auto& searches = preset.studies.at(0).searches;
  ASSERT_EQ(searches.size(), 2u);
  EXPECT_EQ(searches[0].name, "a");
  EXPECT_EQ(searches[0].arguments[&StrategyChoice::strategy], "sequential");
  EXPECT_EQ(resolve(searches[1].arguments).options.at_once, 5);
  for (const SearchSpec& search : searches) {
    EXPECT_EQ(search.seeds, 7);
    EXPECT_THAT(search.sigma, ElementsAre(5, 4, 3, 0.2, 0.1));
  }
}

TEST_F(PresetFile, ASearchMayBeForWhateverPeersAreNamed) {
  const Preset preset =
      find_preset(put("description = 'd'\n[[study]]\ndatasets = ['courtyard']\n"
                      "searches = [{ name = 'a', implementations = ['exec:*', 'persistent_cpu'] }]\n")
                      .string());
  const SearchSpec& search = preset.studies.at(0).searches.at(0);
  Implementation peer;
  peer.name = "exec:a";
  peer.own_process = true;
  EXPECT_TRUE(search.is_for(peer));
  EXPECT_TRUE(search.is_for(find_implementation("persistent_cpu")));
  EXPECT_FALSE(search.is_for(find_implementation("cpu_pclomp_ref")));
}

TEST_F(PresetFile, AStudysPriorMayBeTheWholeMap) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\n",
                    anywhere = "method = 'anywhere', implementations = ['persistent_cpu'] }]\n";
  const auto searches_of = [&](const std::string& keys) {
    return find_preset(put(head + keys + "searches = [{ name = 'a', " + anywhere).string())
        .studies[0]
        .searches;
  };
  const SearchSpec of_map = searches_of("prior = 'map'\n").at(0);
  EXPECT_EQ(of_map.prior, PriorKind::map);
  EXPECT_THAT(of_map.sigma, ElementsAre(0, 0, 0, 0.01, 0.01));
  EXPECT_THAT(searches_of("prior = 'map'\nsigma = [0, 0, 0, 0.02, 0.02]\n").at(0).sigma,
              ElementsAre(0, 0, 0, 0.02, 0.02));
  EXPECT_EQ(searches_of("prior = 'pose'\n").at(0).prior, PriorKind::pose);
  EXPECT_EQ(searches_of("").at(0).prior, PriorKind::pose);
  EXPECT_EQ(
      find_preset(
          put(head + "prior = 'map'\nsearches = [{ name = 'a', implementations = ['exec:*'] }]\n").string())
          .studies[0]
          .searches.at(0)
          .prior,
      PriorKind::map)
      << "of peers, those that can";
}

TEST_F(PresetFile, ASearchOfAnUnknownImplementationIsRefused) {
  EXPECT_THAT(refusal_of("description = 'd'\n[[study]]\ndatasets = ['courtyard']\n"
                         "searches = [{ name = 'a', implementations = ['x'] }]\n"),
              HasSubstr("'a' cannot be run: unknown implementation 'x'"));
}

TEST_F(PresetFile, AlsoNamesWhatIsNotForUse) {
  const std::string head = "description = 'd'\n[[study]]\ndatasets = ['courtyard']\n";
  EXPECT_EQ(refusal_of(head + "also = ['multikernel_transfers_cuda']\n"), "");
  for (const char* name : {"persistent_cpu", "x"})
    EXPECT_THAT(refusal_of(head + "also = ['" + name + "']\n"),
                HasSubstr(std::string("study.also: names '") + name + "', which is not one of the studies"));
}

TEST_F(PresetFile, AnotherPresetsStudiesAreTakenOver) {
  const std::string text = "description = 'd'\npresets = ['smoke']\n";
  EXPECT_EQ(find_preset(put(text).string()).studies.size(), find_preset("smoke").studies.size());
  EXPECT_THAT(refusal_of("description = 'd'\npresets = ['full']\n"),
              HasSubstr("given in a preset that another one names"))
      << "no preset of presets of presets";
}

}  // namespace
}  // namespace ndt::harness
