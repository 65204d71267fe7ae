#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/axes.h"
#include "core/dtype.h"
#include "core/expression.h"

/// The contract as plain data: CONTRACT.md says what each key means, `contract/` reads it, everybody else only looks.
namespace assay {

struct Axis {
  std::string name;
  bool constant = false;
  std::int64_t min = 0;  ///< of a constant axis: min == max == value
  std::int64_t max = 0;
  std::int64_t multiple_of = 1;
  std::vector<std::int64_t> values;  ///< if not empty: the only sizes allowed, ascending and unique
};

enum class Role : std::uint8_t { in, out, inout, scratch };

enum class ValueKind : std::uint8_t {
  normal,
  uniform,
  log_uniform,
  integers,
  positive,
  probabilities,
  mask,
  index,
  permutation,
  offsets,
  spd,
  orthogonal,
  choice,
  constant,
  file
};

constexpr bool holds_input(Role role) {
  return role == Role::in || role == Role::inout;
}
constexpr bool holds_output(Role role) {
  return role == Role::out || role == Role::inout;
}

/// How the elements of a tensor are drawn; which fields count depends on `kind`.
struct ValueSpec {
  ValueKind kind = ValueKind::normal;
  double mean = 0.0;
  double std = 1.0;
  double low = 0.0;
  double high = 1.0;
  double p = 0.5;      ///< mask: probability of 1
  double value = 0.0;  ///< constant
  Expression extent;   ///< index.below, permutation.of, offsets.total
  std::vector<double> choices;
  std::string path;  ///< file: relative to the contract's folder
  std::string key;
};

struct ValueRange {
  double low = 0.0;
  double high = 0.0;
};

struct Tensor {
  std::string name;
  Role role = Role::in;
  DType dtype = DType::f32;
  std::vector<Expression> shape;
  std::vector<Expression> strides;  ///< elements; empty: row-major
  bool is_static = false;
  std::optional<ValueSpec> values;  ///< inputs always have one after validation (a float's default is normal)
  std::optional<ValueRange> range;  ///< what mutators must stay inside; derived from `values` where not given
};

/// A scalar argument that is no axis.
struct Param {
  std::string name;
  DType dtype = DType::f32;
  std::vector<double> values;  ///< every declared value; integers are exact up to 2^53
};

enum class Abi : std::uint8_t { c, tvm_ffi, cuda_module, hip_module, python };

/// Types of a C argument as registers see them (CONTRACT.md, "Entry").
enum class CType : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, boolean, pointer };

enum class ArgKind : std::uint8_t { tensor, axis, param, stream, device, workspace, workspace_bytes, null, literal };

struct Argument {
  ArgKind kind = ArgKind::tensor;
  std::string name;  ///< of the tensor, axis or param
  CType type = CType::pointer;
  double real = 0.0;         ///< literal of a floating type
  std::int64_t integer = 0;  ///< literal of an integer type
};

enum class ReturnKind : std::uint8_t {
  nothing,
  status32,
  status64,
  cuda_error,
  hip_error,
  cu_result,
  element,
  tensors
};

struct Launch {
  std::vector<Expression> grid, block, cluster;
  Expression shared;
};

struct Entry {
  Abi abi = Abi::c;
  std::string symbol;
  std::string prototype;  ///< as written; empty if `args` was used
  std::vector<Argument> args;
  ReturnKind returns = ReturnKind::nothing;
  CType return_type = CType::i32;       ///< of the returned register where returns != nothing
  std::string return_tensor;            ///< returns == element: the one-element tensor that the value is
  std::optional<std::int64_t> success;  ///< the return value that means success
  std::optional<Launch> launch;

  /// The value that the call returns is the one element of this tensor ("f32:y"): it lies in no memory of the call.
  bool returns_element_of(std::string_view tensor) const {
    return returns == ReturnKind::element && return_tensor == tensor;
  }
};

/// What is loaded: reference, candidate or baseline. Paths are as written, relative to the contract's folder.
struct SubjectSpec {
  std::string path;
  std::vector<std::string> with;
  Entry entry;  ///< [entry] with this subject's overrides applied
};

/// An argument of the oracle: a tensor, an axis or a param by name, or a literal.
struct OracleBinding {
  std::string argument;
  ArgKind kind = ArgKind::tensor;  ///< tensor, axis, param or literal
  std::string name;
  double literal = 0.0;
};

struct OracleSpec {
  std::string builtin;  ///< empty: `path` names a library with the same prototype in double precision
  std::string path;
  std::vector<OracleBinding> bind;
  std::map<std::string, std::string> options;
};

