#include "roi/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "refusal.h"
#include "roi/csv_reader.h"
#include "roi/emit_shapes.h"
#include "roi/rank.h"
#include "roi/select.h"
#include "roi/timeline.h"

namespace assay::roi {
namespace {

std::string fixture(const std::string& name) {
  return std::string(ASSAY_SOURCE_DIR) + "/fixtures/profiles/" + name;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Profile read_picking(const std::string& name, const std::string& pattern) {
  ProfileRequest request;
  request.picks = picks_of(pattern);
  return read_profile(fixture(name), request);
}

Selection share_in(const std::string& name, const std::string& pattern, std::optional<double> busy = std::nullopt) {
  return select(read_picking(name, pattern), pattern, busy);
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse_profile(text, "p"); });
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TorchTrace, RealTraceOfAnH200) {
  const Selection layer_norm = share_in("torch_trace_h200.json.gz", "layer_norm");
  ASSERT_EQ(layer_norm.kernels.size(), 1u);
  EXPECT_EQ(layer_norm.kernels[0].calls, 32);
  EXPECT_NEAR(layer_norm.kernels[0].total_s, 206.819e-6, 1e-12);
  EXPECT_NEAR(layer_norm.kernel_share, 0.043177, 1e-6);
  EXPECT_NEAR(layer_norm.wall_share.value(), 206.819 / 9878.751, 1e-6);
  EXPECT_NEAR(layer_norm.busy_share.value(), 4837.728 / 9878.751, 1e-6);
  EXPECT_FALSE(layer_norm.ceiling);
}

TEST(TorchTrace, SharesSumToTheWhole) {
  const Selection all = share_in("torch_trace_h200.json.gz", ".*");
  EXPECT_EQ(all.kernels.size(), 6u);
  EXPECT_NEAR(all.kernel_share, 1.0, 1e-12);
  EXPECT_LT(all.wall_share.value(), 0.5) << "the host's gaps are in the denominator";
  EXPECT_EQ(all.unmatched_s, 0.0);
}

TEST(TorchTrace, OverlapIsSubtractedAndHostTimeCounts) {
  const Profile profile = read_picking("torch_two_streams.json", "gemm");
  EXPECT_NEAR(profile.window_s.value(), 100e-6, 1e-12) << "to the end of the host's synchronisation";
  EXPECT_NEAR(profile.busy_s.value(), 70e-6, 1e-12);
  EXPECT_NEAR(profile.overlap_s.value(), 10e-6, 1e-12);
  EXPECT_NEAR(profile.kernel_s, 70e-6, 1e-12);
  EXPECT_NEAR(profile.copy_s, 10e-6, 1e-12);
  EXPECT_EQ(profile.streams.size(), 3u);
  EXPECT_NEAR(profile.kernels[0].exclusive_s.value(), 40e-6, 1e-12);
  EXPECT_NEAR(profile.kernels[1].exclusive_s.value(), 10e-6, 1e-12);
  EXPECT_NEAR(profile.kernels[1].active_s.value(), 20e-6, 1e-12);
  const Selection gemm = select(profile, "gemm", std::nullopt);
  EXPECT_NEAR(gemm.wall_share.value(), 0.40, 1e-9);
  EXPECT_NEAR(gemm.active_share.value(), 0.50, 1e-9);
  EXPECT_NEAR(gemm.kernel_share, 50.0 / 70.0, 1e-9);
  EXPECT_NEAR(gemm.hot_fraction, 0.40, 1e-9);
}

TEST(TorchTrace, SeveralPickedNamesAreOne) {
  const Selection both = share_in("torch_two_streams.json", "gemm|softmax");
  EXPECT_NEAR(both.wall_share.value(), 0.60, 1e-9) << "their own overlap is no loss";
  EXPECT_EQ(both.kernels.size(), 2u);
}

TEST(TorchTrace, GzipAndPlainGiveTheSame) {
  const std::string plain = text_of(fixture("torch_two_streams.json"));
  EXPECT_EQ(parse_profile(plain, "p").kernel_s, read_profile(fixture("torch_two_streams.json")).kernel_s);
}

TEST(TorchTrace, CutShortAnywhereIsAnErrorWithALine) {
  const std::string whole = text_of(fixture("torch_two_streams.json"));
  const std::size_t last = whole.find_last_of('}');
  for (std::size_t size = 120; size < last; size += 37) {
    const std::string message = refusal(whole.substr(0, size));
    EXPECT_TRUE(contains(message, "p:")) << size << ": " << message;
    EXPECT_TRUE(contains(message, "cut short")) << size << ": " << message;
  }
}

TEST(TorchTrace, GzipCutShort) {
  const std::string path = testing::TempDir() + "assay_cut.json.gz";
  const std::string whole = text_of(fixture("torch_trace_h200.json.gz"));
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  const std::string message = message_of([&] { read_profile(path); });
  EXPECT_TRUE(contains(message, "cut short")) << message;
  std::filesystem::remove(path);
}

TEST(TorchTrace, NamesAreDecodedAndLongOnesSpanWindows) {
  const std::string name(3 << 20, 'k');
  const std::string text = R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a\"b\u00e9\n)" + name +
                           R"(","ts":1.5,"dur":2,"args":{"device":0,"stream":1}}]})";
  const Profile profile = parse_profile(text, "p");
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_EQ(profile.kernels[0].name, "a\"b\u00e9\n" + name);
  EXPECT_NEAR(profile.kernels[0].total_s, 2e-6, 1e-15);
}

