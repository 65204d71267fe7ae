#include <algorithm>
#include <array>
#include <cmath>

#include "roi/csv_reader.h"
#include "roi/readers.h"
#include "roi/timeline.h"
#include "roi/valid.h"

// Theory of operation: lines before the table (progress, warnings, titles) are passed over until one holds the columns
// of a known table; columns are found by name, because their number and order differ between versions. Each table is a
// row of kTables: what its header must hold, and how one row adds to the profile. A row that can't be read is an error.

namespace assay::roi {
namespace {

using Fields = std::vector<std::string>;

/// What a row handler sees and fills.
struct Table {
  CsvReader& csv;
  const ProfileRequest& request;
  Profile profile;
  Fields header, row;
  Fields units;  ///< of ncu's raw page, per column
  NumberStyle numbers;
  std::map<std::string, ProfileKernel> kernels;
  Timeline timeline;

  Table(CsvReader& reader, const ProfileRequest& wanted) : csv(reader), request(wanted), timeline(wanted.picks) {}

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
  }
  /// A column whose name begins so, as "Total Time (" with its unit.
  std::optional<std::size_t> column_like(std::string_view start) const {
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header[i].starts_with(start)) return i;
    }
    return std::nullopt;
  }
  const std::string& text(std::string_view name) const { return row[column(name).value()]; }
  double number(std::size_t index) {
    std::string why;
    const std::optional<double> value = numbers.parse(row[index], why);
    if (!value) csv.fail("column '" + header[index] + "': " + why);
    if (*value < 0.0) csv.fail("column '" + header[index] + "' is negative: " + row[index]);
    return *value;
  }
  double number(std::string_view name) { return number(column(name).value()); }
  /// A time in the unit that the column's name holds.
  double seconds(std::size_t index) {
    const std::optional<double> unit = seconds_per(unit_in(header[index]));
    if (!unit) csv.fail("column '" + header[index] + "' has no unit of time that is known (ns, us, ms, s)");
    return number(index) * *unit;
  }
  ProfileKernel& kernel(const std::string& name) {
    if (name.empty()) csv.fail("a kernel without a name");
    ProfileKernel& found = kernels[name];
    found.name = name;
    return found;
  }
  std::int64_t count(std::size_t index) {
    const double value = number(index);
    if (value != std::floor(value) || value > 1e15)
      csv.fail("column '" + header[index] + "' is no count: " + row[index]);
    return static_cast<std::int64_t>(value);
  }
};

void add_sum(Table& table, const std::string& name, std::int64_t calls, double total_s) {
  ProfileKernel& kernel = table.kernel(name);
  kernel.calls += calls;
  kernel.total_s += total_s;
}

void read_nsys(Table& table) {
  add_sum(table, table.text("Name"), table.count(*table.column("Instances")),
          table.seconds(*table.column_like("Total Time (")));
}

void read_rocprof_stats(Table& table) {
  std::string name = table.text("Name");
  constexpr std::string_view kSuffix = " [clone .kd]";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  add_sum(table, name, table.count(*table.column("Calls")), table.number("TotalDurationNs") * 1e-9);
}

void read_rocprof_trace(Table& table) {
  if (table.text("Kind") != "KERNEL_DISPATCH") {
    ++table.profile.ignored;
    return;
  }
  const std::int64_t start = table.count(*table.column("Start_Timestamp"));
  const std::int64_t end = table.count(*table.column("End_Timestamp"));
  if (end < start) table.csv.fail("the kernel ends before it starts");
  const auto stream = table.column("Stream_Id") ? table.column("Stream_Id") : table.column("Queue_Id");
  const std::int64_t queue = stream ? table.count(*stream) : 0;
  const std::uint32_t name = table.timeline.intern(table.text("Kernel_Name"), Work::kernel);
  if (!table.timeline.add(name, start, end, 0, queue)) {
    table.csv.fail("dispatches are millions of rows out of time order; sort the trace by Start_Timestamp");
  }
}

void read_magpie(Table& table) {
  const std::string& name = table.text("Name");
  const std::int64_t calls = table.count(*table.column("Calls"));
  const double total_s = table.seconds(*table.column_like("Self CUDA total ("));
  add_sum(table, name, calls, total_s);
  const auto shapes = table.column("Input Shapes");
  if (!shapes || table.row[*shapes].empty()) return;
  ShapeUse use;
  use.kernel = name;
  use.text = table.row[*shapes];
  use.calls = static_cast<double>(calls);
  use.total_s = total_s;
  table.profile.shapes.push_back(std::move(use));
}

/// Shares of peak that ncu reports in per cent; the largest says how near the roofline a kernel is.
bool is_share_of_peak(std::string_view metric) {
  constexpr std::array<std::string_view, 4> kStarts{"sm__throughput.avg.pct", "gpu__compute_memory_throughput.avg.pct",
                                                    "dram__throughput.avg.pct",
                                                    "sm__pipe_tensor_cycles_active.avg.pct"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](auto start) { return metric.starts_with(start); });
}

void add_metric(Table& table, const std::string& kernel_name, std::string_view metric, const std::string& unit,
                std::size_t value) {
  if (metric == "gpu__time_duration.sum" || metric == "gpu__time_duration_measured_user.sum") {
    const std::optional<double> scale = seconds_per(unit);
    if (!scale) table.csv.fail("unknown unit of time '" + unit + "' (ns, us, ms, s)");
    add_sum(table, kernel_name, 1, table.number(value) * *scale);
  } else if (is_share_of_peak(metric)) {
    if (unit != "%") table.csv.fail("expected " + std::string(metric) + " in %, found '" + unit + "'");
    ProfileKernel& kernel = table.kernel(kernel_name);
    kernel.roofline = std::min(1.0, std::max(kernel.roofline.value_or(0.0), table.number(value) / 100.0));
  }
}