enum class Precision : std::uint8_t { f64, f32, tf32, f16, bf16, e4m3, e5m2, exact, bits };
enum class Policy : std::uint8_t { calibrated, allclose };
enum class SpecialValues : std::uint8_t { propagate, undefined };
enum class Denormals : std::uint8_t { keep, flush };

struct Numerics {
  Precision precision = Precision::f32;
  Precision accumulate = Precision::f32;
  Policy policy = Policy::calibrated;
  double rtol = 0.0;  ///< policy allclose: |x - y| <= atol + rtol * |y|
  double atol = 0.0;
  double matched = 1.0;               ///< share of elements that must be inside
  std::optional<double> max_error;    ///< cap on the absolute error of any element
  std::optional<bool> deterministic;  ///< nothing: as the reference is observed to be, and never a conviction
  SpecialValues special_values = SpecialValues::propagate;
  Denormals denormals = Denormals::keep;
};

struct Memory {
  std::int64_t align = 16;   ///< bytes that the caller promises; tested exactly
  bool align_given = false;  ///< else `align` is what the device's callers promise
  std::vector<std::pair<std::string, std::string>> aliasing;
  Expression workspace;             ///< bytes
  std::optional<Expression> extra;  ///< bytes the subject may hold itself; nothing: no limit
};

enum class Lifetime : std::uint8_t { fixed_address, reused_buffers, serving };

struct Concurrency {
  bool reentrant = false;
  std::int64_t threads = 1;
};

struct ProductionShape {
  AxisValues axes;
  double weight = 1.0;
};

struct CostSpec {
  std::optional<Expression> bytes;
  std::optional<Expression> flops;
};

enum class Regime : std::uint8_t { cold, hot };

struct Speed {
  std::optional<SubjectSpec> baseline;  ///< nothing: the reference
  std::optional<double> min_speedup;
  std::optional<double> min_speedup_each;
  Regime regime = Regime::cold;
};

/// A number, or its 5th, 50th and 95th percentile.
struct Quantiles {
  double p05 = 0.0, p50 = 0.0, p95 = 0.0;
};

struct TokenCost {
  double input = 0.0, output = 0.0, cache_read = 0.0, cache_write = 0.0;  ///< counts, or USD per million
};

/// What a win is worth (CONTRACT.md "[roi]", ROI.md). Absent keys stay empty so that reports can say what was assumed.
struct RoiSpec {
  std::optional<Quantiles> hot_fraction;
  std::optional<double> accelerator_usd_per_hour, hours_per_month, accelerators, campaign_cost_usd, max_payback_days;
  std::optional<double> horizon_months, capture, attainable_share, busy_share, engineer_usd, maintenance_usd_per_month;
  std::optional<double> search_hours, search_usd_per_hour, plan_usd, credit_usd, discount;
  std::optional<TokenCost> tokens, usd_per_million;
  bool replaceable = true;
};

struct MetricWall {};
struct MetricPattern {
  std::string pattern, unit;
};
struct MetricJson {
  std::string pointer, unit;
};

struct SwapEnv {
  std::string variable;
};
struct SwapLink {
  std::string path;
};

/// The workload, measured. Either both commands, or one command and what swaps the kernel.
struct EndToEnd {
  std::vector<std::string> baseline_command, candidate_command, command, accuracy_command;
  std::variant<std::monostate, SwapEnv, SwapLink> swap;
  std::variant<MetricWall, MetricPattern, MetricJson> metric;
  bool required = false;
};

struct Contract {
  std::string path;    ///< the file it came from
  std::string folder;  ///< what its relative paths are relative to
  std::string name, summary;
  std::vector<Constraint> constraints;
  std::vector<Axis> axes;       ///< in file order
  std::vector<Tensor> tensors;  ///< in file order
  std::vector<Param> params;    ///< in file order
  Entry entry;
  std::optional<SubjectSpec> reference;
  SubjectSpec candidate;  ///< path empty: given on the command line
  std::optional<OracleSpec> oracle;
  Numerics numerics;
  Memory memory;
  Lifetime lifetime = Lifetime::serving;
  Concurrency concurrency;
  std::vector<ProductionShape> shapes;
  std::optional<CostSpec> cost;
  Speed speed;
  std::optional<RoiSpec> roi;
  std::optional<EndToEnd> end_to_end;

  const Tensor* find_tensor(std::string_view tensor) const;
  const Axis* find_axis(std::string_view axis) const;
  const Param* find_param(std::string_view param) const;
};

/// Significand bits with the implicit one of a promised precision; 0 for exact and bits. u = 2^-bits (NUMERICS.md).
int significand_bits(Precision precision);

std::string_view name_of(Role role);
std::string_view name_of(Lifetime lifetime);
std::string_view name_of(Precision precision);

}  // namespace assay
