#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A profile of a workload, whatever tool wrote it (ROI.md, "Profiles to import").
namespace assay::roi {

/// Calls of a kernel with one set of input shapes.
struct ShapeUse {
  std::string kernel;
  std::string op;                               ///< of the framework, or empty
  std::vector<std::vector<std::int64_t>> dims;  ///< per input; a scalar has none
  std::vector<std::string> dtypes;              ///< per input, as the trace spells them; may be empty
  std::string text;                             ///< as the trace has them, where it has no lists
  double calls = 0.0;
  double total_s = 0.0;  ///< 0: the trace does not say
};

/// All calls of one name.
struct ProfileKernel {
  std::string name;
  std::int64_t calls = 0;
  double total_s = 0.0;               ///< sum of durations on the device
  std::optional<double> exclusive_s;  ///< while nothing else ran on any device; nothing: no timeline
  std::optional<double> active_s;     ///< union of its intervals
  std::optional<double> roofline;     ///< share of a measured peak that it reaches, 0…1: redundant work raises it too
  std::string category;               ///< of the tool, or empty
  bool replaceable = true;            ///< false: the tool says that nothing can be put in its place
};

struct StreamUse {
  std::int64_t device = 0, stream = 0;
  std::int64_t calls = 0;
  double busy_s = 0.0;
};

/// What the kernels that a pattern picks do together.
struct PickedTime {
  double exclusive_s = 0.0, active_s = 0.0;
};

struct Profile {
  std::string path, format;
  std::vector<ProfileKernel> kernels;  ///< largest total first
  double kernel_s = 0.0;               ///< sum of all kernels' durations
  double copy_s = 0.0;                 ///< of copies and fills on the device
  std::optional<double> busy_s;        ///< union of all intervals on the device
  std::optional<double> window_s;      ///< wall time from the first to the last event, host included
  bool window_has_host = false;        ///< false: the window begins and ends with device work
  std::optional<double> overlap_s;     ///< device work beyond one at a time
  std::optional<PickedTime> picked;    ///< where a pattern was given and there is a timeline
  std::vector<StreamUse> streams;
  std::vector<ShapeUse> shapes;
  bool floors_only = false;  ///< kernels ran one by one under the profiler: no shares can be had
  std::int64_t rows = 0;     ///< events or rows of kernels that were read
  std::int64_t ignored = 0;  ///< events that are no device work
  std::vector<std::string> notes;
};

struct ProfileRequest {
  std::function<bool(std::string_view)> picks;  ///< names whose time is wanted together; empty: none
  bool shapes = false;                          ///< keep the input shapes too (costs memory per host event)
};

/// Reads a profile of any format that this program knows. Throws assay::Error (exit 2) that names file and line:
/// unknown format, cut short, a row that can't be read, mixed units.
Profile read_profile(const std::string& path, const ProfileRequest& request = {});

/// The same from a text; `name` is for messages.
Profile parse_profile(const std::string& text, const std::string& name, const ProfileRequest& request = {});

}  // namespace assay::roi
