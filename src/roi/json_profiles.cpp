#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "roi/json_text.h"
#include "roi/readers.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

using nlohmann::json;

double time_of(const JsonRow& row, std::string_view key, double unit) {
  const double value = row.number(key);
  if (value < 0.0) row.fail("'" + std::string(key) + "' is negative");
  return value * unit;
}

std::int64_t count_of(const JsonRow& row, std::string_view key) {
  return static_cast<std::int64_t>(row.number(key));
}

ProfileKernel kernel_of(const JsonRow& row, std::string_view time_key, double unit, std::string_view calls_key) {
  ProfileKernel kernel;
  kernel.name = row.text("name");
  kernel.calls = count_of(row, calls_key);
  kernel.total_s = time_of(row, time_key, unit);
  return kernel;
}

void add_text_shape(Profile& profile, const ProfileKernel& kernel, const JsonRow& row, std::string_view key) {
  if (!row.has(key)) return;
  ShapeUse use;
  use.kernel = kernel.name;
  use.text = row.loose_text(key);
  use.calls = static_cast<double>(kernel.calls);
  use.total_s = kernel.total_s;
  if (!use.text.empty()) profile.shapes.push_back(std::move(use));
}

void read_magpie(const json& root, Profile& profile, const std::string& name) {
  const JsonRow top(root, name, "");
  for (const JsonRow& row : top.rows("top_kernels")) {
    ProfileKernel kernel = kernel_of(row, "self_cuda_total_us", 1e-6, "calls");
    add_text_shape(profile, kernel, row, "input_shapes");
    profile.kernels.push_back(std::move(kernel));
  }
  if (top.has("trace_start_pct") || top.has("trace_end_pct")) {
    profile.notes.push_back("computed over " + top.loose_text("trace_start_pct") + " to " +
                            top.loose_text("trace_end_pct") + " % of the trace");
  }
}

/// Rows beside the listed ones count in the total only: their time must not vanish from the denominator.
void add_rest(Profile& profile, double total_s) {
  double listed_s = 0.0;
  for (const ProfileKernel& kernel : profile.kernels) listed_s += kernel.total_s;
  if (!(total_s > listed_s * (1.0 + 1e-6))) return;
  ProfileKernel rest;
  rest.name = "(kernels that the profile does not list)";
  rest.total_s = total_s - listed_s;
  rest.replaceable = false;
  profile.kernels.push_back(std::move(rest));
}

void read_autokernel(const json& root, Profile& profile, const std::string& name) {
  const JsonRow top(root, name, "");
  bool operators = false;
  for (const JsonRow& row : top.rows("top_kernels")) {
    ProfileKernel kernel = kernel_of(row, "gpu_time_ms", 1e-3, "call_count");
    if (row.has("op_type")) kernel.category = row.loose_text("op_type");
    if (row.has("autokernel_supported")) kernel.replaceable = row.truth("autokernel_supported");
    operators = operators || kernel.name.starts_with("aten::");
    add_text_shape(profile, kernel, row, "shape_info");
    profile.kernels.push_back(std::move(kernel));
  }
  add_rest(profile, time_of(top, "total_gpu_time_ms", 1e-3));
  if (operators) {
    profile.notes.push_back("operators (aten::…) stand beside kernels: their time may be counted twice in the total");
  }
  profile.notes.push_back("its estimated_max_speedup is not read: it assumes 3x for everything");
}

void read_apex(const json& root, Profile& profile, const std::string& name) {
  const JsonRow top(root, name, "");
  const auto rows = root.is_array() ? top.rows() : top.rows(top.has("bottlenecks") ? "bottlenecks" : "top_kernels");
  for (const JsonRow& row : rows) {
    ProfileKernel kernel = kernel_of(row, "total_time_us", 1e-6, "calls");
    if (row.has("category")) kernel.category = row.loose_text("category");
    for (std::string_view key : {"bandwidth_pct", "compute_pct"}) {
      if (!row.has(key)) continue;
      kernel.roofline = std::clamp(std::max(kernel.roofline.value_or(0.0), row.number(key) / 100.0), 0.0, 1.0);
    }
    profile.kernels.push_back(std::move(kernel));
  }
}