TEST(TorchTrace, LateTimesKeepTheirNanoseconds) {
  const std::string text = R"([{"ph":"X","cat":"kernel","name":"k","ts":1790857026000000.123,"dur":0.512,"args":{}},
    {"ph":"X","cat":"kernel","name":"k","ts":1790857026000001.635,"dur":0.001,"args":{}}])";
  const Profile profile = parse_profile(text, "p");
  EXPECT_NEAR(profile.window_s.value(), 1.513e-6, 1e-15);
  EXPECT_NEAR(profile.busy_s.value(), 0.513e-6, 1e-15);
}

TEST(TorchTrace, Refusals) {
  EXPECT_TRUE(contains(refusal(R"({"traceEvents": []})"), "p:1: the trace has no device work"));
  EXPECT_TRUE(contains(refusal(R"({"schemaVersion": 1})"), "no \"traceEvents\""));
  EXPECT_TRUE(contains(refusal("{\"traceEvents\": [\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":\"x\"}]}"),
                       "p:2: expected a time in microseconds"));
  EXPECT_TRUE(contains(refusal("{\"traceEvents\": [\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1}]}"),
                       "p:2: event 'k' has no \"ts\" or no \"dur\""));
  EXPECT_TRUE(contains(refusal("{\"traceEvents\": [\n\n{\"ph\":\"X\",\"args\":{\"a\":[1,2}}]}"), "p:3: expected ']'"));
  EXPECT_TRUE(contains(refusal(R"({"traceEvents": [{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":-1}]})"),
                       "less than no time"));
  EXPECT_TRUE(contains(refusal(""), "the profile is empty"));
  EXPECT_TRUE(contains(message_of([] { read_profile("/nonexistent/x.json"); }), "can't read the profile"));
}

TEST(Timeline, MoreThanItHoldsIsSummedInPortions) {
  constexpr std::int64_t kMany = (std::int64_t{1} << 22) + 1000;
  Timeline timeline(nullptr);
  const std::uint32_t names[2] = {timeline.intern("a", Work::kernel), timeline.intern("b", Work::kernel)};
  for (std::int64_t i = 0; i < kMany; ++i) {
    // Neighbours are swapped, and each overlaps the next by 5 of its 15 ns.
    const std::int64_t at = (i ^ 1) * 10;
    ASSERT_TRUE(timeline.add(names[(i ^ 1) % 2], at, at + 15, 0, 0));
  }
  EXPECT_FALSE(timeline.add(names[0], 0, 1, 0, 0)) << "that time has been summed already";
  Profile profile;
  timeline.finish(profile);
  EXPECT_EQ(profile.rows, kMany);
  EXPECT_NEAR(profile.busy_s.value(), (kMany * 10 + 5) * 1e-9, 1e-12);
  EXPECT_NEAR(*profile.kernels[0].exclusive_s + *profile.kernels[1].exclusive_s, (kMany * 5 + 10) * 1e-9, 1e-12);
}

