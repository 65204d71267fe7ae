#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "contract/load.h"
#include "core/arguments.h"

namespace assay {
namespace {

const std::string kData = std::string(ASSAY_SOURCE_DIR) + "/tests/unit/contract/data/";

Contract example() {
  return load_contract(kData + "example.toml");
}

/// base.toml with one part replaced.
Contract with(const std::string& part, const std::string& replacement) {
  std::ifstream file(kData + "base.toml");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  text.replace(at, part.size(), replacement);
  auto parsed = parse_contract(text, "c.toml");
  if (auto* errors = std::get_if<std::vector<ContractError>>(&parsed)) {
    for (const ContractError& error : *errors) ADD_FAILURE() << to_string(error);
    return {};
  }
  return std::get<Contract>(std::move(parsed));
}

Contract with_entry(const std::string& entry) {
  return with("prototype = \"int f(const float* x, const int* i, float* y, int T, float eps)\"", entry);
}

std::string shown(const std::vector<Argument>& arguments) {
  constexpr std::array<std::string_view, 9> kKinds{"tensor",          "axis", "param",  "stream", "device", "workspace",
                                                   "workspace_bytes", "null", "literal"};
  std::string text;
  for (const Argument& a : arguments) {
    text += (text.empty() ? "" : " ") + std::string(kKinds[static_cast<std::size_t>(a.kind)]);
    if (!a.name.empty()) text += "=" + a.name;
    if (a.kind == ArgKind::literal) text += "=" + std::to_string(a.integer) + "/" + std::to_string(a.real);
    text += ":" + std::string(name_of(a.type));
  }
  return text;
}

// The example of CONTRACT.md, word for word.
TEST(Contract, ExampleDomain) {
  const Contract c = example();
  EXPECT_EQ(c.name, "rmsnorm");
  EXPECT_EQ(c.path, kData + "example.toml");
  EXPECT_EQ(std::filesystem::path(c.folder), std::filesystem::path(kData).parent_path());
  ASSERT_EQ(c.constraints.size(), 1U);
  ASSERT_EQ(c.axes.size(), 2U);
  EXPECT_EQ(c.axes[0].name, "T");
  EXPECT_EQ(c.axes[0].max, 65536);
  EXPECT_EQ(c.axes[1].multiple_of, 4);
  ASSERT_EQ(c.tensors.size(), 3U);
  EXPECT_EQ(c.tensors[0].name, "x");
  EXPECT_EQ(c.tensors[1].name, "weight");
  EXPECT_TRUE(c.tensors[1].is_static);
  EXPECT_EQ(c.tensors[2].role, Role::out);
  EXPECT_FALSE(c.tensors[2].values);
  ASSERT_EQ(c.params.size(), 1U);
  EXPECT_EQ(c.params[0].values, (std::vector<double>{1e-6, 1e-5}));
}

TEST(Contract, ExampleEntry) {
  const Contract c = example();
  EXPECT_EQ(c.entry.symbol, "rmsnorm");
  EXPECT_EQ(shown(c.entry.args), "tensor=x:ptr tensor=weight:ptr tensor=y:ptr axis=T:i64 axis=H:i64 param=eps:f32");
  EXPECT_EQ(c.entry.returns, ReturnKind::status32);
  EXPECT_EQ(c.entry.success, 0);
  ASSERT_TRUE(c.reference);
  EXPECT_EQ(c.reference->path, "librmsnorm_ref.so");
  EXPECT_EQ(c.reference->entry.args.size(), 6U);
  EXPECT_EQ(c.candidate.path, "");
  EXPECT_EQ(c.candidate.entry.args.size(), 6U);
  ASSERT_TRUE(c.oracle);
  EXPECT_EQ(c.oracle->builtin, "rmsnorm");
  ASSERT_EQ(c.oracle->bind.size(), 4U);
  EXPECT_EQ(c.oracle->bind[3].argument, "eps");
  EXPECT_EQ(c.oracle->bind[3].kind, ArgKind::param);
}

TEST(Contract, ExampleRules) {
  const Contract c = example();
  EXPECT_EQ(c.numerics.precision, Precision::f32);
  EXPECT_EQ(c.numerics.policy, Policy::calibrated);
  EXPECT_EQ(c.numerics.deterministic, true);
  EXPECT_EQ(c.memory.align, 16);
  EXPECT_TRUE(c.memory.aliasing.empty());
  ASSERT_TRUE(c.memory.extra);
  EXPECT_EQ(c.memory.extra->text(), "0");
  EXPECT_EQ(c.lifetime, Lifetime::serving);
  EXPECT_EQ(c.concurrency.threads, 1);
  ASSERT_EQ(c.shapes.size(), 2U);
  EXPECT_EQ(c.shapes[1].axes, (AxisValues{{"H", 4096}, {"T", 4096}}));
  EXPECT_DOUBLE_EQ(c.shapes[0].weight, 0.7);
  ASSERT_TRUE(c.cost);
  EXPECT_EQ(c.cost->flops->text(), "4 * T * H");
}

TEST(Contract, ExampleWorth) {
  const Contract c = example();
  EXPECT_FALSE(c.speed.baseline);
  EXPECT_EQ(c.speed.min_speedup, 1.05);
  EXPECT_EQ(c.speed.min_speedup_each, 0.95);
  EXPECT_EQ(c.speed.regime, Regime::cold);
  ASSERT_TRUE(c.roi);
  EXPECT_EQ(c.roi->hot_fraction->p95, 0.25);
  EXPECT_EQ(c.roi->accelerator_usd_per_hour, 6.2496);
  EXPECT_EQ(c.roi->max_payback_days, 30.0);
  EXPECT_FALSE(c.roi->capture);
  EXPECT_TRUE(c.roi->replaceable);
  ASSERT_TRUE(c.end_to_end);
  EXPECT_EQ(c.end_to_end->candidate_command.back(), "libcand.so");
  EXPECT_TRUE(std::holds_alternative<MetricWall>(c.end_to_end->metric));
  EXPECT_EQ(c.end_to_end->accuracy_command, (std::vector<std::string>{"./accuracy"}));
}

// All that the example's comments offer instead.
TEST(Contract, OtherFormsOfTheExample) {
  const Contract c = with("[entry]", R"([speed]
baseline = { path = "libbest.so", symbol = "g", with = ["t.bin"] }
regime = "hot"
[roi]
hot_fraction = { p05 = 0.1, p50 = 0.2, p95 = 0.3 }
horizon_months = 12
capture = 1.0
attainable_share = 1
busy_share = 1.0
engineer_usd = 1
maintenance_usd_per_month = 2
search_hours = 3
search_usd_per_hour = 4
plan_usd = 5
tokens = { input = 15e3, output = 253e3, cache_read = 17.6e6, cache_write = 752e3 }
usd_per_million = { input = 1 }
credit_usd = 6
discount = 0.5
replaceable = false
[end_to_end]
command = ["./serve"]
swap = { link = "lib/libk.so" }
metric = { pattern = "latency: ([0-9.]+) ms", unit = "ms" }
required = true
[numerics]
policy = "allclose"
rtol = 1e-3
atol = 0
matched = 0.99
max_error = 1
denormals = "flush"
special_values = "undefined"
[oracle]
path = "oracle.so"
[oracle.options]
ties = "any"
interleaved = 1
[oracle.bind]
k = "const -1.5"
n = "T"
[entry])");
  EXPECT_EQ(c.speed.baseline->entry.symbol, "g");
  EXPECT_EQ(c.speed.baseline->entry.args.size(), 5U);
  EXPECT_EQ(c.speed.baseline->with, (std::vector<std::string>{"t.bin"}));
  EXPECT_EQ(c.speed.regime, Regime::hot);
  EXPECT_EQ(c.roi->hot_fraction->p05, 0.1);
  EXPECT_EQ(c.roi->tokens->cache_read, 17.6e6);
  EXPECT_EQ(c.roi->usd_per_million->input, 1.0);
  EXPECT_FALSE(c.roi->replaceable);
  EXPECT_EQ(std::get<SwapLink>(c.end_to_end->swap).path, "lib/libk.so");
  EXPECT_EQ(std::get<MetricPattern>(c.end_to_end->metric).unit, "ms");
  EXPECT_EQ(c.numerics.matched, 0.99);
  EXPECT_EQ(c.numerics.max_error, 1.0);
  EXPECT_EQ(c.numerics.denormals, Denormals::flush);
  EXPECT_EQ(c.oracle->options.at("interleaved"), "1");
  EXPECT_EQ(c.oracle->bind[0].literal, -1.5);
  EXPECT_EQ(c.oracle->bind[1].kind, ArgKind::axis);
}

TEST(Contract, SizesAreExpanded) {
  const Contract c = with("T = { kind = \"var\", min = 0, max = 100 }",
                          "T = { kind = \"var\", values = [10, \"256:1024:256\", 64, \"7:8:9\", 10] }");
  EXPECT_EQ(c.axes[0].values, (std::vector<std::int64_t>{7, 10, 64, 256, 512, 768, 1024}));
  EXPECT_EQ(c.axes[0].min, 7);
  EXPECT_EQ(c.axes[0].max, 1024);
}

TEST(Contract, ProductionShapesHaveConstantAxesAndSharesThatSumToOne) {
  const Contract c = with("weight = 2\n", "weight = 2\n[[shapes]]\naxes = { T = 0 }\nweight = 6\n");
  EXPECT_EQ(c.shapes[0].axes, (AxisValues{{"H", 64}, {"T", 10}}));
  EXPECT_DOUBLE_EQ(c.shapes[0].weight, 0.25);
  EXPECT_DOUBLE_EQ(c.shapes[1].weight, 0.75);
}

TEST(Contract, Arguments) {
  const Contract c = with_entry(R"(symbol = "g"
returns = "cudaError_t"
args = ["stream", "const 101:i32", "x", "i", "y", "T:usize", "eps:f32", "null", "workspace", "workspace_bytes",
        "const -1.5:f32", "const true:bool", "device"])");
  EXPECT_EQ(shown(c.entry.args),
            "stream:ptr literal=101/0.000000:i32 tensor=x:ptr tensor=i:ptr tensor=y:ptr axis=T:u64 param=eps:f32 "
            "null:ptr workspace:ptr workspace_bytes:u64 literal=0/-1.500000:f32 literal=1/0.000000:bool device:i32");
  EXPECT_EQ(c.entry.returns, ReturnKind::cuda_error);
  EXPECT_EQ(c.entry.success, 0);
  EXPECT_EQ(c.entry.prototype, "");
}

TEST(Contract, ArgumentsOfAPrototypeThatAreNoTensors) {
  const Contract c = with_entry(
      "prototype = \"void f(CUstream s, float* x, int* i, float* y, long T, float eps, void* workspace, size_t "
      "workspace_bytes, int device, void* null)\"");
  EXPECT_EQ(shown(c.entry.args),
            "stream:ptr tensor=x:ptr tensor=i:ptr tensor=y:ptr axis=T:i64 param=eps:f32 workspace:ptr "
            "workspace_bytes:u64 device:i32 null:ptr");
  EXPECT_FALSE(c.entry.success);
}

TEST(Contract, AReturnedElementNeedsNoArgument) {
  const Contract c =
      with("role = \"out\"\ndtype = \"float32\"\nshape = [\"T\", \"H\"]",
           "role = \"out\"\ndtype = \"float32\"\nshape = [1, \"H / 64\"]\n[candidate]\nreturns = \"f32:y\"\n"
           "symbol = \"g\"\nargs = [\"x\", \"i\"]\n[reference]\nreturns = \"f32:y\"\nprototype = \"float h(float* x, "
           "int* i)\"");
  EXPECT_EQ(c.entry.returns, ReturnKind::status32);
  EXPECT_EQ(c.candidate.entry.returns, ReturnKind::element);
  EXPECT_EQ(c.candidate.entry.return_tensor, "y");
  EXPECT_EQ(c.candidate.entry.return_type, CType::f32);
  EXPECT_FALSE(c.candidate.entry.success);
  EXPECT_EQ(c.reference->entry.returns, ReturnKind::element);
  EXPECT_EQ(c.reference->entry.symbol, "h");
}

TEST(Contract, OverridesReplaceOneKeyOrTheWholeWayOfCalling) {
  const Contract c = with("[entry]", "[reference]\nsymbol = \"old\"\n[candidate]\nsuccess = 7\n[entry]");
  EXPECT_EQ(c.reference->entry.symbol, "old");
  EXPECT_EQ(c.reference->entry.args.size(), 5U);
  EXPECT_EQ(c.candidate.entry.symbol, "f");
  EXPECT_EQ(c.candidate.entry.success, 7);
  const Contract d = with("[entry]", "[reference]\nsymbol = \"r\"\nargs = [\"x\", \"i\", \"y\"]\n[entry]");
  EXPECT_EQ(d.reference->entry.returns, ReturnKind::nothing);
  EXPECT_EQ(d.reference->entry.prototype, "");
  const Contract e = with_entry(
      "symbol = \"f\"\nreturns = \"i32\"\nsuccess = 3\nargs = [\"x\", \"i\", \"y\"]\n"
      "[reference]\nargs = [\"y\", \"i\", \"x\"]\n[candidate]\nprototype = \"void g(float* x, int* i, float* y)\"");
  EXPECT_EQ(e.reference->entry.symbol, "f");
  EXPECT_EQ(e.reference->entry.returns, ReturnKind::status32);
  EXPECT_EQ(e.reference->entry.success, 3);
  EXPECT_EQ(shown(e.reference->entry.args), "tensor=y:ptr tensor=i:ptr tensor=x:ptr");
  EXPECT_EQ(e.candidate.entry.symbol, "g");
  EXPECT_EQ(e.candidate.entry.returns, ReturnKind::nothing);
  EXPECT_FALSE(e.candidate.entry.success);
}

TEST(Contract, NarrowFloatsMayTravelAsPlainIntegers) {
  const std::string part =
      "dtype = \"float32\"\nshape = [\"T\", \"H\"]\n[params]\neps = { dtype = \"float32\", values = [1e-6] }\n"
      "[entry]\nprototype = \"int f(const float* x, const int* i, float* y, int T, float eps)\"";
  for (const auto& [dtype, pointer] : {std::pair("bf16", "uint16_t"), std::pair("f16", "unsigned short"),
                                       std::pair("float8_e5m2", "uint8_t"), std::pair("bool", "unsigned char")}) {
    const Contract c =
        with(part, std::string("dtype = \"") + dtype + "\"\nshape = [\"T\", \"H\"]\n[entry]\nprototype = \"int f(" +
                       "const float* x, const int* i, " + pointer + "* y, int T)\"");
    EXPECT_EQ(c.entry.args.size(), 4U) << dtype;
  }
}

TEST(Contract, InterfacesWithoutTypes) {
  const Contract c = with_entry("abi = \"tvm-ffi\"");
  EXPECT_EQ(c.entry.symbol, "__tvm_ffi_main");
  EXPECT_EQ(shown(c.entry.args), "tensor=x:ptr tensor=i:ptr param=eps:f64 tensor=y:ptr");
  const Contract d =
      with_entry("abi = \"python\"\nsymbol = \"run\"\nreturns = \"tensors\"\nargs = [\"i\", \"x\", \"T\"]");
  EXPECT_EQ(shown(d.entry.args), "tensor=i:ptr tensor=x:ptr axis=T:i64");
  EXPECT_EQ(d.entry.returns, ReturnKind::tensors);
}

TEST(Contract, ModulesHaveALaunchAndWiderAlignment) {
  const Contract c = with_entry(
      "abi = \"cuda-module\"\nprototype = \"void f(float* x, int* i, float* y, int T, float eps)\"\n"
      "launch = { grid = [\"ceildiv(T, 128)\"], block = [128, 1, 1], shared = \"4 * H\" }");
  ASSERT_TRUE(c.entry.launch);
  EXPECT_EQ(c.entry.launch->grid[0].text(), "ceildiv(T, 128)");
  EXPECT_EQ(c.memory.align, 256);
  const Contract d = with_entry(
      "abi = \"hip-module\"\nsymbol = \"f\"\nargs = [\"x\", \"i\", \"y\"]\n"
      "launch = { grid = [1], block = [1] }\n[memory]\nalign = 8");
  EXPECT_EQ(d.memory.align, 8);
}

TEST(Contract, DefaultsOfValuesAndRanges) {
  const Contract c = example();
  const Tensor& weight = *c.find_tensor("weight");
  ASSERT_TRUE(weight.values);
  EXPECT_EQ(weight.values->kind, ValueKind::normal);
  EXPECT_EQ(weight.values->std, 1.0);
  ASSERT_TRUE(weight.range);
  EXPECT_EQ(weight.range->low, -4096.0);
  EXPECT_EQ(weight.range->high, 4096.0);
  const auto range_of = [](const std::string& values) {
    const Contract d =
        with("shape = [\"T\", \"H\"]\n[tensors.i]", "shape = [\"T\", \"H\"]\n" + values + "\n[tensors.i]");
    return std::pair(d.tensors[0].range->low, d.tensors[0].range->high);
  };
  EXPECT_EQ(range_of("values = { kind = \"uniform\", low = -2, high = 3 }"), std::pair(-2.0, 3.0));
  EXPECT_EQ(range_of("values = { kind = \"normal\", mean = 3e38, std = 1e36 }"),
            std::pair(-3.4028234663852886e38, 3.4028234663852886e38));
  EXPECT_EQ(range_of("values = { kind = \"positive\", std = 0.5 }"), std::pair(0.0, 2048.0));
  EXPECT_EQ(range_of("values = { kind = \"probabilities\" }"), std::pair(0.0, 1.0));
  EXPECT_EQ(range_of("values = { kind = \"choice\", of = [3, -1, nan] }"), std::pair(-1.0, 3.0));
  EXPECT_EQ(range_of("range = [-9, 9]"), std::pair(-9.0, 9.0));
}

TEST(Contract, DefaultsOfNumerics) {
  const auto defaults = [](const std::string& dtype) {
    const std::string part = "role = \"out\"\ndtype = \"float32\"";
    std::ifstream file(kData + "base.toml");
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    text.replace(text.find(part), part.size(), "role = \"out\"\ndtype = \"" + dtype + "\"");
    text.replace(text.find("float* y"), 8, "void* y");
    const Contract c = std::get<Contract>(parse_contract(text, "c.toml"));
    return std::pair(c.numerics.precision, c.numerics.accumulate);
  };
  EXPECT_EQ(defaults("double"), std::pair(Precision::f64, Precision::f64));
  EXPECT_EQ(defaults("f32"), std::pair(Precision::f32, Precision::f32));
  EXPECT_EQ(defaults("half"), std::pair(Precision::f16, Precision::f32));
  EXPECT_EQ(defaults("bfloat16"), std::pair(Precision::bf16, Precision::f32));
  EXPECT_EQ(defaults("float8_e5m2"), std::pair(Precision::e5m2, Precision::f32));
  EXPECT_EQ(defaults("int32"), std::pair(Precision::exact, Precision::exact));
  EXPECT_EQ(defaults("bool"), std::pair(Precision::exact, Precision::exact));
}

TEST(Contract, SizesThatDoNotFitTheirCTypeAreFoundPerCall) {
  const Contract c = with("max = 100", "max = 10000000000");
  EXPECT_EQ(unfit_argument(c, c.entry, {{"T", 2147483647}, {"H", 64}}), "");
  EXPECT_EQ(unfit_argument(c, c.entry, {{"T", 2147483648}, {"H", 64}}), "axis T = 2147483648 does not fit i32");
  Contract d = with("[entry]", "[memory]\nworkspace = \"T * 1000000000\"\n[entry]");
  d.entry.args.push_back({ArgKind::workspace_bytes, "", CType::i32, 0.0, 0});
  EXPECT_EQ(unfit_argument(d, d.entry, {{"T", 3}, {"H", 64}}), "workspace_bytes = 3000000000 does not fit i32");
}

}  // namespace
}  // namespace assay
