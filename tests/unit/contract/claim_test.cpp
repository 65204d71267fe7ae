#include "contract/claim.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace assay {
namespace {

std::string errors_of(std::string_view text) {
  const auto parsed = parse_claim(text, "c.toml");
  std::string lines;
  if (const auto* errors = std::get_if<std::vector<ContractError>>(&parsed)) {
    for (const ContractError& error : *errors) lines += to_string(error) + "\n";
  }
  return lines;
}

TEST(ClaimFile, EveryFixtureIsRead) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/fixtures/claims")) {
    if (file.path().extension() != ".toml") continue;
    EXPECT_FALSE(load_claim(file.path()).text.empty()) << file.path();
    ++count;
  }
  EXPECT_GE(count, 20);
}

TEST(ClaimFile, EmptyTextsAreNotStated) {
  const auto parsed = parse_claim(
      "schema = 1\n[claim]\ntext = \"2x\"\nspeedup = 2.0\ntolerance = \"\"\ndenominator_class = \"own-start\"\n"
      "[evidence]\nresults = { path = \"r.json\", format = \"akox\" }\n[roi]\nhot_fraction = 0.25\n",
      "d/c.toml");
  const Claim& claim = std::get<Claim>(parsed);
  EXPECT_EQ(claim.speedup, 2.0);
  EXPECT_EQ(claim.tolerance, "");
  EXPECT_EQ(claim.folder, "d");
  EXPECT_EQ(claim.denominator_class, DenominatorClass::own_start);
  EXPECT_EQ(claim.evidence_results->format, ResultsFormat::akox);
  EXPECT_EQ(claim.roi->hot_fraction->p50, 0.25);
}

TEST(ClaimFile, MistakesAreCollectedWithPlaces) {
  const std::string errors = errors_of(
      "schema = 2\n[claim]\ntext = \"2x\"\nspedup = 2.0\nmetric = \"tim\"\nspeedup = -1\n"
      "[evidence]\ncontract = \"a\"\nresults = { path = \"r\", format = \"akoy\" }\n");
  for (const char* part : {"c.toml:1:", "schema 2 is unknown", "unknown key 'spedup'; did you mean 'speedup'?",
                           "did you mean 'time'?", "claim.speedup", "did you mean 'akox'?", "not mixed"}) {
    EXPECT_NE(errors.find(part), std::string::npos) << part << " in\n" << errors;
  }
  EXPECT_NE(errors_of("schema = 1\n").find("claim"), std::string::npos);
}

}  // namespace
}  // namespace assay