/// Sizes of [4, 1024]; nothing where it is another thing.
std::optional<std::vector<std::int64_t>> sizes_of(const json& value) {
  if (!value.is_array() || value.empty()) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const json& size : value) {
    if (!size.is_number_integer()) return std::nullopt;
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

void read_subgraph_shapes(const JsonRow& row, ShapeUse& use) {
  const json& shape = row.has("input_shape") ? row.value("input_shape") : row.value("inputs");
  if (const auto one = sizes_of(shape)) {
    use.dims.push_back(*one);
  } else if (shape.is_array()) {
    for (const json& each : shape) {
      if (const auto sizes = sizes_of(each)) use.dims.push_back(*sizes);
    }
  }
  if (use.dims.empty()) use.text = shape.is_string() ? shape.get<std::string>() : shape.dump();
  if (row.has("dtype")) use.dtypes.assign(std::max<std::size_t>(use.dims.size(), 1), row.loose_text("dtype"));
}

/// Subgraphs have counts but no times: weights, no shares.
void read_kernelagent(const json& root, Profile& profile, const std::string& name) {
  const JsonRow top(root, name, "");
  for (const JsonRow& row : root.is_array() ? top.rows() : top.rows("subgraphs")) {
    ProfileKernel kernel;
    kernel.name = row.loose_text("id");
    kernel.calls = count_of(row, "count");
    kernel.category = row.has("type") ? row.loose_text("type") : "";
    ShapeUse use;
    use.kernel = kernel.name;
    use.op = kernel.category;
    use.calls = static_cast<double>(kernel.calls);
    read_subgraph_shapes(row, use);
    profile.shapes.push_back(std::move(use));
    profile.kernels.push_back(std::move(kernel));
  }
  profile.notes.push_back("subgraphs have counts but no times: weights of shapes, no shares of time");
}

struct JsonForm {
  std::string_view format;
  std::string_view key;  ///< of a row, that tells it
  void (*read)(const json&, Profile&, const std::string&);
};
constexpr std::array<JsonForm, 4> kForms{{{"Magpie gap analysis", "self_cuda_total_us", read_magpie},
                                          {"AutoKernel profile report", "gpu_time_ms", read_autokernel},
                                          {"Apex bottlenecks", "total_time_us", read_apex},
                                          {"KernelAgent subgraphs", "count", read_kernelagent}}};

/// The first row of the list that the file is or holds.
const json* first_row(const json& root) {
  const json* list = root.is_array() ? &root : nullptr;
  for (const char* key : {"top_kernels", "bottlenecks", "subgraphs"}) {
    if (root.is_object() && root.contains(key)) list = &root[key];
  }
  return list && list->is_array() && !list->empty() ? &list->front() : nullptr;
}

const JsonForm& form_of(const json& root, const std::string& name) {
  const json* row = first_row(root);
  for (const JsonForm& form : kForms) {
    if (row && row->is_object() && row->contains(form.key)) return form;
  }
  fail(name +
       ": JSON of no profiler that is known: expected a PyTorch trace (traceEvents), or the kernels of Magpie, "
       "AutoKernel, "
       "Apex or KernelAgent");
}

}  // namespace

Profile read_json_profile(ByteSource& source, const std::string& name) {
  const json root = parse_json(read_whole(source, name), name);
  const JsonForm& form = form_of(root, name);
  Profile profile;
  profile.path = name;
  profile.format = form.format;
  form.read(root, profile, name);
  for (const ProfileKernel& kernel : profile.kernels) profile.kernel_s += kernel.total_s;
  profile.rows = static_cast<std::int64_t>(profile.kernels.size());
  return profile;
}

}  // namespace assay::roi