TEST(Nsys, SumsWithThousandsSeparators) {
  const Selection gemm = share_in("nsys_kern_sum.csv", "gemm", 0.5);
  EXPECT_NEAR(gemm.matched_s, 6e-3, 1e-12);
  EXPECT_NEAR(gemm.kernel_share, 0.6, 1e-12);
  EXPECT_NEAR(gemm.hot_fraction, 0.3, 1e-12);
  EXPECT_FALSE(gemm.ceiling);
  EXPECT_EQ(gemm.kernels[0].name, "void gemm_kernel<float, 128>(const float *, float *)");
}

TEST(Nsys, WithoutWallTimeItIsACeiling) {
  const Selection gemm = share_in("nsys_kern_sum.csv", "gemm");
  EXPECT_TRUE(gemm.ceiling);
  EXPECT_FALSE(gemm.wall_share);
  EXPECT_TRUE(contains(gemm.notes.back(), "ceiling"));
}

TEST(Nsys, UnitsComeFromTheHeader) {
  const Profile us = parse_profile("Time (%),Total Time (us),Instances,Name\n100.0,250.5,3,k\n", "p");
  EXPECT_NEAR(us.kernel_s, 250.5e-6, 1e-15);
  EXPECT_TRUE(contains(refusal("Time (%),Total Time (ticks),Instances,Name\n100.0,250.5,3,k\n"), "no unit of time"));
}

TEST(Nsys, ApiSummaryIsRefused) {
  EXPECT_TRUE(contains(message_of([] { read_profile(fixture("nsys_api_sum.csv")); }),
                       ":1: this is the summary of API calls, not of kernels"));
}

TEST(Csv, UnreadableRowsAreErrorsWithTheirLine) {
  const std::string header = "Time (%),Total Time (ns),Instances,Name\n";
  EXPECT_EQ(refusal(header + "50,100,1,a\n50,oops,1,b\n"),
            "p:3: column 'Total Time (ns)': expected a number, found 'oops'");
  EXPECT_EQ(refusal(header + "50,100,1\n"), "p:2: the row has 3 columns, the header 4; was the file cut or edited?");
  EXPECT_EQ(refusal(header + "50,-100,1,a\n"), "p:2: column 'Total Time (ns)' is negative: -100");
  EXPECT_EQ(refusal(header + "50,100,1.5,a\n"), "p:2: column 'Instances' is no count: 1.5");
  EXPECT_TRUE(contains(refusal(header + "50,100,1,\"a\n"), "p:2: a quoted field does not end"));
  EXPECT_TRUE(contains(refusal(header), "the table has no rows"));
  EXPECT_TRUE(contains(refusal(header + "50,100,1,a\n\n50,100,1,b\n"), "p:4: a row after an empty line"));
  EXPECT_TRUE(contains(refusal("a,b,c\n1,2,3\n"), "no table of kernels that is known"));
}

TEST(Csv, QuotesAndLineBreaks) {
  const auto source = open_text("\"a \"\"b\"\", c\",\"two\nlines\" , x \r\nlast,,\n");
  CsvReader csv(*source, "p");
  std::vector<std::string> fields;
  ASSERT_TRUE(csv.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a \"b\", c", "two\nlines", "x"}));
  ASSERT_TRUE(csv.next(fields));
  EXPECT_EQ(csv.line(), 3);
  EXPECT_EQ(fields, (std::vector<std::string>{"last", "", ""}));
  EXPECT_FALSE(csv.next(fields));
}

