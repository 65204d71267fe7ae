#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/contract.h"
#include "core/error.h"
#include "core/roi_result.h"
#include "roi/gate.h"
#include "roi/presets.h"

namespace assay::roi {

/// What a report says that matters here.
struct ReportFacts {
  std::string path, contract_path, verdict;
  struct Shape {
    std::string name;  ///< "H=4096 T=1"
    double reference_s = 0.0;
    Quantiles speedup{1.0, 1.0, 1.0};
    bool has_interval = false;
  };
  std::vector<Shape> shapes;            ///< with times of both sides
  std::optional<Quantiles> end_to_end;  ///< saved fraction as measured by `assay e2e`
};

/// Reads a report.json. Throws assay::Error (exit 2) if it is none.
ReportFacts read_report(const std::string& path);
ReportFacts parse_report(const std::string& text, const std::string& name);

/// Everything that `assay roi` can be asked. Empty texts and absent numbers were not given.
struct Question {
  const Contract* contract = nullptr;
  std::optional<ReportFacts> report = std::nullopt;
  std::optional<double> hot_fraction = std::nullopt, speedup = std::nullopt;
  std::string trace = {}, kernel = {};
  bool before = false;
  std::string previous = {};  ///< a report of the last campaign
  std::string preset = {};
  std::string rank = {};  ///< a trace
};

/// The share comes from `hot_fraction`, else the trace, else the contract; the speed-up from the report, else
/// `speedup`, which beside a report is what was claimed. Throws assay::Error (exit 2) with what is missing.
RoiAnswer answer(const Question& question);

/// `[[shapes]]` of the question's trace, of its kernels or of all.
std::string shapes_of(const Question& question);

/// 0 fund or deploy, or nothing was asked that could fail; 1 not; 3 can't tell.
Exit exit_of(const Question& question, const RoiAnswer& answer);

}  // namespace assay::roi
