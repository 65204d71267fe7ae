#include "reports/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "reports/json_writer.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

TEST(JsonWriter, SortsKeysAndIndents) {
  EXPECT_EQ(write_json({{"b", 1}, {"a", json::array({true, nullptr})}, {"c", json::object()}}),
            "{\n  \"a\": [\n    true,\n    null\n  ],\n  \"b\": 1,\n  \"c\": {}\n}\n");
}

TEST(JsonWriter, WritesWhatHasNoNumberAsAWord) {
  EXPECT_EQ(write_json(std::nan("")), "\"NaN\"\n");
  EXPECT_EQ(write_json(-std::numeric_limits<double>::infinity()), "\"-Infinity\"\n");
  EXPECT_EQ(write_json(0.1), "0.1\n");
}

TEST(JsonWriter, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(write_json("\x1b[2J\"\\\n\xc2\x9b\xe2\x80\xae\xff µ"),
            "\"\\u001b[2J\\\"\\\\\\n\\u009b\\u202e\xEF\xBF\xBD µ\"\n");
}

TEST(JsonWriter, AnyTextReadsBackAsItsValidForm) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(json::parse(write_json(bytes)).get<std::string>() == valid_utf8(bytes));
  }));
}

TEST(JsonWriter, AnyDoubleReadsBackTheSame) {
  EXPECT_TRUE(rc::check([](double value) { RC_ASSERT(json::parse(write_json(value)).get<double>() == value); }));
}

TEST(Json, HasTheTopLevelOfTheDesign) {
  const json report = json::parse(to_json(AuditReport{}));
  for (const char* key : {"schema", "tool", "run", "contract", "subjects", "verdict", "reasons", "checks", "findings",
                          "lifetimes", "numerics", "speed", "not_covered"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["verdict"], "inconclusive");  // a report that nobody filled is no pass
}

TEST(Json, LeavesOutTimesThatWereNotTaken) {
  AuditReport report;
  report.speed.shapes.resize(1);
  report.speed.shapes[0].shape = "T=1";
  report.speed.shapes[0].calls = 3;
  report.speed.shapes[0].reference_s = 0.5;
  const json row = json::parse(to_json(report))["speed"]["shapes"][0];
  EXPECT_EQ(row["reference_s"], 0.5);
  EXPECT_FALSE(row.contains("candidate_s"));
}

TEST(Json, TheSameReportGivesTheSameBytes) {
  AuditReport report;
  report.findings.emplace_back();
  report.findings[0].evidence = {{"got", 1.5}, {"at", std::int64_t{3}}, {"kept", true}};
  EXPECT_EQ(to_json(report), to_json(report));
  const json evidence = json::parse(to_json(report))["findings"][0]["evidence"];
  EXPECT_EQ(evidence, json({{"got", 1.5}, {"at", 3}, {"kept", true}}));
}

}  // namespace
}  // namespace assay::reports