/// One row per metric.
void read_ncu(Table& table) {
  table.kernel(table.text("Kernel Name"));
  add_metric(table, table.text("Kernel Name"), table.text("Metric Name"), table.text("Metric Unit"),
             *table.column("Metric Value"));
}

/// One column per metric; the row after the header holds the units.
void read_ncu_raw(Table& table) {
  if (table.text("ID").empty()) {
    table.units = table.row;
    return;
  }
  if (table.units.empty()) table.csv.fail("ncu's raw page lacks the row of units after its header");
  table.kernel(table.text("Kernel Name"));
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (!table.row[i].empty()) add_metric(table, table.text("Kernel Name"), table.header[i], table.units[i], i);
  }
}

enum class Sums : std::uint8_t { rows, timeline, floors };

struct TableForm {
  std::string_view format;
  std::array<std::string_view, 4> columns;  ///< that tell it; after a trailing '(' comes a unit; empty: none
  void (*read)(Table&);
  Sums sums;
};

/// The first that fits: the more particular come first.
constexpr std::array<TableForm, 6> kTables{{
    {"rocprofv3 kernel trace",
     {"Kind", "Kernel_Name", "Start_Timestamp", "End_Timestamp"},
     read_rocprof_trace,
     Sums::timeline},
    {"rocprof kernel stats", {"Name", "Calls", "TotalDurationNs", "Percentage"}, read_rocprof_stats, Sums::rows},
    {"nsys cuda_gpu_kern_sum", {"Name", "Instances", "Total Time ("}, read_nsys, Sums::rows},
    {"ncu details", {"ID", "Kernel Name", "Metric Name", "Metric Value"}, read_ncu, Sums::floors},
    {"ncu raw page", {"ID", "Kernel Name", "Process ID", "Context"}, read_ncu_raw, Sums::floors},
    {"Magpie gap analysis", {"Name", "Calls", "Self CUDA total (", "% Total"}, read_magpie, Sums::rows},
}};

bool holds(const Fields& header, std::string_view column) {
  return column.empty() || std::any_of(header.begin(), header.end(), [&](const std::string& field) {
           return column.ends_with('(') ? field.starts_with(column) : field == column;
         });
}

const TableForm* form_of(const Fields& header) {
  for (const TableForm& form : kTables) {
    if (std::all_of(form.columns.begin(), form.columns.end(), [&](auto column) { return holds(header, column); })) {
      return &form;
    }
  }
  return nullptr;
}

/// Passes over what comes before the table.
const TableForm& find_table(CsvReader& csv, Fields& header) {
  constexpr std::int64_t kMostLinesBefore = 1000;
  while (csv.line() < kMostLinesBefore && csv.next(header)) {
    if (const TableForm* form = form_of(header)) return *form;
    if (holds(header, "Num Calls")) {
      csv.fail("this is the summary of API calls, not of kernels: use nsys stats --report cuda_gpu_kern_sum");
    }
  }
  csv.fail("no table of kernels that is known: expected CSV of nsys (cuda_gpu_kern_sum), ncu, rocprof or Magpie");
}

/// False where the table ends: an empty line, after which another report may follow.
bool in_table(Table& table) {
  if (table.row.size() == 1 && table.row.front().empty()) return false;
  if (table.row.size() == table.header.size()) return true;
  const std::string what =
      "the row has " + std::to_string(table.row.size()) + " columns, the header " + std::to_string(table.header.size());
  table.csv.fail(what + "; was the file cut or edited?");
}

/// What follows an empty line must not be more rows.
void check_rest(Table& table) {
  while (table.csv.next(table.row)) {
    const bool blank = table.row.size() == 1 && table.row.front().empty();
    if (blank) continue;
    if (table.row.size() == table.header.size() && table.row != table.header && !form_of(table.row) &&
        table.row.size() > 1) {
      table.csv.fail("a row after an empty line: remove the empty line or the row");
    }
    table.profile.notes.push_back("what follows the first table (line " + std::to_string(table.csv.line()) +
                                  ") was not read");
    return;
  }
}

void sum_rows(Table& table) {
  for (auto& [name, kernel] : table.kernels) {
    table.profile.kernel_s += kernel.total_s;
    table.profile.kernels.push_back(std::move(kernel));
  }
}

void sum_up(Table& table, Sums sums) {
  if (sums != Sums::timeline) return sum_rows(table);
  if (table.timeline.empty()) table.csv.fail("the trace has no kernel dispatches");
  const std::int64_t rows = table.profile.rows;
  table.timeline.finish(table.profile);
  table.profile.rows = rows;
  table.profile.window_s = static_cast<double>(table.timeline.last_ns() - table.timeline.first_ns()) * 1e-9;
}

}  // namespace

Profile read_csv_profile(ByteSource& source, const std::string& name, const ProfileRequest& request) {
  CsvReader csv(source, name);
  Table table(csv, request);
  const TableForm& form = find_table(csv, table.header);
  table.profile.path = name;
  table.profile.format = form.format;
  while (csv.next(table.row)) {
    if (!in_table(table)) {
      check_rest(table);
      break;
    }
    ++table.profile.rows;
    form.read(table);
  }
  sum_up(table, form.sums);
  table.profile.floors_only = form.sums == Sums::floors;
  if (table.profile.kernels.empty()) csv.fail("the table has no rows");
  return std::move(table.profile);
}

}  // namespace assay::roi