TEST(NumberStyle, ReadsBothWaysAndNeverMixes) {
  const auto all = [](std::initializer_list<const char*> texts) {
    NumberStyle style;
    std::string why;
    std::vector<double> values;
    for (const char* text : texts) values.push_back(style.parse(text, why).value_or(-1.0));
    return values;
  };
  EXPECT_EQ(all({"39,621,120", "42,080", "88.1"}), (std::vector<double>{39621120, 42080, 88.1}));
  EXPECT_EQ(all({"1.234,5", "42.080", "0,5"}), (std::vector<double>{1234.5, 42080, 0.5}));
  EXPECT_EQ(all({"1.234.567"}), (std::vector<double>{1234567}));
  EXPECT_EQ(all({"88.1", "1,5"}), (std::vector<double>{88.1, -1})) << "contradiction";
  EXPECT_EQ(all({"42,080", "1,5"}), (std::vector<double>{42080, -1})) << "the first may have been misread";
  EXPECT_EQ(all({"1,2345", "x", "", "1e3"}), (std::vector<double>{1.2345, -1, -1, 1000}));
}

TEST(Ncu, RealMetricsOfAnH200AreFloorsOnly) {
  const Profile profile = read_profile(fixture("ncu_h200.csv"));
  EXPECT_TRUE(profile.floors_only);
  EXPECT_EQ(profile.kernels.size(), 4u);
  EXPECT_NEAR(profile.kernels[0].total_s, 2680.192e-6, 1e-12);
  EXPECT_TRUE(contains(message_of([&] { select(profile, "gemm", std::nullopt); }), "it gives floors, no shares"));
}

TEST(Ncu, RawPageHasItsUnitsBelowTheHeader) {
  const Profile profile = read_profile(fixture("ncu_raw.csv"));
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_NEAR(profile.kernels[0].total_s, 42.08e-6, 1e-12);
  EXPECT_NEAR(profile.kernels[0].roofline.value(), 0.881, 1e-12);
  EXPECT_NEAR(profile.kernels[1].roofline.value(), 0.61, 1e-12);
}

TEST(Ncu, UnknownUnitIsRefused) {
  std::string text = text_of(fixture("ncu_raw.csv"));
  text.replace(text.find("usecond"), 7, "lustrum");
  EXPECT_TRUE(contains(refusal(text), "unknown unit of time 'lustrum'"));
}

TEST(Rocprof, StatsDropTheSuffix) {
  const Profile profile = read_profile(fixture("rocprof_kernel_stats.csv"));
  EXPECT_EQ(profile.kernels[0].name, "gemm_kernel");
  EXPECT_NEAR(profile.kernel_s, 10e-3, 1e-12);
}

TEST(Rocprof, TraceIsATimelineWithoutHost) {
  const Selection gemm = share_in("rocprof_kernel_trace.csv", "gemm");
  EXPECT_NEAR(gemm.wall_share.value(), 0.60, 1e-9) << "40 + 20 of 100 us alone";
  EXPECT_NEAR(gemm.active_share.value(), 0.70, 1e-9);
  EXPECT_TRUE(gemm.ceiling);
}

TEST(JsonProfiles, Magpie) {
  EXPECT_NEAR(share_in("magpie_gap_analysis.json", "gemm").kernel_share, 0.6, 1e-12);
  EXPECT_NEAR(share_in("magpie_gap_analysis.csv", "gemm").kernel_share, 0.9, 1e-12);
  const Profile profile = read_profile(fixture("magpie_gap_analysis.json"));
  EXPECT_EQ(profile.notes.front(), "computed over 20 to 80 % of the trace");
}

TEST(JsonProfiles, AutoKernelKeepsWhatItDoesNotList) {
  const Profile profile = read_profile(fixture("autokernel_profile_report.json"));
  EXPECT_NEAR(profile.kernel_s, 10e-3, 1e-12);
  EXPECT_NEAR(select(profile, "gemm", std::nullopt).kernel_share, 0.5, 1e-12);
  EXPECT_TRUE(contains(profile.notes.front(), "may be counted twice"));
}

TEST(JsonProfiles, ApexAndKernelAgent) {
  const Profile apex = read_profile(fixture("apex_bottlenecks.json"));
  EXPECT_NEAR(apex.kernels[1].roofline.value(), 0.88, 1e-12);
  EXPECT_NEAR(select(apex, "moe", std::nullopt).kernel_share, 0.26, 1e-12);
  const Profile agent = read_profile(fixture("kernelagent_subgraphs.json"));
  EXPECT_EQ(agent.format, "KernelAgent subgraphs");
  EXPECT_TRUE(contains(message_of([&] { select(agent, "sg", std::nullopt); }), "has no times"));
}

TEST(JsonProfiles, Refusals) {
  EXPECT_TRUE(contains(refusal("{\n\"top_kernels\": [{\"name\": \"a\""), "p:2: the JSON is cut short"));
  EXPECT_TRUE(contains(refusal("{\"a\": 1}"), "JSON of no profiler that is known"));
  EXPECT_EQ(refusal(R"({"top_kernels": [{"name": "a", "calls": 1, "self_cuda_total_us": "x"}]})"),
            "p: top_kernels[0]: 'self_cuda_total_us' is no number: \"x\"");
}

TEST(Select, NoMatchNamesWhatIsNear) {
  const std::string message = message_of([] { share_in("nsys_kern_sum.csv", "softmax_kernal"); });
  EXPECT_TRUE(contains(message, "no kernel matches 'softmax_kernal'; did you mean 'softmax_kernel'?")) << message;
  EXPECT_TRUE(contains(message, "(largest: 'gemm_kernel', 'softmax_kernel', 'rmsnorm_kernel')")) << message;
}

TEST(Select, PatternsAreTextOrExpression) {
  EXPECT_TRUE(
      picks_of("gemm_kernel<float, 128>(const float *")("void gemm_kernel<float, 128>(const float *, float *)"));
  EXPECT_TRUE(picks_of("^void .*128")("void gemm_kernel<float, 128>"));
  EXPECT_FALSE(picks_of("^gemm")("void gemm_kernel"));
  EXPECT_TRUE(contains(message_of([] { picks_of("[a"); }), "'[a' is no regular expression"));
  EXPECT_TRUE(contains(message_of([] { picks_of(""); }), "is empty"));
}

TEST(Select, ShortNames) {
  EXPECT_EQ(short_name("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int)"),
            "vectorized_layer_norm_kernel");
  EXPECT_EQ(short_name("void at::<unnamed>::cunn_SoftMaxForwardReg<float>(long)"), "cunn_SoftMaxForwardReg");
  EXPECT_EQ(short_name("softmax_kernel"), "softmax_kernel");
}

TEST(Rank, WhatIsNearItsRooflineComesLast) {
  const RoiRanking ranking = rank(read_profile(fixture("apex_bottlenecks.json")), nullptr, {});
  ASSERT_EQ(ranking.rows.size(), 2u);
  EXPECT_EQ(ranking.rows[0].name, "gemm_kernel");
  EXPECT_NEAR(ranking.rows[0].most_gained, 0.74 * 0.4, 1e-12);
  EXPECT_NEAR(ranking.rows[1].most_gained, 0.26 * 0.12, 1e-12);
  EXPECT_TRUE(ranking.rows[0].detectable);
  EXPECT_FALSE(ranking.rows[1].detectable) << "3.1 % is below what five runs resolve";
  EXPECT_TRUE(ranking.ceiling);
}

TEST(Rank, FloorsAreJoinedByNameAndUnsupportedGainNothing) {
  const Profile floors = read_profile(fixture("ncu_raw.csv"));
  const RoiRanking nsys = rank(read_profile(fixture("nsys_kern_sum.csv")), &floors, {.busy_share = 0.5});
  ASSERT_EQ(nsys.rows.size(), 3u);
  EXPECT_NEAR(nsys.rows[0].most_gained, 0.3 * 0.5 * 0.39, 1e-9) << "softmax at 61 % of its roofline";
  EXPECT_EQ(nsys.rows[0].name, "softmax_kernel");
  const RoiRanking autokernel = rank(read_profile(fixture("autokernel_profile_report.json")), nullptr, {});
  EXPECT_EQ(autokernel.rows[0].name, "gemm_kernel");
  EXPECT_EQ(autokernel.rows[1].most_gained, 0.0);
  EXPECT_EQ(others_of(autokernel).size(), 1u);
}

TEST(EmitShapes, WeightsAreSharesOfCallsWithTypes) {
  ProfileRequest request;
  request.shapes = true;
  const Profile profile = read_profile(fixture("torch_two_streams.json"), request);
  const std::string toml = shapes_toml(profile, picks_of("gemm"));
  EXPECT_TRUE(contains(toml, "# float16 [64, 32], float16 [32, 16], from aten::mm, 40 us a call")) << toml;
  EXPECT_TRUE(contains(toml, "axes   = { in0_d0 = 64, in0_d1 = 32, in1_d0 = 32, in1_d1 = 16 }")) << toml;
  EXPECT_TRUE(contains(toml, "weight = 0.5")) << toml;
}

Contract gemm_contract() {
  Contract contract;
  for (const char* name : {"M", "N", "K"}) contract.axes.push_back({name, false, 1, 4096, 1, {}});
  const auto dims = [](const char* a, const char* b) {
    return std::vector<Expression>{std::get<Expression>(Expression::parse(a)),
                                   std::get<Expression>(Expression::parse(b))};
  };
  contract.tensors = {
      {.name = "a", .role = Role::in, .shape = dims("M", "K"), .strides = {}, .values = {}, .range = {}},
      {.name = "b", .role = Role::in, .shape = dims("K", "N"), .strides = {}, .values = {}, .range = {}},
      {.name = "c", .role = Role::out, .shape = dims("M", "N"), .strides = {}, .values = {}, .range = {}}};
  return contract;
}

TEST(EmitShapes, TheContractsAxesWhereTheyFit) {
  const Contract contract = gemm_contract();
  EXPECT_EQ(axes_of(contract, {{64, 32}, {32, 16}}), (AxisValues{{"M", 64}, {"K", 32}, {"N", 16}}));
  EXPECT_EQ(axes_of(contract, {{4, 16, 32}, {}, {32, 16}}), (AxisValues{{"M", 64}, {"K", 32}, {"N", 16}}));
  EXPECT_FALSE(axes_of(contract, {{64, 32}, {31, 16}}));
  EXPECT_FALSE(axes_of(contract, {{64, 32}})) << "N stays unknown";
  ProfileRequest request;
  request.shapes = true;
  const Profile profile = read_profile(fixture("torch_two_streams.json"), request);
  EXPECT_TRUE(contains(shapes_toml(profile, nullptr, &contract), "axes   = { K = 32, M = 64, N = 16 }\n"));
}

TEST(EmitShapes, RealTraceAndOtherSources) {
  ProfileRequest request;
  request.shapes = true;
  const Profile trace = read_profile(fixture("torch_trace_h200.json.gz"), request);
  EXPECT_TRUE(contains(shapes_toml(trace, picks_of("layer_norm")), "float16 [4, 1024, 1024]"));
  const std::string agent = shapes_toml(read_profile(fixture("kernelagent_subgraphs.json")), nullptr);
  EXPECT_TRUE(contains(agent, "# bfloat16 [4096, 1024], bfloat16 [1024], from rmsnorm")) << agent;
  EXPECT_TRUE(contains(agent, "weight = 0.666667")) << agent;
  EXPECT_TRUE(contains(shapes_toml(read_profile(fixture("magpie_gap_analysis.csv")), nullptr), "# [[shapes]]"));
  EXPECT_TRUE(contains(message_of([] { shapes_toml(read_profile(fixture("nsys_kern_sum.csv")), nullptr); }),
                       "has no input shapes of these kernels"));
}

}  // namespace
}  // namespace assay::roi
